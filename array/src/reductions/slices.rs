//! NumPy's warnings for slices with too few elements, and the `errstate` checks of means.

use super::axes::Axes;
use crate::array::Array;
use crate::floating::{FloatingErrorKind, check_reduction, warn, warn_where, warns};
use phalanx_graph::{Site, is_nested, within};

/// A reduction for which NumPy warns if slices have too few elements.
#[derive(Clone, Copy)]
pub(super) enum Moment {
    /// A mean; too few are 0 elements.
    Mean,
    /// A variance or a standard deviation; too few are at most `ddof` elements.
    Variance { ddof: f64 },
    /// A mean that skips NaN.
    MeanOfNumbers,
    /// A variance or a standard deviation that skips NaN.
    VarianceOfNumbers { ddof: f64 },
}

pub(crate) const EMPTY_SLICE: &str = "Mean of empty slice";
pub(crate) const NO_DEGREES: &str = "Degrees of freedom <= 0 for slice";
/// NumPy's text for the functions that skip NaN.
const NO_DEGREES_OF_NUMBERS: &str = "Degrees of freedom <= 0 for slice.";
const ALL_NAN: &str = "All-NaN slice encountered";

impl Moment {
    /// The largest number of elements that is too few, and NumPy's text of the warning.
    fn rule(self, is_inexact: bool) -> (f64, &'static str) {
        match self {
            Moment::Mean | Moment::MeanOfNumbers => (0.0, EMPTY_SLICE),
            Moment::VarianceOfNumbers { ddof } if is_inexact => (ddof, NO_DEGREES_OF_NUMBERS),
            Moment::Variance { ddof } | Moment::VarianceOfNumbers { ddof } => (ddof, NO_DEGREES),
        }
    }

    const fn skips_nan(self) -> bool {
        matches!(self, Moment::MeanOfNumbers | Moment::VarianceOfNumbers { .. })
    }
}

/// Checks the floating-point errors of a mean or variance over axes, and warns if slices have too
/// few elements. The warning is immediate if the shapes decide, and at the next observation if a
/// mask or NaN decides.
pub(super) fn check_moment(moment: Moment, array: &Array, axes: &Axes, result: &Array, site: Site) {
    let (least, text) = moment.rule(array.dtype().is_inexact());
    if result.ok().is_err() {
        return;
    }
    // A variance without degrees of freedom is a division by zero.
    let is_few = combined(array, axes, site) as f64 <= least;
    let divides = axes.has_mask().is_none() && is_few && result.size() > 0;
    let infinite = if divides { FloatingErrorKind::Divide } else { FloatingErrorKind::Over };
    check_reduction(array, axes, result, infinite, site);
    if !warns() || is_nested() {
        return;
    }
    let skips_nan = moment.skips_nan() && array.dtype().is_inexact();
    let numbers = skips_nan.then(|| within(site, || array.isnan().logical_not()));
    let mask = match (numbers, axes.has_mask()) {
        (None, None) => {
            if is_few {
                warn(text, result, site);
            }
            return;
        }
        (Some(numbers), None) => numbers,
        (None, Some(mask)) => mask.clone(),
        (Some(numbers), Some(mask)) => within(site, || numbers.logical_and(mask)),
    };
    if result.size() == 0 {
        return;
    }
    let is_few = within(site, || {
        let counts = mask.broadcast_to(array.shape()).sum(axes.plain());
        counts.less_equal(least).any(())
    });
    warn_where(text, is_few, site);
}

/// The number of elements that a reduction over axes combines into one.
fn combined(array: &Array, axes: &Axes, site: Site) -> usize {
    let axes = axes.resolve(array.ndim(), site).unwrap_or_default();
    axes.iter().map(|&axis| array.shape()[usize::from(axis)]).product()
}

/// Warns if each element of `result`, a reduction over axes, combines no elements. As in NumPy, the
/// result need not have elements.
pub(crate) fn warn_of_empty(array: &Array, axes: &Axes, result: &Array, site: Site) {
    if warns() && !is_nested() && result.ok().is_ok() && combined(array, axes, site) == 0 {
        warn(EMPTY_SLICE, result, site);
    }
}

/// Warns, at the next observation, if all elements of a slice are NaN; at once if slices have no
/// elements.
pub(crate) fn warn_of_nan(array: &Array, axes: &Axes, result: &Array, site: Site) {
    if !warns() || is_nested() || result.ok().is_err() {
        return;
    }
    if array.size() == 0 {
        // The result may have axes of quantiles.
        let slices = within(site, || array.all(axes.plain()));
        if slices.size() > 0 {
            warn(EMPTY_SLICE, result, site);
        }
    } else if array.dtype().is_inexact() && result.size() > 0 {
        let condition = within(site, || array.isnan().all(axes.plain()).any(()));
        warn_where(ALL_NAN, condition, site);
    }
}

/// Warns, at the next observation, if a result that skips NaN is NaN because a slice has no
/// numbers.
pub(super) fn check_extreme(array: &Array, axes: &Axes, result: &Array, site: Site) {
    check_reduction(array, axes, result, FloatingErrorKind::Over, site);
    if warns()
        && !is_nested()
        && result.ok().is_ok_and(|it| it.dtype().is_inexact() && it.size() > 0)
    {
        warn_where(ALL_NAN, within(site, || result.isnan().any(())), site);
    }
}
