//! Reductions that skip NaN.

use super::axes::Axes;
use super::methods::{EXTREMES, SUMMING};
use super::moments::Exhausted;
use super::slices::{Moment, check_extreme, check_moment};
use crate::array::Argument;
use crate::array::Array;
use crate::math::select;
use num_complex::Complex64;
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Monoid, Weak};

/// The sum over `axes` of the elements that are not NaN. Options and errors: as for [`Array::sum`].
#[track_caller]
#[must_use]
pub fn nansum(array: &Array, axes: impl Into<Axes>) -> Array {
    let site = call_site();
    let row = ("nansum", Monoid::Add, array.accumulator());
    array.without_nan(Weak::Int(0), site).reduction(row, SUMMING, &axes.into(), site)
}

/// The product over `axes` of the elements that are not NaN. Options and errors: as for
/// [`Array::prod`].
#[track_caller]
#[must_use]
pub fn nanprod(array: &Array, axes: impl Into<Axes>) -> Array {
    let site = call_site();
    let row = ("nanprod", Monoid::Multiply, array.accumulator());
    array.without_nan(Weak::Int(1), site).reduction(row, SUMMING, &axes.into(), site)
}

/// The smallest element over `axes` that is not NaN; NaN if all elements are NaN. Options and
/// errors: as for [`Array::min`].
#[track_caller]
#[must_use]
pub fn nanmin(array: &Array, axes: impl Into<Axes>) -> Array {
    let site = call_site();
    extreme(array, ("nanmin", Monoid::Min), &axes.into(), site)
}

/// The largest element over `axes` that is not NaN; NaN if all elements are NaN. Options and
/// errors: as for [`Array::max`].
#[track_caller]
#[must_use]
pub fn nanmax(array: &Array, axes: impl Into<Axes>) -> Array {
    let site = call_site();
    extreme(array, ("nanmax", Monoid::Max), &axes.into(), site)
}

fn extreme(array: &Array, row: (&'static str, Monoid), axes: &Axes, site: Site) -> Array {
    let result = Array::catch(array.extreme_number(row, axes, site));
    check_extreme(array, axes, &result, site);
    result
}

/// The index of the first smallest element that is not NaN. Options: as for [`Array::argmin`].
///
/// Collective over the mesh for floating-point arrays, because data decides whether all elements of
/// a slice are NaN (see [`deferred_errors`](crate::deferred_errors)). Errors: as for
/// [`Array::argmin`], and `DataError::AllNan`.
#[track_caller]
#[must_use]
pub fn nanargmin(array: &Array, axes: impl Into<Axes>) -> Array {
    let site = call_site();
    Array::catch(array.position_of_number("nanargmin", Monoid::ArgMin, &axes.into(), site))
}

/// The index of the first largest element that is not NaN. Options, collectivity and errors: as for
/// [`nanargmin`].
#[track_caller]
#[must_use]
pub fn nanargmax(array: &Array, axes: impl Into<Axes>) -> Array {
    let site = call_site();
    Array::catch(array.position_of_number("nanargmax", Monoid::ArgMax, &axes.into(), site))
}

/// The mean over `axes` of the elements that are not NaN; NaN if all elements are NaN. Options and
/// errors: as for [`Array::mean`].
#[track_caller]
#[must_use]
pub fn nanmean(array: &Array, axes: impl Into<Axes>) -> Array {
    let (site, axes) = (call_site(), axes.into());
    let mean = Array::catch((|| {
        axes.allow("nanmean", &["masked", "dtype", "out"], site)?;
        array.try_mean(&array.only_numbers("nanmean", axes.clone(), site)?, site)
    })());
    check_moment(Moment::MeanOfNumbers, array, &axes, &mean, site);
    mean
}

/// The variance over `axes` of the elements that are not NaN; NaN if at most `ddof` elements are
/// numbers. Options and errors: as for [`Array::var`].
#[track_caller]
#[must_use]
pub fn nanvar(array: &Array, axes: impl Into<Axes>, ddof: f64) -> Array {
    let (site, given) = (call_site(), axes.into());
    let var = Array::catch((|| {
        given.allow("nanvar", &["masked", "dtype", "out", "mean"], site)?;
        let (axes, exhausted) = array.numbers_and_rule("nanvar", given.clone(), site)?;
        array.try_var(&axes, ddof, exhausted, site)
    })());
    check_moment(Moment::VarianceOfNumbers { ddof }, array, &given, &var, site);
    var
}

/// The standard deviation of the elements that are not NaN: the square root of [`nanvar`].
#[track_caller]
#[must_use]
pub fn nanstd(array: &Array, axes: impl Into<Axes>, ddof: f64) -> Array {
    let (site, given) = (call_site(), axes.into());
    let std = Array::catch((|| {
        given.allow("nanstd", &["masked", "dtype", "out", "mean"], site)?;
        let (axes, exhausted) = array.numbers_and_rule("nanstd", given.clone(), site)?;
        array.try_std(&axes, ddof, exhausted, site)
    })());
    check_moment(Moment::VarianceOfNumbers { ddof }, array, &given, &std, site);
    std
}

impl Array {
    /// The array with NaN replaced by `number`.
    pub(crate) fn without_nan(&self, number: Weak, site: Site) -> Array {
        if !self.dtype().is_inexact() || self.ok().is_err() {
            return self.clone();
        }
        within(site, || select(&self.isnan(), number, self))
    }

    /// The axes of a reduction, with a mask that also excludes NaN.
    fn only_numbers(&self, operation: &'static str, axes: Axes, site: Site) -> Result<Axes, Error> {
        self.ok()?;
        if !self.dtype().is_inexact() {
            return Ok(axes);
        }
        let not_inexact = [axes.has_dtype(), axes.has_out().map(Array::dtype)];
        if let Some(dtype) = not_inexact.into_iter().flatten().find(|dtype| !dtype.is_inexact()) {
            let dtypes = vec![self.dtype(), dtype];
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        let numbers = within(site, || self.isnan().logical_not());
        let mask = match axes.has_mask() {
            None => numbers,
            Some(mask) => {
                self.check_mask(mask, site)?;
                within(site, || numbers.logical_and(mask))
            }
        };
        Ok(axes.masked(&mask))
    }

    fn numbers_and_rule(
        &self,
        operation: &'static str,
        axes: Axes,
        site: Site,
    ) -> Result<(Axes, Exhausted), Error> {
        let is_inexact = self.dtype().is_inexact();
        let exhausted = if is_inexact { Exhausted::Nan } else { Exhausted::Zero };
        Ok((self.only_numbers(operation, axes, site)?, exhausted))
    }

    /// The array with NaN replaced by a value that loses every comparison of `monoid`.
    fn with_losers(&self, monoid: Monoid, site: Site) -> Array {
        let worst = if matches!(monoid, Monoid::Min | Monoid::ArgMin) {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
        let worst = if self.dtype().is_complex() {
            Weak::Complex(Complex64::new(worst, worst))
        } else {
            Weak::Float(worst)
        };
        self.without_nan(worst, site)
    }

    fn extreme_number(
        &self,
        (operation, monoid): (&'static str, Monoid),
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        axes.allow(operation, EXTREMES, site)?;
        self.ok()?;
        if !self.dtype().is_inexact() {
            return self.reduce_into(monoid, self.dtype(), axes, site);
        }
        let filled = self.with_losers(monoid, site);
        let reduced = filled.reduce_with(monoid, self.dtype(), axes, site)?;
        let result = if axes.has_initial().is_some() {
            reduced
        } else {
            let none = within(site, || self.isnan());
            let none = none.reduce_with(Monoid::All, DType::Bool, &axes.plain(), site)?;
            let nan = if self.dtype().is_complex() && self.size() > 0 {
                Argument::Array(self.first_nan(axes, site)?)
            } else {
                Weak::Float(f64::NAN).into()
            };
            within(site, || select(&none, nan, Argument::Array(reduced)))
        };
        result.into_out(axes, Casting::Unsafe, site)
    }

    fn position_of_number(
        &self,
        operation: &'static str,
        monoid: Monoid,
        axes: &Axes,
        site: Site,
    ) -> Result<Array, Error> {
        self.ok()?;
        if !self.dtype().is_inexact() {
            return self.position(operation, monoid, axes, site);
        }
        let none = within(site, || self.isnan());
        let none = none.reduce_with(Monoid::All, DType::Bool, &axes.plain(), site)?;
        // The check is recorded before the positions, so every plan that computes the positions
        // also computes the check.
        let any = none.any_at(site)?;
        let found = self.with_losers(monoid, site).position(operation, monoid, axes, site)?;
        any.refuse(Error::data(DataError::AllNan { operation }, site), site)?;
        Ok(found)
    }
}
