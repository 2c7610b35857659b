//! Items of more than one element: (element, index) pairs, moments and sums of bins.

use super::element::{Lattice, Stored};
use phalanx_ops::{Binned, DType, Monoid};

/// Combines (element, index) items. A NaN wins; otherwise the smaller (or larger) element; on a
/// tie, the smaller index.
pub(super) fn position<T: Lattice>(smallest: bool, accumulator: &mut [u8], incoming: &[u8]) {
    // Equals `Monoid::index_offset`.
    let offset = T::SIZE.max(8);
    let item = offset + 8;
    for (left, right) in accumulator.chunks_exact_mut(item).zip(incoming.chunks_exact(item)) {
        let (a, b) = (T::load(left), T::load(right));
        let earlier = || i64::load(&right[offset..]) < i64::load(&left[offset..]);
        let take = match (a.is_nan(), b.is_nan()) {
            (true, true) => earlier(),
            (true, false) => false,
            (false, true) => true,
            (false, false) => {
                // The incoming item wins when `low` really is lower.
                let (low, high) = if smallest { (b, a) } else { (a, b) };
                let (at_most, at_least) = (low.at_most(high), high.at_most(low));
                at_most && (!at_least || earlier())
            }
        };
        if take {
            left.copy_from_slice(right);
        }
    }
}

/// The real element types of moments.
pub(super) trait Real:
    Stored
    + PartialEq
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
{
    /// The count of an empty set.
    const ZERO: Self;
}
impl Real for f32 {
    const ZERO: Self = 0.0;
}
impl Real for f64 {
    const ZERO: Self = 0.0;
}

/// Combines (count, mean, rest, squares) items by the update of Chan, Golub and LeVeque (1979).
///
/// The rest is the sum of the elements' differences from the rounded mean. Without it, the rounding
/// of means would make the error of the squares much larger than their own rounding.
pub(super) fn moments<T: Real, const SWAP: bool>(accumulator: &mut [u8], incoming: &[u8]) {
    let size = T::SIZE;
    let load = |bytes: &[u8]| [0, 1, 2, 3].map(|part| T::load(&bytes[part * size..]));
    let items = accumulator.chunks_exact_mut(4 * size).zip(incoming.chunks_exact(4 * size));
    for (left, right) in items {
        let (mut first, mut second) = (load(left), load(right));
        if SWAP {
            std::mem::swap(&mut first, &mut second);
        }
        let [count_a, mean_a, ..] = first;
        let [count_b, mean_b, ..] = second;
        // An empty side has no mean: a division by its count would give NaN.
        let result = if count_b == T::ZERO {
            first
        } else if count_a == T::ZERO {
            second
        } else {
            let count = count_a + count_b;
            let mean = mean_a + (mean_b - mean_a) * (count_b / count);
            let about = |[count, own, rest, squares]: [T; 4]| {
                let step = own - mean;
                (rest + count * step, squares + step * (rest + rest + count * step))
            };
            let ((rest_a, squares_a), (rest_b, squares_b)) = (about(first), about(second));
            [count, mean, rest_a + rest_b, squares_a + squares_b]
        };
        for (position, element) in result.into_iter().enumerate() {
            element.store(&mut left[position * size..]);
        }
    }
}

/// Combines (window, three sums, value) items of `Binned`. The order does not matter.
pub(super) fn binned(accumulator: &mut [u8], incoming: &[u8]) {
    let item = Monoid::Binned.item_size(DType::F64);
    let value = Monoid::Binned.part_offset(DType::F64, 4);
    let load =
        |bytes: &[u8]| Binned::from_parts([0, 1, 2, 3].map(|part| i64::load(&bytes[8 * part..])));
    for (left, right) in accumulator.chunks_exact_mut(item).zip(incoming.chunks_exact(item)) {
        let mut all = load(left);
        all.merge(load(right));
        for (position, part) in all.parts().into_iter().enumerate() {
            part.store(&mut left[8 * position..]);
        }
        all.value().store(&mut left[value..]);
    }
}
