//! The positions of quantiles between sorted elements.

use crate::array::Array;
use crate::math::select;
use phalanx_ops::DType;

/// How a quantile between two elements is computed: NumPy's `method`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum QuantileMethod {
    /// Linear interpolation between the two elements.
    #[default]
    Linear,
    /// The smaller element.
    Lower,
    /// The larger element.
    Higher,
    /// The nearer element.
    Nearest,
    /// The midpoint of the two elements.
    Midpoint,
    /// The inverse of the distribution function.
    InvertedCdf,
    /// As `InvertedCdf`, with the mean of both elements at a jump.
    AveragedInvertedCdf,
    /// The element at the nearest position; of two equally near positions, counted from 1, the even
    /// one.
    ClosestObservation,
    /// Linear interpolation between the jumps of the distribution function.
    InterpolatedInvertedCdf,
    /// Linear interpolation between the middles of the jumps.
    Hazen,
    /// Linear interpolation between the means of order statistics.
    Weibull,
    /// Approximately unbiased for the median, whatever the distribution.
    MedianUnbiased,
    /// Approximately unbiased for normal distributions.
    NormalUnbiased,
}

impl QuantileMethod {
    /// The method with this name in NumPy; `None` for another name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<QuantileMethod> {
        Some(match name {
            "linear" => QuantileMethod::Linear,
            "lower" => QuantileMethod::Lower,
            "higher" => QuantileMethod::Higher,
            "nearest" => QuantileMethod::Nearest,
            "midpoint" => QuantileMethod::Midpoint,
            "inverted_cdf" => QuantileMethod::InvertedCdf,
            "averaged_inverted_cdf" => QuantileMethod::AveragedInvertedCdf,
            "closest_observation" => QuantileMethod::ClosestObservation,
            "interpolated_inverted_cdf" => QuantileMethod::InterpolatedInvertedCdf,
            "hazen" => QuantileMethod::Hazen,
            "weibull" => QuantileMethod::Weibull,
            "median_unbiased" => QuantileMethod::MedianUnbiased,
            "normal_unbiased" => QuantileMethod::NormalUnbiased,
            _ => return None,
        })
    }

    /// The parameters `(a, b)` of the virtual index `n q + a + q (1 - a - b) - 1` of this method.
    fn parameters(self) -> (f64, f64) {
        match self {
            QuantileMethod::InterpolatedInvertedCdf => (0.0, 1.0),
            QuantileMethod::Hazen => (0.5, 0.5),
            QuantileMethod::Weibull => (0.0, 0.0),
            QuantileMethod::MedianUnbiased => (1.0 / 3.0, 1.0 / 3.0),
            QuantileMethod::NormalUnbiased => (3.0 / 8.0, 3.0 / 8.0),
            _ => (1.0, 1.0),
        }
    }

    /// Whether the method returns elements, without interpolation.
    pub(super) fn selects(self) -> bool {
        matches!(
            self,
            QuantileMethod::Lower
                | QuantileMethod::Higher
                | QuantileMethod::Nearest
                | QuantileMethod::InvertedCdf
                | QuantileMethod::ClosestObservation
        )
    }

    /// The position of the quantile `q` of `n` sorted elements: two positions, and the fraction of
    /// the way from the first to the second. Each step rounds to the dtype of the quantile.
    pub(super) fn place(self, n: f64, q: f64, rounding: Rounding) -> Place {
        let round = |number: f64| rounding.to(number);
        let of = |n: f64| round(round(n) * q);
        let jump = |index: f64, stays: &dyn Fn(f64) -> bool| {
            let floor = index.floor();
            let at = if index == floor && stays(floor) { floor } else { floor + 1.0 };
            Place::at(at.clamp(0.0, n - 1.0))
        };
        let index = match self {
            QuantileMethod::InvertedCdf => return jump(round(of(n) - 1.0), &|_| true),
            QuantileMethod::ClosestObservation => {
                let index = round(round(of(n) - 1.0) - 0.5);
                return jump(index, &|floor| floor.rem_euclid(2.0) == 1.0);
            }
            QuantileMethod::Lower => return Place::at(of(n - 1.0).floor()),
            QuantileMethod::Higher => return Place::at(of(n - 1.0).ceil()),
            QuantileMethod::Nearest => return Place::at(of(n - 1.0).round_ties_even()),
            QuantileMethod::Linear => of(n - 1.0),
            QuantileMethod::Midpoint => {
                round(0.5 * round(of(n - 1.0).floor() + of(n - 1.0).ceil()))
            }
            QuantileMethod::AveragedInvertedCdf => round(of(n) - 1.0),
            _ => {
                let (a, b) = self.parameters();
                let shift = round(round(a) + round(q * round(1.0 - a - b)));
                round(round(of(n) + shift) - 1.0)
            }
        };
        let floor = index.floor();
        // At or beyond an end, both positions are the end, and the fraction has no effect.
        let (low, high, from) = if index >= n - 1.0 {
            (n - 1.0, n - 1.0, -1.0)
        } else if index < 0.0 {
            (0.0, 0.0, 0.0)
        } else {
            (floor, floor + 1.0, floor)
        };
        let fraction = match self {
            QuantileMethod::Midpoint if index == floor => 0.0,
            QuantileMethod::Midpoint => 0.5,
            QuantileMethod::AveragedInvertedCdf if index == from => 0.5,
            QuantileMethod::AveragedInvertedCdf => 1.0,
            _ => round(index - from),
        };
        Place { low: low as i64, high: high as i64, fraction }
    }
}

/// Rounding to a dtype of floats.
#[derive(Clone, Copy)]
pub(super) struct Rounding(pub(super) DType);

impl Rounding {
    /// The number of the dtype that is nearest to `number`.
    pub(super) fn to(self, number: f64) -> f64 {
        match self.0 {
            DType::F16 => half::f16::from_f64(number).to_f64(),
            DType::BF16 => half::bf16::from_f64(number).to_f64(),
            DType::F32 => f64::from(number as f32),
            _ => number,
        }
    }
}

/// Two positions, and the fraction of the way from the first to the second.
pub(super) struct Place {
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) fraction: f64,
}

impl Place {
    fn at(position: f64) -> Place {
        Place { low: position as i64, high: position as i64, fraction: 0.0 }
    }
}

/// As [`QuantileMethod::place`], for numbers of elements that only the devices hold.
pub(super) fn places(method: QuantileMethod, n: &Array, q: &Array) -> (Array, Array, Array) {
    let last = n - 1.0;
    let same = |at: Array| (at.clone(), at.clone(), at * 0.0);
    let jump = |index: Array, only_odd: bool| {
        let floor = index.floor();
        let mut stays = index.equal(&floor);
        if only_odd {
            stays = stays.logical_and(floor.remainder(2.0).equal(1.0));
        }
        same(select(&stays, &floor, &floor + 1.0).maximum(0.0).minimum(&last))
    };
    let index = match method {
        QuantileMethod::InvertedCdf => return jump(n * q - 1.0, false),
        QuantileMethod::ClosestObservation => return jump(n * q - 1.0 - 0.5, true),
        QuantileMethod::Lower => return same((&last * q).floor()),
        QuantileMethod::Higher => return same((&last * q).ceil()),
        QuantileMethod::Nearest => return same((&last * q).rint()),
        QuantileMethod::Linear => &last * q,
        QuantileMethod::Midpoint => ((&last * q).floor() + (&last * q).ceil()) * 0.5,
        QuantileMethod::AveragedInvertedCdf => n * q - 1.0,
        _ => {
            let (a, b) = method.parameters();
            n * q + (q * (1.0 - a - b) + a) - 1.0
        }
    };
    let floor = index.floor();
    let (above, below) = (index.greater_equal(&last), index.less(0.0));
    let end = |inside: &Array| select(&above, &last, select(&below, 0.0, inside));
    let from = select(&above, -1.0, select(&below, 0.0, &floor));
    let fraction = match method {
        QuantileMethod::Midpoint => select(&index.equal(&floor), 0.0, &index * 0.0 + 0.5),
        QuantileMethod::AveragedInvertedCdf => select(&index.equal(&from), 0.5, &index * 0.0 + 1.0),
        _ => &index - &from,
    };
    (end(&floor), end(&(&floor + 1.0)), fraction)
}
