//! Folds of sums whose bits do not depend on the order (`phalanx_ops::Binned`).
//!
//! Accumulators are of the type `Binned`. Loops find the largest of some numbers first, so that the
//! digits of all of them begin at the same window.

use super::leaf::{BATCH, LeafLoop};
use super::order::LEAF;
use super::rows::{ROWS, Rows, RowsLoop};
use crate::cpu::instructions::for_each_level;
use crate::cpu::loops::Loop;
use phalanx_ops::{Binned, DType};
use smallvec::SmallVec;

/// Bytes of an accumulator.
pub(in crate::cpu) const ITEM: usize = size_of::<Binned>();
/// Numbers whose digits are found side by side.
const LANES: usize = 32;
/// Numbers whose digits begin at the same window. They are read twice, so they should find room in
/// a first-level cache.
const TOGETHER: usize = 1024;
/// Sums of a tile of columns.
const COLUMNS: usize = 32;

/// The leaf loop of numbers of a dtype; `None` if there is none.
pub(in crate::cpu) fn leaf(dtype: DType) -> Option<LeafLoop> {
    match dtype {
        DType::F32 => Some(numbers::<f32>),
        DType::F64 => Some(numbers::<f64>),
        _ => None,
    }
}

/// The loop of rows of numbers of a dtype; `None` if there is none.
pub(in crate::cpu) fn rows(dtype: DType) -> Option<RowsLoop> {
    match dtype {
        DType::F32 => Some(add_rows::<f32>),
        DType::F64 => Some(add_rows::<f64>),
        _ => None,
    }
}

/// The leaf loop of products of `f64`, each rounded before it is added.
pub(in crate::cpu) const PRODUCTS: LeafLoop = products;

/// `accumulator[i] = accumulator[i] + value[i]`, where the values are sums, too.
pub(in crate::cpu) const MERGE: Loop = merge;

/// Makes a sum of each `f64`.
pub(in crate::cpu) const LIFT: Loop = lift;

/// The values of sums, as `f64`.
pub(in crate::cpu) const VALUE: Loop = value;

/// The parts of sums, as `i64`: the window and the sums of the three digits.
pub(in crate::cpu) const PARTS: [Loop; 4] = [part::<0>, part::<1>, part::<2>, part::<3>];

/// A dtype whose elements are numbers of `f64`.
trait Real: Copy {
    /// An integer of the size of the number.
    type Bits: Copy + Ord + Default;

    fn number(self) -> f64;

    /// The bits without the sign.
    fn magnitude(self) -> Self::Bits;

    /// The bits of the magnitude as an `f64`.
    fn widened(magnitude: Self::Bits) -> u64;
}
impl Real for f32 {
    type Bits = u32;

    #[inline(always)]
    fn number(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn magnitude(self) -> u32 {
        self.abs().to_bits()
    }

    #[inline(always)]
    fn widened(magnitude: u32) -> u64 {
        f64::from(f32::from_bits(magnitude)).to_bits()
    }
}
impl Real for f64 {
    type Bits = u64;

    #[inline(always)]
    fn number(self) -> f64 {
        self
    }

    #[inline(always)]
    fn magnitude(self) -> u64 {
        self.abs().to_bits()
    }

    #[inline(always)]
    fn widened(magnitude: u64) -> u64 {
        magnitude
    }
}

for_each_level! {
    /// The largest magnitudes, lane by lane.
    // This and the next function leave the lanes to the caller: of a reduction in the same
    // function, the compiler makes scalars of some lanes.
    fn largest[T: Real][T](rows: &[[T; LANES]], lanes: &mut [T::Bits; LANES]) {
        let mut most = *lanes;
        for row in rows {
            for at in 0..LANES {
                most[at] = most[at].max(row[at].magnitude());
            }
        }
        *lanes = most;
    }
}

for_each_level! {
    /// Adds the bits of what the rounders of each digit have made of the numbers, lane by lane.
    fn digits[T: Real][T](
        rows: &[[T; LANES]],
        rounders: [f64; 3],
        high: &mut [u64; LANES],
        middle: &mut [u64; LANES],
        low: &mut [u64; LANES],
    ) {
        let (mut highs, mut middles, mut lows) = (*high, *middle, *low);
        let [of_high, of_middle, of_low] = rounders;
        for row in rows {
            for at in 0..LANES {
                let number = row[at].number();
                let rounded = number + of_high;
                highs[at] = highs[at].wrapping_add(rounded.to_bits());
                let left = number - (rounded - of_high);
                let rounded = left + of_middle;
                middles[at] = middles[at].wrapping_add(rounded.to_bits());
                let left = left - (rounded - of_middle);
                lows[at] = lows[at].wrapping_add((left + of_low).to_bits());
            }
        }
        (*high, *middle, *low) = (highs, middles, lows);
    }
}

for_each_level! {
    /// The largest magnitude of each column of a tile.
    fn largest_of_columns[T: Real][T](rows: &[&[T; COLUMNS]], most: &mut [T::Bits; COLUMNS]) {
        let mut all = *most;
        for row in rows {
            for at in 0..COLUMNS {
                all[at] = all[at].max(row[at].magnitude());
            }
        }
        *most = all;
    }
}

for_each_level! {
    /// As `digits`, with rounders for each column of a tile.
    fn digits_of_columns[T: Real][T](
        rows: &[&[T; COLUMNS]],
        rounders: &[[f64; COLUMNS]; 3],
        high: &mut [u64; COLUMNS],
        middle: &mut [u64; COLUMNS],
        low: &mut [u64; COLUMNS],
    ) {
        for first in (0..COLUMNS).step_by(8) {
            let (mut highs, mut middles, mut lows) = ([0u64; 8], [0u64; 8], [0u64; 8]);
            let [of_high, of_middle, of_low] = [0, 1, 2].map(|digit| {
                let mut own = [0.0; 8];
                own.copy_from_slice(&rounders[digit][first..first + 8]);
                own
            });
            for row in rows {
                for at in 0..8 {
                    let number = row[first + at].number();
                    let rounded = number + of_high[at];
                    highs[at] = highs[at].wrapping_add(rounded.to_bits());
                    let left = number - (rounded - of_high[at]);
                    let rounded = left + of_middle[at];
                    middles[at] = middles[at].wrapping_add(rounded.to_bits());
                    let left = left - (rounded - of_middle[at]);
                    lows[at] = lows[at].wrapping_add((left + of_low[at]).to_bits());
                }
            }
            high[first..first + 8].copy_from_slice(&highs);
            middle[first..first + 8].copy_from_slice(&middles);
            low[first..first + 8].copy_from_slice(&lows);
        }
    }
}

/// Adds the rows of a tile to the sums of its columns.
fn add_tile<T: Real>(rows: &[&[T; COLUMNS]], sums: &mut [Binned; COLUMNS]) {
    let mut most = [T::Bits::default(); COLUMNS];
    largest_of_columns(rows, &mut most);
    let mut rounders = [[0.0; COLUMNS]; 3];
    for at in 0..COLUMNS {
        let Some(first) = sums[at].make_room(T::widened(most[at])) else {
            // Each number is added alone.
            for (at, sum) in sums.iter_mut().enumerate() {
                rows.iter().for_each(|row| sum.add(row[at].number()));
            }
            return;
        };
        (0..3).for_each(|digit| rounders[digit][at] = first.rounders[digit]);
    }
    let mut bits = [[0u64; COLUMNS]; 3];
    let [high, middle, low] = &mut bits;
    digits_of_columns(rows, &rounders, high, middle, low);
    let count = rows.len() as u64;
    for (at, sum) in sums.iter_mut().enumerate() {
        sum.add_digits([0, 1, 2].map(|digit| {
            let of_rounders = rounders[digit][at].to_bits().wrapping_mul(count);
            bits[digit][at].wrapping_sub(of_rounders) as i64
        }));
    }
}

/// The numbers of a row in a tile.
fn of_tile<T>(row: &[T], tile: usize) -> &[T; COLUMNS] {
    let (tiles, _) = row.as_chunks();
    &tiles[tile]
}

/// Adds rows of numbers to the sums of the columns.
fn add_columns<T: Real>(rows: &[&[T]], sums: &mut [Binned]) {
    let (tiles, rest) = sums.as_chunks_mut::<COLUMNS>();
    let done = tiles.len() * COLUMNS;
    for (tile, sums) in tiles.iter_mut().enumerate() {
        let rows: SmallVec<[&[T; COLUMNS]; ROWS]> =
            rows.iter().map(|row| of_tile(row, tile)).collect();
        add_tile(&rows, sums);
    }
    for (at, sum) in rest.iter_mut().enumerate() {
        rows.iter().for_each(|row| sum.add(row[done + at].number()));
    }
}

for_each_level! {
    fn multiply[T: Real][T](left: &[T], right: &[T], products: &mut [f64]) {
        for (product, (left, right)) in products.iter_mut().zip(left.iter().zip(right)) {
            *product = left.number() * right.number();
        }
    }
}

/// The sum of numbers.
fn sum<T: Real>(numbers: &[T]) -> Binned {
    let mut sum = Binned::default();
    if numbers.len() < LANES {
        let most = numbers.iter().map(|number| number.magnitude()).max().unwrap_or_default();
        match sum.make_room(T::widened(most)) {
            Some(first) => {
                numbers.iter().for_each(|number| sum.add_digits(first.split(number.number())));
            }
            None => numbers.iter().for_each(|number| sum.add(number.number())),
        }
        return sum;
    }
    for numbers in numbers.chunks(TOGETHER) {
        let (rows, rest) = numbers.as_chunks::<LANES>();
        let mut lanes = [T::Bits::default(); LANES];
        largest(rows, &mut lanes);
        let rest_magnitudes = rest.iter().map(|number| number.magnitude());
        let most = lanes.into_iter().chain(rest_magnitudes).max().unwrap_or_default();
        let Some(first) = sum.make_room(T::widened(most)) else {
            numbers.iter().for_each(|number| sum.add(number.number()));
            continue;
        };
        let mut bits = [[0u64; LANES]; 3];
        let [high, middle, low] = &mut bits;
        digits(rows, first.rounders, high, middle, low);
        let count = (rows.len() * LANES) as u64;
        let of_digit = |at: usize| {
            let sum = bits[at].iter().fold(0, |sum: u64, &bits| sum.wrapping_add(bits));
            let of_rounder = first.rounders[at].to_bits();
            sum.wrapping_sub(of_rounder.wrapping_mul(count)) as i64
        };
        sum.add_digits([0, 1, 2].map(of_digit));
        rest.iter().for_each(|number| sum.add_digits(first.split(number.number())));
    }
    sum
}

/// The places of the leaves of a call, all zero but the first, which gets the whole sum.
///
/// # Safety
/// As for `LeafLoop`.
unsafe fn write(sum: Binned, output: *mut u8, count: usize) {
    // SAFETY: the caller's promise: there is room for one sum for each leaf begun.
    unsafe {
        let output = output.cast::<Binned>();
        for leaf in 0..count.div_ceil(LEAF) {
            output.add(leaf).write(if leaf == 0 { sum } else { Binned::default() });
        }
    }
}

unsafe fn numbers<T: Real>([input, _]: [*const u8; 2], output: *mut u8, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let numbers = std::slice::from_raw_parts(input.cast::<T>(), count);
        write(sum(numbers), output, count);
    }
}

unsafe fn products(inputs: [*const u8; 2], output: *mut u8, count: usize) {
    assert!(count <= BATCH * LEAF, "bug: {count} points are more than a batch of leaves");
    // SAFETY: the caller's promise.
    unsafe {
        let [left, right] =
            inputs.map(|input| std::slice::from_raw_parts(input.cast::<f64>(), count));
        let mut products = [0.0; BATCH * LEAF];
        multiply(left, right, &mut products[..count]);
        write(sum(&products[..count]), output, count);
    }
}

unsafe fn add_rows<T: Real>(rows: Rows<'_>, output: *mut u8, count: usize, continues: bool) {
    let row = |row: &*const u8| {
        // SAFETY: the caller's promise: each row holds `count` numbers.
        unsafe { std::slice::from_raw_parts(row.cast::<T>(), count) }
    };
    let rows: SmallVec<[&[T]; ROWS]> = rows.rows.iter().map(row).collect();
    // SAFETY: the caller's promise: the output holds `count` sums, which no row overlaps.
    let sums = unsafe { std::slice::from_raw_parts_mut(output.cast::<Binned>(), count) };
    if !continues {
        sums.fill(Binned::default());
    }
    add_columns(&rows, sums);
}

unsafe fn merge(inputs: &[*const u8], output: *mut u8, count: usize) {
    for at in 0..count {
        // SAFETY: the caller's promise; the output may be the first input.
        unsafe {
            let [left, right] = [0, 1].map(|input| *inputs[input].cast::<Binned>().add(at));
            let mut all = left;
            all.merge(right);
            output.cast::<Binned>().add(at).write(all);
        }
    }
}

unsafe fn lift(inputs: &[*const u8], output: *mut u8, count: usize) {
    for at in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sum = Binned::default();
            sum.add(*inputs[0].cast::<f64>().add(at));
            output.cast::<Binned>().add(at).write(sum);
        }
    }
}

unsafe fn value(inputs: &[*const u8], output: *mut u8, count: usize) {
    for at in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let sum = *inputs[0].cast::<Binned>().add(at);
            output.cast::<f64>().add(at).write(sum.value());
        }
    }
}

unsafe fn part<const PART: usize>(inputs: &[*const u8], output: *mut u8, count: usize) {
    for at in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let sum = *inputs[0].cast::<Binned>().add(at);
            output.cast::<i64>().add(at).write(sum.parts()[PART]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::folds::{Combine, Counter};
    use phalanx_ops::Monoid;

    /// Numbers of many magnitudes; with `special`, also infinities and NaN.
    fn numbers(count: usize, seed: u64, special: bool) -> Vec<f64> {
        let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let number = |_| {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let fraction = (bits >> 11) as f64 * 2f64.powi(-53) - 0.5;
            match bits % 64 {
                0 if special => f64::INFINITY,
                1 if special => f64::NAN,
                2 if special => f64::MAX,
                power => fraction * 2f64.powi(2 * power as i32 - 60),
            }
        };
        (0..count).map(number).collect()
    }

    fn by_one(numbers: impl IntoIterator<Item = f64>) -> u64 {
        let mut sum = Binned::default();
        numbers.into_iter().for_each(|number| sum.add(number));
        sum.value().to_bits()
    }

    /// The value of the sum that the leaf loop finds.
    fn by_leaves(leaf: LeafLoop, point: usize, inputs: [*const u8; 2], count: usize) -> u64 {
        let mut counter = Counter::default();
        let code = Combine::of(Monoid::Binned, DType::F64).expect("a combination");
        // SAFETY: the inputs hold `count` points of this size, aligned.
        unsafe { counter.push_points(leaf, code, [point, ITEM], inputs, count) };
        let item = counter.finish(code).expect("there are points");
        let word =
            |at: usize| i64::from_ne_bytes(std::array::from_fn(|byte| item.value[8 * at + byte]));
        Binned::from_parts([0, 1, 2, 3].map(word)).value().to_bits()
    }

    #[test]
    fn leaves_give_the_sum_of_all_numbers() {
        for (seed, count) in
            [1, 2, 31, 33, 255, 1023, 1025, 4096, 4097, 9000].into_iter().enumerate()
        {
            for special in [false, true] {
                let left = numbers(count, seed as u64 + 1, special);
                let right = numbers(count, seed as u64 + 77, special);
                let single: Vec<f32> = left.iter().map(|&number| number as f32).collect();
                let inputs = [left.as_ptr().cast(), right.as_ptr().cast()];
                let of = |leaf: LeafLoop| by_leaves(leaf, 8, inputs, count);
                let doubles = leaf(DType::F64).expect("a loop");
                assert_eq!(of(doubles), by_one(left.iter().copied()), "{count}");
                let products = left.iter().zip(&right).map(|(left, right)| left * right);
                assert_eq!(of(PRODUCTS), by_one(products), "{count}");
                let singles = leaf(DType::F32).expect("a loop");
                let found = by_leaves(singles, 4, [single.as_ptr().cast(); 2], count);
                assert_eq!(
                    found,
                    by_one(single.iter().map(|&number| f64::from(number))),
                    "{count}"
                );
            }
        }
    }

    #[test]
    fn rows_are_added_to_the_sums_of_their_columns() {
        for count in [1, 7, 8, 9, 40, 100] {
            for special in [false, true] {
                let rows: Vec<Vec<f64>> =
                    (1..=11).map(|row| numbers(count, row, special)).collect();
                let mut sums = vec![Binned::default(); count];
                let code = super::rows(DType::F64).expect("a loop");
                for (turn, some) in rows.chunks(ROWS).enumerate() {
                    let some: Vec<*const u8> = some.iter().map(|row| row.as_ptr().cast()).collect();
                    let rows = Rows { rows: &some, factors: &[], next: &[] };
                    // SAFETY: each row and the output have `count` elements.
                    unsafe { code(rows, sums.as_mut_ptr().cast(), count, turn > 0) };
                }
                for (column, sum) in sums.iter().enumerate() {
                    let expected = by_one(rows.iter().map(|row| row[column]));
                    assert_eq!(sum.value().to_bits(), expected, "column {column} of {count}");
                }
            }
        }
    }
}
