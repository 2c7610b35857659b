//! Interpolation between given points.

use super::methods::select;
use crate::array::Argument;
use crate::array::Array;
use crate::creation::widened;
use crate::floating::warn_discarded;
use crate::indexing::Mode;
use crate::manipulation::{refused, try_concatenate};
use crate::math::complex;
use crate::s;
use crate::sorting::{Side, argsort, searchsorted};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, Weak};

/// NumPy's `interp`: a piecewise linear function at each element of `x`. It has the values `fp` at
/// the points `xp`, which ascend. Its value is `left` before the first point and `right` after the
/// last one; `()` is the value at that point.
///
/// Shapes `(…), (n), (n) -> (…)`; dtype `f64`, or `c128` for complex values. Every device receives
/// all points and values. Local (records nodes). Errors: `OpError::Ndim`, `OpError::Cast` for
/// complex `x` or `xp` and for a complex end of real values, `OpError::Argument` without points or
/// if the numbers of points and values differ.
#[track_caller]
#[must_use]
pub fn interp(
    x: &Array,
    xp: &Array,
    fp: &Array,
    left: impl Into<super::rounding::Bound>,
    right: impl Into<super::rounding::Bound>,
) -> Array {
    let (site, left, right) = (call_site(), left.into().0, right.into().0);
    Array::catch((|| {
        let mesh = x.mesh()?;
        for end in [&left, &right] {
            check_end(end.as_ref(), fp, site)?;
        }
        mesh.enter(|| within(site, || try_interp(x, (xp, fp), left, right, site)))
    })())
}

/// Refuses a complex end of real values. As in NumPy, a complex scalar with a dtype is cast, with a
/// warning.
fn check_end(end: Option<&Argument>, fp: &Array, site: Site) -> Result<(), Error> {
    if fp.ok()?.dtype().is_complex() {
        return Ok(());
    }
    match end {
        Some(Argument::Weak(Weak::Complex(_))) => {
            Err(Error::op(OpError::cast(DType::C128, DType::F64), site))
        }
        Some(Argument::Array(array)) if array.dtype().is_complex() => {
            Err(Error::op(OpError::cast(array.dtype(), DType::F64), site))
        }
        Some(Argument::Scalar(scalar)) => warn_discarded(scalar.dtype(), DType::F64, site),
        _ => Ok(()),
    }
}

/// [`interp`] of a function with a period. The points may have any order. Errors: those of
/// [`interp`], and `OpError::Argument` for the period 0.
#[track_caller]
#[must_use]
pub fn interp_periodic(x: &Array, xp: &Array, fp: &Array, period: f64) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let mesh = x.mesh()?;
        let period = period.abs();
        if period == 0.0 {
            return Err(refused("interp", "period", period.to_string(), site));
        }
        for vector in [xp, fp] {
            if vector.ok()?.ndim() != 1 {
                let (operation, ndim) = ("interp", vector.ndim());
                return Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site));
            }
        }
        if xp.size() == 0 || xp.size() != fp.size() {
            let value = format!("{} values for {} points", fp.size(), xp.size());
            return Err(refused("interp", "fp", value, site));
        }
        // A remainder in a narrower dtype would round the positions within the period.
        let [x, xp] = in_doubles([x, xp], site)?.map(|positions| positions.remainder(period));
        let order = argsort(&xp, 0);
        let (xp, fp) = (xp.take(&order, 0), fp.take(&order, 0));
        let ends = |vector: &Array| (vector.slice(s![-1..]), vector.slice(s![..1]));
        let ((last, first), (last_value, first_value)) = (ends(&xp), ends(&fp));
        let points = [&(last - period), &xp, &(first + period)];
        let points = try_concatenate(&points, &0.into(), None, site)?;
        let values = try_concatenate(&[&last_value, &fp, &first_value], &0.into(), None, site)?;
        mesh.enter(|| try_interp(&x, (&points, &values), None, None, site))
    }))
}

/// The positions in `f64`, in which NumPy computes.
fn in_doubles(positions: [&Array; 2], site: Site) -> Result<[Array; 2], Error> {
    for positions in positions {
        let from = positions.ok()?.dtype();
        if from.is_complex() {
            return Err(Error::op(OpError::cast(from, DType::F64), site));
        }
    }
    Ok(positions.map(|positions| positions.converted(DType::F64, site)))
}

fn try_interp(
    x: &Array,
    (xp, fp): (&Array, &Array),
    left: Option<Argument>,
    right: Option<Argument>,
    site: Site,
) -> Result<Array, Error> {
    for vector in [xp, fp] {
        if vector.ok()?.ndim() != 1 {
            let (operation, ndim) = ("interp", vector.ndim());
            return Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site));
        }
    }
    let points = xp.size() as i64;
    if points == 0 || fp.size() as i64 != points {
        let value = format!("{} values for {points} points", fp.size());
        return Err(refused("interp", "fp", value, site));
    }
    let [x, xp] = in_doubles([x, xp], site)?;
    let dtype = if fp.dtype().is_complex() { DType::C128 } else { DType::F64 };
    let fp = fp.converted(dtype, site);
    let before = (searchsorted(&xp, &x, Side::Right) - 1).maximum(0).minimum(points - 1);
    let after = (&before + 1).minimum(points - 1);
    let at = |vector: &Array, places: &Array| vector.take_with(places, 0, Mode::Clip);
    let (x0, x1) = (at(&xp, &before), at(&xp, &after));
    let (f0, f1) = (at(&fp, &before), at(&fp, &after));
    let between = |f0: &Array, f1: &Array| {
        let slope = (f1 - f0) / (&x1 - &x0);
        // As NumPy, where infinities give NaN: from the right point instead, and then as a
        // constant.
        let from_left = &slope * (&x - &x0) + f0;
        let from_right = slope * (&x - &x1) + f1;
        let value = select(&from_left.isnan(), from_right, &from_left);
        select(&value.isnan().logical_and(f0.equal(f1)), f0, &value)
    };
    let value = if dtype.is_complex() {
        complex(between(&f0.real(), &f1.real()), between(&f0.imag(), &f1.imag()))
    } else {
        between(&f0, &f1)
    };
    let is_point = x0.equal(&x).logical_or(before.equal(points - 1));
    let value = select(&is_point, &f0, &value);
    let end = |place: i64| (xp.slice([Index::At(place)]), fp.slice([Index::At(place)]));
    let ((first, first_value), (last, last_value)) = (end(0), end(-1));
    let outside = |value: Option<Argument>, at_end: Array| {
        let value = value.map(|value| match value {
            Argument::Weak(weak) => Argument::Weak(widened(weak)),
            strong => strong,
        });
        let value = value.map_or(at_end, |value| super::differences::as_array(&value));
        value.converted(dtype, site)
    };
    let value = select(&x.less(first), outside(left, first_value), &value);
    let value = select(&x.greater(last), outside(right, last_value), &value);
    // With a single point NumPy only compares, and comparisons with NaN are false.
    let value = if points > 1 { select(&x.isnan(), &x, &value) } else { value };
    value.into_result()
}
