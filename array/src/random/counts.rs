//! Counts of events and of successes with a mean of its own for each element.
//!
//! A count of a small mean is found by a sum of probabilities from zero on. A count of a large mean
//! is found by Hörmann's "transformed rejection": a number is proposed, and accepted or rejected.
//! The number of proposals is fixed, so that every element has counters of its own.

use super::Generator;
use crate::array::Array;
use crate::math::select;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::{DType, Shape};
use std::f64::consts::TAU;

/// Counts of larger means are proposed; smaller means use the sum of probabilities.
const LARGE: f64 = 10.0;
/// The number of probabilities in the sum. For a mean of at most [`LARGE`], later ones are below
/// 10⁻¹⁷.
const STEPS: usize = 48;

impl Generator {
    /// Poisson numbers in `f64`: the counts of events whose average count is `mean`. `shape` is the
    /// shape of `mean` and of the result.
    ///
    /// Source: W. Hörmann, "The transformed rejection method for generating Poisson random
    /// variables" (1993), algorithm PTRS.
    pub(super) fn events(&self, mean: &Array, shape: &Shape, site: Site) -> Result<Array, Error> {
        let few = within(site, || {
            let mean = mean.minimum(LARGE);
            self.added_up((-&mean).exp(), shape, |chance, number| chance * &mean / number)
        });
        let (mean, b, a, inverse, bound) = within(site, || {
            let mean = mean.maximum(LARGE);
            let b = mean.sqrt() * 2.53 + 0.931;
            let a = &b * 0.02483 - 0.059;
            let inverse = (1.1328 / (&b - 3.4) + 1.1239).log();
            let bound = 0.9277 - 3.6224 / (&b - 2.0);
            (mean, b, a, inverse, bound)
        });
        let many = self.first_taken(shape, f64::NAN, site, |first, second| {
            let first = first - 0.5;
            let edge = 0.5 - first.abs();
            let number = ((&a * 2.0 / &edge + &b) * &first + &mean + 0.43).floor();
            // The logarithm of the probability of the number.
            let above_zero = number.maximum(1.0);
            let part = (&above_zero - &mean) / &above_zero;
            let chance = &above_zero * ((-&part).log1p() + &part)
                - (&above_zero * TAU).log() * 0.5
                - binet(&above_zero);
            let chance = select(&number.less(1.0), -&mean, chance);
            let height = second.log() + &inverse - (&a / (&edge * &edge) + &b).log();
            let is_inside = edge.greater_equal(0.07).logical_and(second.less_equal(&bound));
            let is_edge = edge.less(0.013).logical_and(second.greater(&edge));
            let is_below = height.less_equal(chance).logical_and(is_edge.logical_not());
            let taken = number.greater_equal(0).logical_and(is_inside.logical_or(is_below));
            (number, taken)
        })?;
        within(site, || {
            let many = select(&many.isnan(), mean.floor(), &many);
            select(&mean.greater(LARGE), many, few).into_result()
        })
    }

    /// Binomial numbers in `f64`: the counts of successes in `count` trials that each succeed with
    /// probability `chance`. `shape` is the shape of the parameters and of the result.
    ///
    /// Source: W. Hörmann, "The generation of binomial random variates" (1993), algorithm BTRS.
    pub(super) fn successes(
        &self,
        count: &Array,
        chance: &Array,
        shape: &Shape,
        site: Site,
    ) -> Result<Array, Error> {
        let (n, q, is_turned) = within(site, || {
            let is_turned = chance.greater(0.5);
            (count.trunc(), select(&is_turned, 1.0 - chance, chance), is_turned)
        });
        let few = within(site, || {
            // Elements of larger means are not used; a count of 0 keeps their terms finite.
            let n = select(&(&n * &q).greater(LARGE), 0.0, &n);
            let odds = &q / (1.0 - &q);
            let none = ((-&q).log1p() * &n).exp();
            self.added_up(none, shape, |chance, number| {
                chance * ((&n - (number - 1.0)).maximum(0.0) / number) * &odds
            })
        });
        let is_large = within(site, || (&n * &q).greater(LARGE));
        // Elements of smaller means are not used; these parameters keep all their terms finite.
        let (n_large, p) =
            within(site, || (select(&is_large, &n, 100.0), select(&is_large, &q, 0.25)));
        let (spread, odds, mode) = within(site, || {
            let spread = (&n_large * &p * (1.0 - &p)).sqrt();
            (spread, &p / (1.0 - &p), ((&n_large + 1.0) * &p).floor())
        });
        let (b, a, center, bound, alpha, constant) = within(site, || {
            let b = &spread * 2.53 + 1.15;
            let a = &b * 0.0248 + &p * 0.01 - 0.0873;
            let bound = 0.92 - 4.2 / &b;
            let alpha = ((5.1 / &b + 2.83) * &spread).log();
            let rest = &n_large - &mode;
            let constant = (&mode + 0.5) * ((&mode + 1.0) / (&odds * (&rest + 1.0))).log()
                + binet(&(&mode + 1.0))
                + binet(&(&rest + 1.0));
            (b, a, &n_large * &p + 0.5, bound, alpha, constant)
        });
        let many = self.first_taken(shape, f64::NAN, site, |first, second| {
            let first = first - 0.5;
            let edge = 0.5 - first.abs();
            let number = ((&a * 2.0 / &edge + &b) * &first + &center).floor();
            let is_count = number.greater_equal(0).logical_and(number.less_equal(&n_large));
            let number = number.maximum(0.0).minimum(&n_large);
            let rest = &n_large - &number;
            let chance = &constant
                + (&n_large + 1.0) * ((&n_large - &mode + 1.0) / (&rest + 1.0)).log()
                + (&number + 0.5) * (&odds * (&rest + 1.0) / (&number + 1.0)).log()
                - binet(&(&number + 1.0))
                - binet(&(&rest + 1.0));
            let height = second.log() + &alpha - (&a / (&edge * &edge) + &b).log();
            let is_inside = edge.greater_equal(0.07).logical_and(second.less_equal(&bound));
            let taken = is_inside.logical_or(height.less_equal(chance)).logical_and(is_count);
            (number, taken)
        })?;
        within(site, || {
            let many = select(&many.isnan(), &mode, &many);
            let found = select(&is_large, many, few).minimum(&n);
            select(&is_turned, &n - &found, &found).into_result()
        })
    }

    /// The first number for which the sum of probabilities from zero on exceeds a uniform number.
    /// `none` is the probability of zero. `next` computes the probability of a number from the
    /// probability of the number before it.
    fn added_up(&self, none: Array, shape: &Shape, next: impl Fn(&Array, f64) -> Array) -> Array {
        let drawn = self.random(shape.as_slice(), DType::F64);
        let (mut chance, mut sum) = (none.clone(), none);
        let mut number = drawn.greater_equal(&sum).astype(DType::F64);
        for step in 1..STEPS {
            chance = next(&chance, step as f64);
            sum = &sum + &chance;
            number = &number + drawn.greater_equal(&sum).astype(DType::F64);
        }
        number
    }
}

/// Binet's function, the error of Stirling's formula for the logarithm of the gamma function, for
/// numbers from 1 on, with an error below 10⁻⁶.
///
/// Source: the continued fraction of Stieltjes, after one step of the recurrence.
fn binet(x: &Array) -> Array {
    let next = x + 1.0;
    let third = (195.0 / 371.0) / &next + &next;
    let second = (53.0 / 210.0) / third + &next;
    let first = (1.0 / 30.0) / second + &next;
    (1.0 / 12.0) / first + (x + 0.5) * (1.0 / x).log1p() - 1.0
}
