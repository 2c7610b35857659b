//! Matrix products against their definition, by our own routines and by the machine's library.

use super::evaluate::{Numbers, Sample, assert_near, by_library, evaluate, operand, wide};
use num_complex::{Complex32, Complex64};
use phalanx_ops::Structured;
use phalanx_ops::structured::Matmul;

/// Stacks of products: their number, `m`, `k` and `n`. Matrices, vectors and numbers; products that
/// are small, and such as a library computes with one thread or in tiles of several.
const SIZES: [[usize; 4]; 12] = [
    [1, 3, 4, 5],
    [40, 12, 9, 17],
    [1, 64, 65, 66],
    [3, 50, 600, 3],
    [1, 130, 140, 150],
    [5, 90, 70, 80],
    [2, 1, 300, 700],
    [2, 700, 300, 1],
    [1, 1, 70_000, 1],
    [1, 203, 210, 225],
    [1, 1, 1400, 1503],
    [1, 1503, 1400, 1],
];

fn transposed<T: Copy>(matrices: &[T], rows: usize, columns: usize) -> Vec<T> {
    let swapped = |matrix: &[T]| -> Vec<T> {
        (0..matrix.len()).map(|at| matrix[at % rows * columns + at / rows]).collect()
    };
    matrices.chunks_exact(rows * columns).flat_map(swapped).collect()
}

fn products<T: Sample>() {
    for [count, m, k, n] in SIZES {
        let (a, b): (Vec<T>, Vec<T>) =
            (Numbers(3).take(count * m * k), Numbers(5).take(count * k * n));
        let old: Vec<T> = Numbers(7).take(count * m * n);
        let (wide_a, wide_b, wide_old) = (wide(&a), wide(&b), wide(&old));
        let element = |at: usize| -> Complex64 {
            let (stack, row, column) = (at / (m * n), at / n % m, at % n);
            let terms = (0..k)
                .map(|i| wide_a[(stack * m + row) * k + i] * wide_b[(stack * k + i) * n + column]);
            terms.sum()
        };
        let expected: Vec<Complex64> = (0..count * m * n).map(element).collect();
        for turned in [[false, false], [true, false], [false, true], [true, true]] {
            let left = if turned[0] { transposed(&a, m, k) } else { a.clone() };
            let right = if turned[1] { transposed(&b, k, n) } else { b.clone() };
            let left_shape = if turned[0] { [count, k, m] } else { [count, m, k] };
            let right_shape = if turned[1] { [count, n, k] } else { [count, k, n] };
            let (left, right) = (operand(&left, &left_shape), operand(&right, &right_shape));
            let op = Structured::Matmul(Matmul { transposed: turned, in_order: false });
            let what = format!("{count} products of {m} x {k} x {n}, transposed {turned:?}");
            let bound = 4.0 * T::EPSILON * (2 + k) as f64;
            let (shape, product) = evaluate::<T>(&op, &[&left, &right]);
            assert_eq!(shape, [count, m, n]);
            assert_near(&wide(&product), &expected, bound, &what);
            let added = operand(&old, &[count, m, n]);
            let (_, sum) = evaluate::<T>(&op, &[&left, &right, &added]);
            let sums: Vec<_> = expected.iter().zip(&wide_old).map(|(a, b)| a + b).collect();
            assert_near(&wide(&sum), &sums, bound, &what);
        }
    }
}

#[test]
fn products_are_sums_of_products() {
    products::<f32>();
    products::<f64>();
    products::<Complex32>();
    products::<Complex64>();
}

#[test]
fn the_library_of_the_machine_multiplies_alike() {
    by_library(products::<f32>);
    by_library(products::<f64>);
    by_library(products::<Complex32>);
    by_library(products::<Complex64>);
}

/// Infinities and NaN appear where their terms are, also beside zeros; old contents do not.
#[test]
fn what_is_not_finite_stays_in_its_row() {
    let check = || {
        for (m, n) in [(90, 80), (500, 1), (1, 500)] {
            let k = 300;
            let mut a = vec![0.0; m * k];
            a[0] = f64::INFINITY;
            let op = Structured::Matmul(Matmul::default());
            let ones = vec![1.0; k * n];
            let operands = [&operand(&a, &[1, m, k]), &operand(&ones, &[1, k, n])];
            let (_, product) = evaluate::<f64>(&op, &operands);
            assert!(product[..n].iter().all(|&element| element == f64::INFINITY), "{m} x {n}");
            assert!(product[n..].iter().all(|&element| element == 0.0), "{m} x {n}");
        }
    };
    check();
    by_library(check);
}
