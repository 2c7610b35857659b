//! Distributions of real numbers.

use super::Generator;
use super::parameters::{Parameter, Size};
use crate::array::Argument;
use crate::array::Array;
use crate::creation::ShapeArgument;
use crate::linalg::{Svd, svd};
use crate::manipulation::refused;
use crate::math::select;
use crate::products::matmul;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Shape};

impl Generator {
    /// Uniform numbers strictly between 0 and 1.
    fn inner(&self, shape: &Shape, site: Site) -> Result<Array, Error> {
        let counters = self.counters(shape, 1, site)?;
        let half_a_step = 0.5 / (1u64 << 53) as f64;
        Ok(counters.uniform(0, DType::F64, site) + half_a_step)
    }

    /// Numbers of a distribution with location 0 and scale 1, scaled and shifted by the parameters.
    /// `names` are the names of the distribution and of its scale.
    fn located(
        &self,
        names: (&'static str, &'static str),
        [location, scale]: [Argument; 2],
        size: &Size,
        site: Site,
        draw: impl FnOnce(&Shape) -> Result<Array, Error>,
    ) -> Result<Array, Error> {
        let shape = size.shape(&[&location, &scale], site)?;
        let scale = Parameter::not_negative(names, scale, site)?;
        let location = Parameter::of(location, site)?;
        draw(&shape)?.multiply(scale.argument()).add(location.argument()).into_result()
    }

    /// Numbers of a distribution with scale 1, multiplied by the scale.
    fn scaled(
        &self,
        names: (&'static str, &'static str),
        scale: Argument,
        size: &Size,
        site: Site,
        draw: impl FnOnce(&Shape) -> Array,
    ) -> Result<Array, Error> {
        let shape = size.shape(&[&scale], site)?;
        let scale = Parameter::not_negative(names, scale, site)?;
        draw(&shape).multiply(scale.argument()).into_result()
    }

    /// Uniform numbers in [low, high) of dtype `f64`. Each bound is a number, or an array that
    /// broadcasts to the size. Array bounds are read (Collective); number bounds are Local. Errors:
    /// `OpError::OutOfRange` for a range that is not finite, `OpError::Argument` for a `low` above
    /// `high`, `OpError::Cast`, `OpError::Broadcast`, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn uniform(
        &self,
        low: impl Into<Argument>,
        high: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, low, high, size) = (call_site(), low.into(), high.into(), size.into());
        Array::catch(within(site, || self.uniform_over([low, high], &size, true, site)))
    }

    /// As [`Generator::uniform`], but `low` may be above `high`, as in NumPy's legacy functions.
    #[track_caller]
    #[must_use]
    pub fn uniform_between(
        &self,
        low: impl Into<Argument>,
        high: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, low, high, size) = (call_site(), low.into(), high.into(), size.into());
        Array::catch(within(site, || self.uniform_over([low, high], &size, false, site)))
    }

    fn uniform_over(
        &self,
        [low, high]: [Argument; 2],
        size: &Size,
        is_ordered: bool,
        site: Site,
    ) -> Result<Array, Error> {
        let beyond =
            |value: String| Err(Error::op(OpError::OutOfRange { value, dtype: DType::F64 }, site));
        // NumPy checks the range before the size, so an error of the size is reported later.
        let shape = size.shape(&[&low, &high], site);
        let (low, high) = (Parameter::of(low, site)?, Parameter::of(high, site)?);
        if let (Parameter::One(low), Parameter::One(high)) = (&low, &high) {
            let range = high - low;
            if !range.is_finite() {
                return beyond(format!("{high} - {low}"));
            }
            if range < 0.0 && is_ordered {
                return Err(refused("uniform", "range", format!("{low} to {high}"), site));
            }
            let numbers = self.random(shape?.as_slice(), DType::F64);
            return (numbers * range + *low).into_result();
        }
        let range = high.array(&self.mesh, site)? - low.array(&self.mesh, site)?;
        if range.size() > 0 {
            let is_beyond = range.isfinite().logical_not().any(());
            let is_negative = range.less(0).any(());
            if is_beyond.holds(site)? {
                return beyond(String::from("high - low"));
            }
            if is_ordered && is_negative.holds(site)? {
                let value = "arrays where an element of low is greater than that of high";
                return Err(refused("uniform", "range", value, site));
            }
        }
        let numbers = self.random(shape?.as_slice(), DType::F64);
        (numbers * range).add(low.argument()).into_result()
    }

    /// Normal numbers with this mean and standard deviation, of dtype `f64`. Each is a number, or
    /// an array that broadcasts to the size; an array of deviations is read (Collective). Errors:
    /// `OpError::Argument` for a negative deviation, `OpError::Cast` for complex parameters,
    /// `OpError::Broadcast`, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn normal(
        &self,
        mean: impl Into<Argument>,
        deviation: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, parameters, size) = (call_site(), [mean.into(), deviation.into()], size.into());
        let names = ("normal", "deviation");
        Array::catch(within(site, || {
            self.located(names, parameters, &size, site, |shape| {
                Ok(self.standard_normal(shape.as_slice(), DType::F64))
            })
        }))
    }

    /// Numbers whose logarithms are normal with this mean and standard deviation, of dtype `f64`.
    /// Parameters and errors: as for [`Generator::normal`].
    #[track_caller]
    #[must_use]
    pub fn lognormal(
        &self,
        mean: impl Into<Argument>,
        deviation: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, parameters, size) = (call_site(), [mean.into(), deviation.into()], size.into());
        let names = ("lognormal", "deviation");
        let has_axes = |one: &Argument| matches!(one, Argument::Array(array) if array.ndim() > 0);
        let is_spread = parameters.iter().any(has_axes);
        Array::catch(within(site, || {
            let logarithms = self.located(names, parameters, &size, site, |shape| {
                let numbers = self.standard_normal(shape.as_slice(), DType::F64);
                // With array parameters, the standard numbers pass through `exp` and `log`. The
                // rounding of the two functions is part of the numbers that a seed gives.
                Ok(if is_spread { numbers.exp().log() } else { numbers })
            })?;
            logarithms.exp().into_result()
        }))
    }

    /// Exponential numbers with mean 1, of dtype `f32` or `f64`. Errors: `OpError::Dtype`.
    #[track_caller]
    #[must_use]
    pub fn standard_exponential(&self, shape: impl Into<ShapeArgument>, dtype: DType) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            Generator::float(dtype, "standard_exponential", site)?;
            (-(1.0 - self.random(shape, dtype)).log()).into_result()
        }))
    }

    /// Exponential numbers with this mean, of dtype `f64`. The mean is a number, or an array that
    /// broadcasts to the size and is read (Collective). Errors: `OpError::Argument` for a negative
    /// mean, `OpError::Cast` for a complex mean, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn exponential(&self, mean: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, mean, size) = (call_site(), mean.into(), size.into());
        Array::catch(within(site, || {
            self.scaled(("exponential", "mean"), mean, &size, site, |shape| {
                self.standard_exponential(shape.as_slice(), DType::F64)
            })
        }))
    }

    /// Laplace numbers, of dtype `f64`: they lie on both sides of `center`, at distances that are
    /// exponential with mean `scale`. Parameters and errors: as for [`Generator::normal`].
    #[track_caller]
    #[must_use]
    pub fn laplace(
        &self,
        center: impl Into<Argument>,
        scale: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, parameters, size) = (call_site(), [center.into(), scale.into()], size.into());
        let names = ("laplace", "scale");
        Array::catch(within(site, || {
            self.located(names, parameters, &size, site, |shape| {
                let from_center = self.random(shape.as_slice(), DType::F64) - 0.5;
                let distance = -(1.0 - from_center.abs() * 2.0).log();
                Ok(distance.copysign(from_center))
            })
        }))
    }

    /// Logistic numbers with this mean and scale, of dtype `f64`. Parameters and errors: as for
    /// [`Generator::normal`].
    #[track_caller]
    #[must_use]
    pub fn logistic(
        &self,
        mean: impl Into<Argument>,
        scale: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, parameters, size) = (call_site(), [mean.into(), scale.into()], size.into());
        let names = ("logistic", "scale");
        Array::catch(within(site, || {
            self.located(names, parameters, &size, site, |shape| {
                let chance = self.inner(shape, site)?;
                Ok((&chance / (1.0 - &chance)).log())
            })
        }))
    }

    /// Gumbel's extreme values with this mode and scale, of dtype `f64`. Parameters and errors: as
    /// for [`Generator::normal`].
    #[track_caller]
    #[must_use]
    pub fn gumbel(
        &self,
        mode: impl Into<Argument>,
        scale: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, parameters, size) = (call_site(), [mode.into(), scale.into()], size.into());
        let names = ("gumbel", "scale");
        Array::catch(within(site, || {
            self.located(names, parameters, &size, site, |shape| {
                let chance = self.inner(shape, site)?;
                Ok(-(-chance.log()).log())
            })
        }))
    }

    /// Rayleigh numbers, of dtype `f64`: the lengths of vectors of two normal numbers with mean 0
    /// and standard deviation `scale`. Parameters and errors: as for [`Generator::exponential`].
    #[track_caller]
    #[must_use]
    pub fn rayleigh(&self, scale: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, scale, size) = (call_site(), scale.into(), size.into());
        Array::catch(within(site, || {
            self.scaled(("rayleigh", "scale"), scale, &size, site, |shape| {
                let squares = self.standard_exponential(shape.as_slice(), DType::F64) * 2.0;
                squares.sqrt()
            })
        }))
    }

    /// Weibull numbers with an exponent and scale 1, of dtype `f64`. The exponent is a number, or
    /// an array that broadcasts to the size and is read (Collective). Errors: `OpError::Argument`
    /// for a negative exponent, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn weibull(&self, exponent: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, exponent, size) = (call_site(), exponent.into(), size.into());
        Array::catch(within(site, || {
            let shape = size.shape(&[&exponent], site)?;
            let exponent = Parameter::not_negative(("weibull", "exponent"), exponent, site)?;
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
            weibull.into_result()
        }))
    }

    /// Pareto numbers of the second kind (Lomax), of dtype `f64`. The exponent is a number or an
    /// array, as for [`Generator::weibull`]. Errors: `OpError::Argument` for an exponent that is
    /// not positive, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn pareto(&self, exponent: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, exponent, size) = (call_site(), exponent.into(), size.into());
        Array::catch(within(site, || {
            let shape = size.shape(&[&exponent], site)?;
            let exponent = Parameter::positive(("pareto", "exponent"), exponent, site)?;
            let numbers = self.standard_exponential(shape.as_slice(), DType::F64);
            let scaled = match &exponent {
                Parameter::One(exponent) => numbers / *exponent,
                Parameter::Each(_) => numbers / exponent.spread(&shape, &self.mesh, site)?,
            };
            scaled.expm1().into_result()
        }))
    }

    /// Numbers in [0, 1] with the density `exponent * x.powf(exponent - 1)`, of dtype `f64`. The
    /// exponent is a number or an array, as for [`Generator::weibull`]. Errors: `OpError::Argument`
    /// for an exponent that is not positive, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn power(&self, exponent: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, exponent, size) = (call_site(), exponent.into(), size.into());
        Array::catch(within(site, || {
            let shape = size.shape(&[&exponent], site)?;
            let exponent = Parameter::positive(("power", "exponent"), exponent, site)?;
            let numbers = self.random(shape.as_slice(), DType::F64);
            let powers = match &exponent {
                Parameter::One(exponent) => numbers.power(1.0 / exponent),
                Parameter::Each(_) => {
                    numbers.power(1.0 / exponent.spread(&shape, &self.mesh, site)?)
                }
            };
            powers.into_result()
        }))
    }

    /// Numbers from `left` to `right` whose density rises linearly up to `mode` and then falls
    /// linearly, of dtype `f64`. Each parameter is a number or an array, as the exponent of
    /// [`Generator::weibull`]. NaN gives NaN. Errors: `OpError::Argument` unless
    /// `left <= mode <= right` and `left < right`, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn triangular(
        &self,
        left: impl Into<Argument>,
        mode: impl Into<Argument>,
        right: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, size) = (call_site(), size.into());
        let (left, mode, right) = (left.into(), mode.into(), right.into());
        Array::catch(within(site, || {
            let shape = size.shape(&[&left, &mode, &right], site)?;
            let of = |value| Parameter::of(value, site);
            let (left, mode, right) = (of(left)?, of(mode)?, of(right)?);
            let names = ("triangular", "left, mode, right");
            let (Parameter::One(left), Parameter::One(mode), Parameter::One(right)) =
                (&left, &mode, &right)
            else {
                let each = |one: &Parameter| one.spread(&shape, &self.mesh, site);
                let (left, mode, right) = (each(&left)?, each(&mode)?, each(&right)?);
                let is_wrong = left.greater(&mode).logical_or(mode.greater(&right));
                let is_wrong = is_wrong.logical_or(left.equal(&right));
                if is_wrong.size() > 0 && is_wrong.any_at(site)?.holds(site)? {
                    let value = "arrays where some elements are not in this order";
                    return Err(refused(names.0, names.1, value, site));
                }
                let chance = self.random(shape.as_slice(), DType::F64);
                let (width, rising) = (&right - &left, &mode - &left);
                let low = (&chance * &width * &rising).sqrt() + &left;
                let high = &right - ((1.0 - &chance) * &width * (&right - &mode)).sqrt();
                return select(&chance.less_equal(&rising / &width), &low, &high).into_result();
            };
            let (left, mode, right) = (*left, *mode, *right);
            if left > mode || mode > right || left == right {
                return Err(refused(names.0, names.1, format!("{left}, {mode}, {right}"), site));
            }
            let chance = self.random(shape.as_slice(), DType::F64);
            let (width, rising) = (right - left, mode - left);
            let low = (&chance * (width * rising)).sqrt() + left;
            let high = right - ((1.0 - &chance) * (width * (right - mode))).sqrt();
            select(&chance.less_equal(rising / width), &low, &high).into_result()
        }))
    }

    /// Cauchy numbers, the quotients of two standard normal numbers, of dtype `f64`.
    #[track_caller]
    #[must_use]
    pub fn standard_cauchy(&self, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let shape = shape.resolve(DType::F64.size(), site)?;
            let chance = self.inner(&shape, site)?;
            ((chance - 0.5) * std::f64::consts::PI).tan().into_result()
        }))
    }

    /// Normal vectors with this mean `(n)` and covariance `(n, n)`, of dtype `f64`.
    ///
    /// Shape: the given one followed by `n`. Collective over the mesh: the covariance is
    /// factorised. Errors: `OpError::Ndim`, `OpError::Argument` for a covariance of another shape,
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
            (matmul(&independent, &vh) + mean).into_result()
        }))
    }
}
