//! Factorised sparse matrices on meshes of several sizes.

use crate::meshes::{MESHES, on_meshes};
use num_complex::Complex64;
use phalanx::Limits;
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{
    ColumnOrder, FactorOptions, Factorisation, Factorised, LinearOperator, Options, System, cg,
};

/// The matrix of three diagonals `-1, main, -below`.
fn diagonals(n: usize, main: f64, below: f64) -> Csr {
    let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
    for row in 0..n as i64 {
        for (column, value) in [(row - 1, -below), (row, main), (row + 1, -1.0)] {
            if (0..n as i64).contains(&column) {
                rows.push(row);
                columns.push(column);
                values.push(value);
            }
        }
    }
    let [rows, columns] = [rows, columns].map(Array::from_vec);
    Csr::from_triplets(&rows, &columns, &Array::from_vec(values), [n, n]).unwrap()
}

fn largest(difference: Array) -> f64 {
    difference.abs().max(()).item::<f64>().unwrap()
}

#[test]
fn solutions_on_meshes() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let matrix = diagonals(37, 3.0, 2.0);
        let factors = Factorised::new(&matrix, Factorisation::complete()).unwrap();
        let b = arange(0, 37, 1).astype(DType::F64).sin();
        let x = factors.solve(&b, System::Matrix).unwrap();
        assert!(largest(matrix.matvec(&x) - &b) < 1e-13);
        let x = factors.solve(&b, System::Transpose).unwrap();
        assert!(largest(matrix.transpose().unwrap().matvec(&x) - &b) < 1e-13);
        // Complex right-hand sides of a real matrix, in several columns.
        let block =
            arange(0, 74, 1).reshape([37, 2]).astype(DType::C128) * Complex64::new(1.0, -2.0);
        let x = factors.apply_block(&block).unwrap();
        assert_eq!((x.shape(), x.dtype()), (&[37, 2][..], DType::C128));
        assert!(largest(matrix.astype(DType::C128).unwrap().matmat(&x) - &block) < 1e-11);
    });
}

#[test]
fn the_product_of_the_factors_is_the_matrix() {
    on_meshes(&[&[1], &[3], &[8]], Limits::default(), |_| {
        let matrix = diagonals(12, 0.5, 2.0);
        let options = FactorOptions { order: ColumnOrder::OfSum, ..FactorOptions::default() };
        let factors = Factorised::new(&matrix, Factorisation::Columns(options)).unwrap();
        let lower = factors.lower_transposed().unwrap().transpose().unwrap();
        let upper = factors.upper_transposed().unwrap().transpose().unwrap();
        assert_eq!(lower.nnz() + upper.nnz(), factors.nnz().unwrap());
        let [rows, columns] = factors.positions().unwrap();
        let product = lower.matmul(&upper).unwrap().to_dense();
        let product = product.take(&rows, 0).take(&columns, 1);
        assert!(largest(product - matrix.to_dense()) < 1e-14);
    });
}

#[test]
fn incomplete_factors_are_preconditioners() {
    for how in [Factorisation::HermitianPattern, Factorisation::Relaxation { factor: 1.2 }] {
        on_meshes(&[&[1], &[4]], Limits::default(), |_| {
            let matrix = diagonals(50, 2.01, 1.0);
            let b = arange(0, 50, 1).astype(DType::F64).cos();
            let inverse = Factorised::new(&matrix, how).unwrap();
            let alone = cg(&matrix, &b, Options::default().rtol(1e-10)).unwrap();
            let options = Options::default().rtol(1e-10).preconditioner(&inverse);
            let found = cg(&matrix, &b, options).unwrap();
            assert!(largest(matrix.matvec(&found.x) - &b) < 1e-8);
            assert!(found.iterations < alone.iterations, "{how:?}");
            if how == Factorisation::HermitianPattern {
                // Nothing is dropped from three diagonals.
                assert!(found.iterations <= 2);
            }
        });
    }
}

/// The matrix of five points of a grid, not symmetric.
fn grid(width: usize, height: usize) -> Csr {
    let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
    for row in 0..(width * height) as i64 {
        let (x, y) = (row % width as i64, row / width as i64);
        for (dx, dy, value) in
            [(0, 0, 4.1), (-1, 0, -1.0), (1, 0, -0.5), (0, -1, -1.5), (0, 1, -1.0)]
        {
            let (x, y) = (x + dx, y + dy);
            if (0..width as i64).contains(&x) && (0..height as i64).contains(&y) {
                rows.push(row);
                columns.push(y * width as i64 + x);
                values.push(value);
            }
        }
    }
    let [rows, columns] = [rows, columns].map(Array::from_vec);
    let n = width * height;
    Csr::from_triplets(&rows, &columns, &Array::from_vec(values), [n, n]).unwrap()
}

#[test]
fn large_matrices_are_factorised_on_the_devices() {
    let n = 130 * 80;
    on_meshes(&MESHES, Limits::default(), |_| {
        let real = grid(130, 80);
        let complex = real.astype(DType::C128).unwrap().scale(Complex64::new(1.0, 0.5)).unwrap();
        for matrix in [real, complex] {
            let factors = Factorised::new(&matrix, Factorisation::Fronts).unwrap();
            let fronts = factors.fronts().expect("factors on the devices");
            assert!(fronts.elements > n && fronts.bytes >= 8 * fronts.elements);
            let turned = matrix.transpose().unwrap();
            let b = arange(0, 2 * n as i64, 1).reshape([n, 2]).astype(DType::F64).sin();
            for b in [b.astype(matrix.dtype()), b.astype(DType::C128) * Complex64::new(1.0, -2.0)] {
                let wide = |matrix: &Csr| matrix.astype(b.dtype()).unwrap();
                let x = factors.solve(&b, System::Matrix).unwrap();
                assert_eq!((x.shape(), x.dtype()), (b.shape(), b.dtype()));
                assert!(largest(wide(&matrix).matmat(&x) - &b) < 1e-12);
                let x = factors.solve(&b, System::Transpose).unwrap();
                assert!(largest(wide(&turned).matmat(&x) - &b) < 1e-12);
                let x = factors.solve(&b, System::Adjoint).unwrap();
                assert!(largest(wide(&turned).matmat(&x.conjugate()) - b.conjugate()) < 1e-12);
            }
            let b = arange(0, n as i64, 1).cos();
            let x = factors.apply(&b).unwrap();
            assert_eq!(x.shape(), [n]);
            assert!(largest(matrix.matvec(&x) - &b) < 1e-12);
        }
    });
}

#[test]
fn pivots_of_zero_are_left_to_the_host() {
    // Pairs of rows that are exchanged, with zeros on the diagonal, and an ordinary part.
    let n = 12_000;
    on_meshes(&[&[1], &[3]], Limits::default(), |_| {
        let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
        for row in 0..n as i64 {
            // Partners are far from each other, but all rows of a block are linked.
            rows.extend([row, row]);
            columns.extend([(row + n as i64 / 2) % n as i64, (row + 1) % n as i64]);
            values.extend([2.0, 0.25]);
        }
        let [rows, columns] = [rows, columns].map(Array::from_vec);
        let matrix = Csr::from_triplets(&rows, &columns, &Array::from_vec(values), [n, n]).unwrap();
        let factors = Factorised::new(&matrix, Factorisation::Fronts).unwrap();
        let b = arange(0, n as i64, 1).cos();
        let x = factors.solve(&b, System::Matrix).unwrap();
        assert!(largest(matrix.matvec(&x) - &b) < 1e-11);
        let empty = matrix.scale(0.0).unwrap();
        let error = Factorised::new(&empty, Factorisation::Fronts).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "PX120");
    });
}

#[test]
fn matrices_without_factors_are_refused() {
    on_meshes(&[&[1], &[3]], Limits::default(), |_| {
        let singular = diagonals(4, 0.0, 0.0);
        let code = |error: Error| error.code();
        let of = |matrix: &Csr| Factorised::new(matrix, Factorisation::complete()).map(|_| ());
        assert_eq!(of(&singular).map_err(code), Err("PX120"));
        let wide = Csr::zeros([2, 3], DType::F64).unwrap();
        assert!(of(&wide).unwrap_err().to_string().contains("[2, 3]"));
        let factors = Factorised::new(&diagonals(4, 3.0, 1.0), Factorisation::complete()).unwrap();
        let short = factors.solve(&arange(0, 3, 1), System::Matrix);
        assert!(short.unwrap_err().to_string().contains("[3]"));
    });
}
