//! Transforms, factorisations and sparse products of a GPU against those of the CPU, where there is
//! a GPU.

use super::evaluate::{
    Numbers, Sample, assert_near, evaluate, evaluate_on, gpu, on_gpu, operand, wide,
};
use super::{fft, linalg, sparse};
use num_complex::{Complex32, Complex64};
use phalanx_device::Device;
use phalanx_ops::structured::{Decomposition, Fft, Semiring, Sparse, Transform};
use phalanx_ops::{DType, Structured};
use std::sync::Arc;

/// Shapes with the given extent at each axis, for each way of passing lines to a library.
fn shapes(extent: usize) -> Vec<(Vec<usize>, usize)> {
    vec![
        (vec![extent], 0),
        (vec![33, extent], 1),
        (vec![extent, 35], 0),
        (vec![2, extent, 37], 1),
        (vec![41, extent, 37], 1),
        (vec![5, extent, 150], 1),
        (vec![300, extent, 3], 1),
        (vec![7, extent, 2, 9], 1),
        (vec![4, extent, 1], 1),
        (vec![0, extent], 1),
        (vec![extent, 0, 3], 0),
    ]
}

fn transforms<I: Sample, O: Sample>(transform: impl Fn(usize) -> Transform) {
    let Some(device) = gpu() else { return };
    for extent in [0, 1, 2, 3, 7, 8, 16, 32, 64, 97, 100, 512, 1024, 4099] {
        for (mut shape, axis) in shapes(extent) {
            if matches!(transform(extent), Transform::RealInverse { .. }) {
                shape[axis] = extent / 2 + 1;
            }
            let values: Vec<I> = Numbers(7).take(shape.iter().product());
            let op = Structured::Fft(Fft::new(axis as u8, transform(extent)));
            let operands = [&operand(&values, &shape)];
            let (_, expected) = evaluate::<O>(&op, &operands);
            let result = evaluate_on::<O>(&op, &operands, device);
            let bound = 8.0 * O::EPSILON * (extent.max(1) as f64).sqrt() * 12.0;
            let what = format!("{op:?} of {shape:?}");
            assert_near(&wide(&result), &wide(&expected), bound, &what);
        }
    }
}

#[test]
fn transforms_are_those_of_the_cpu() {
    transforms::<Complex64, Complex64>(|_| Transform::Forward);
    transforms::<Complex32, Complex32>(|_| Transform::Forward);
    transforms::<Complex64, Complex64>(|_| Transform::Inverse);
    transforms::<Complex32, Complex32>(|_| Transform::Inverse);
    transforms::<f64, Complex64>(|_| Transform::RealForward);
    transforms::<f32, Complex32>(|_| Transform::RealForward);
    let inverse = |extent| Transform::RealInverse { extent: extent as u64 };
    transforms::<Complex64, f64>(inverse);
    transforms::<Complex32, f32>(inverse);
}

#[test]
fn transforms_on_a_gpu_are_their_sums() {
    on_gpu(|| {
        fft::complex::<Complex64>(Transform::Forward, -1.0);
        fft::complex::<Complex32>(Transform::Inverse, 1.0);
        fft::real::<f64, Complex64>();
        fft::real::<f32, Complex32>();
    });
}

macro_rules! factorisations {
    ($($name:ident = $test:ident;)*) => {
        $(#[test]
        fn $name() {
            on_gpu(|| {
                linalg::$test::<f32>();
                linalg::$test::<f64>();
                linalg::$test::<Complex32>();
                linalg::$test::<Complex64>();
            });
        })*
    };
}

factorisations! {
    cholesky_on_a_gpu = cholesky;
    solutions_and_inverses_on_a_gpu = solutions;
    determinants_on_a_gpu = determinants;
    qr_on_a_gpu = qr;
    eigenvectors_on_a_gpu = eigh;
    singular_vectors_on_a_gpu = svd;
    what_is_not_finite_ends_on_a_gpu = not_finite;
}

#[test]
fn qr_on_a_gpu_has_the_signs_of_lapack() {
    on_gpu(linalg::signs_of_lapack);
}

/// A stack of small matrices that one call factorises: one is singular and two are not finite,
/// which does not affect the others.
#[test]
fn stacks_of_small_matrices_on_a_gpu() {
    let Some(device) = gpu() else { return };
    small::<f32>(device);
    small::<f64>(device);
    small::<Complex32>(device);
    small::<Complex64>(device);
}

fn small<T: Sample>(device: &Arc<dyn Device>) {
    let (count, n) = (40, 7);
    let mut values: Vec<T> = Numbers(3).take(count * n * n);
    let zero = T::of(Complex64::new(0.0, 0.0));
    values[5 * n * n..6 * n * n].fill(zero);
    for (at, value) in values.iter_mut().enumerate() {
        if at / n % n == at % n && at / (n * n) != 5 {
            *value = T::of(Complex64::new(9.0, 0.0));
        }
    }
    values[6 * n * n + 3] = T::of(Complex64::new(f64::NAN, 0.0));
    values[8 * n * n - 1] = T::of(Complex64::new(f64::INFINITY, 0.0));
    let right: Vec<T> = Numbers(4).take(count * n * 3);
    let a = operand(&values, &[count, n, n]);
    let b = operand(&right, &[count, n, 3]);
    for (op, operands) in [
        (Decomposition::Cholesky, vec![&a]),
        (Decomposition::Solve, vec![&a, &b]),
        (Decomposition::Inverse, vec![&a]),
        (Decomposition::Determinant, vec![&a]),
    ] {
        let op = Structured::Decomposition(op);
        let (_, expected) = evaluate::<T>(&op, &operands);
        let result = evaluate_on::<T>(&op, &operands, device);
        let (expected, result) = (wide(&expected), wide(&result));
        let size = result.len() / count;
        for (at, (result, expected)) in result.iter().zip(&expected).enumerate() {
            let bound = 1e4 * T::EPSILON * expected.norm().max(0.1);
            let near = (result - expected).norm() <= bound || result == expected;
            let both = result.re.is_nan() && expected.re.is_nan();
            let is_finite = !(6..8).contains(&(at / size));
            assert!(near || both || !is_finite, "{op:?} {}: {result} for {expected}", at / size);
        }
    }
}

#[test]
fn sparse_products_on_a_gpu() {
    on_gpu(|| {
        sparse::integers_wrap();
        sparse::floating_point_entries_are_summed_in_order();
        sparse::half_precision_is_rounded_once();
        sparse::bools();
        sparse::positions_outside();
    });
}

/// Rows for a warp, for a block, and empty rows, with more entries than are read at once.
#[test]
fn long_rows_of_sparse_products_on_a_gpu() {
    let Some(device) = gpu() else { return };
    let lengths = (0..600).map(|row| match row {
        100 => 30_000,
        300..=310 => 700,
        row if row % 7 == 0 => 0,
        row => row % 40,
    });
    let ends = lengths.scan(0, |end, length: i64| {
        *end += length;
        Some(*end)
    });
    let ends = ends.collect::<Vec<i64>>();
    let starts = [&[0], &ends[..ends.len() - 1]].concat();
    let entries = ends[ends.len() - 1];
    let columns = (0..entries).map(|at| at * 7919 % 1000).collect::<Vec<i64>>();
    let (values, x): (Vec<f64>, Vec<f64>) =
        (Numbers(5).take(entries as usize), Numbers(6).take(1000));
    let [starts, ends, columns] =
        [&starts, &ends, &columns].map(|numbers| operand(numbers, &[numbers.len()]));
    let wanted: Vec<i64> = (0..600).filter(|row| row % 3 != 2).collect();
    let wanted = operand(&wanted, &[wanted.len()]);
    let [into, own, received] =
        [&x[400..], &x[..400], &x[400..]].map(|numbers| operand(numbers, &[numbers.len()]));
    let [values, x] = [&values, &x].map(|numbers| operand(numbers, &[numbers.len()]));
    let operands = [&starts, &ends, &columns, &values, &x];
    let of_rows = [&into, &wanted, &starts, &ends, &columns, &values, &own, &received];
    for &semiring in Semiring::ALL.iter().filter(|semiring| semiring.accepts(DType::F64)) {
        let product = |is_even| Sparse::Product { is_local: false, is_even, semiring };
        for (op, operands) in [
            (product(true), &operands[..]),
            (product(false), &operands),
            (Sparse::ProductRows { semiring }, &of_rows),
        ] {
            let op = Structured::Sparse(op);
            let (_, expected) = evaluate::<f64>(&op, operands);
            let result = evaluate_on::<f64>(&op, operands, device);
            // Minima and maxima have no rounding, and rows without entries are infinite.
            match semiring {
                Semiring::PlusTimes => {
                    assert_near(&wide(&result), &wide(&expected), 1e-10, "long rows");
                }
                _ => assert!(result == expected, "long rows over {semiring}"),
            }
        }
    }
}
