//! The gamma distribution and the distributions derived from it. Parameters are numbers, or arrays
//! that broadcast to the shape; the check of an array is Collective.

use super::Generator;
use super::parameters::{Parameter, Size};
use crate::array::Argument;
use crate::array::Array;
use crate::creation::ShapeArgument;
use crate::manipulation::refused;
use crate::math::select;
use crate::reductions::{axis, keepdims};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::{DType, Shape};

/// The number of proposals for each element. Each is rejected with a probability below 1 in 20, so
/// less than one element in 10¹⁰ has no accepted proposal. Such an element is `d`, a number near
/// the mean.
const PROPOSALS: u64 = 8;
/// The counters of an element: for each proposal, two for a normal number and one for the decision;
/// and one for exponents below 1.
const COUNTERS: u64 = 3 * PROPOSALS + 1;

impl Generator {
    /// A parameter in f64 that is positive or NaN; `takes_zero` allows zero too. Errors:
    /// `OpError::Argument`.
    pub(super) fn parameter(
        &self,
        names: (&'static str, &'static str),
        value: Argument,
        takes_zero: bool,
        site: Site,
    ) -> Result<Array, Error> {
        let parameter = if takes_zero {
            Parameter::not_negative(names, value, site)
        } else {
            Parameter::positive(names, value, site)
        };
        parameter?.array(&self.mesh, site)
    }

    /// Gamma numbers of an exponent, as a product: the first factor, and the logarithm of the
    /// second. The second factor differs from 1 only for exponents below 1.
    ///
    /// Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables" (2000).
    fn gamma_factors(
        &self,
        exponent: &Array,
        shape: &Shape,
        site: Site,
    ) -> Result<(Array, Array), Error> {
        let counters = self.counters(shape, COUNTERS, site)?;
        within(site, || {
            let half_a_step = 0.5 / (1u64 << 53) as f64;
            let uniform = |place: u64| counters.uniform(place, DType::F64, site) + half_a_step;
            let is_small = exponent.less(1);
            let d = select(&is_small, exponent + 1.0, exponent) - 1.0 / 3.0;
            let c = 1.0 / (&d * 9.0).sqrt();
            let mut drawn = d.broadcast_to(shape.as_slice());
            // The loop runs backwards, so the first accepted proposal overwrites the later ones.
            for proposal in (0..PROPOSALS).rev() {
                let radius = (uniform(3 * proposal).log() * -2.0).sqrt();
                let normal = radius * (uniform(3 * proposal + 1) * std::f64::consts::TAU).cos();
                let root = &normal * &c + 1.0;
                let cube = (&root * &root * &root).maximum(f64::MIN_POSITIVE);
                let bound = &normal * &normal * 0.5 + &d * (1.0 - &cube + cube.log());
                let taken =
                    root.greater(0).logical_and(uniform(3 * proposal + 2).log().less(bound));
                drawn = select(&taken, &d * &cube, &drawn);
            }
            let lifted = uniform(COUNTERS - 1).log() / exponent;
            let lifted = select(&is_small, lifted, 0.0);
            Ok((drawn.into_result()?, lifted.into_result()?))
        })
    }

    pub(super) fn gamma_of(
        &self,
        exponent: &Array,
        shape: &Shape,
        site: Site,
    ) -> Result<Array, Error> {
        let (drawn, lifted) = self.gamma_factors(exponent, shape, site)?;
        within(site, || (drawn * lifted.exp()).into_result())
    }

    /// The logarithms of gamma numbers, which do not underflow for small exponents.
    fn log_gamma_of(&self, exponent: &Array, shape: &Shape, site: Site) -> Result<Array, Error> {
        let (drawn, lifted) = self.gamma_factors(exponent, shape, site)?;
        within(site, || (drawn.log() + lifted).into_result())
    }

    /// Gamma numbers with an exponent and scale 1, of dtype `f32` or `f64`. Errors:
    /// `OpError::Argument` for a negative exponent, `OpError::Dtype`, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn standard_gamma(
        &self,
        exponent: impl Into<Argument>,
        size: impl Into<Size>,
        dtype: DType,
    ) -> Array {
        let (site, exponent, size) = (call_site(), exponent.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&exponent], site)?;
            Generator::float(dtype, "standard_gamma", site)?;
            let exponent = self.parameter(("standard_gamma", "shape"), exponent, true, site)?;
            let drawn = self.gamma_of(&exponent, &shape, site)?;
            within(site, || drawn.converted(dtype, site).into_result())
        })())
    }

    /// Gamma numbers with an exponent and a scale, of dtype `f64`. Errors: `OpError::Argument` for
    /// a negative exponent or scale, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn gamma(
        &self,
        exponent: impl Into<Argument>,
        scale: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, exponent, scale) = (call_site(), exponent.into(), scale.into());
        let size = size.into();
        Array::catch((|| {
            let shape = size.shape(&[&exponent, &scale], site)?;
            let exponent = self.parameter(("gamma", "shape"), exponent, true, site)?;
            let scale = self.parameter(("gamma", "scale"), scale, true, site)?;
            let drawn = self.gamma_of(&exponent, &shape, site)?;
            within(site, || (drawn * scale).into_result())
        })())
    }

    /// Chi-square numbers, of dtype `f64`: sums of squares of standard normal numbers. The number
    /// of terms is the number of degrees of freedom, which need not be whole. Errors:
    /// `OpError::Argument` for degrees that are not positive, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn chisquare(&self, degrees: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, degrees, size) = (call_site(), degrees.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&degrees], site)?;
            let degrees = self.parameter(("chisquare", "df"), degrees, false, site)?;
            self.chisquare_of(&degrees, &shape, site)
        })())
    }

    fn chisquare_of(&self, degrees: &Array, shape: &Shape, site: Site) -> Result<Array, Error> {
        let exponent = within(site, || degrees * 0.5);
        let drawn = self.gamma_of(&exponent, shape, site)?;
        within(site, || (drawn * 2.0).into_result())
    }

    /// Noncentral chi-square numbers, of dtype `f64`: sums of squares of normal numbers, one of
    /// which has a mean whose square is `shift`. Errors: `OpError::Argument` for degrees that are
    /// not positive, for a negative shift, and, for degrees of at most 1, for a shift too large for
    /// [`Generator::poisson`]; `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn noncentral_chisquare(
        &self,
        degrees: impl Into<Argument>,
        shift: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, degrees, shift) = (call_site(), degrees.into(), shift.into());
        let size = size.into();
        Array::catch((|| {
            let shape = size.shape(&[&degrees, &shift], site)?;
            let operation = "noncentral_chisquare";
            self.noncentral(operation, [degrees, shift], &shape, site)
        })())
    }

    fn noncentral(
        &self,
        operation: &'static str,
        [degrees, shift]: [Argument; 2],
        shape: &Shape,
        site: Site,
    ) -> Result<Array, Error> {
        let degrees = Parameter::positive((operation, "df"), degrees, site)?;
        let shift = Parameter::not_negative((operation, "nonc"), shift, site)?;
        let whole = degrees.array(&self.mesh, site)?;
        let (Parameter::One(degrees), Parameter::One(shift)) = (&degrees, &shift) else {
            let mean = shift.spread(shape, &self.mesh, site)?;
            let events = self.events(&within(site, || &mean * 0.5), shape, site)?;
            let events = within(site, || select(&mean.isnan(), f64::NAN, events));
            let degrees = within(site, || (events * 2.0 + whole).into_result())?;
            return self.chisquare_of(&degrees, shape, site);
        };
        let (degrees, shift) = (*degrees, *shift);
        if degrees > 1.0 || shift.is_nan() {
            let others = within(site, || &whole - 1.0);
            let others = self.chisquare_of(&others, shape, site)?;
            return within(site, || {
                let shifted = self.standard_normal(shape.as_slice(), DType::F64) + shift.sqrt();
                (others + &shifted * &shifted).into_result()
            });
        }
        let degrees = within(site, || {
            let events = self.poisson(shift / 2.0, shape.as_slice());
            (events.converted(DType::F64, site) * 2.0 + whole).into_result()
        })?;
        self.chisquare_of(&degrees, shape, site)
    }

    /// Numbers of the F distribution, of dtype `f64`: quotients of two chi-square numbers, each
    /// divided by its degrees of freedom. Errors: `OpError::Argument` for degrees that are not
    /// positive, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn f(
        &self,
        above: impl Into<Argument>,
        below: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, above, below, size) = (call_site(), above.into(), below.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&above, &below], site)?;
            let above = self.parameter(("f", "dfnum"), above, false, site)?;
            let below = self.parameter(("f", "dfden"), below, false, site)?;
            let upper = self.chisquare_of(&above, &shape, site)?;
            let lower = self.chisquare_of(&below, &shape, site)?;
            within(site, || (upper * below / (lower * above)).into_result())
        })())
    }

    /// As [`Generator::f`], with a numerator of [`Generator::noncentral_chisquare`].
    #[track_caller]
    #[must_use]
    pub fn noncentral_f(
        &self,
        above: impl Into<Argument>,
        below: impl Into<Argument>,
        shift: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, size) = (call_site(), size.into());
        let (above, below, shift) = (above.into(), below.into(), shift.into());
        Array::catch((|| {
            let shape = size.shape(&[&above, &below, &shift], site)?;
            let below = self.parameter(("noncentral_f", "dfden"), below, false, site)?;
            let upper = self.noncentral("noncentral_f", [above.clone(), shift], &shape, site)?;
            let lower = self.chisquare_of(&below, &shape, site)?;
            let above = Parameter::of(above, site)?.array(&self.mesh, site)?;
            within(site, || (upper * below / (lower * above)).into_result())
        })())
    }

    /// Numbers of Student's t distribution with these degrees of freedom, of dtype `f64`. Errors:
    /// `OpError::Argument` for degrees that are not positive, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn standard_t(&self, degrees: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, degrees, size) = (call_site(), degrees.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&degrees], site)?;
            let degrees = self.parameter(("standard_t", "df"), degrees, false, site)?;
            let squares = self.chisquare_of(&degrees, &shape, site)?;
            within(site, || {
                let normal = self.standard_normal(shape.as_slice(), DType::F64);
                (normal / (squares / degrees).sqrt()).into_result()
            })
        })())
    }

    /// Beta numbers, from 0 to 1, of dtype `f64`. Errors: `OpError::Argument` for exponents that
    /// are not positive, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn beta(
        &self,
        a: impl Into<Argument>,
        b: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, a, b, size) = (call_site(), a.into(), b.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&a, &b], site)?;
            let a = self.parameter(("beta", "a"), a, false, site)?;
            let b = self.parameter(("beta", "b"), b, false, site)?;
            let first = self.log_gamma_of(&a, &shape, site)?;
            let second = self.log_gamma_of(&b, &shape, site)?;
            within(site, || (1.0 / ((second - first).exp() + 1.0)).into_result())
        })())
    }

    /// Dirichlet vectors, along a last axis, of dtype `f64`: positive numbers whose sum is 1.
    /// Errors: `OpError::Argument` for exponents that are not a vector, or are not positive.
    #[track_caller]
    #[must_use]
    pub fn dirichlet(&self, exponents: &Array, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch((|| {
            if exponents.ok()?.ndim() != 1 {
                return Err(refused("dirichlet", "alpha", "no vector", site));
            }
            let names = ("dirichlet", "alpha");
            let exponents = self.parameter(names, exponents.into(), false, site)?;
            let mut shape = shape.resolve(DType::F64.size(), site)?;
            shape.push(exponents.size());
            let logarithms = self.log_gamma_of(&exponents, &shape, site)?;
            within(site, || {
                let parts = (&logarithms - logarithms.max(keepdims(axis(-1)))).exp();
                (&parts / parts.sum(keepdims(axis(-1)))).into_result()
            })
        })())
    }

    /// Wald numbers (the inverse normal distribution) with a mean and a scale, of dtype `f64`.
    /// Errors: `OpError::Argument` for parameters that are not positive, `OpError::BroadcastInto`.
    ///
    /// Source: J. R. Michael, W. R. Schucany, R. W. Haas, "Generating random variates using
    /// transformations with multiple roots" (1976).
    #[track_caller]
    #[must_use]
    pub fn wald(
        &self,
        mean: impl Into<Argument>,
        scale: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, mean, scale, size) = (call_site(), mean.into(), scale.into(), size.into());
        Array::catch((|| {
            let shape = size.shape(&[&mean, &scale], site)?;
            let mean = self.parameter(("wald", "mean"), mean, false, site)?;
            let scale = self.parameter(("wald", "scale"), scale, false, site)?;
            within(site, || {
                let normal = self.standard_normal(shape.as_slice(), DType::F64);
                let square = &normal * &normal * &mean;
                let root = (&square * &scale * 4.0 + &square * &square).sqrt();
                let smaller = &mean + &mean / (&scale * 2.0) * (&square - root);
                let chance = self.random(shape.as_slice(), DType::F64);
                let is_smaller = chance.less_equal(&mean / (&mean + &smaller));
                select(&is_smaller, &smaller, &mean * &mean / &smaller).into_result()
            })
        })())
    }
}
