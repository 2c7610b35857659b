//! Distributions of real numbers.

use super::Generator;
use super::parameters::Parameter;
use crate::array::Array;
use crate::creation::ShapeArgument;
use crate::decomposition::{Svd, svd};
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::refused;
use crate::math::select;
use crate::operand::Argument;
use crate::products::matmul;
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

fn not_negative(
    operation: &'static str,
    argument: &'static str,
    value: f64,
    site: Site,
) -> Result<(), Error> {
    if value < 0.0 {
        return Err(refused(operation, argument, value.to_string(), site));
    }
    Ok(())
}

impl Generator {
    /// Uniform numbers between 0 and 1, neither of which is among them.
    fn inner(&self, shape: ShapeArgument, site: Site) -> Result<Array, Error> {
        let shape = shape.resolve(DType::F64.size(), site)?;
        let counters = self.counters(&shape, 1, site)?;
        let half_a_step = 0.5 / (1u64 << 53) as f64;
        Ok(counters.uniform(0, DType::F64, site) + half_a_step)
    }

    /// Uniform numbers in [low, high) of dtype `f64`. Errors: `OpError::OutOfRange` for a range
    /// that is not finite, `OpError::Argument` for a `low` above `high`.
    #[track_caller]
    #[must_use]
    pub fn uniform(&self, low: f64, high: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let range = high - low;
            if !range.is_finite() {
                let (value, dtype) = (format!("{high} - {low}"), DType::F64);
                return Err(Error::op(OpError::OutOfRange { value, dtype }, site));
            }
            if range < 0.0 {
                return Err(refused("uniform", "range", format!("{low} to {high}"), site));
            }
            (self.random(shape, DType::F64) * range + low).ok().cloned()
        }))
    }

    /// Normal numbers of this mean and deviation, of dtype `f64`. Errors: `OpError::Argument` for a
    /// negative deviation.
    #[track_caller]
    #[must_use]
    pub fn normal(&self, mean: f64, deviation: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            not_negative("normal", "deviation", deviation, site)?;
            (self.standard_normal(shape, DType::F64) * deviation + mean).ok().cloned()
        }))
    }

    /// Numbers whose logarithms are normal of this mean and deviation, of dtype `f64`. Errors:
    /// `OpError::Argument` for a negative deviation.
    #[track_caller]
    #[must_use]
    pub fn lognormal(&self, mean: f64, deviation: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            not_negative("lognormal", "deviation", deviation, site)?;
            self.normal(mean, deviation, shape).exp().ok().cloned()
        }))
    }

    /// Exponential numbers of mean 1, of dtype `f32` or `f64`. Errors: `OpError::Dtype`.
    #[track_caller]
    #[must_use]
    pub fn standard_exponential(&self, shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            Generator::float(dtype, "standard_exponential", site)?;
            (-(1.0 - self.random(shape, dtype)).log()).ok().cloned()
        }))
    }

    /// Exponential numbers of this mean, of dtype `f64`. Errors: `OpError::Argument` for a negative
    /// one.
    #[track_caller]
    #[must_use]
    pub fn exponential(&self, mean: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            not_negative("exponential", "mean", mean, site)?;
            (self.standard_exponential(shape, DType::F64) * mean).ok().cloned()
        }))
    }

    /// Numbers on both sides of `center`, at distances that are exponential of mean `scale`, of
    /// dtype `f64`. Errors: `OpError::Argument` for a negative scale.
    #[track_caller]
    #[must_use]
    pub fn laplace(&self, center: f64, scale: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            not_negative("laplace", "scale", scale, site)?;
            let from_center = self.random(shape, DType::F64) - 0.5;
            let distance = -(1.0 - from_center.abs() * 2.0).log();
            (distance.copysign(from_center) * scale + center).ok().cloned()
        }))
    }

    /// Logistic numbers of this mean and scale, of dtype `f64`. Errors: `OpError::Argument` for a
    /// negative scale.
    #[track_caller]
    #[must_use]
    pub fn logistic(&self, mean: f64, scale: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            not_negative("logistic", "scale", scale, site)?;
            let chance = self.inner(shape, site)?;
            ((&chance / (1.0 - &chance)).log() * scale + mean).ok().cloned()
        }))
    }

    /// Gumbel's extreme values of this mode and scale, of dtype `f64`. Errors: `OpError::Argument`
    /// for a negative scale.
    #[track_caller]
    #[must_use]
    pub fn gumbel(&self, mode: f64, scale: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            not_negative("gumbel", "scale", scale, site)?;
            let chance = self.inner(shape, site)?;
            (-(-chance.log()).log() * scale + mode).ok().cloned()
        }))
    }

    /// Lengths of vectors of two normal numbers of deviation `scale`, of dtype `f64`. Errors:
    /// `OpError::Argument` for a negative scale.
    #[track_caller]
    #[must_use]
    pub fn rayleigh(&self, scale: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            not_negative("rayleigh", "scale", scale, site)?;
            let squares = self.standard_exponential(shape, DType::F64) * 2.0;
            (squares.sqrt() * scale).ok().cloned()
        }))
    }

    /// Weibull numbers of an exponent and scale 1, of dtype `f64`. The exponent is a number, or an
    /// array that broadcasts to the shape and is looked at (Collective). Errors:
    /// `OpError::Argument` for a negative exponent, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn weibull(&self, exponent: impl Into<Argument>, shape: impl Into<ShapeArgument>) -> Array {
        let (site, exponent, shape) = (call_site(), exponent.into(), shape.into());
        Array::catch(within(site, || {
            let exponent = Parameter::not_negative(("weibull", "exponent"), exponent, site)?;
            let shape = shape.resolve(DType::F64.size(), site)?;
            let numbers = self.standard_exponential(shape.as_slice(), DType::F64);
            let weibull = match &exponent {
                Parameter::One(0.0) => numbers * 0.0,
                Parameter::One(exponent) => numbers.power(1.0 / exponent),
                Parameter::Each(_) => {
                    let exponent = exponent.spread(&shape, &self.mesh, site)?;
                    let is_zero = exponent.equal(0);
                    let inverse = 1.0 / select(&is_zero, 1.0, exponent);
                    select(&is_zero, 0.0, numbers.power(inverse))
                }
            };
            weibull.ok().cloned()
        }))
    }

    /// Pareto's numbers of the second kind (Lomax) of an exponent, as [`Generator::weibull`] takes
    /// it, of dtype `f64`. Errors: `OpError::Argument` for an exponent that is not positive,
    /// `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn pareto(&self, exponent: impl Into<Argument>, shape: impl Into<ShapeArgument>) -> Array {
        let (site, exponent, shape) = (call_site(), exponent.into(), shape.into());
        Array::catch(within(site, || {
            let exponent = Parameter::positive(("pareto", "exponent"), exponent, site)?;
            let shape = shape.resolve(DType::F64.size(), site)?;
            let numbers = self.standard_exponential(shape.as_slice(), DType::F64);
            let scaled = match &exponent {
                Parameter::One(exponent) => numbers / *exponent,
                Parameter::Each(_) => numbers / exponent.spread(&shape, &self.mesh, site)?,
            };
            scaled.expm1().ok().cloned()
        }))
    }

    /// Numbers in [0, 1] whose density grows with the power `exponent - 1`, of dtype `f64`; the
    /// exponent is as [`Generator::weibull`] takes it. Errors: `OpError::Argument` for an exponent
    /// that is not positive, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn power(&self, exponent: impl Into<Argument>, shape: impl Into<ShapeArgument>) -> Array {
        let (site, exponent, shape) = (call_site(), exponent.into(), shape.into());
        Array::catch(within(site, || {
            let exponent = Parameter::positive(("power", "exponent"), exponent, site)?;
            let shape = shape.resolve(DType::F64.size(), site)?;
            let numbers = self.random(shape.as_slice(), DType::F64);
            let powers = match &exponent {
                Parameter::One(exponent) => numbers.power(1.0 / exponent),
                Parameter::Each(_) => {
                    numbers.power(1.0 / exponent.spread(&shape, &self.mesh, site)?)
                }
            };
            powers.ok().cloned()
        }))
    }

    /// Numbers from `left` to `right` whose density rises up to `mode` and falls from there, of
    /// dtype `f64`; the three are as [`Generator::weibull`] takes its exponent. Errors:
    /// `OpError::Argument` for another order of the three, and for none between,
    /// `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn triangular(
        &self,
        left: impl Into<Argument>,
        mode: impl Into<Argument>,
        right: impl Into<Argument>,
        shape: impl Into<ShapeArgument>,
    ) -> Array {
        let (site, shape) = (call_site(), shape.into());
        let (left, mode, right) = (left.into(), mode.into(), right.into());
        Array::catch(within(site, || {
            let of = |value| Parameter::of(value, site);
            let (left, mode, right) = (of(left)?, of(mode)?, of(right)?);
            let names = ("triangular", "left, mode, right");
            let shape = shape.resolve(DType::F64.size(), site)?;
            let (Parameter::One(left), Parameter::One(mode), Parameter::One(right)) =
                (&left, &mode, &right)
            else {
                let each = |one: &Parameter| one.spread(&shape, &self.mesh, site);
                let (left, mode, right) = (each(&left)?, each(&mode)?, each(&right)?);
                let is_ordered = left.less_equal(&mode).logical_and(mode.less_equal(&right));
                let is_wrong = is_ordered.logical_and(left.less(&right)).logical_not();
                if is_wrong.size() > 0 && is_wrong.any_at(site)?.holds(site)? {
                    let value = "arrays of which some elements are not in this order";
                    return Err(refused(names.0, names.1, value, site));
                }
                let chance = self.random(shape.as_slice(), DType::F64);
                let (width, rising) = (&right - &left, &mode - &left);
                let low = (&chance * &width * &rising).sqrt() + &left;
                let high = &right - ((1.0 - &chance) * &width * (&right - &mode)).sqrt();
                return select(&chance.less_equal(&rising / &width), &low, &high).ok().cloned();
            };
            let (left, mode, right) = (*left, *mode, *right);
            let is_ordered = left <= mode && mode <= right && left < right;
            if !is_ordered {
                return Err(refused(names.0, names.1, format!("{left}, {mode}, {right}"), site));
            }
            let chance = self.random(shape.as_slice(), DType::F64);
            let (width, rising) = (right - left, mode - left);
            let low = (&chance * (width * rising)).sqrt() + left;
            let high = right - ((1.0 - &chance) * (width * (right - mode))).sqrt();
            select(&chance.less_equal(rising / width), &low, &high).ok().cloned()
        }))
    }

    /// Quotients of two normal numbers, of dtype `f64`.
    #[track_caller]
    #[must_use]
    pub fn standard_cauchy(&self, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let chance = self.inner(shape, site)?;
            ((chance - 0.5) * std::f64::consts::PI).tan().ok().cloned()
        }))
    }

    /// Normal vectors of this mean `(n)` and covariance `(n, n)`, of dtype `f64`.
    ///
    /// Shape: the one given, and then `n`. Collective over the mesh: the covariance is factorised.
    /// Errors: `OpError::Ndim`, `OpError::Argument` for a covariance of another shape,
    /// `DataError::NotConverged`.
    #[track_caller]
    #[must_use]
    pub fn multivariate_normal(
        &self,
        mean: &Array,
        covariance: &Array,
        shape: impl Into<ShapeArgument>,
    ) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let operation = "multivariate_normal";
            let (ndim, n) = (mean.ok()?.ndim(), mean.size());
            if ndim != 1 {
                return Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site));
            }
            if covariance.ok()?.shape() != [n, n] {
                let value = format!("of shape {:?}", covariance.shape());
                return Err(refused(operation, "covariance", value, site));
            }
            let mut extents = shape.resolve(DType::F64.size(), site)?.to_vec();
            extents.push(n);
            let Svd { s, vh, .. } = svd(&covariance.astype(DType::F64), false)?;
            let independent = self.standard_normal(extents, DType::F64) * s.sqrt();
            (matmul(&independent, &vh) + mean).ok().cloned()
        }))
    }
}
