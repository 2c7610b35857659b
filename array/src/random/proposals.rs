//! Distributions drawn by rejection of proposals.

use super::Generator;
use super::parameters::{Parameter, Size};
use crate::array::Argument;
use crate::array::Array;
use crate::creation::full;
use crate::math::select;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::{DType, Shape};
use std::f64::consts::{PI, TAU};

/// The number of proposals for each element. Each is rejected with a probability of at most 0.35,
/// so less than one element in 10¹⁰ has no accepted proposal.
const PROPOSALS: u64 = 24;
/// Limits of the concentration of angles. To rounding, angles are uniform below `FLAT` and normal
/// above `NARROW`.
const FLAT: f64 = 1e-8;
const NARROW: f64 = 1e6;
/// For exponents from this one on, every number of Zipf's distribution is 1.
const CERTAIN: f64 = 1025.0;

impl Generator {
    /// The first accepted proposal for each element; `default` if none is accepted. `propose` makes
    /// a proposal from two uniform numbers, and decides whether it is accepted.
    pub(super) fn first_taken(
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
            drawn.into_result()
        })
    }

    /// Von Mises angles from -π to π, of dtype `f64`. They lie around `mean`, and closer to it for
    /// a larger `concentration`. Both are numbers, or arrays that broadcast to the shape; an array
    /// of concentrations is read (Collective). Errors: `OpError::Argument` for a negative
    /// concentration, `OpError::BroadcastInto`.
    ///
    /// Source: D. J. Best, N. I. Fisher, "Efficient simulation of the von Mises distribution"
    /// (1979).
    #[track_caller]
    #[must_use]
    pub fn vonmises(
        &self,
        mean: impl Into<Argument>,
        concentration: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, size) = (call_site(), size.into());
        let (mean, concentration) = (mean.into(), concentration.into());
        Array::catch((|| {
            let shape = size.shape(&[&mean, &concentration], site)?;
            let names = ("vonmises", "kappa");
            let concentration = Parameter::not_negative(names, concentration, site)?;
            let mean = Parameter::of(mean, site)?;
            let around = |angle: Array| match &mean {
                Parameter::One(mean) => angle + (mean + PI),
                Parameter::Each(mean) => angle + (mean + PI),
            };
            let k = match concentration {
                Parameter::One(k) => k,
                Parameter::Each(_) => {
                    let k = concentration.spread(&shape, &self.mesh, site)?;
                    let angle = self.angles(&k, &shape, site)?;
                    return within(site, || (around(angle).remainder(TAU) - PI).into_result());
                }
            };
            // To rounding, the distribution is uniform below `FLAT` and normal above `NARROW`.
            let angle = if k < FLAT {
                within(site, || self.uniform(-PI, PI, shape.as_slice()).into_result())?
            } else if k > NARROW || k.is_nan() {
                let shape = shape.as_slice();
                within(site, || self.normal(0.0, 1.0 / k.sqrt(), shape).into_result())?
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
                self.on_either_side(&cosine, &shape, site)?
            };
            within(site, || (around(angle).remainder(TAU) - PI).into_result())
        })())
    }

    /// The angle of a cosine, with a random sign.
    fn on_either_side(&self, cosine: &Array, shape: &Shape, site: Site) -> Result<Array, Error> {
        within(site, || {
            let side = self.random(shape.as_slice(), DType::F64) - 0.5;
            cosine.maximum(-1.0).minimum(1.0).arccos().copysign(side).into_result()
        })
    }

    /// Angles around zero, with a concentration of its own for each element.
    fn angles(&self, k: &Array, shape: &Shape, site: Site) -> Result<Array, Error> {
        let (moderate, s) = within(site, || {
            let k = k.maximum(FLAT).minimum(NARROW);
            let r = (&k * &k * 4.0 + 1.0).sqrt() + 1.0;
            let rho = (&r - (&r * 2.0).sqrt()) / (&k * 2.0);
            let s = (&rho * &rho + 1.0) / (&rho * 2.0);
            let s = select(&k.less(1e-5), 1.0 / &k + &k, s);
            (k, s)
        });
        let cosine = self.first_taken(shape, 1.0, site, |first, second| {
            let z = (first * PI).cos();
            let w = (&z * &s + 1.0) / (&z + &s);
            let y = (&s - &w) * &moderate;
            let is_inside = (&y * (2.0 - &y) - &second).greater_equal(0);
            let is_below = ((&y / &second).log() + 1.0 - &y).greater_equal(0);
            (w, is_inside.logical_or(is_below))
        })?;
        let angle = self.on_either_side(&cosine, shape, site)?;
        within(site, || {
            let anywhere = self.uniform(-PI, PI, shape.as_slice());
            let normal = self.standard_normal(shape.as_slice(), DType::F64) / k.sqrt();
            let is_moderate = k.less_equal(NARROW);
            let angle = select(&is_moderate, angle, normal);
            select(&k.less(FLAT), anywhere, angle).into_result()
        })
    }

    /// Zipf numbers (`i64`), from 1 on: the probability of `k` is proportional to
    /// `k.powf(-exponent)`. The exponent is a number, or an array that broadcasts to the shape and
    /// is read (Collective). Errors: `OpError::Argument` for an exponent of 1 or less,
    /// `OpError::BroadcastInto`.
    ///
    /// Source: L. Devroye, "Non-uniform random variate generation" (1986), chapter X.6.
    #[track_caller]
    #[must_use]
    pub fn zipf(&self, exponent: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, exponent, size) = (call_site(), exponent.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&exponent], site)?;
            let (is_above, is_less) =
                (|number: f64| number > 1.0, |array: &Array| array.less_equal(1));
            let exponent = Parameter::checked(("zipf", "a"), exponent, is_above, is_less, site)?;
            let numbers = match &exponent {
                // The probability of all other numbers is below the smallest float.
                Parameter::One(exponent) if *exponent >= CERTAIN => {
                    return self.mesh.enter(|| full(shape.as_slice(), 1, DType::I64)).into_result();
                }
                Parameter::One(exponent) => {
                    let less = exponent - 1.0;
                    let b = less.exp2();
                    self.first_taken(&shape, 1.0, site, |first, second| {
                        let x = first.power(-1.0 / less).floor();
                        let t = (1.0 / &x + 1.0).power(less);
                        let part = second * &x * (&t - 1.0) / (b - 1.0);
                        taken_below(x, &part, t / b)
                    })?
                }
                Parameter::Each(_) => {
                    let exponent = exponent.spread(&shape, &self.mesh, site)?;
                    let (less, b) = within(site, || {
                        let less = exponent.minimum(CERTAIN) - 1.0;
                        let b = less.exp2();
                        (less, b)
                    });
                    self.first_taken(&shape, 1.0, site, |first, second| {
                        let x = first.power(-1.0 / &less).floor();
                        let t = (1.0 / &x + 1.0).power(&less);
                        let part = second * &x * (&t - 1.0) / (&b - 1.0);
                        taken_below(x, &part, t / &b)
                    })?
                }
            };
            within(site, || numbers.converted(DType::I64, site).into_result())
        })())
    }

    /// Numbers (`i64`) of the logarithmic series distribution, from 1 on: the probability of `k` is
    /// proportional to `chance.powi(k) / k`. `chance` is a number, or an array that broadcasts to
    /// the shape and is read (Collective). Errors: `OpError::Argument` for a value outside [0, 1),
    /// `OpError::BroadcastInto`.
    ///
    /// Source: A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random
    /// variables" (1981).
    #[track_caller]
    #[must_use]
    pub fn logseries(&self, chance: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, chance, size) = (call_site(), chance.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&chance], site)?;
            let is_outside = |array: &Array| array.less(0).logical_or(array.greater_equal(1));
            let is_inside = |number: f64| (0.0..1.0).contains(&number);
            let names = ("logseries", "p");
            let chance = Parameter::checked(names, chance, is_inside, is_outside, site)?;
            within(site, || {
                let first = 1.0 - self.random(shape.as_slice(), DType::F64);
                let second = self.random(shape.as_slice(), DType::F64);
                let exponent = match &chance {
                    Parameter::One(chance) => second * (-chance).ln_1p(),
                    Parameter::Each(_) => {
                        second * (-chance.spread(&shape, &self.mesh, site)?).log1p()
                    }
                };
                let q = -exponent.expm1();
                let far = (first.log() / q.log() + 1.0).floor();
                let near = select(&first.less(&q), 2.0, 1.0);
                let number = select(&first.less_equal(&q * &q), far, near);
                // A `chance` of zero, and a value that rounding leaves below 1, give 1.
                let number = select(&number.greater_equal(1.0), number, 1.0);
                let number = number.minimum(9_223_372_036_854_774_784.0);
                number.converted(DType::I64, site).into_result()
            })
        })())
    }
}

/// A proposal, accepted if `part` is not above `bound` and the proposal fits `i64`.
fn taken_below(proposed: Array, part: &Array, bound: Array) -> (Array, Array) {
    // The largest float that fits `i64`.
    let fits = proposed.less_equal(9_223_372_036_854_774_784.0);
    let taken = part.less_equal(bound).logical_and(fits);
    (proposed, taken)
}
