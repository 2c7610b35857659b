//! Solvers of linear equations and of least squares with sparse matrices: residuals against stated
//! bounds.

mod direct;
mod spectra;

use crate::meshes::{self, MESHES};
use num_complex::Complex64;
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{
    self as solvers, Function, LeastSquaresOptions, LinearOperator, Options, Solved,
};
use phalanx::{Limits, zeros};
use std::f64::consts::PI;
use std::ops::ControlFlow;

type Solver = fn(&dyn LinearOperator, &Array, Options<'_>) -> Result<Solved, Error>;

/// The solvers for any matrix.
const GENERAL: [(&str, Solver); 8] = [
    ("bicg", |a, b, options| solvers::bicg(a, b, options)),
    ("cgs", |a, b, options| solvers::cgs(a, b, options)),
    ("bicgstab", |a, b, options| solvers::bicgstab(a, b, options)),
    ("gmres", |a, b, options| solvers::gmres(a, b, options)),
    ("qmr", |a, b, options| solvers::qmr(a, b, options)),
    ("tfqmr", |a, b, options| solvers::tfqmr(a, b, options)),
    ("lgmres", |a, b, options| solvers::lgmres(a, b, options)),
    ("gcrotmk", |a, b, options| solvers::gcrotmk(a, b, options)),
];

/// The solvers for Hermitian matrices.
const HERMITIAN: [(&str, Solver); 2] = [
    ("cg", |a, b, options| solvers::cg(a, b, options)),
    ("minres", |a, b, options| solvers::minres(a, b, options)),
];

fn all() -> impl Iterator<Item = (&'static str, Solver)> {
    HERMITIAN.into_iter().chain(GENERAL)
}

fn on_meshes(program: impl Fn()) {
    meshes::on_meshes(&MESHES, Limits::default(), |_| program());
}

/// The matrix with these entries.
fn matrix(shape: [usize; 2], entries: &[(usize, usize, Complex64)], dtype: DType) -> Csr {
    let count = [entries.len()];
    let rows: Vec<i64> = entries.iter().map(|entry| entry.0 as i64).collect();
    let columns: Vec<i64> = entries.iter().map(|entry| entry.1 as i64).collect();
    let values: Vec<Complex64> = entries.iter().map(|entry| entry.2).collect();
    let real: Vec<f64> = values.iter().map(|value| value.re).collect();
    let values =
        if dtype.is_complex() { from_slice(&values, count) } else { from_slice(&real, count) };
    let values = values.astype(dtype);
    Csr::from_triplets(&from_slice(&rows, count), &from_slice(&columns, count), &values, shape)
        .unwrap()
}

/// The matrix with constants on diagonals near the main one.
fn banded(n: usize, bands: &[(i64, Complex64)], dtype: DType) -> Csr {
    let mut entries = Vec::new();
    for row in 0..n as i64 {
        for &(offset, value) in bands {
            if (0..n as i64).contains(&(row + offset)) {
                entries.push((row as usize, (row + offset) as usize, value));
            }
        }
    }
    matrix([n, n], &entries, dtype)
}

fn poisson(n: usize, dtype: DType) -> Csr {
    banded(n, &[(-1, (-1.0).into()), (0, 2.0.into()), (1, (-1.0).into())], dtype)
}

/// The five-point matrix on a square of `n × n` points, with central differences for a wind.
fn convection(n: usize, wind: f64) -> Csr {
    let mut entries = Vec::new();
    for at in 0..n * n {
        let (row, column) = (at / n, at % n);
        entries.push((at, at, 4.0.into()));
        let sides = [
            (row > 0, at.wrapping_sub(n), -1.0),
            (row + 1 < n, at + n, -1.0),
            (column > 0, at.wrapping_sub(1), -1.0 - wind),
            (column + 1 < n, at + 1, -1.0 + wind),
        ];
        entries.extend(sides.iter().filter(|side| side.0).map(|side| (at, side.1, side.2.into())));
    }
    matrix([n * n, n * n], &entries, DType::F64)
}

/// A Hermitian positive definite matrix with complex elements.
fn hermitian(n: usize, dtype: DType) -> Csr {
    let off = Complex64::new(-0.6, 0.8);
    banded(n, &[(-1, off.conj()), (0, 2.5.into()), (1, off)], dtype)
}

fn right_side(n: usize, dtype: DType) -> Array {
    let values: Vec<Complex64> =
        (0..n).map(|at| Complex64::new(((at * 7) % 11) as f64 - 4.0, (at % 3) as f64)).collect();
    let real: Vec<f64> = values.iter().map(|value| value.re).collect();
    let array = if dtype.is_complex() { from_slice(&values, [n]) } else { from_slice(&real, [n]) };
    array.astype(dtype)
}

fn norm(array: &Array) -> f64 {
    linalg::norm(array, Default::default(), None, false).item::<f64>().unwrap()
}

fn residual(matrix: &dyn LinearOperator, x: &Array, b: &Array) -> f64 {
    norm(&(b - matrix.apply(x).unwrap()))
}

/// Checks that a solver reports a solution whose residual is within the bound of its options, up
/// to the rounding of its recurrences.
fn check(name: &str, found: &Solved, a: &dyn LinearOperator, b: &Array, rtol: f64) {
    assert_eq!(found.info, 0, "{name}: {} iterations, {:?}", found.iterations, found.residuals);
    let (reached, allowed) = (residual(a, &found.x, b), rtol * norm(b));
    assert!(reached <= 1.01 * allowed, "{name}: residual {reached:e} above {allowed:e}");
    assert_eq!(found.residuals.len(), found.iterations + 1, "{name}");
}

#[test]
fn equations_are_solved_to_the_tolerance() {
    on_meshes(|| {
        let (line, wind) = (poisson(20, DType::F64), convection(5, 0.3));
        let complex = hermitian(18, DType::C128);
        for (name, solver) in GENERAL {
            let b = right_side(25, DType::F64);
            let found = solver(&wind, &b, Options::default().rtol(1e-9)).unwrap();
            check(name, &found, &wind, &b, 1e-9);
        }
        for (name, solver) in all() {
            let b = right_side(20, DType::F64);
            let found = solver(&line, &b, Options::default().rtol(1e-9)).unwrap();
            check(name, &found, &line, &b, 1e-9);
            let b = right_side(18, DType::C128);
            let found = solver(&complex, &b, Options::default().rtol(1e-8)).unwrap();
            check(name, &found, &complex, &b, 1e-8);
            assert_eq!(found.x.dtype(), DType::C128);
        }
    });
}

#[test]
fn dtypes_are_those_of_the_operands() {
    on_meshes(|| {
        for (name, solver) in all() {
            let b = right_side(12, DType::F32);
            let a = poisson(12, DType::F32);
            let found = solver(&a, &b, Options::default().rtol(1e-3)).unwrap();
            assert_eq!((found.info, found.x.dtype()), (0, DType::F32), "{name}");
            assert!(residual(&a, &found.x, &b) <= 2e-3 * norm(&b), "{name}");
            let b = right_side(12, DType::I64).reshape([-1, 1]);
            let found = solver(&poisson(12, DType::I32), &b, Options::default()).unwrap();
            assert_eq!((found.info, found.x.dtype()), (0, DType::F64), "{name}");
            assert_eq!(found.x.shape(), [12], "{name}");
        }
    });
}

#[test]
fn long_cycles_restart() {
    on_meshes(|| {
        let (a, b) = (convection(6, 0.4), right_side(36, DType::F64));
        let options = || Options::default().rtol(1e-8).restart(6).recycled(3);
        for (name, solver) in &GENERAL {
            if !["gmres", "lgmres", "gcrotmk"].contains(name) {
                continue;
            }
            let found = solver(&a, &b, options()).unwrap();
            check(name, &found, &a, &b, 1e-8);
            assert!(found.iterations > 6, "{name}");
            let few = solver(&a, &b, options().maxiter(2)).unwrap();
            assert_eq!(few.info, 2, "{name}");
            let kept = solver(&a, &b, options().truncate_smallest(true)).unwrap();
            check(name, &kept, &a, &b, 1e-8);
        }
    });
}

#[test]
fn zeros_and_exact_starts_are_returned_at_once() {
    on_meshes(|| {
        let a = poisson(10, DType::F64);
        for (name, solver) in all() {
            let nothing = zeros([10], DType::F64);
            let start = right_side(10, DType::F64);
            let found = solver(&a, &nothing, Options::default().x0(&start)).unwrap();
            assert_eq!((found.info, found.iterations, norm(&found.x)), (0, 0, 0.0), "{name}");
            let b = a.matvec(&start);
            let found = solver(&a, &b, Options::default().x0(&start).rtol(1e-12)).unwrap();
            assert_eq!((found.info, found.iterations), (0, 0), "{name}");
            assert_eq!(norm(&(&found.x - &start)), 0.0, "{name}");
            // A start that is not the solution.
            let found = solver(&a, &b, Options::default().x0(&(&start + 1.0)).rtol(1e-9)).unwrap();
            check(name, &found, &a, &b, 1e-9);
            // An absolute tolerance that the start meets.
            let found = solver(&a, &b, Options::default().atol(1e3)).unwrap();
            assert_eq!((found.info, found.iterations), (0, 0), "{name}");
        }
    });
}

#[test]
fn a_limit_of_iterations_is_the_return_code() {
    on_meshes(|| {
        let (a, b) = (poisson(24, DType::F64), right_side(24, DType::F64));
        for (name, solver) in all() {
            let options = Options::default().rtol(1e-12).maxiter(2).restart(2).recycled(1);
            let found = solver(&a, &b, options).unwrap();
            assert_eq!(found.info, 2, "{name}");
            let x = found.x.to_vec::<f64>().unwrap();
            assert!(x.iter().all(|value| value.is_finite()), "{name}");
        }
    });
}

#[test]
fn breakdowns_are_return_codes() {
    on_meshes(|| {
        // A rotation: its product with a vector is orthogonal to the vector.
        let turn = matrix([2, 2], &[(0, 1, 1.0.into()), (1, 0, (-1.0).into())], DType::F64);
        let b = from_slice(&[1.0, 0.0], [2]);
        for (name, solver) in GENERAL {
            let found = solver(&turn, &b, Options::default()).unwrap();
            match name {
                "gmres" | "lgmres" | "gcrotmk" => check(name, &found, &turn, &b, 1e-5),
                _ => {
                    assert!(found.info < 0, "{name}: {}", found.info);
                    assert_eq!(norm(&found.x), 0.0, "{name}");
                }
            }
        }
        // Equations without a solution.
        let entries = [(0, 0, 1.0.into()), (1, 1, 2.0.into())];
        let singular = matrix([3, 3], &entries, DType::F64);
        let b = from_slice(&[1.0, 1.0, 1.0], [3]);
        for (name, solver) in GENERAL {
            let found = solver(&singular, &b, Options::default().maxiter(20)).unwrap();
            assert_ne!(found.info, 0, "{name}");
        }
        let found = solvers::minres(&singular, &b, Options::default()).unwrap();
        let x = found.x.to_vec::<f64>().unwrap();
        assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 0.5).abs() < 1e-6, "{x:?}");
    });
}

#[test]
fn indefinite_matrices_and_shifts_are_solved_by_minres() {
    on_meshes(|| {
        let (a, b) = (poisson(16, DType::F64), right_side(16, DType::F64));
        let shift = 1.3;
        let found = solvers::minres(&a, &b, Options::default().shift(shift).rtol(1e-9)).unwrap();
        assert_eq!(found.info, 0);
        let left = &b - (a.matvec(&found.x) - &found.x * shift);
        assert!(norm(&left) <= 1.01e-9 * norm(&b));
    });
}

#[test]
fn preconditioners_save_iterations() {
    on_meshes(|| {
        // A badly scaled matrix, which the diagonal repairs.
        let mut entries = Vec::new();
        for row in 0..21usize {
            let size = 10f64.powi((row % 5) as i32);
            entries.push((row, row, (3.0 * size).into()));
            if row + 1 < 21 {
                let other = 10f64.powi(((row + 1) % 5) as i32);
                let off = -(size * other).sqrt();
                entries.extend([(row, row + 1, off.into()), (row + 1, row, off.into())]);
            }
        }
        let (a, b) = (matrix([21, 21], &entries, DType::F64), right_side(21, DType::F64));
        let jacobi = solvers::Jacobi::new(&a).unwrap();
        let blocks = solvers::BlockJacobi::new(&a, 4).unwrap();
        let inverse = linalg::inv(&a.to_dense());
        for (name, solver) in all() {
            let options = || Options::default().rtol(1e-8);
            let plain = solver(&a, &b, options()).unwrap();
            let inverses: [&dyn LinearOperator; 3] = [&jacobi, &blocks, &inverse];
            for (at, inverse) in inverses.into_iter().enumerate() {
                let found = solver(&a, &b, options().preconditioner(inverse)).unwrap();
                let left = residual(&a, &found.x, &b);
                assert_eq!(found.info, 0, "{name} {at}");
                assert!(left <= 1e-7 * norm(&b), "{name} {at}: {left:e}");
                let is_fewer = found.iterations < plain.iterations || plain.info != 0;
                assert!(is_fewer, "{name} {at}: {} {}", found.iterations, plain.iterations);
                if at == 2 {
                    assert!(found.iterations <= 3, "{name}: {}", found.iterations);
                }
            }
        }
        let right = Options::default().rtol(1e-8).right_preconditioner(&jacobi);
        check("qmr", &solvers::qmr(&a, &b, right).unwrap(), &a, &b, 1e-8);
    });
}

#[test]
fn chebyshev_steps_precondition_poisson() {
    on_meshes(|| {
        let n = 9;
        let (a, b) = (convection(n, 0.0), right_side(n * n, DType::F64));
        let low = 4.0 - 4.0 * (PI / (n + 1) as f64).cos();
        let inverse = solvers::Chebyshev::new(&a, [low, 8.0], 8).unwrap();
        let options = || Options::default().rtol(1e-9);
        let plain = solvers::cg(&a, &b, options()).unwrap();
        let found = solvers::cg(&a, &b, options().preconditioner(&inverse)).unwrap();
        check("cg", &found, &a, &b, 1e-9);
        assert!(found.iterations < plain.iterations / 2, "{}", found.iterations);
        let refused = solvers::Chebyshev::new(&a, [0.0, 4.0], 8).err().unwrap();
        assert_eq!(refused.numpy_class(), "ValueError");
    });
}

#[test]
fn operators_are_matrices_arrays_and_functions() {
    on_meshes(|| {
        let (a, b) = (convection(4, 0.2), right_side(16, DType::F64));
        let (dense, kept) = (a.to_dense(), solvers::SparseOperator::from(a.clone()));
        let function = Function::new([16, 16], DType::F64, |x| a.matvec(x).into_result())
            .with_adjoint(|x| kept.adjoint()?.matvec(x).into_result());
        let operators: [&dyn LinearOperator; 4] = [&a, &dense, &kept, &function];
        let block = from_slice(&(0..48).map(f64::from).collect::<Vec<_>>(), [16, 3]);
        let near = |x: &Array, y: &Array| assert!(norm(&(x - y)) <= 1e-13 * norm(y));
        for operator in operators {
            near(&operator.apply(&b).unwrap(), &matmul(&dense, &b));
            near(&operator.apply_adjoint(&b).unwrap(), &matmul(&dense.t(), &b));
            near(&operator.apply_block(&block).unwrap(), &matmul(&dense, &block));
            near(&operator.apply_adjoint_block(&block).unwrap(), &matmul(&dense.t(), &block));
            let found = solvers::bicg(operator, &b, Options::default().rtol(1e-9)).unwrap();
            check("bicg", &found, &a, &b, 1e-9);
        }
        let complex = hermitian(6, DType::C128).scale(Complex64::new(0.0, 2.0)).unwrap();
        let x = right_side(6, DType::C128);
        let adjoint = complex.to_dense().t().conjugate();
        near(&complex.apply_adjoint(&x).unwrap(), &matmul(&adjoint, &x));
        near(&complex.to_dense().apply_adjoint(&x).unwrap(), &matmul(&adjoint, &x));
        let one_way = Function::new([16, 16], DType::F64, |x| a.matvec(x).into_result());
        let error = solvers::bicg(&one_way, &b, Options::default()).unwrap_err();
        assert_eq!(error.code(), "PX133", "{error}");
    });
}

#[test]
fn arrays_of_callers_and_operators_stay_as_they_are() {
    on_meshes(|| {
        let b = right_side(12, DType::F64);
        let (before, start) = (b.to_vec::<f64>().unwrap(), &b + 1.0);
        // Operators that return their argument, and one that returns an array of its own.
        let unit =
            Function::new([12, 12], DType::F64, |x| Ok(x.clone())).with_adjoint(|x| Ok(x.clone()));
        let kept = right_side(12, DType::F64);
        let constant = Function::new([12, 12], DType::F64, |_| Ok(kept.clone()))
            .with_adjoint(|_| Ok(kept.clone()));
        for (name, solver) in all() {
            let options = || Options::default().rtol(1e-10).x0(&start).preconditioner(&unit);
            let found = solver(&unit, &b, options()).unwrap();
            check(name, &found, &unit, &b, 1e-10);
            solver(&constant, &b, Options::default().maxiter(2)).unwrap();
            assert_eq!(b.to_vec::<f64>().unwrap(), before, "{name}");
            assert_eq!(kept.to_vec::<f64>().unwrap(), before, "{name}");
            assert_eq!(norm(&(&start - 1.0 - &b)), 0.0, "{name}");
        }
        let shifted = solvers::minres(&unit, &b, Options::default().shift(0.5)).unwrap();
        assert!(norm(&(shifted.x * 0.5 - &b)) <= 1e-5 * norm(&b));
        let a = poisson(12, DType::F64);
        solvers::Chebyshev::new(&a, [0.05, 4.0], 5).unwrap().apply(&b).unwrap().evaluate().unwrap();
        solvers::expm_multiply(&a, &b, -1.0).unwrap().evaluate().unwrap();
        assert_eq!(b.to_vec::<f64>().unwrap(), before);
    });
}

#[test]
fn callers_see_iterates_and_stop_solvers() {
    on_meshes(|| {
        let (a, b) = (poisson(20, DType::F64), right_side(20, DType::F64));
        for (name, solver) in all() {
            let (mut iterates, mut norms) = (0, Vec::new());
            let options = Options::default()
                .rtol(1e-9)
                .restart(5)
                .on_iterate(|x| {
                    assert_eq!(x.shape(), [20]);
                    iterates += 1;
                    ControlFlow::Continue(())
                })
                .on_residual(|norm| {
                    norms.push(norm);
                    ControlFlow::Continue(())
                });
            let found = solver(&a, &b, options).unwrap();
            assert_eq!(norms, found.residuals[1..], "{name}");
            assert!(iterates > 0, "{name}");
            let mut count = 0;
            let stops = Options::default().rtol(1e-9).on_residual(|_| {
                count += 1;
                if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let found = solver(&a, &b, stops).unwrap();
            assert_eq!(found.iterations, 3, "{name}");
            assert!(found.info > 0, "{name}");
        }
    });
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    on_meshes(|| {
        let (a, b) = (poisson(6, DType::F64), right_side(6, DType::F64));
        let wide = matrix([6, 7], &[(0, 0, 1.0.into())], DType::F64);
        let short = right_side(5, DType::F64);
        for (name, solver) in all() {
            let cases = [
                solver(&wide, &b, Options::default()),
                solver(&a, &short, Options::default()),
                solver(&a, &b, Options::default().x0(&short)),
                solver(&a, &b, Options::default().preconditioner(&wide)),
            ];
            for found in cases {
                assert_eq!(found.unwrap_err().numpy_class(), "ValueError", "{name}");
            }
        }
    });
}

/// A matrix of more rows than columns, of full rank.
fn tall(rows: usize, columns: usize, dtype: DType) -> Csr {
    let mut entries = Vec::new();
    for row in 0..rows {
        let column = row % columns;
        entries.push((row, column, Complex64::new(2.0 + (row % 3) as f64, (row % 2) as f64)));
        entries.push((row, (column + 1 + row / columns) % columns, Complex64::new(-1.0, 0.5)));
    }
    matrix([rows, columns], &entries, dtype)
}

/// The solution of the normal equations `(Aᴴ A + damp² I) x = Aᴴ b`.
fn normal_solution(a: &Csr, b: &Array, damp: f64) -> Array {
    let dense = a.to_dense();
    let adjoint = dense.t().conjugate();
    let square = matmul(&adjoint, &dense);
    let n = square.shape()[0];
    let square = &square + phalanx::eye(n, None, 0, DType::F64) * (damp * damp);
    linalg::solve(&square, &matmul(&adjoint, b))
}

#[test]
fn least_squares_are_minimal() {
    on_meshes(|| {
        for dtype in [DType::F64, DType::C128] {
            let (a, b) = (tall(24, 7, dtype), right_side(24, dtype));
            for damp in [0.0, 0.7] {
                let wanted = normal_solution(&a, &b, damp);
                let options = || {
                    LeastSquaresOptions::default().damp(damp).atol(1e-13).btol(1e-13).maxiter(60)
                };
                let near = |x: &Array, name: &str| {
                    let error = norm(&(x - &wanted)) / norm(&wanted);
                    assert!(error < 1e-8, "{name} {dtype} {damp}: {error:e}");
                };
                let found = solvers::lsqr(&a, &b, options().variances(true)).unwrap();
                near(&found.x, "lsqr");
                assert!([2, 5].contains(&found.istop), "{}", found.istop);
                let left = residual(&a, &found.x, &b);
                assert!((found.r1norm - left).abs() <= 1e-9 * left);
                let total = (left * left + (damp * norm(&found.x)).powi(2)).sqrt();
                assert!((found.r2norm - total).abs() <= 1e-9 * total);
                assert!((found.xnorm - norm(&wanted)).abs() <= 1e-6 * norm(&wanted));
                assert_eq!(found.var.unwrap().shape(), [7]);
                let found = solvers::lsmr(&a, &b, options()).unwrap();
                near(&found.x, "lsmr");
                assert!((found.normr - total).abs() <= 1e-9 * total);
                assert!((found.normx - norm(&wanted)).abs() <= 1e-9 * norm(&wanted));
            }
            // The start does not matter without a penalty.
            let wanted = normal_solution(&a, &b, 0.0);
            let options =
                || LeastSquaresOptions::default().atol(1e-12).btol(1e-12).x0(&(&wanted + 1.0));
            let found = solvers::lsqr(&a, &b, options()).unwrap();
            assert!(norm(&(found.x - &wanted)) < 1e-7 * norm(&wanted));
            let found = solvers::lsmr(&a, &b, options().maxiter(40)).unwrap();
            assert!(norm(&(found.x - &wanted)) < 1e-7 * norm(&wanted));
        }
    });
}

#[test]
fn least_squares_with_few_rows_zeros_and_limits() {
    on_meshes(|| {
        // More columns than rows: the solution of least norm.
        let rows = tall(20, 6, DType::F64).transpose().unwrap();
        let b = right_side(6, DType::F64);
        let options = || LeastSquaresOptions::default().atol(1e-12).btol(1e-12).maxiter(50);
        let wanted = matmul(&linalg::pinv(&rows.to_dense(), None), &b);
        let found = solvers::lsqr(&rows, &b, options()).unwrap();
        assert!(norm(&(&found.x - &wanted)) < 1e-8 * norm(&wanted));
        assert_eq!(found.istop, 1);
        let found = solvers::lsmr(&rows, &b, options()).unwrap();
        assert!(norm(&(&found.x - &wanted)) < 1e-8 * norm(&wanted));
        let nothing = zeros([6], DType::F64);
        let found = solvers::lsqr(&rows, &nothing, options()).unwrap();
        assert_eq!((found.istop, found.itn, norm(&found.x)), (0, 0, 0.0));
        let found = solvers::lsmr(&rows, &nothing, options()).unwrap();
        assert_eq!((found.istop, found.itn, norm(&found.x)), (0, 0, 0.0));
        let found = solvers::lsqr(&rows, &b, options().maxiter(1)).unwrap();
        assert_eq!((found.istop, found.itn), (7, 1));
        let found = solvers::lsmr(&rows, &b, options().maxiter(1)).unwrap();
        assert_eq!((found.istop, found.itn), (7, 1));
        let error = solvers::lsqr(&rows, &right_side(7, DType::F64), options()).unwrap_err();
        assert_eq!(error.numpy_class(), "ValueError");
        // A matrix without full rank: the solution of least norm too.
        let flat = matrix([4, 3], &[(0, 0, 1.0.into()), (1, 0, 1.0.into())], DType::F64);
        let b = from_slice(&[1.0, 3.0, 5.0, 7.0], [4]);
        let found = solvers::lsmr(&flat, &b, options()).unwrap();
        let x = found.x.to_vec::<f64>().unwrap();
        assert!((x[0] - 2.0).abs() < 1e-12 && x[1] == 0.0 && x[2] == 0.0, "{x:?}");
    });
}
