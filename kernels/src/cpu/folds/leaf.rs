//! Whole leaves of common folds, with the virtual lanes in vector registers.
//!
//! These compute the same values as `LaneState`, combined in the same order (`order`), several
//! times faster. A test compares the two bit for bit.

use super::operation::{Gap, Operation, Scaled, Sum, Term, loop_of, narrow_loop_of};
use super::order::{LANES, LEAF};
use crate::cpu::instructions::for_each_level;
use crate::cpu::loops::{Loop, Value};
use crate::cpu::transfer::prefetch;
use phalanx_ops::{DType, Monoid};
use std::mem::MaybeUninit;
use std::ops::{Add, Range};

/// Bytes from what is read of two operands to what is fetched meanwhile.
const AHEAD: usize = 4 << 10;

/// Leaves that are folded at a time.
pub(in crate::cpu) const BATCH: usize = 16;
/// The elements of a leaf's virtual lanes from which on halving goes across the leaves of a batch.
const NARROW: usize = 8;

/// Folds at most `BATCH` leaves, of which the last may be shorter. A whole batch gives one element,
/// fewer points give one for each leaf begun. Folds of products have two inputs; others ignore the
/// second.
///
/// # Safety
/// Each input holds `count` elements, at most `BATCH * LEAF`, and the output has room for one
/// element for each leaf begun, all aligned to the element's components.
pub(in crate::cpu) type LeafLoop = unsafe fn(inputs: [*const u8; 2], output: *mut u8, count: usize);

/// The elements of all virtual lanes.
#[allow(clippy::extra_unused_type_parameters, reason = "`loop_of` names a type for each width")]
const fn lanes<T>() -> usize {
    LANES
}

/// The leaf loop of a monoid and a dtype; `None` if there is none.
pub(in crate::cpu) fn leaf(monoid: Monoid, dtype: DType) -> Option<LeafLoop> {
    loop_of!(monoid, dtype, run: LeafLoop, lanes)
}

/// The leaf loop of sums of products, which reads both factors; `None` if there is none. Each
/// product is rounded before it is added.
pub(in crate::cpu) fn product_sum(dtype: DType) -> Option<LeafLoop> {
    sum_of::<Scaled>(dtype)
}

/// The same for sums of the squares of differences.
pub(in crate::cpu) fn gap_sum(dtype: DType) -> Option<LeafLoop> {
    sum_of::<Gap>(dtype)
}

fn sum_of<M: Term<f32, f32> + Term<f64, f64>>(dtype: DType) -> Option<LeafLoop> {
    match dtype {
        DType::F32 => Some(sum_terms::<f32, M>),
        DType::F64 => Some(sum_terms::<f64, M>),
        _ => None,
    }
}

/// The loop that computes the squares of differences; `None` if there is none.
pub(in crate::cpu) fn gaps(dtype: DType) -> Option<Loop> {
    match dtype {
        DType::F32 => Some(terms_of::<f32, Gap>),
        DType::F64 => Some(terms_of::<f64, Gap>),
        _ => None,
    }
}

/// A `Loop` of the terms of two inputs.
unsafe fn terms_of<T: Copy, M: Term<T, T>>(inputs: &[*const u8], output: *mut u8, count: usize) {
    // SAFETY: as the caller promises of a loop. The output is no input.
    let (left, right, output) = unsafe {
        (
            std::slice::from_raw_parts(inputs[0].cast::<T>(), count),
            std::slice::from_raw_parts(inputs[1].cast::<T>(), count),
            std::slice::from_raw_parts_mut(output.cast::<MaybeUninit<T>>(), count),
        )
    };
    terms::<T, M>(left, right, output);
}

/// The leaf loop of sums of narrow integers in 64 bits, which reads the integers as they are;
/// `None` if there is none. The leaves of one call share one sum, since the order does not matter.
pub(in crate::cpu) fn narrow_sum(from: DType, to: DType) -> Option<LeafLoop> {
    narrow_loop_of!(from, to, sum_narrow)
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

unsafe fn sum_narrow<T: Narrow>([input, _]: [*const u8; 2], output: *mut u8, count: usize) {
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

/// `PARTS` is the number of components of an element, `WIDTH` that of all virtual lanes.
unsafe fn run<T: Value, const PARTS: usize, const WIDTH: usize, O: Operation<T>>(
    [input, _]: [*const u8; 2],
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
    let Some(&first) = input.first() else { return };
    fold_leaves::<T, PARTS, WIDTH, O>(
        first,
        count,
        output,
        |leaf, lanes| accumulate::<T, WIDTH, O>(&input[leaf], lanes),
        |leaf, lanes| short_leaf::<T, PARTS, WIDTH, O>(&input[leaf], lanes),
    );
}

unsafe fn sum_terms<T: Value + Add<Output = T>, M: Term<T, T>>(
    [left, right]: [*const u8; 2],
    output: *mut u8,
    count: usize,
) where
    Sum: Operation<T>,
{
    // SAFETY: the caller's promise.
    let (left, right, output) = unsafe {
        (
            std::slice::from_raw_parts(left.cast::<T>(), count),
            std::slice::from_raw_parts(right.cast::<T>(), count),
            std::slice::from_raw_parts_mut(output.cast::<T>(), count.div_ceil(LEAF)),
        )
    };
    let Some(&first) = left.first() else { return };
    fold_leaves::<T, 1, LANES, Sum>(
        first,
        count,
        output,
        |leaf, lanes| accumulate_terms::<T, M>(&left[leaf.clone()], &right[leaf], lanes),
        |leaf, lanes| {
            let mut found = [const { MaybeUninit::uninit() }; LEAF];
            let found = &mut found[..leaf.len()];
            terms::<T, M>(&left[leaf.clone()], &right[leaf], found);
            // SAFETY: `terms` has written as many terms as there are pairs.
            let found = unsafe { &*(std::ptr::from_ref(found) as *const [T]) };
            short_leaf::<T, 1, LANES, Sum>(found, lanes);
        },
    );
}

/// Folds `count` elements, of which the first has the component `start`: `whole` combines the rows
/// of a leaf into its virtual lanes, `short` a leaf with fewer points into the first lane. Both
/// take the leaf's components.
#[inline(always)]
fn fold_leaves<T: Value, const PARTS: usize, const WIDTH: usize, O: Operation<T>>(
    start: T,
    count: usize,
    output: &mut [T],
    whole: impl Fn(Range<usize>, &mut [T; WIDTH]),
    short: impl Fn(Range<usize>, &mut [T; WIDTH]),
) {
    assert!(count <= BATCH * LEAF, "bug: {count} points are more than a batch of leaves");
    let (mut lanes, leaves) = ([start; WIDTH], count / LEAF);
    let leaf = |at: usize| at * LEAF * PARTS..(at + 1) * LEAF * PARTS;
    if leaves == BATCH {
        let mut rows = [[start; NARROW]; BATCH];
        for (at, row) in rows.iter_mut().enumerate() {
            whole(leaf(at), &mut lanes);
            halve_row::<T, WIDTH, O>(&mut lanes, row);
        }
        let mut results = [[start; BATCH]; PARTS];
        halve_columns::<T, PARTS, O>(&rows, &mut results);
        for (output, results) in output.iter_mut().zip(&mut results) {
            *output = tree::<T, O>(results);
        }
        return;
    }
    for (at, output) in output.chunks_exact_mut(PARTS).enumerate().take(leaves) {
        let mut row = [start; NARROW];
        whole(leaf(at), &mut lanes);
        halve_row::<T, WIDTH, O>(&mut lanes, &mut row);
        let mut half = NARROW / 2;
        while half >= PARTS {
            for at in 0..half {
                row[at] = O::combine(row[at], row[at + half]);
            }
            half /= 2;
        }
        output.copy_from_slice(&row[..PARTS]);
    }
    let rest = leaves * LEAF * PARTS..count * PARTS;
    if !rest.is_empty() {
        short(rest, &mut lanes);
        output[leaves * PARTS..].copy_from_slice(&lanes[..PARTS]);
    }
}

for_each_level! {
    /// As `accumulate` of the terms of two operands.
    fn accumulate_terms[T: Copy + Add<Output = T>, M: Term<T, T>][T, M](
        left: &[T],
        right: &[T],
        lanes: &mut [T; LANES],
    ) {
        let ((left, _), (right, _)) = (left.as_chunks::<LANES>(), right.as_chunks::<LANES>());
        let factors = (left.first_chunk::<ROWS>(), right.first_chunk::<ROWS>());
        let (Some(left), Some(right)) = factors else { return };
        for row in left.iter().chain(right) {
            for line in (0..size_of::<[T; LANES]>()).step_by(64) {
                prefetch(row.as_ptr().cast::<u8>().wrapping_add(AHEAD + line));
            }
        }
        let [a, b, c, d, e, f, g, h] = left;
        let [k, l, m, n, o, p, q, r] = right;
        for at in 0..LANES {
            let first = M::term(a[at], k[at]) + M::term(b[at], l[at]) + M::term(c[at], m[at]);
            let more = first + M::term(d[at], n[at]) + M::term(e[at], o[at]);
            let most = more + M::term(f[at], p[at]) + M::term(g[at], q[at]);
            lanes[at] = most + M::term(h[at], r[at]);
        }
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
        let Some(rows) = rows.first_chunk::<ROWS>() else { return };
        let mut are_numbers = true;
        for (at, lane) in lanes.iter_mut().enumerate() {
            *lane = across(rows, at, O::combine_numbers);
            if O::NAN_DIFFERS {
                // Infinities of both signs leave NaN, too.
                are_numbers &= !across(rows, at, T::keep_nan).is_nan();
            }
        }
        if !are_numbers {
            for (at, lane) in lanes.iter_mut().enumerate() {
                *lane = across(rows, at, O::combine);
            }
        }
    }
}

for_each_level! {
    fn terms[T: Copy, M: Term<T, T>][T, M](
        left: &[T],
        right: &[T],
        terms: &mut [MaybeUninit<T>],
    ) {
        for (term, (&left, &right)) in terms.iter_mut().zip(left.iter().zip(right)) {
            term.write(M::term(left, right));
        }
    }
}

/// The rows of a leaf.
const ROWS: usize = LEAF / LANES;

/// One element of each row, combined in their order. Written out: of a loop the compiler sometimes
/// makes vectors of one column instead of one row.
#[inline(always)]
fn across<T: Copy, const WIDTH: usize>(
    rows: &[[T; WIDTH]; ROWS],
    at: usize,
    combine: impl Fn(T, T) -> T,
) -> T {
    let [a, b, c, d, e, f, g, h] = rows;
    let first = combine(combine(combine(a[at], b[at]), c[at]), d[at]);
    combine(combine(combine(combine(first, e[at]), f[at]), g[at]), h[at])
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

for_each_level! {
    /// Combines the virtual lanes of a leaf with fewer points into the first.
    fn short_leaf[T: Copy, const PARTS: usize, const WIDTH: usize, O: Operation<T>][
        T, PARTS, WIDTH, O
    ](input: &[T], lanes: &mut [T; WIDTH]) {
        let (rows, rest) = input.as_chunks::<WIDTH>();
        let mut filled = rest.len();
        let rest = match rows.split_first() {
            Some((first, rows)) => {
                *lanes = *first;
                for row in rows {
                    for (left, &right) in lanes.iter_mut().zip(row) {
                        *left = O::combine(*left, right);
                    }
                }
                filled = WIDTH;
                rest
            }
            None => {
                lanes[..filled].copy_from_slice(rest);
                &[]
            }
        };
        for (left, &right) in lanes.iter_mut().zip(rest) {
            *left = O::combine(*left, right);
        }
        let mut half = WIDTH / 2;
        while half >= PARTS {
            if filled > half {
                let (left, right) = lanes.split_at_mut(half);
                for (left, &right) in left.iter_mut().zip(&right[..filled - half]) {
                    *left = O::combine(*left, right);
                }
                filled = half;
            }
            half /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::folds::{Combine, Counter, Item, MOST_BYTES};
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
                    counter.push_points(leaf, code, sizes, [words.as_ptr().cast(); 2], count);
                }
                let found = counter.finish(code).expect("there are points");
                let mut leaves = Counter::default();
                for leaf in bytes.chunks(LEAF * dtype.size()) {
                    let mut item = Item { value: [0; MOST_BYTES], index: 0 };
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
            unsafe {
                counter.push_points(leaf, code, [2, 8], [integers.as_ptr().cast(); 2], count)
            };
            let sum = counter.finish(code).expect("there are points");
            let expected: i64 = integers[..count].iter().map(|&integer| i64::from(integer)).sum();
            assert_eq!(sum.value[..8], expected.to_ne_bytes(), "{count} integers");
        }
    }
}
