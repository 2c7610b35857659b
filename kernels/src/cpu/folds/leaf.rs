//! Whole leaves of common folds, with the virtual lanes in vector registers.
//!
//! These compute the same values as `LaneState`, combined in the same order (`order`), several
//! times faster. A test compares the two bit for bit.

use super::order::{LANES, LEAF};
use crate::cpu::instructions::for_each_level;
use crate::cpu::transfer::prefetch;
use phalanx_ops::{DType, Monoid};

/// Folds each `LEAF` elements of the input, and the remaining ones, to one element of the output.
///
/// # Safety
/// The input holds `count` elements and the output one for each leaf begun, both aligned to the
/// element's components.
pub(in crate::cpu) type LeafLoop = unsafe fn(input: *const u8, output: *mut u8, count: usize);

/// The leaf loop of a monoid and a dtype; `None` if there is none.
pub(in crate::cpu) fn leaf(monoid: Monoid, dtype: DType) -> Option<LeafLoop> {
    macro_rules! by_dtype {
        ($operation:ident) => {
            match dtype {
                DType::F32 => Some(run::<f32, 1, LANES, $operation> as LeafLoop),
                DType::F64 => Some(run::<f64, 1, LANES, $operation> as LeafLoop),
                _ => None,
            }
        };
    }
    match (monoid, dtype) {
        // The components of complex numbers are summed separately.
        (Monoid::Add, DType::C64) => Some(run::<f32, 2, { 2 * LANES }, Sum>),
        (Monoid::Add, DType::C128) => Some(run::<f64, 2, { 2 * LANES }, Sum>),
        (Monoid::Add, _) => by_dtype!(Sum),
        (Monoid::Multiply, _) => by_dtype!(Product),
        (Monoid::Max, _) => by_dtype!(Largest),
        (Monoid::Min, _) => by_dtype!(Smallest),
        _ => None,
    }
}

trait Operation {
    fn combine<T: Float>(left: T, right: T) -> T;
}

struct Sum;
struct Product;
struct Largest;
struct Smallest;

trait Float:
    Copy + Default + PartialOrd + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self>
{
}

impl Float for f32 {}
impl Float for f64 {}

impl Operation for Sum {
    #[inline(always)]
    fn combine<T: Float>(left: T, right: T) -> T {
        left + right
    }
}

impl Operation for Product {
    #[inline(always)]
    fn combine<T: Float>(left: T, right: T) -> T {
        left * right
    }
}

// A NaN is the only number that is not equal to itself.
#[allow(clippy::eq_op)]
impl Operation for Largest {
    #[inline(always)]
    fn combine<T: Float>(left: T, right: T) -> T {
        if left >= right || left != left { left } else { right }
    }
}

#[allow(clippy::eq_op)]
impl Operation for Smallest {
    #[inline(always)]
    fn combine<T: Float>(left: T, right: T) -> T {
        if left <= right || left != left { left } else { right }
    }
}

/// Prefetch distance in bytes: 18 to 35 GB/s on one core of an AMD EPYC (Zen 5).
const AHEAD: usize = 8192;

/// `PARTS` is the number of components of an element, `WIDTH` that of all virtual lanes.
unsafe fn run<T: Float, const PARTS: usize, const WIDTH: usize, O: Operation>(
    input: *const u8,
    output: *mut u8,
    count: usize,
) {
    // SAFETY: the caller's promise.
    let (input, output) = unsafe {
        (
            std::slice::from_raw_parts(input.cast::<T>(), count * PARTS),
            std::slice::from_raw_parts_mut(output.cast::<T>(), count.div_ceil(LEAF) * PARTS),
        )
    };
    let mut lanes = [T::default(); WIDTH];
    let leaf_bytes = LEAF * PARTS * size_of::<T>();
    for (leaf, output) in input.chunks(LEAF * PARTS).zip(output.chunks_exact_mut(PARTS)) {
        if leaf.len() < LEAF * PARTS {
            output.copy_from_slice(&short_leaf::<T, PARTS, WIDTH, O>(leaf)[..PARTS]);
            continue;
        }
        prefetch(leaf.as_ptr().cast::<u8>().wrapping_add(AHEAD), leaf_bytes);
        accumulate::<T, WIDTH, O>(leaf, &mut lanes);
        let mut half = WIDTH / 2;
        while half >= PARTS {
            let (left, right) = lanes.split_at_mut(half);
            halve::<T, O>(left, &right[..half]);
            half /= 2;
        }
        output.copy_from_slice(&lanes[..PARTS]);
    }
}

for_each_level! {
    // This and `halve` are separate functions: in one function, the compiler vectorises across the
    // wrong elements.
    fn accumulate[T: Float, const WIDTH: usize, O: Operation][T, WIDTH, O](
        input: &[T],
        lanes: &mut [T; WIDTH],
    ) {
        let mut sums = [T::default(); WIDTH];
        sums.copy_from_slice(&input[..WIDTH]);
        for row in input.chunks_exact(WIDTH).skip(1) {
            for (sum, &value) in sums.iter_mut().zip(row) {
                *sum = O::combine(*sum, value);
            }
        }
        *lanes = sums;
    }
}

/// The virtual lanes of a leaf with fewer points, combined into the first.
fn short_leaf<T: Float, const PARTS: usize, const WIDTH: usize, O: Operation>(
    input: &[T],
) -> [T; WIDTH] {
    let mut lanes = [T::default(); WIDTH];
    let mut rows = input.chunks(WIDTH);
    let first = rows.next().unwrap_or(&[]);
    lanes[..first.len()].copy_from_slice(first);
    for row in rows {
        halve::<T, O>(&mut lanes, row);
    }
    let mut filled = first.len();
    let mut half = WIDTH / 2;
    while half >= PARTS {
        if filled > half {
            let (left, right) = lanes.split_at_mut(half);
            halve::<T, O>(left, &right[..filled - half]);
            filled = half;
        }
        half /= 2;
    }
    lanes
}

/// Combines `right` into the first elements of `left`.
#[inline(never)]
fn halve<T: Float, O: Operation>(left: &mut [T], right: &[T]) {
    for (left, &right) in left.iter_mut().zip(right) {
        *left = O::combine(*left, right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::loops;
    use phalanx_ops::{Scalar, Weak};

    /// The canonical order, one element after the other.
    fn by_definition(monoid: Monoid, dtype: DType, elements: &[u64]) -> Vec<u8> {
        let size = dtype.size();
        let code = loops::combine(monoid, dtype).expect("the monoid combines the dtype");
        let mut lanes: Vec<u64> = elements.to_vec();
        let first = lanes.as_mut_ptr().cast::<u8>();
        let combine = |left: usize, right: *const u8| {
            let left = first.wrapping_add(left * size);
            // SAFETY: one aligned element each.
            unsafe { code(&[left.cast_const(), right], left, 1) };
        };
        let source = elements.as_ptr().cast::<u8>();
        let count = elements.len() * 8 / size;
        for point in LANES..count {
            combine(point % LANES, source.wrapping_add(point * size));
        }
        for half in [16, 8, 4, 2, 1] {
            for lane in 0..half.min(count.saturating_sub(half)) {
                combine(lane, first.wrapping_add((lane + half) * size));
            }
        }
        lanes.iter().flat_map(|word| word.to_ne_bytes()).take(size).collect()
    }

    #[test]
    fn leaves_are_folded_in_the_canonical_order() {
        let mut bits = 1u64;
        let mut element = |dtype: DType| {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let number = match bits >> 54 {
                0 => 0.0,
                1 => -0.0,
                _ => ((bits >> 40) as f64 - 8_388_608.0) * 2f64.powi(-23),
            };
            Scalar::from_weak(dtype, Weak::from(num_complex::Complex64::new(number, number * 0.7)))
        };
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            for &monoid in Monoid::ALL {
                let Some(leaf) = leaf(monoid, dtype) else {
                    continue;
                };
                for count in [LEAF, 2, 4, 10, 32, 34, 62, 64, 100, 254, LEAF] {
                    let bytes: Vec<u8> =
                        (0..count).flat_map(|_| element(dtype).bytes().to_vec()).collect();
                    let words = bytes.chunks_exact(8);
                    let words: Vec<u64> = words
                        .map(|word| u64::from_ne_bytes(word.try_into().expect("8 bytes")))
                        .collect();
                    let mut output = [0u64; 2];
                    // SAFETY: so many elements of a leaf, and room for one.
                    unsafe { leaf(words.as_ptr().cast(), output.as_mut_ptr().cast(), count) };
                    let output: Vec<u8> =
                        output.iter().flat_map(|word| word.to_ne_bytes()).collect();
                    let expected = by_definition(monoid, dtype, &words);
                    assert_eq!(output[..dtype.size()], expected, "{monoid} of {dtype}");
                }
            }
        }
    }
}
