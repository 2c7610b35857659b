//! Means, variances and standard deviations.

use super::axes::{Axes, keepdims};
use super::slices::{Moment, check_moment};
use crate::array::{Array, is_reproducible};
use crate::floating::warn_discarded;
use crate::math::select;
use crate::recording::try_elementwise;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Monoid, Op, Weak, can_cast, promote};

/// The number of elements that are combined into each element of a result.
enum Count {
    /// The same number for all.
    Same(usize),
    /// The number of elements that a mask selects, with the axes removed as in the reduction.
    Each(Array),
}

/// The divisor of a variance if `ddof` is not below the number of elements.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Exhausted {
    /// Zero.
    Zero,
    /// NaN.
    Nan,
}

impl Array {
    /// Mean over `axes`. Integers and bools are summed in `f64`, and `f16` and `bf16` in `f32`. The
    /// mean of no elements is NaN.
    ///
    /// Options: `keepdims`, `masked`, `dtype`, `out`. Local (records nodes). Errors: as for
    /// [`Array::sum`].
    #[track_caller]
    #[must_use]
    pub fn mean(&self, axes: impl Into<Axes>) -> Array {
        let (site, axes) = (call_site(), axes.into());
        let allowed = axes.allow("mean", &["masked", "dtype", "out"], site);
        let mean = Array::catch(allowed.and_then(|()| self.try_mean(&axes, site)));
        check_moment(Moment::Mean, self, &axes, &mean, site);
        mean
    }

    pub(super) fn try_mean(&self, axes: &Axes, site: Site) -> Result<Array, Error> {
        self.ok()?;
        let (mut sum, count) = self.sum_and_count(axes, axes.has_out(), site)?;
        let mut dtype = axes.has_dtype().unwrap_or(self.mean_dtype());
        if let Some(out) = axes.has_out() {
            // NumPy writes the sum into `out` first, and divides it there.
            dtype = out.ok()?.dtype();
            warn_discarded(sum.dtype(), dtype, site)?;
            sum = sum.converted(dtype, site);
        }
        let mean = sum.over(&count, site)?.converted(dtype, site);
        mean.into_out(axes, Casting::Unsafe, site)
    }

    /// The sum in the dtype of means, and the number of its terms.
    fn sum_and_count(
        &self,
        axes: &Axes,
        out: Option<&Array>,
        site: Site,
    ) -> Result<(Array, Count), Error> {
        let dtype = axes.has_dtype().unwrap_or(summing_dtype(self.widened_dtype(), out));
        let sum = self.reduce_with(Monoid::Add, dtype, axes, site)?;
        Ok((sum, self.terms(axes, site)?))
    }

    /// This array divided by a number of elements.
    fn over(&self, count: &Count, site: Site) -> Result<Array, Error> {
        let count = match count {
            Count::Same(count) => Weak::Float(*count as f64).into(),
            Count::Each(counts) => counts.into(),
        };
        try_elementwise(Op::Divide, &[self.into(), count], site)
    }

    pub(super) fn mean_dtype(&self) -> DType {
        if self.dtype().is_inexact() { self.dtype() } else { DType::F64 }
    }

    /// The dtype in which means are computed.
    fn widened_dtype(&self) -> DType {
        match self.dtype() {
            DType::F16 | DType::BF16 => DType::F32,
            dtype if dtype.is_inexact() => dtype,
            _ => DType::F64,
        }
    }

    /// Variance over `axes`; the divisor is the number of elements minus `ddof`. One kernel makes
    /// two passes over the elements. If the axes are split, each device sums squares about its own
    /// mean. Dtype: as for [`Array::mean`], real for complex.
    ///
    /// Options: `keepdims`, `masked`, `dtype`, `out`, `mean`. Local (records nodes). Errors: as for
    /// [`Array::sum`].
    #[track_caller]
    #[must_use]
    pub fn var(&self, axes: impl Into<Axes>, ddof: f64) -> Array {
        let (site, axes) = (call_site(), axes.into());
        let allowed = axes.allow("var", &["masked", "dtype", "out", "mean"], site);
        let var = allowed.and_then(|()| self.try_var(&axes, ddof, Exhausted::Zero, site));
        let var = Array::catch(var);
        check_moment(Moment::Variance { ddof }, self, &axes, &var, site);
        var
    }

    pub(super) fn try_var(
        &self,
        axes: &Axes,
        ddof: f64,
        exhausted: Exhausted,
        site: Site,
    ) -> Result<Array, Error> {
        let var = self.unwritten_var(axes, ddof, exhausted, site)?;
        var.into_out(axes, Casting::Unsafe, site)
    }

    /// The variance, in the dtype of the output if there is one.
    fn unwritten_var(
        &self,
        axes: &Axes,
        ddof: f64,
        exhausted: Exhausted,
        site: Site,
    ) -> Result<Array, Error> {
        self.ok()?;
        let op = |op, arguments: &[crate::array::Argument]| try_elementwise(op, arguments, site);
        let given = axes.has_dtype();
        if let Some(dtype) = self.squares_dtype(axes, site)? {
            let wide = self.converted(dtype, site);
            let sum = if dtype.is_complex() {
                // The square of a modulus is the sum of the squares of its parts.
                let squares = |part| {
                    let part = op(part, &[(&wide).into()])?;
                    part.reduce(self, Monoid::Moments, axes, site)
                };
                op(Op::Add, &[squares(Op::Real)?.into(), squares(Op::Imag)?.into()])?
            } else {
                wide.reduce(self, Monoid::Moments, axes, site)?
            };
            let count = self.terms(axes, site)?;
            return over_left(sum, &count, (ddof, exhausted), self.mean_dtype().real(), axes, site);
        }
        let kept = keepdims(axes.clone());
        let given_mean = axes.options().and_then(|options| options.mean.as_ref());
        let mean = match given_mean {
            Some(mean) => mean.clone(),
            None => {
                let (sum, count) = self.sum_and_count(&kept, None, site)?;
                let mean = sum.over(&count, site)?;
                given.map_or(mean.clone(), |dtype| mean.converted(dtype, site))
            }
        };
        let wide =
            if given.is_some() { self.clone() } else { self.converted(self.widened_dtype(), site) };
        let deviation = op(Op::Subtract, &[(&wide).into(), (&mean).into()])?;
        let squares = if deviation.dtype().is_complex() {
            let modulus = op(Op::Absolute, &[(&deviation).into()])?;
            op(Op::Multiply, &[(&modulus).into(), (&modulus).into()])?
        } else {
            op(Op::Multiply, &[(&deviation).into(), (&deviation).into()])?
        };
        let dtype = given.unwrap_or(summing_dtype(squares.dtype(), axes.has_out()));
        let sum = squares.reduce_with(Monoid::Add, dtype, axes, site)?;
        let count = squares.terms(axes, site)?;
        let natural =
            given_mean.map_or(self.mean_dtype(), |mean| promote(self.mean_dtype(), mean.dtype()));
        over_left(sum, &count, (ddof, exhausted), natural.real(), axes, site)
    }

    /// The dtype in which one reduction sums the squares about the mean. `None` if the options need
    /// more than that. `None` too without elements or without reduced axes, because NumPy's order
    /// of axes is then that of the differences.
    fn squares_dtype(&self, axes: &Axes, site: Site) -> Result<Option<DType>, Error> {
        let has_mean = axes.options().is_some_and(|options| options.mean.is_some());
        let asks_more = has_mean || axes.has_mask().is_some() || is_reproducible(&self.mesh()?);
        if asks_more || self.size() == 0 || axes.resolve(self.ndim(), site)?.is_empty() {
            return Ok(None);
        }
        let dtype = axes.has_dtype().unwrap_or(self.widened_dtype());
        let is_plain = Monoid::Moments.accepts(dtype.real())
            && promote(self.dtype(), dtype) == dtype
            && summing_dtype(dtype, axes.has_out()) == dtype;
        Ok(is_plain.then_some(dtype))
    }

    /// The number of elements that a reduction of this array combines into each result.
    fn terms(&self, axes: &Axes, site: Site) -> Result<Count, Error> {
        let Some(mask) = axes.has_mask() else {
            return Ok(Count::Same(self.reduced_count(axes, site)?));
        };
        let mask = within(site, || mask.broadcast_to(self.shape()));
        Ok(Count::Each(mask.reduce_with(Monoid::Add, DType::I64, &axes.plain(), site)?))
    }

    /// Standard deviation: the square root of [`Array::var`].
    #[track_caller]
    #[must_use]
    pub fn std(&self, axes: impl Into<Axes>, ddof: f64) -> Array {
        let (site, axes) = (call_site(), axes.into());
        let allowed = axes.allow("std", &["masked", "dtype", "out", "mean"], site);
        let std = allowed.and_then(|()| self.try_std(&axes, ddof, Exhausted::Zero, site));
        let std = Array::catch(std);
        check_moment(Moment::Variance { ddof }, self, &axes, &std, site);
        std
    }

    pub(super) fn try_std(
        &self,
        axes: &Axes,
        ddof: f64,
        exhausted: Exhausted,
        site: Site,
    ) -> Result<Array, Error> {
        let var = self.unwritten_var(axes, ddof, exhausted, site)?;
        let mut std = try_elementwise(Op::Sqrt, &[(&var).into()], site)?;
        if axes.has_out().is_none() {
            let (from, to) = (std.dtype(), var.dtype());
            // NumPy writes the roots over the variances, so the cast must be allowed, except for a
            // 0-d result.
            if std.ndim() > 0 && !can_cast(from, to, Casting::SameKind) {
                return Err(Error::op(OpError::cast(from, to), site));
            }
            std = std.converted(to, site);
        }
        std.into_out(axes, Casting::SameKind, site)
    }
}

/// The dtype of a sum of floats: the dtype of the output if that is wider.
fn summing_dtype(dtype: DType, out: Option<&Array>) -> DType {
    match out {
        Some(out) if dtype.is_inexact() => promote(dtype, out.dtype()),
        _ => dtype,
    }
}

/// A sum of squares divided by the remaining degrees of freedom, in the dtype of the output if
/// there is one.
fn over_left(
    mut sum: Array,
    count: &Count,
    (ddof, exhausted): (f64, Exhausted),
    natural: DType,
    axes: &Axes,
    site: Site,
) -> Result<Array, Error> {
    let op = |op, arguments: &[crate::array::Argument]| try_elementwise(op, arguments, site);
    let left = match count {
        Count::Same(count) if exhausted == Exhausted::Zero || *count as f64 > ddof => {
            Weak::Float((*count as f64 - ddof).max(0.0)).into()
        }
        Count::Same(_) => Weak::Float(f64::NAN).into(),
        Count::Each(counts) => {
            let left = op(Op::Subtract, &[counts.into(), Weak::Float(ddof).into()])?;
            match exhausted {
                Exhausted::Zero => op(Op::Maximum, &[left.into(), Weak::Float(0.0).into()])?,
                Exhausted::Nan => {
                    let none = op(Op::LessEqual, &[(&left).into(), Weak::Int(0).into()])?;
                    within(site, || select(&none, f64::NAN, &left))
                }
            }
            .into()
        }
    };
    let mut dtype = axes.has_dtype().unwrap_or(natural);
    if let Some(out) = axes.has_out() {
        dtype = out.ok()?.dtype();
        sum = sum.converted(dtype, site);
    }
    Ok(op(Op::Divide, &[sum.into(), left])?.converted(dtype, site))
}
