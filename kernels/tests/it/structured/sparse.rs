//! Products of sparse matrices and vectors against sums over all entries.

use super::evaluate::{Numbers, Operand, evaluate, evaluate_bytes, operand};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use phalanx_kernels::structured::Plain;
use phalanx_ops::Structured;
use phalanx_ops::dtype::Element;
use phalanx_ops::structured::{Semiring, Sparse};

const SPMV: Structured = Structured::Sparse(Sparse::Product {
    is_local: false,
    is_even: true,
    semiring: Semiring::PlusTimes,
});

/// Starts and ends of rows, whose entries begin at `first` among all, and columns.
fn rows(first: i64, count: usize, columns: usize) -> [Vec<i64>; 3] {
    let mut numbers = Numbers(count as u64);
    let lengths = (0..count).map(|row| if row % 5 == 3 { 0 } else { row % 4 }).collect::<Vec<_>>();
    let starts = lengths.iter().scan(first, |at, &length| {
        *at += length as i64;
        Some(*at - length as i64)
    });
    let starts = starts.collect::<Vec<_>>();
    let ends = starts.iter().zip(&lengths).map(|(&start, &length)| start + length as i64);
    let entries = lengths.iter().sum::<usize>();
    let column = |_| ((numbers.real() + 1.0) / 2.0 * columns as f64) as i64;
    [starts.clone(), ends.collect(), (0..entries).map(column).collect()]
}

fn products<T: Element + Plain + PartialEq>(element: impl Fn(usize) -> T) -> Vec<Vec<T>> {
    let product = |(first, count, columns): (i64, usize, usize)| {
        let [starts, ends, places] = rows(first, count, columns);
        let values = (0..places.len()).map(&element).collect::<Vec<T>>();
        let x = (0..columns).map(|at| element(at + 3)).collect::<Vec<T>>();
        let indices = [&starts, &ends, &places].map(|indices| operand(indices, &[indices.len()]));
        let [values, x] = [values, x].map(|numbers| operand(&numbers, &[numbers.len()]));
        let operands: Vec<&Operand> = indices.iter().chain([&values, &x]).collect();
        let (_, result) = evaluate(&SPMV, &operands);
        // Column numbers in fewer bits give the same result.
        let narrow = places.iter().map(|&place| place as i32).collect::<Vec<_>>();
        let narrow = operand(&narrow, &[narrow.len()]);
        let operands = [&indices[0], &indices[1], &narrow, &values, &x];
        assert!(evaluate::<T>(&SPMV, &operands).1 == result);
        result
    };
    CASES.into_iter().map(product).collect()
}

/// The first entry, rows and columns.
const CASES: [(i64, usize, usize); 5] =
    [(0, 0, 0), (0, 1, 1), (0, 7, 3), (1_000_000_007, 16, 100), (5, 3000, 40)];

/// The same products, by a function that adds an entry given its position and column.
fn expected<S: Copy>(zero: S, add: impl Fn(S, usize, usize) -> S) -> Vec<Vec<S>> {
    let product = |(first, count, columns): (i64, usize, usize)| {
        let [starts, ends, places] = rows(first, count, columns);
        let sum = |(&start, &end): (&i64, &i64)| {
            let entries = (start - first) as usize..(end - first) as usize;
            entries.fold(zero, |sum, entry| add(sum, entry, places[entry] as usize + 3))
        };
        starts.iter().zip(&ends).map(sum).collect()
    };
    CASES.into_iter().map(product).collect()
}

#[test]
pub fn integers_wrap() {
    macro_rules! integers {
        ($($type:ty)*) => {$({
            let element = |at: usize| (at as $type).wrapping_mul(57).wrapping_add(5);
            let sums = expected(0, |sum: $type, value, x| {
                sum.wrapping_add(element(value).wrapping_mul(element(x)))
            });
            assert_eq!(products::<$type>(element), sums);
        })*};
    }
    integers! { i8 i16 i32 i64 u8 u16 u32 u64 }
}

#[test]
pub fn floating_point_entries_are_summed_in_order() {
    let number = |at: usize| (at as f64 * 0.7).sin();
    let sums = expected(0.0, |sum, value, x| sum + number(value) * number(x));
    assert_eq!(products::<f64>(number), sums);
    let single = |at: usize| number(at) as f32;
    let sums = expected(0.0, |sum, value, x| sum + single(value) * single(x));
    assert_eq!(products::<f32>(single), sums);
    let complex = |at: usize| Complex64::new(number(at), number(at + 1));
    let sums =
        expected(Complex64::new(0.0, 0.0), |sum, value, x| sum + complex(value) * complex(x));
    assert_eq!(products::<Complex64>(complex), sums);
    let complex = |at: usize| Complex32::new(single(at), single(at + 1));
    let sums =
        expected(Complex32::new(0.0, 0.0), |sum, value, x| sum + complex(value) * complex(x));
    assert_eq!(products::<Complex32>(complex), sums);
}

#[test]
pub fn half_precision_is_rounded_once() {
    let small = |at: usize| f16::from_f64((at as f64 * 0.7).sin());
    let sums = expected(0.0, |sum: f32, value, x| sum + small(value).to_f32() * small(x).to_f32());
    let sums = sums.iter().map(|sums| sums.iter().map(|&sum| f16::from_f32(sum)).collect());
    assert_eq!(products::<f16>(small), sums.collect::<Vec<Vec<f16>>>());
    let small = |at: usize| bf16::from_f64((at as f64 * 0.7).sin());
    let sums = expected(0.0, |sum: f32, value, x| sum + small(value).to_f32() * small(x).to_f32());
    let sums = sums.iter().map(|sums| sums.iter().map(|&sum| bf16::from_f32(sum)).collect());
    assert_eq!(products::<bf16>(small), sums.collect::<Vec<Vec<bf16>>>());
}

/// A row is true if a true entry meets a true element.
#[test]
pub fn bools() {
    let [starts, ends] = [operand(&[0_i64, 2, 3], &[3]), operand(&[2_i64, 3, 3], &[3])];
    let columns = operand(&[0_i64, 1, 0], &[3]);
    let [values, x] = [operand(&[true; 3], &[3]), operand(&[false, true], &[2])];
    let operands = [&starts, &ends, &columns, &values, &x];
    assert_eq!(evaluate_bytes(&SPMV, &operands), [1, 0, 0]);
}

/// Entries and columns that do not exist are skipped.
#[test]
pub fn positions_outside() {
    let starts = operand(&[10_i64, i64::MIN, 12, 13], &[4]);
    let ends = operand(&[12_i64, 11, 9, i64::MAX], &[4]);
    let columns = operand(&[0_i64, 2, -1, 1, i64::MAX, i64::MIN], &[6]);
    let values = operand(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], &[6]);
    let x = operand(&[1.0, 1.0], &[2]);
    let operands = [&starts, &ends, &columns, &values, &x];
    let (_, result) = evaluate::<f64>(&SPMV, &operands);
    assert_eq!(result, [1.0, 1.0, 0.0, 8.0]);
}
