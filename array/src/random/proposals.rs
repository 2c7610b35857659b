//! Distributions that are drawn by refusing proposals.

use super::Generator;
use crate::array::Array;
use crate::creation::{ShapeArgument, full};
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::refused;
use crate::math::select;
use phalanx_ops::{DType, Shape};
use std::f64::consts::{PI, TAU};

/// How many proposals an element has. Each is refused with a chance of at most 0.35, so that less
/// than one element in 10¹⁰ has none left.
const PROPOSALS: u64 = 24;

impl Generator {
    /// The first of the proposals for each element that is taken: `propose` gives one from two
    /// uniform numbers, and whether it is taken.
    fn first_taken(
        &self,
        shape: &Shape,
        default: f64,
        site: Site,
        propose: impl Fn(Array, Array) -> (Array, Array),
    ) -> Result<Array, Error> {
        let counters = self.counters(shape, 2 * PROPOSALS, site)?;
        within(site, || {
            let half_a_step = 0.5 / (1u64 << 53) as f64;
            let uniform = |place: u64| counters.uniform(place, DType::F64, site) + half_a_step;
            let mut drawn = self.mesh.enter(|| full(shape.as_slice(), default, DType::F64));
            for proposal in (0..PROPOSALS).rev() {
                let (number, taken) = propose(uniform(2 * proposal), uniform(2 * proposal + 1));
                drawn = select(&taken, number, &drawn);
            }
            drawn.ok().cloned()
        })
    }

    /// Angles from -π to π around `mean`, the closer the larger `concentration` is: of dtype `f64`.
    /// Errors: `OpError::Argument` for a negative concentration.
    ///
    /// Source: D. J. Best, N. I. Fisher, "Efficient simulation of the von Mises distribution"
    /// (1979).
    #[track_caller]
    #[must_use]
    pub fn vonmises(
        &self,
        mean: f64,
        concentration: f64,
        shape: impl Into<ShapeArgument>,
    ) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch((|| {
            let k = concentration;
            if k < 0.0 {
                return Err(refused("vonmises", "kappa", k.to_string(), site));
            }
            let shape = shape.resolve(DType::F64.size(), site)?;
            if k < 1e-8 {
                return within(site, || self.uniform(-PI, PI, shape.as_slice()).ok().cloned());
            }
            // Beyond, the distribution is normal to rounding.
            let angle = if k > 1e6 {
                let shape = shape.as_slice();
                within(site, || self.normal(0.0, 1.0 / k.sqrt(), shape).ok().cloned())?
            } else {
                let s = if k < 1e-5 {
                    1.0 / k + k
                } else {
                    let r = 1.0 + (1.0 + 4.0 * k * k).sqrt();
                    let rho = (r - (2.0 * r).sqrt()) / (2.0 * k);
                    (1.0 + rho * rho) / (2.0 * rho)
                };
                let cosine = self.first_taken(&shape, 1.0, site, |first, second| {
                    let z = (first * PI).cos();
                    let w = (&z * s + 1.0) / (&z + s);
                    let y = (s - &w) * k;
                    let is_inside = (&y * (2.0 - &y) - &second).greater_equal(0);
                    let is_below = ((&y / &second).log() + 1.0 - &y).greater_equal(0);
                    (w, is_inside.logical_or(is_below))
                })?;
                within(site, || {
                    let side = self.random(shape.as_slice(), DType::F64) - 0.5;
                    cosine.maximum(-1.0).minimum(1.0).arccos().copysign(side).ok().cloned()
                })?
            };
            within(site, || ((angle + (mean + PI)).remainder(TAU) - PI).ok().cloned())
        })())
    }

    /// Whole numbers (`i64`) from 1 on with chances that fall as this power of them. Errors:
    /// `OpError::Argument` for an exponent of 1 or less.
    ///
    /// Source: L. Devroye, "Non-uniform random variate generation" (1986), chapter X.6.
    #[track_caller]
    #[must_use]
    pub fn zipf(&self, exponent: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch((|| {
            if exponent.is_nan() || exponent <= 1.0 {
                return Err(refused("zipf", "a", exponent.to_string(), site));
            }
            let shape = shape.resolve(DType::F64.size(), site)?;
            if exponent >= 1025.0 {
                // All others are less likely than the smallest float.
                return self.mesh.enter(|| full(shape.as_slice(), 1, DType::I64)).ok().cloned();
            }
            let less = exponent - 1.0;
            let b = less.exp2();
            let numbers = self.first_taken(&shape, 1.0, site, |first, second| {
                let x = first.power(-1.0 / less).floor();
                let t = (1.0 / &x + 1.0).power(less);
                let is_below = (second * &x * (&t - 1.0) / (b - 1.0)).less_equal(&t / b);
                // The largest float that is an `i64`.
                let fits = x.less_equal(9_223_372_036_854_774_784.0);
                (x, is_below.logical_and(fits))
            })?;
            within(site, || numbers.converted(DType::I64, site).ok().cloned())
        })())
    }

    /// Whole numbers (`i64`) from 1 on with chances of the terms of the logarithm's series of
    /// `chance`. Errors: `OpError::Argument` for one that is not from 0 to before 1.
    ///
    /// Source: A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random
    /// variables" (1981).
    #[track_caller]
    #[must_use]
    pub fn logseries(&self, chance: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch((|| {
            if !(0.0..1.0).contains(&chance) {
                return Err(refused("logseries", "p", chance.to_string(), site));
            }
            let shape = shape.resolve(DType::F64.size(), site)?;
            let rate = (-chance).ln_1p();
            within(site, || {
                let first = 1.0 - self.random(shape.as_slice(), DType::F64);
                let second = self.random(shape.as_slice(), DType::F64);
                let q = -(second * rate).expm1();
                let far = (first.log() / q.log() + 1.0).floor();
                let near = select(&first.less(&q), 2.0, 1.0);
                let number = select(&first.less_equal(&q * &q), far, near);
                // Zero and what rounding leaves below 1 are 1.
                let number = select(&number.greater_equal(1.0), number, 1.0);
                let number = number.minimum(9_223_372_036_854_774_784.0);
                number.converted(DType::I64, site).ok().cloned()
            })
        })())
    }
}
