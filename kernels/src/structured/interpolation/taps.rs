//! The coefficients around a point along an axis, and the values of the splines there.
//!
//! The CUDA text computes the same, in the same order.

use super::points::Along;
use phalanx_ops::structured::{Interpolate, Outside};

/// The most coefficients around a point along an axis.
const MOST: usize = 6;
/// Points of `Reflect` that are nearly at the first element.
const TINY: f64 = 1e-15;

/// The coefficients around a point along an axis. Their number is the order plus 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taps {
    pub weights: [f64; MOST],
    /// Where the coefficients are, in elements.
    pub places: [usize; MOST],
    /// Bits: the coefficients that a number stands for.
    pub beyond: u8,
    /// Whether the point is inside.
    pub is_inside: bool,
}

impl Taps {
    pub const NONE: Taps =
        Taps { weights: [0.0; MOST], places: [0; MOST], beyond: 0, is_inside: true };
}

/// The coefficients around the point at `x`, one more than the order of the splines.
#[inline(always)]
pub(super) fn taps<const COUNT: usize>(op: &Interpolate, x: f64, axis: Along) -> Taps {
    let order = COUNT as i64 - 1;
    let mut taps = Taps::NONE;
    let moved = moved(op.outside, x, axis.extent);
    // As in SciPy, NaN is outside if points outside are told apart.
    let is_everywhere = match op.outside {
        Outside::Coefficient => order > 0,
        other => other == Outside::Nearest,
    };
    let Some(x) = moved.filter(|x| is_everywhere || !x.is_nan()) else {
        taps.is_inside = false;
        return taps;
    };
    let middle = if order % 2 == 1 { x.floor() } else { (x + 0.5).floor() };
    taps.weights = weights::<COUNT>(x - middle);
    // A point is near the axis, but for rounding of far ones. NaN becomes 0.
    let most = far(axis.extent);
    let start = middle.clamp(-most, most) as i64 - order / 2;
    if start >= 0 && start as usize + COUNT <= axis.extent {
        for tap in 0..COUNT {
            taps.places[tap] = (start as usize + tap) * axis.stride;
        }
        return taps;
    }
    for tap in 0..COUNT {
        let at = start + tap as i64;
        let is_beyond = !(0..axis.extent as i64).contains(&at);
        if is_beyond && matches!(op.outside, Outside::Coefficient) {
            taps.beyond |= 1 << tap;
        }
        taps.places[tap] = place(op.outside, at, axis.extent) * axis.stride;
    }
    taps
}

/// A distance from the first element at which points and their coefficients are outside.
#[inline]
fn far(extent: usize) -> f64 {
    extent as f64 + 6.0
}

/// A coordinate moved to one that is at the axis or near it; `None` for a point that is outside.
#[inline]
fn moved(outside: Outside, x: f64, extent: usize) -> Option<f64> {
    let (n, last) = (extent as f64, extent as f64 - 1.0);
    let (is_below, is_above) = (x < 0.0, x > last);
    match outside {
        Outside::Coefficient | Outside::Nearest => {
            // Farther away, all coefficients are the same.
            let most = far(extent);
            Some(if x < -most {
                -most
            } else if x > most {
                most
            } else {
                x
            })
        }
        _ if !is_below && !is_above => Some(x),
        Outside::Constant => None,
        _ if extent <= 1 => Some(0.0),
        Outside::Mirror => {
            let turn = 2.0 * last;
            Some(if is_below {
                let low = x + turn * (-x / turn).trunc();
                if low <= -last { low + turn } else { -low }
            } else {
                let high = x - turn * (x / turn).trunc();
                if high >= n { turn - high } else { high }
            })
        }
        Outside::Reflect => {
            let turn = 2.0 * n;
            Some(if is_below {
                let low = if x < -turn { x + turn * (-x / turn).trunc() } else { x };
                match low {
                    low if low < -n => low + turn,
                    low if low > -TINY => TINY - 1.0,
                    low => -low - 1.0,
                }
            } else {
                let high = x - turn * (x / turn).trunc();
                if high >= n { turn - high - 1.0 } else { high }
            })
        }
        Outside::Wrap if is_below => Some(x + last * ((-x / last).trunc() + 1.0)),
        Outside::Wrap => Some(x - last * (x / last).trunc()),
        Outside::Repeat if is_below => Some(x + n * (((-1.0 - x).trunc() / n).floor() + 1.0)),
        Outside::Repeat => Some(x - n * (x / n).trunc()),
    }
}

/// The position of the coefficient that stands for one inside or outside.
#[inline]
fn place(outside: Outside, at: i64, extent: usize) -> usize {
    let n = extent as i64;
    if (0..n).contains(&at) {
        return at as usize;
    }
    let turned = |turn: i64, less: i64| {
        let place = at.rem_euclid(turn);
        place.min(turn - less - place)
    };
    let place = match outside {
        Outside::Coefficient | Outside::Nearest => at.clamp(0, n - 1),
        _ if n == 1 => 0,
        Outside::Repeat => at.rem_euclid(n),
        Outside::Reflect => turned(2 * n, 1),
        // The coefficients of the other two are those of a mirrored image.
        Outside::Mirror | Outside::Constant | Outside::Wrap => turned(2 * n - 2, 0),
    };
    place as usize
}

/// The values of the splines around a point at the distance `t` from the middle one.
#[inline(always)]
fn weights<const COUNT: usize>(t: f64) -> [f64; MOST] {
    let u = 1.0 - t;
    let (square, low) = (t * t, u * u);
    let order = COUNT - 1;
    let mut weights = match order {
        0 => return [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        1 => return [u, t, 0.0, 0.0, 0.0, 0.0],
        2 => {
            let half = 0.5 - t;
            [0.5 * half * half, 0.75 - square, 0.0, 0.0, 0.0, 0.0]
        }
        3 => [low * u / 6.0, cubic(t), cubic(u), 0.0, 0.0, 0.0],
        4 => {
            let half = (0.5 - t) * (0.5 - t);
            let middle = square * (0.25 * square - 0.625) + 115.0 / 192.0;
            [half * half / 24.0, quartic(1.0 + t), middle, quartic(u), 0.0, 0.0]
        }
        _ => {
            let outer = [outer_quintic(1.0 + t), outer_quintic(1.0 + u)];
            [low * low * u / 120.0, outer[0], quintic(t), quintic(u), outer[1], 0.0]
        }
    };
    // The values add up to 1, so a constant image stays so.
    let mut rest = 1.0;
    for weight in &weights[..order] {
        rest -= weight;
    }
    weights[order] = rest;
    weights
}

#[inline]
fn cubic(d: f64) -> f64 {
    (d * d * (3.0 * d - 6.0) + 4.0) / 6.0
}

#[inline]
fn quartic(d: f64) -> f64 {
    ((((5.0 - d) * d / 6.0 - 1.25) * d + 5.0 / 24.0) * d) + 55.0 / 96.0
}

#[inline]
fn quintic(d: f64) -> f64 {
    let square = d * d;
    square * (square * (0.25 - d / 12.0) - 0.5) + 0.55
}

#[inline]
fn outer_quintic(d: f64) -> f64 {
    ((((d / 24.0 - 0.375) * d + 1.25) * d - 1.75) * d + 0.625) * d + 0.425
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(outside: Outside, extent: usize) -> String {
        (-7..10).map(|at| char::from(b'a' + place(outside, at, extent) as u8)).collect()
    }

    #[test]
    fn coefficients_outside_are_those_that_scipy_reads() {
        assert_eq!(read(Outside::Nearest, 4), "aaaaaaaabcddddddd");
        assert_eq!(read(Outside::Reflect, 4), "bcddcbaabcddcbaab");
        assert_eq!(read(Outside::Mirror, 4), "babcdcbabcdcbabcd");
        assert_eq!(read(Outside::Repeat, 4), "bcdabcdabcdabcdab");
        assert_eq!(read(Outside::Wrap, 1), "a".repeat(17));
    }

    #[test]
    fn the_values_of_splines_add_up_to_one_and_have_their_mean_at_the_point() {
        for order in 1..=5u8 {
            let axis = Along { extent: 100, stride: 1 };
            let op = Interpolate {
                axes: 1,
                order,
                outside: Outside::Mirror,
                number: 0,
                dtype: phalanx_ops::DType::F64,
            };
            for x in [40.0, 40.25, 40.5, 40.9] {
                let taps = match order {
                    1 => taps::<2>(&op, x, axis),
                    2 => taps::<3>(&op, x, axis),
                    3 => taps::<4>(&op, x, axis),
                    4 => taps::<5>(&op, x, axis),
                    _ => taps::<6>(&op, x, axis),
                };
                let pairs = taps.weights.iter().zip(taps.places).take(usize::from(order) + 1);
                let (sum, mean) = pairs.fold((0.0, 0.0), |(sum, mean), (weight, place)| {
                    (sum + weight, mean + weight * place as f64)
                });
                assert!((sum - 1.0).abs() < 1e-15 && (mean - x).abs() < 1e-13, "{order} {x}");
            }
        }
    }

    #[test]
    fn points_far_away_and_nan_are_no_reason_to_read_elsewhere() {
        for outside in [
            Outside::Nearest,
            Outside::Coefficient,
            Outside::Constant,
            Outside::Reflect,
            Outside::Mirror,
            Outside::Wrap,
            Outside::Repeat,
        ] {
            let op = Interpolate {
                axes: 1,
                order: 5,
                outside,
                number: 0,
                dtype: phalanx_ops::DType::F64,
            };
            for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e18, -1e19, 3e17]
            {
                for extent in [1, 2, 7, 1000] {
                    let taps = taps::<6>(&op, x, Along { extent, stride: 1 });
                    assert!(taps.places.iter().all(|&place| place < extent), "{outside:?} {x}");
                }
            }
        }
    }
}
