//! Sums, products, extremes and their positions, truth, and counts.

use super::axes::Axes;
use crate::array::Array;
use crate::floating::{FloatingErrorKind, check_reduction};
use crate::recording::try_elementwise;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Monoid, Op, can_cast};

/// The options of sums and products.
pub(super) const SUMMING: &[&str] = &["initial", "masked", "dtype", "out"];
/// The options of extremes.
pub(super) const EXTREMES: &[&str] = &["initial", "masked", "out"];
const TRUTH: &[&str] = &["masked", "out"];

impl Array {
    /// The reduction of the function `operation`, which has the options `allowed`.
    pub(super) fn reduction(
        &self,
        (operation, monoid, dtype): (&'static str, Monoid, DType),
        allowed: &[&str],
        axes: &Axes,
        site: Site,
    ) -> Array {
        tracing::trace!(target: "phalanx::path", file = file!());
        let reduced = axes.allow(operation, allowed, site);
        let reduced = reduced.and_then(|()| self.reduce_into(monoid, dtype, axes, site));
        let reduced = Array::catch(reduced);
        check_reduction(self, axes, &reduced, FloatingErrorKind::Over, site);
        reduced
    }

    /// Sum over `axes`. Integers narrower than 64 bits and bools are summed in 64 bits, unless the
    /// options give a dtype or an output.
    ///
    /// Options: `keepdims`, `initial`, `masked`, `dtype`, `out`. Accuracy: pairwise summation
    /// within a shard, then over shards. Sharding: split reduced axes give partial sums. Local
    /// (records nodes). Errors: `OpError::Axis`, `OpError::DuplicateAxis`, `OpError::BroadcastInto`
    /// for a mask or an output of another shape, `OpError::Mask` for a mask that is not bool.
    #[track_caller]
    #[must_use]
    pub fn sum(&self, axes: impl Into<Axes>) -> Array {
        let row = ("sum", Monoid::Add, self.accumulator());
        self.reduction(row, SUMMING, &axes.into(), call_site())
    }

    /// Product over `axes`. Dtype, options and errors: as for [`Array::sum`].
    #[track_caller]
    #[must_use]
    pub fn prod(&self, axes: impl Into<Axes>) -> Array {
        let row = ("prod", Monoid::Multiply, self.accumulator());
        self.reduction(row, SUMMING, &axes.into(), call_site())
    }

    /// Smallest element over `axes`; NaN if any element is NaN. Options: `keepdims`, `initial`,
    /// `masked` (which needs `initial`), `out`. Errors: as for [`Array::sum`], and
    /// `OpError::EmptyReduction`.
    #[track_caller]
    #[must_use]
    pub fn min(&self, axes: impl Into<Axes>) -> Array {
        let row = ("min", Monoid::Min, self.dtype());
        self.reduction(row, EXTREMES, &axes.into(), call_site())
    }

    /// Largest element over `axes`; NaN if any element is NaN. Options and errors: as for
    /// [`Array::min`].
    #[track_caller]
    #[must_use]
    pub fn max(&self, axes: impl Into<Axes>) -> Array {
        let row = ("max", Monoid::Max, self.dtype());
        self.reduction(row, EXTREMES, &axes.into(), call_site())
    }

    /// Whether any element over `axes` is not zero. Options: `keepdims`, `masked`, `out`.
    #[track_caller]
    #[must_use]
    pub fn any(&self, axes: impl Into<Axes>) -> Array {
        let row = ("any", Monoid::Any, DType::Bool);
        self.reduction(row, TRUTH, &axes.into(), call_site())
    }

    /// Whether all elements over `axes` are not zero. Options: `keepdims`, `masked`, `out`.
    #[track_caller]
    #[must_use]
    pub fn all(&self, axes: impl Into<Axes>) -> Array {
        let row = ("all", Monoid::All, DType::Bool);
        self.reduction(row, TRUTH, &axes.into(), call_site())
    }

    /// Index of the first smallest element along an axis, or in C order for `()`. The index is that
    /// of the first NaN if there is one. Options: `keepdims`, `out` (of integers).
    #[track_caller]
    #[must_use]
    pub fn argmin(&self, axes: impl Into<Axes>) -> Array {
        let site = call_site();
        Array::catch(self.position("argmin", Monoid::ArgMin, &axes.into(), site))
    }

    /// Index of the first largest element along an axis, or in C order for `()`. The index is that
    /// of the first NaN if there is one. Options: `keepdims`, `out` (of integers).
    #[track_caller]
    #[must_use]
    pub fn argmax(&self, axes: impl Into<Axes>) -> Array {
        let site = call_site();
        Array::catch(self.position("argmax", Monoid::ArgMax, &axes.into(), site))
    }

    pub(super) fn position(
        &self,
        operation: &'static str,
        monoid: Monoid,
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        axes.allow(operation, &["out"], site)?;
        let found = self.reduce_with(monoid, self.dtype(), axes, site)?;
        let Some(out) = axes.has_out() else { return Ok(found) };
        out.check_out(found.shape(), site)?;
        if !can_cast(out.dtype(), DType::I64, Casting::Safe) {
            let (from, to) = (out.dtype(), DType::I64);
            return Err(Error::op(OpError::Cast { from, to, casting: Casting::Safe }, site));
        }
        found.into_out(axes, Casting::Unsafe, site)
    }

    /// The number of elements over `axes` that are not zero, as `i64`. Option: `keepdims`.
    #[track_caller]
    #[must_use]
    pub fn count_nonzero(&self, axes: impl Into<Axes>) -> Array {
        let (site, axes) = (call_site(), axes.into());
        // NumPy counts in a copy, so the result has the order of axes in memory that a copy has.
        let is_bool = self.dtype() == DType::Bool;
        let nonzero = if is_bool { self.clone() } else { self.astype_at(DType::Bool, site) };
        nonzero.reduction(("count_nonzero", Monoid::Add, DType::I64), &[], &axes, site)
    }

    /// The range over `axes`, NumPy's `ptp`: the largest element minus the smallest. Options:
    /// `keepdims`, `out`. Errors: as for [`Array::max`], and `OpError::Dtype` for bools.
    #[track_caller]
    #[must_use]
    pub fn ptp(&self, axes: impl Into<Axes>) -> Array {
        let (site, axes) = (call_site(), axes.into());
        let range = Array::catch((|| {
            axes.allow("ptp", &["out"], site)?;
            let extreme = |monoid| self.reduce_with(monoid, self.dtype(), &axes, site);
            let (mut high, low) = (extreme(Monoid::Max)?, extreme(Monoid::Min)?);
            if let Some(out) = axes.has_out() {
                // NumPy writes the largest element into `out` first, and subtracts from it.
                out.check_out(high.shape(), site)?;
                high = high.converted(out.dtype(), site);
            }
            let range = try_elementwise(Op::Subtract, &[high.into(), low.into()], site)?;
            range.into_out(&axes, Casting::SameKind, site)
        })());
        check_reduction(self, &axes, &range, FloatingErrorKind::Over, site);
        range
    }
}
