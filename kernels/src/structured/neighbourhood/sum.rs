//! Sums over windows: in `f64`, whatever the dtypes.

use crate::cpu::instructions::for_each_level;

/// An element of a window: its place in the rows, and its number.
pub(super) type Tap = (usize, f64);

/// Elements of the result that are computed together.
const LANES: usize = 32;

for_each_level! {
    /// For each element, the sum of the products of the elements of its window with their numbers.
    pub(super) fn add_window[][](out: &mut [f64], rows: &[f64], taps: &[Tap]) {
        for (number, out) in out.chunks_mut(LANES).enumerate() {
            let start = number * LANES;
            if let Ok(out) = <&mut [f64; LANES]>::try_from(&mut *out) {
                let mut sums = [0.0; LANES];
                for &(place, weight) in taps {
                    let Some(read) = rows[place + start..].first_chunk::<LANES>() else { continue };
                    for lane in 0..LANES {
                        sums[lane] += read[lane] * weight;
                    }
                }
                *out = sums;
            } else {
                for (lane, out) in out.iter_mut().enumerate() {
                    let terms = taps.iter().map(|&(at, weight)| rows[at + start + lane] * weight);
                    *out = terms.fold(0.0, |sum, term| sum + term);
                }
            }
        }
    }
}

/// The order in which the products of a window along one axis are added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum LineOrder {
    /// Pairs of elements are added first.
    Symmetric,
    /// Pairs of elements are subtracted first.
    Antisymmetric,
    /// The last product first.
    Other,
}

impl LineOrder {
    /// The order for these weights.
    pub fn of(weights: &[f64]) -> LineOrder {
        let count = weights.len();
        let differs = |sign: f64| {
            let pairs = (0..count / 2).map(|at| (weights[at], weights[count - 1 - at]));
            pairs.into_iter().any(|(low, high)| (high - sign * low).abs() > f64::EPSILON)
        };
        match count % 2 {
            1 if !differs(1.0) => LineOrder::Symmetric,
            1 if !differs(-1.0) => LineOrder::Antisymmetric,
            _ => LineOrder::Other,
        }
    }
}

/// The sums of `N` neighbouring elements of the result.
#[inline(always)]
fn line<const N: usize>(start: usize, order: LineOrder, rows: &[f64], taps: &[Tap]) -> [f64; N] {
    let read = |place: usize| -> [f64; N] {
        rows[place + start..].first_chunk::<N>().copied().unwrap_or([0.0; N])
    };
    let mut sums = [0.0; N];
    let last = taps.len() - 1;
    if order == LineOrder::Other {
        let (place, weight) = taps[last];
        sums = read(place).map(|element| element * weight);
        for &(place, weight) in &taps[..last] {
            let elements = read(place);
            for lane in 0..N {
                sums[lane] += elements[lane] * weight;
            }
        }
        return sums;
    }
    let middle = taps.len() / 2;
    let elements = read(taps[middle].0);
    for lane in 0..N {
        sums[lane] = elements[lane] * taps[middle].1;
    }
    for at in 0..middle {
        let weight = taps[at].1;
        let (low, high) = (read(taps[at].0), read(taps[last - at].0));
        for lane in 0..N {
            let pair = match order {
                LineOrder::Symmetric => low[lane] + high[lane],
                _ => low[lane] - high[lane],
            };
            sums[lane] += pair * weight;
        }
    }
    sums
}

for_each_level! {
    /// For each element, the sum of the products of a line of elements with their numbers.
    pub(super) fn add_line[][](out: &mut [f64], rows: &[f64], taps: &[Tap], order: LineOrder) {
        for (number, out) in out.chunks_mut(LANES).enumerate() {
            let start = number * LANES;
            if let Ok(out) = <&mut [f64; LANES]>::try_from(&mut *out) {
                *out = line::<LANES>(start, order, rows, taps);
            } else {
                for (lane, out) in out.iter_mut().enumerate() {
                    [*out] = line::<1>(start + lane, order, rows, taps);
                }
            }
        }
    }
}
