//! Whole leaves of common folds, with the virtual lanes in vector registers.
//!
//! These compute the same values as `LaneState`, combined in the same order (`order`), several
//! times faster. A test compares the two bit for bit.

use super::order::{LANES, LEAF};
use crate::cpu::instructions::for_each_level;
use crate::cpu::loops::Value;
use phalanx_ops::{DType, Monoid};

/// Leaves that are folded at a time.
pub(in crate::cpu) const BATCH: usize = 16;
/// The elements of a leaf's virtual lanes from which on halving goes across the leaves of a batch.
const NARROW: usize = 8;

/// Folds at most `BATCH` leaves, of which the last may be shorter. A whole batch gives one element,
/// fewer points give one for each leaf begun.
///
/// # Safety
/// The input holds `count` elements, at most `BATCH * LEAF`, and the output has room for one
/// element for each leaf begun, both aligned to the element's components.
pub(in crate::cpu) type LeafLoop = unsafe fn(input: *const u8, output: *mut u8, count: usize);

/// The leaf loop of a monoid and a dtype; `None` if there is none.
pub(in crate::cpu) fn leaf(monoid: Monoid, dtype: DType) -> Option<LeafLoop> {
    macro_rules! by_dtype {
        ($operation:ident) => {
            match dtype {
                DType::F32 => Some(run::<f32, 1, LANES, $operation> as LeafLoop),
                DType::F64 => Some(run::<f64, 1, LANES, $operation> as LeafLoop),
                DType::I8 => Some(run::<i8, 1, LANES, $operation> as LeafLoop),
                DType::I16 => Some(run::<i16, 1, LANES, $operation> as LeafLoop),
                DType::I32 => Some(run::<i32, 1, LANES, $operation> as LeafLoop),
                DType::I64 => Some(run::<i64, 1, LANES, $operation> as LeafLoop),
                DType::U8 => Some(run::<u8, 1, LANES, $operation> as LeafLoop),
                DType::U16 => Some(run::<u16, 1, LANES, $operation> as LeafLoop),
                DType::U32 => Some(run::<u32, 1, LANES, $operation> as LeafLoop),
                DType::U64 => Some(run::<u64, 1, LANES, $operation> as LeafLoop),
                _ => None,
            }
        };
    }
    match (monoid, dtype) {
        // The components of complex numbers are summed separately.
        (Monoid::Add, DType::C64) => Some(run::<f32, 2, { 2 * LANES }, Sum>),
        (Monoid::Add, DType::C128) => Some(run::<f64, 2, { 2 * LANES }, Sum>),
        (Monoid::Add | Monoid::Any, DType::Bool) => Some(run::<u8, 1, LANES, Either>),
        (Monoid::Multiply | Monoid::All, DType::Bool) => Some(run::<u8, 1, LANES, Both>),
        (Monoid::Max, DType::Bool) => Some(run::<u8, 1, LANES, Largest>),
        (Monoid::Min, DType::Bool) => Some(run::<u8, 1, LANES, Smallest>),
        (Monoid::Add, _) => by_dtype!(Sum),
        (Monoid::Multiply, _) => by_dtype!(Product),
        (Monoid::Max, _) => by_dtype!(Largest),
        (Monoid::Min, _) => by_dtype!(Smallest),
        _ => None,
    }
}

/// The leaf loop of sums of narrow integers in 64 bits, which reads the integers as they are;
/// `None` if there is none. The leaves of one call share one sum, since the order does not matter.
pub(in crate::cpu) fn narrow_sum(from: DType, to: DType) -> Option<LeafLoop> {
    match (from, to) {
        (DType::Bool | DType::U8, DType::I64 | DType::U64) => Some(sum_narrow::<u8>),
        (DType::I8, DType::I64) => Some(sum_narrow::<i8>),
        (DType::U16, DType::I64 | DType::U64) => Some(sum_narrow::<u16>),
        (DType::I16, DType::I64) => Some(sum_narrow::<i16>),
        (DType::U32, DType::I64 | DType::U64) => Some(sum_narrow::<u32>),
        (DType::I32, DType::I64) => Some(sum_narrow::<i32>),
        _ => None,
    }
}

/// An integer of less than 64 bits.
trait Narrow: Copy {
    /// The sum of at most `BATCH * LEAF` integers.
    fn sum(integers: &[Self]) -> i64;
}

macro_rules! narrow {
    ($sum:ty: $($type:ty),*) => {$(
        impl Narrow for $type {
            #[inline(always)]
            fn sum(integers: &[$type]) -> i64 {
                let add = |sum: $sum, &integer: &$type| sum.wrapping_add(<$sum>::from(integer));
                i64::from(integers.iter().fold(0, add))
            }
        }
    )*};
}

// 4,096 integers of 16 bits have a sum of at most 28 bits.
narrow!(i32: u8, i8, u16, i16);
narrow!(i64: u32, i32);

for_each_level! {
    fn total[T: Narrow][T](integers: &[T], sum: &mut i64) {
        *sum = T::sum(integers);
    }
}

unsafe fn sum_narrow<T: Narrow>(input: *const u8, output: *mut u8, count: usize) {
    assert!(count <= BATCH * LEAF, "bug: {count} points are more than a batch of leaves");
    // SAFETY: the caller's promise.
    let (input, output) = unsafe {
        (
            std::slice::from_raw_parts(input.cast::<T>(), count),
            std::slice::from_raw_parts_mut(output.cast::<i64>(), count.div_ceil(LEAF)),
        )
    };
    output.fill(0);
    if let Some(sum) = output.first_mut() {
        total(input, sum);
    }
}

/// How two elements are combined.
trait Operation<T> {
    /// Whether `combine_numbers` does not accept NaN.
    const NAN_DIFFERS: bool = false;

    fn combine(left: T, right: T) -> T;

    /// As `combine` of elements that are no NaN.
    #[inline(always)]
    fn combine_numbers(left: T, right: T) -> T {
        Self::combine(left, right)
    }
}

struct Sum;
struct Product;
struct Largest;
struct Smallest;
/// Logical or.
struct Either;
/// Logical and.
struct Both;

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Operation<$type> for Sum {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left + right
            }
        }

        impl Operation<$type> for Product {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left * right
            }
        }

        impl Operation<$type> for Largest {
            const NAN_DIFFERS: bool = true;

            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                if left >= right || left.is_nan() { left } else { right }
            }

            #[inline(always)]
            fn combine_numbers(left: $type, right: $type) -> $type {
                if right > left { right } else { left }
            }
        }

        impl Operation<$type> for Smallest {
            const NAN_DIFFERS: bool = true;

            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                if left <= right || left.is_nan() { left } else { right }
            }

            #[inline(always)]
            fn combine_numbers(left: $type, right: $type) -> $type {
                if right < left { right } else { left }
            }
        }
    )*};
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Operation<$type> for Sum {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.wrapping_add(right)
            }
        }

        impl Operation<$type> for Product {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.wrapping_mul(right)
            }
        }

        impl Operation<$type> for Largest {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.max(right)
            }
        }

        impl Operation<$type> for Smallest {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.min(right)
            }
        }
    )*};
}

floats!(f32, f64);
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Operation<u8> for Either {
    #[inline(always)]
    fn combine(left: u8, right: u8) -> u8 {
        u8::from(left | right != 0)
    }
}

impl Operation<u8> for Both {
    #[inline(always)]
    fn combine(left: u8, right: u8) -> u8 {
        u8::from(left != 0) & u8::from(right != 0)
    }
}

/// `PARTS` is the number of components of an element, `WIDTH` that of all virtual lanes.
unsafe fn run<T: Value, const PARTS: usize, const WIDTH: usize, O: Operation<T>>(
    input: *const u8,
    output: *mut u8,
    count: usize,
) {
    assert!(count <= BATCH * LEAF, "bug: {count} points are more than a batch of leaves");
    // SAFETY: the caller's promise.
    let (input, output) = unsafe {
        (
            std::slice::from_raw_parts(input.cast::<T>(), count * PARTS),
            std::slice::from_raw_parts_mut(output.cast::<T>(), count.div_ceil(LEAF) * PARTS),
        )
    };
    let Some(&first) = input.first() else { return };
    let (mut lanes, mut rows) = ([first; WIDTH], [[first; NARROW]; BATCH]);
    let whole = count / LEAF;
    for (leaf, row) in input.chunks_exact(LEAF * PARTS).zip(&mut rows) {
        accumulate::<T, WIDTH, O>(leaf, &mut lanes);
        halve_row::<T, WIDTH, O>(&mut lanes, row);
    }
    if whole > 0 {
        let mut results = [[first; BATCH]; PARTS];
        halve_columns::<T, PARTS, O>(&rows, &mut results);
        if whole == BATCH {
            for (output, results) in output.iter_mut().zip(&mut results) {
                *output = tree::<T, O>(results);
            }
            return;
        }
        for (at, output) in output.chunks_exact_mut(PARTS).enumerate().take(whole) {
            for (output, results) in output.iter_mut().zip(&results) {
                *output = results[at];
            }
        }
    }
    let short = &input[whole * LEAF * PARTS..];
    if !short.is_empty() {
        short_leaf::<T, PARTS, WIDTH, O>(short, &mut lanes);
        output[whole * PARTS..].copy_from_slice(&lanes[..PARTS]);
    }
}

for_each_level! {
    /// Combines the rows of a leaf into its virtual lanes.
    // This and the halving are separate functions: in one function, the compiler vectorises across
    // the wrong elements.
    fn accumulate[T: Value, const WIDTH: usize, O: Operation<T>][T, WIDTH, O](
        input: &[T],
        lanes: &mut [T; WIDTH],
    ) {
        let (rows, _) = input.as_chunks::<WIDTH>();
        let Some((first, rows)) = rows.split_first() else { return };
        let (mut values, mut kept) = (*first, *first);
        for row in rows {
            for ((sum, kept), &value) in values.iter_mut().zip(&mut kept).zip(row) {
                *sum = O::combine_numbers(*sum, value);
                if O::NAN_DIFFERS {
                    *kept = kept.keep_nan(value);
                }
            }
        }
        // Infinities of both signs leave NaN, too.
        if O::NAN_DIFFERS && kept.iter().fold(false, |any, kept| any | kept.is_nan()) {
            values = *first;
            for row in rows {
                for (sum, &value) in values.iter_mut().zip(row) {
                    *sum = O::combine(*sum, value);
                }
            }
        }
        *lanes = values;
    }
}

for_each_level! {
    /// Combines the virtual lanes of one leaf by halving, as long as they fill a vector register.
    fn halve_row[T: Copy, const WIDTH: usize, O: Operation<T>][T, WIDTH, O](
        row: &mut [T; WIDTH],
        narrow: &mut [T; NARROW],
    ) {
        let mut half = WIDTH / 2;
        while half > NARROW {
            let (left, right) = row.split_at_mut(half);
            for (left, &right) in left.iter_mut().zip(right.iter()) {
                *left = O::combine(*left, right);
            }
            half /= 2;
        }
        for at in 0..NARROW {
            narrow[at] = O::combine(row[at], row[NARROW + at]);
        }
    }
}

for_each_level! {
    /// The last steps of halving, which are too narrow for vector registers, across the leaves of a
    /// batch.
    fn halve_columns[T: Copy, const PARTS: usize, O: Operation<T>][T, PARTS, O](
        rows: &[[T; NARROW]; BATCH],
        results: &mut [[T; BATCH]; PARTS],
    ) {
        let mut columns = [[rows[0][0]; BATCH]; NARROW];
        for (lane, column) in columns.iter_mut().enumerate() {
            for (value, row) in column.iter_mut().zip(rows) {
                *value = row[lane];
            }
        }
        let mut half = NARROW / 2;
        while half >= PARTS {
            let (left, right) = columns.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right.iter()) {
                for (left, &right) in left.iter_mut().zip(right) {
                    *left = O::combine(*left, right);
                }
            }
            half /= 2;
        }
        results.copy_from_slice(&columns[..PARTS]);
    }
}

/// The results of a whole batch, neighbours combined with each other.
fn tree<T: Copy, O: Operation<T>>(results: &mut [T; BATCH]) -> T {
    let mut count = BATCH;
    while count > 1 {
        for at in 0..count / 2 {
            results[at] = O::combine(results[2 * at], results[2 * at + 1]);
        }
        count /= 2;
    }
    results[0]
}

/// Combines the virtual lanes of a leaf with fewer points into the first.
fn short_leaf<T: Copy, const PARTS: usize, const WIDTH: usize, O: Operation<T>>(
    input: &[T],
    lanes: &mut [T; WIDTH],
) {
    let mut rows = input.chunks(WIDTH);
    let first = rows.next().unwrap_or(&[]);
    lanes[..first.len()].copy_from_slice(first);
    for row in rows {
        halve::<T, O>(lanes, row);
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
}

/// Combines `right` into the first elements of `left`.
#[inline(never)]
fn halve<T: Copy, O: Operation<T>>(left: &mut [T], right: &[T]) {
    for (left, &right) in left.iter_mut().zip(right) {
        *left = O::combine(*left, right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::folds::{Combine, Counter, Item};
    use crate::cpu::loops;
    use phalanx_ops::{Scalar, Weak};

    /// The canonical order of a leaf, one element after the other.
    fn by_definition(monoid: Monoid, dtype: DType, elements: &[u8]) -> Vec<u8> {
        let size = dtype.size();
        let code = loops::combine(monoid, dtype).expect("the monoid combines the dtype");
        let count = elements.len() / size;
        let mut lanes = vec![0u128; elements.len().div_ceil(16)];
        let first = lanes.as_mut_ptr().cast::<u8>();
        // SAFETY: the lanes have room for all elements.
        unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), first, elements.len()) };
        let combine = |left: usize, right: usize| {
            let mut inputs = [0u128; 2];
            let [left, right] = [left, right].map(|at| first.wrapping_add(at * size));
            // SAFETY: one element each, the inputs aligned copies.
            unsafe {
                let [a, b] = &mut inputs;
                let (a, b) = ((&raw mut *a).cast::<u8>(), (&raw mut *b).cast::<u8>());
                std::ptr::copy_nonoverlapping(left, a, size);
                std::ptr::copy_nonoverlapping(right, b, size);
                code(&[a.cast_const(), b.cast_const()], a, 1);
                std::ptr::copy_nonoverlapping(a, left, size);
            }
        };
        for point in LANES..count {
            combine(point % LANES, point);
        }
        for half in [16, 8, 4, 2, 1] {
            for lane in 0..half.min(count.saturating_sub(half)) {
                combine(lane, lane + half);
            }
        }
        lanes.iter().flat_map(|word| word.to_ne_bytes()).take(size).collect()
    }

    /// Elements of a dtype, some of them zeros, infinities and NaN.
    fn elements(dtype: DType, count: usize, seed: u64) -> Vec<u8> {
        let mut bits = seed;
        let mut element = || {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if dtype == DType::Bool {
                return Scalar::from_weak(dtype, Weak::from(bits >> 63 == 1));
            }
            if !dtype.is_inexact() {
                let mut bytes = [0; 16];
                bytes[..8].copy_from_slice(&(bits >> 3).to_ne_bytes());
                return Scalar::from_bytes(dtype, &bytes[..dtype.size()]);
            }
            let number = match bits >> 54 {
                0 => 0.0,
                1 => -0.0,
                2 if seed & 1 == 1 => f64::NAN,
                3 if seed & 1 == 1 => f64::INFINITY,
                _ => ((bits >> 40) as f64 - 8_388_608.0) * 2f64.powi(-23),
            };
            Scalar::from_weak(dtype, Weak::from(num_complex::Complex64::new(number, number * 0.7)))
        };
        (0..count).flat_map(|_| element().bytes().to_vec()).collect()
    }

    #[test]
    fn leaves_are_folded_in_the_canonical_order() {
        let few = [LEAF, 2, 4, 10, 32, 34, 62, 64, 100, 254, LEAF, 2 * LEAF, 5 * LEAF + 96];
        for (&dtype, &monoid) in pairs(DType::ALL, Monoid::ALL) {
            let Some(leaf) = leaf(monoid, dtype) else { continue };
            let code = Combine::of(monoid, dtype).expect("the monoid combines the dtype");
            for (seed, count) in few.into_iter().chain([BATCH * LEAF; 3]).enumerate() {
                let bytes = elements(dtype, count, seed as u64 + 1);
                let mut words = vec![0u64; bytes.len().div_ceil(8)];
                for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
                    let mut whole = [0; 8];
                    whole[..bytes.len()].copy_from_slice(bytes);
                    *word = u64::from_ne_bytes(whole);
                }
                let mut counter = Counter::default();
                // SAFETY: the words hold so many elements, aligned.
                unsafe {
                    let sizes = [dtype.size(); 2];
                    counter.push_points(leaf, code, sizes, words.as_ptr().cast(), count);
                }
                let found = counter.finish(code).expect("there are points");
                let mut leaves = Counter::default();
                for leaf in bytes.chunks(LEAF * dtype.size()) {
                    let mut item = Item { value: [0; 16], index: 0 };
                    let expected = by_definition(monoid, dtype, leaf);
                    item.value[..expected.len()].copy_from_slice(&expected);
                    leaves.push(item, code);
                }
                let expected = leaves.finish(code).expect("there are points");
                let size = dtype.size();
                assert_eq!(
                    found.value[..size],
                    expected.value[..size],
                    "{monoid} of {count} {dtype}"
                );
            }
        }
    }

    fn pairs<'a, A, B>(a: &'a [A], b: &'a [B]) -> impl Iterator<Item = (&'a A, &'a B)> {
        a.iter().flat_map(move |a| b.iter().map(move |b| (a, b)))
    }

    #[test]
    fn narrow_integers_are_summed_in_64_bits() {
        let integers: Vec<i16> =
            (0..9_000).map(|at| (at * 7_919 % 65_536 - 32_768) as i16).collect();
        let leaf = narrow_sum(DType::I16, DType::I64).expect("a loop");
        let code = Combine::of(Monoid::Add, DType::I64).expect("a combination");
        for count in [1, 31, 256, 300, 4_096, 9_000] {
            let mut counter = Counter::default();
            // SAFETY: there are so many integers of 2 bytes.
            unsafe { counter.push_points(leaf, code, [2, 8], integers.as_ptr().cast(), count) };
            let sum = counter.finish(code).expect("there are points");
            let expected: i64 = integers[..count].iter().map(|&integer| i64::from(integer)).sum();
            assert_eq!(sum.value[..8], expected.to_ne_bytes(), "{count} integers");
        }
    }
}
