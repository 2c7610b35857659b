//! Folds of whole rows of memory, with the running results in vector registers.
//!
//! These combine each element with the same operands in the same order as one loop for each row,
//! but write the results once for all rows.

use super::operation::{Gap, Operation, Plain, Scaled, Sum, Term, loop_of, narrow_loop_of};
use crate::cpu::instructions::for_each_level;
use crate::cpu::transfer::prefetch;
use phalanx_ops::{DType, Monoid};

/// Rows that one call folds at most. More would not find room in a first-level cache if their
/// distance is a power of two.
pub(in crate::cpu) const ROWS: usize = 8;
/// Rows that one call sums at most by halving.
pub(in crate::cpu) const TREE: usize = 16;

/// Whether one call sums so many rows by halving.
pub(in crate::cpu) fn is_tree(rows: usize) -> bool {
    (2..=8).contains(&rows) || rows == TREE
}

/// The rows that one call folds.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Rows<'r> {
    pub rows: &'r [*const u8],
    /// For each row the one element with which its elements are paired, if the loop takes pairs.
    pub factors: &'r [*const u8],
    /// As many rows, which the next call reads: they are fetched meanwhile.
    pub next: &'r [*const u8],
}

impl Rows<'_> {
    /// The number of rows, after a check that all or none of them have factors.
    fn number(&self) -> usize {
        let (rows, factors) = (self.rows.len(), self.factors.len());
        assert!(factors == 0 || factors == rows, "bug: {rows} rows, {factors} factors");
        rows
    }
}

/// Folds rows of `count` elements: `output[i]` becomes the combination of `rows[0][i]`,
/// `rows[1][i]` and so on, to which the old `output[i]` is the first operand if `continues`.
///
/// # Safety
/// There is a row; each row holds `count` elements, and so does the output, which no row overlaps;
/// all are initialised and aligned to the components. There is a factor for each row if the loop
/// takes pairs. The addresses in `next` need not be valid.
pub(in crate::cpu) type RowsLoop =
    unsafe fn(rows: Rows<'_>, output: *mut u8, count: usize, continues: bool);

/// The loop of a monoid and a dtype; `None` if there is none.
pub(in crate::cpu) fn rows(monoid: Monoid, dtype: DType) -> Option<RowsLoop> {
    loop_of!(monoid, dtype, run: RowsLoop, stretch)
}

/// The loop of sums of narrow integers in 64 bits, which reads the integers as they are; `None` if
/// there is none.
pub(in crate::cpu) fn narrow_rows(from: DType, to: DType) -> Option<RowsLoop> {
    narrow_loop_of!(from, to, sum)
}

/// The loops of sums of products of rows and their factors, of some rows after others and of a tree
/// of rows; `None` if there is none. Each product is rounded before it is added.
pub(in crate::cpu) fn scaled_rows(dtype: DType) -> Option<[RowsLoop; 2]> {
    sums_of::<Scaled>(dtype)
}

/// The same for the squares of differences.
pub(in crate::cpu) fn gap_rows(dtype: DType) -> Option<[RowsLoop; 2]> {
    sums_of::<Gap>(dtype)
}

fn sums_of<M: Term<f32, f32> + Term<f64, f64>>(dtype: DType) -> Option<[RowsLoop; 2]> {
    match dtype {
        DType::F32 => Some([sum_terms::<f32, M>, tree::<f32, M>]),
        DType::F64 => Some([sum_terms::<f64, M>, tree::<f64, M>]),
        _ => None,
    }
}

/// The loop that sums a tree of rows; `None` if there is none.
pub(in crate::cpu) fn row_tree(monoid: Monoid, dtype: DType) -> Option<RowsLoop> {
    match (monoid, dtype) {
        (Monoid::Add, DType::F32) => Some(tree::<f32, Plain>),
        (Monoid::Add, DType::F64) => Some(tree::<f64, Plain>),
        _ => None,
    }
}

/// The elements whose results are kept in registers at a time: four registers of 512 bits.
const fn stretch<T>() -> usize {
    256 / size_of::<T>()
}

unsafe fn run<T: Copy, const PARTS: usize, const WIDTH: usize, O: Operation<T>>(
    rows: Rows<'_>,
    output: *mut u8,
    count: usize,
    continues: bool,
) {
    // SAFETY: the caller's promise.
    unsafe { fold::<T, T, WIDTH, O, Plain>(rows, output, count * PARTS, continues) };
}

unsafe fn sum<F: Copy>(rows: Rows<'_>, output: *mut u8, count: usize, continues: bool)
where
    Plain: Term<F, i64>,
{
    const WIDTH: usize = stretch::<i64>();
    // SAFETY: the caller's promise.
    unsafe { fold::<F, i64, WIDTH, Sum, Plain>(rows, output, count, continues) };
}

unsafe fn sum_terms<T: Copy, M: Term<T, T>>(
    rows: Rows<'_>,
    output: *mut u8,
    count: usize,
    continues: bool,
) where
    Sum: Operation<T>,
{
    const WIDTH: usize = stretch::<f64>();
    // SAFETY: the caller's promise.
    unsafe { fold::<T, T, WIDTH, Sum, M>(rows, output, count, continues) };
}

unsafe fn fold<F: Copy, T: Copy, const WIDTH: usize, O: Operation<T>, M: Term<F, T>>(
    rows: Rows<'_>,
    output: *mut u8,
    count: usize,
    continues: bool,
) {
    let number = rows.number();
    assert!((1..=ROWS).contains(&number), "bug: {number} rows");
    if count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let (slices, factors) = unsafe { slices_of::<F, ROWS>(rows, count) };
    // SAFETY: the caller's promise.
    let output = unsafe { std::slice::from_raw_parts_mut(output.cast::<T>(), count) };
    combine::<F, T, WIDTH, O, M>(&slices[..number], &factors, rows.next, output, continues);
}

/// The elements of at most `N` rows and their factors; what is not there is empty, or any element.
///
/// # Safety
/// As of a `RowsLoop`; `count` is not 0.
unsafe fn slices_of<'r, F: Copy, const N: usize>(
    Rows { rows, factors, .. }: Rows<'r>,
    count: usize,
) -> ([&'r [F]; N], [F; N]) {
    let mut slices: [&[F]; N] = [&[]; N];
    for (slice, &row) in slices.iter_mut().zip(rows) {
        // SAFETY: the caller's promise.
        *slice = unsafe { std::slice::from_raw_parts(row.cast(), count) };
    }
    let mut elements = [slices[0][0]; N];
    for (element, &factor) in elements.iter_mut().zip(factors) {
        // SAFETY: the caller's promise.
        *element = unsafe { factor.cast::<F>().read() };
    }
    (slices, elements)
}

for_each_level! {
    fn combine[
        F: Copy, T: Copy, const WIDTH: usize, O: Operation<T>, M: Term<F, T>
    ][F, T, WIDTH, O, M](
        rows: &[&[F]],
        factors: &[F; ROWS],
        next: &[*const u8],
        output: &mut [T],
        continues: bool,
    ) {
        const NARROW: usize = 8;
        let count = output.len();
        let mut at = 0;
        while count - at >= WIDTH {
            stretch_at::<F, T, WIDTH, O, M>(rows, factors, next, output, at, continues);
            at += WIDTH;
        }
        while count - at >= NARROW {
            stretch_at::<F, T, NARROW, O, M>(rows, factors, next, output, at, continues);
            at += NARROW;
        }
        while at < count {
            stretch_at::<F, T, 1, O, M>(rows, factors, next, output, at, continues);
            at += 1;
        }
    }
}

/// Folds `WIDTH` elements of each row, from `at` on.
#[inline(always)]
fn stretch_at<F: Copy, T: Copy, const WIDTH: usize, O: Operation<T>, M: Term<F, T>>(
    rows: &[&[F]],
    factors: &[F; ROWS],
    next: &[*const u8],
    output: &mut [T],
    at: usize,
    continues: bool,
) {
    const LINE: usize = 64;
    let Some(output) = output[at..].first_chunk_mut::<WIDTH>() else { return };
    let bytes = WIDTH * size_of::<F>();
    if bytes >= LINE {
        for next in next {
            for line in (0..bytes).step_by(LINE) {
                prefetch(next.wrapping_add(at * size_of::<F>() + line));
            }
        }
    }
    let mut terms = rows.iter().zip(factors);
    let mut results = *output;
    if !continues {
        let Some((row, &factor)) = terms.next() else { return };
        let Some(row) = row[at..].first_chunk::<WIDTH>() else { return };
        results = row.map(|element| M::term(element, factor));
    }
    for (row, &factor) in terms {
        let Some(row) = row[at..].first_chunk::<WIDTH>() else { return };
        for (result, &element) in results.iter_mut().zip(row) {
            *result = O::combine(*result, M::term(element, factor));
        }
    }
    *output = results;
}

/// Sums rows by halving, as `order` halves virtual lanes of one point each: row `i` with row
/// `i + 8`, then with `i + 4`, `i + 2` and `i + 1`. The output gets the sum alone: it does not
/// continue another one.
unsafe fn tree<T: Copy, M: Term<T, T>>(
    rows: Rows<'_>,
    output: *mut u8,
    count: usize,
    continues: bool,
) where
    Sum: Operation<T>,
{
    assert!(!continues, "bug: a tree that continues");
    let number = rows.number();
    if count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let output = unsafe { std::slice::from_raw_parts_mut(output.cast::<T>(), count) };
    macro_rules! of {
        ($($number:literal)*) => {
            match number {
                $($number => {
                    // SAFETY: the caller's promise.
                    let (rows, factors) = unsafe { slices_of::<T, $number>(rows, count) };
                    halve::<T, Sum, M, $number>(rows, factors, output);
                })*
                number => unreachable!("bug: a tree of {number} rows"),
            }
        };
    }
    of!(2 3 4 5 6 7 8 16);
}

for_each_level! {
    fn halve[T: Copy, O: Operation<T>, M: Term<T, T>, const N: usize][T, O, M, N](
        rows: [&[T]; N],
        factors: [T; N],
        output: &mut [T],
    ) {
        let rows = rows.map(|row| &row[..output.len()]);
        for (at, output) in output.iter_mut().enumerate() {
            *output = by_one::<T, O, M, N>(&rows, &factors, 0, at);
        }
    }
}

/// The term of a row. Functions in place of closures, which the compiler does not always inline.
#[inline(always)]
fn term_of<T: Copy, O: Operation<T>, M: Term<T, T>, const N: usize>(
    rows: &[&[T]; N],
    factors: &[T; N],
    row: usize,
    at: usize,
) -> T {
    M::term(rows[row][at], factors[row])
}

/// Functions that combine the sum of a row, and of those that were combined with it before, with
/// that of a later row.
macro_rules! by {
    ($($name:ident: $step:literal after $before:ident;)*) => {$(
        #[inline(always)]
        fn $name<T: Copy, O: Operation<T>, M: Term<T, T>, const N: usize>(
            rows: &[&[T]; N],
            factors: &[T; N],
            row: usize,
            at: usize,
        ) -> T {
            let sum = $before::<T, O, M, N>(rows, factors, row, at);
            match row + $step < N {
                true => O::combine(sum, $before::<T, O, M, N>(rows, factors, row + $step, at)),
                false => sum,
            }
        }
    )*};
}

by! {
    by_eight: 8 after term_of;
    by_four: 4 after by_eight;
    by_two: 2 after by_four;
    by_one: 1 after by_two;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::loops;

    /// Folds rows of `count` elements of f64 with a loop, first `rows`, then once more.
    fn folded(code: RowsLoop, rows: &[Vec<f64>], factors: &[f64], count: usize) -> Vec<f64> {
        let addresses: Vec<*const u8> = rows.iter().map(|row| row.as_ptr().cast()).collect();
        let factors: Vec<*const u8> =
            factors.iter().map(|it| std::ptr::from_ref(it).cast()).collect();
        let mut output = vec![f64::NAN; count];
        for continues in [false, true] {
            let rows = Rows { rows: &addresses, factors: &factors, next: &addresses };
            // SAFETY: the rows and the output have so many elements.
            unsafe { code(rows, output.as_mut_ptr().cast(), count, continues) };
        }
        output
    }

    fn rows_of(number: usize, count: usize) -> Vec<Vec<f64>> {
        let element = |row: usize, at: usize| match (row * 37 + at * 11) % 23 {
            0 => -0.0,
            1 if count > 100 => f64::NAN,
            other => other as f64 * 0.37 - 4.0,
        };
        (0..number).map(|row| (0..count).map(|at| element(row, at)).collect()).collect()
    }

    #[test]
    fn rows_are_combined_as_one_after_the_other() {
        for monoid in [Monoid::Add, Monoid::Multiply, Monoid::Max, Monoid::Min] {
            let code = rows(monoid, DType::F64).expect("a loop");
            let combine = loops::combine(monoid, DType::F64).expect("a loop");
            for (number, count) in [(1, 1), (2, 7), (3, 8), (8, 31), (5, 32), (8, 301), (4, 0)] {
                let rows = rows_of(number, count);
                let mut expected = rows[0].clone();
                for row in rows[1..].iter().chain(&rows) {
                    let inputs = [expected.as_ptr().cast(), row.as_ptr().cast()];
                    // SAFETY: both have so many elements; the output is the first input.
                    unsafe { combine(&inputs, expected.as_mut_ptr().cast(), count) };
                }
                let found = folded(code, &rows, &[], count);
                let bits = |all: &[f64]| all.iter().map(|it| it.to_bits()).collect::<Vec<u64>>();
                assert_eq!(bits(&found), bits(&expected), "{monoid} of {number} x {count}");
            }
        }
    }

    #[test]
    fn products_are_rounded_before_they_are_added() {
        let [code, _] = scaled_rows(DType::F64).expect("loops");
        let rows = rows_of(7, 45);
        let factors = [1.1, -0.3, 2.7, 1e-3, 5.5, -1.9, 0.1];
        let mut expected = vec![0.0; 45];
        for (at, expected) in expected.iter_mut().enumerate() {
            let mut terms = rows.iter().zip(&factors).map(|(row, factor)| row[at] * factor);
            let first = terms.next().expect("there are rows");
            *expected = terms.fold(first, |sum, term| sum + term);
            for (row, factor) in rows.iter().zip(&factors) {
                *expected += row[at] * factor;
            }
        }
        assert_eq!(folded(code, &rows, &factors, 45), expected);
    }

    #[test]
    fn trees_of_rows_are_summed_by_halving() {
        let codes = [
            row_tree(Monoid::Add, DType::F64).expect("a loop"),
            scaled_rows(DType::F64).expect("loops")[1],
            gap_rows(DType::F64).expect("loops")[1],
        ];
        let terms: [fn(f64, f64) -> f64; 3] = [|x, _| x, |x, y| x * y, |x, y| (x - y) * (x - y)];
        for number in (2..=TREE).filter(|&number| is_tree(number)) {
            let rows = rows_of(number, 77);
            let factors: Vec<f64> = (0..number).map(|row| 0.3 * row as f64 - 1.1).collect();
            let pointers = |of: &[f64]| of.as_ptr().cast::<u8>();
            let addresses: Vec<*const u8> = rows.iter().map(|row| pointers(row)).collect();
            let single: Vec<*const u8> =
                factors.iter().map(|it| std::ptr::from_ref(it).cast()).collect();
            for (code, term) in codes.into_iter().zip(terms) {
                let mut found = vec![f64::NAN; 77];
                let all = Rows { rows: &addresses, factors: &single, next: &[] };
                // SAFETY: the rows and the output have 77 elements.
                unsafe { code(all, found.as_mut_ptr().cast(), 77, false) };
                for (at, found) in found.iter().enumerate() {
                    let mut lanes: Vec<f64> =
                        rows.iter().zip(&factors).map(|(row, &y)| term(row[at], y)).collect();
                    for half in [8, 4, 2, 1] {
                        for lane in half..lanes.len() {
                            lanes[lane - half] += lanes[lane];
                        }
                        lanes.truncate(half);
                    }
                    assert_eq!(found.to_bits(), lanes[0].to_bits(), "{number} rows, {at}");
                }
            }
        }
    }

    #[test]
    fn narrow_rows_are_summed_in_64_bits() {
        let code = narrow_rows(DType::I16, DType::I64).expect("a loop");
        let rows: Vec<Vec<i16>> =
            (0..8).map(|row| (0..77).map(|at| i16::MAX - row * at).collect()).collect();
        let addresses: Vec<*const u8> = rows.iter().map(|row| row.as_ptr().cast()).collect();
        let mut output = vec![0_i64; 77];
        let all = Rows { rows: &addresses, factors: &[], next: &addresses };
        // SAFETY: the rows and the output have 77 elements.
        unsafe { code(all, output.as_mut_ptr().cast(), 77, false) };
        let expected: Vec<i64> =
            (0..77).map(|at| rows.iter().map(|row| i64::from(row[at])).sum()).collect();
        assert_eq!(output, expected);
    }
}
