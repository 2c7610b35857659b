//! Eigenvalues, singular values, exponentials and norms of sparse matrices, against closed forms
//! and against dense matrices.

use super::{banded, convection, hermitian, matrix, norm, on_meshes, poisson, right_side, tall};
use num_complex::Complex64;
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{
    self as solvers, EigenOptions, Eigenpairs, Function, LinearOperator, LobpcgOptions, Which,
};
use phalanx::zeros;
use std::f64::consts::PI;

/// Eigenvalue `k` of the second-difference matrix, from 1.
fn poisson_value(n: usize, k: usize) -> f64 {
    2.0 - 2.0 * (PI * k as f64 / (n + 1) as f64).cos()
}

/// Checks eigenvalues against wanted ones, and that the vectors have norm 1 and small residuals.
fn check_pairs(a: &dyn LinearOperator, found: &Eigenpairs, wanted: &[Complex64], bound: f64) {
    assert_eq!(found.converged, wanted.len(), "{} restarts", found.restarts);
    let values = found.eigenvalues.to_vec::<Complex64>().unwrap();
    assert_eq!(values.len(), wanted.len());
    for (value, wanted) in values.iter().zip(wanted) {
        assert!((value - wanted).norm() <= bound, "{values:?} in place of {wanted}");
    }
    for (at, value) in values.iter().enumerate() {
        let vector = found.eigenvectors.slice(s![.., at as i64]).copy();
        assert!((norm(&vector) - 1.0).abs() <= bound);
        let left = norm(&(a.apply(&vector).unwrap() - &vector * *value));
        assert!(left <= 10.0 * bound, "residual {left:e} of {value}");
    }
}

#[test]
fn eigenvalues_of_hermitian_matrices_have_closed_forms() {
    on_meshes(|| {
        let n = 40;
        let a = poisson(n, DType::F64);
        let value = |k: usize| Complex64::from(poisson_value(n, k));
        let cases = [
            (Which::LargestMagnitude, vec![37, 38, 39, 40]),
            (Which::LargestReal, vec![37, 38, 39, 40]),
            (Which::SmallestReal, vec![1, 2, 3, 4]),
            (Which::SmallestMagnitude, vec![1, 2, 3, 4]),
            (Which::BothEnds, vec![1, 2, 39, 40]),
        ];
        for (which, wanted) in cases {
            let wanted: Vec<Complex64> = wanted.into_iter().map(value).collect();
            let options = EigenOptions::default().which(which);
            let found = solvers::eigsh(&a, 4, &options).unwrap();
            check_pairs(&a, &found, &wanted, 1e-10);
            let gram = matmul(&found.eigenvectors.t(), &found.eigenvectors);
            assert!(norm(&(gram - phalanx::identity(4, DType::F64))) < 1e-12);
        }
        // Few vectors, so that it restarts often.
        let options = EigenOptions::default().ncv(8).tol(1e-9).which(Which::LargestReal);
        let found = solvers::eigsh(&a, 3, &options).unwrap();
        assert!(found.restarts > 1);
        check_pairs(&a, &found, &[value(38), value(39), value(40)], 1e-8);
        let limited = solvers::eigsh(&a, 3, &options.clone().maxiter(1)).unwrap();
        assert!(limited.converged < 3 && limited.restarts == 1);
        // Inside of the spectrum, by an inverse.
        let sigma = 1.0;
        let shifted = a.to_dense() - phalanx::identity(n, DType::F64) * sigma;
        let inverse = linalg::inv(&shifted);
        let options = EigenOptions::default().sigma(sigma, &inverse);
        let found = solvers::eigsh(&a, 2, &options).unwrap();
        let mut near: Vec<f64> = (1..=n).map(|k| poisson_value(n, k)).collect();
        near.sort_by(|a, b| (a - sigma).abs().total_cmp(&(b - sigma).abs()));
        let mut wanted = near[..2].to_vec();
        wanted.sort_by(f64::total_cmp);
        let wanted: Vec<Complex64> = wanted.into_iter().map(Complex64::from).collect();
        check_pairs(&a, &found, &wanted, 1e-10);
        let bad = EigenOptions::default().which(Which::LargestImaginary);
        assert_eq!(solvers::eigsh(&a, 2, &bad).unwrap_err().numpy_class(), "ValueError");
        let too_many = solvers::eigsh(&a, n + 1, &EigenOptions::default());
        assert_eq!(too_many.unwrap_err().numpy_class(), "ValueError");
    });
}

#[test]
fn eigenvalues_of_complex_multiple_and_few_rows() {
    on_meshes(|| {
        // A Hermitian band matrix with off-diagonal elements of absolute value 1.
        let n = 30;
        let a = hermitian(n, DType::C128);
        let value = |k: usize| Complex64::from(0.5 + poisson_value(n, k));
        let options = EigenOptions::default().which(Which::LargestReal);
        let found = solvers::eigsh(&a, 3, &options).unwrap();
        assert_eq!(found.eigenvalues.dtype(), DType::F64);
        check_pairs(&a, &found, &[value(n - 2), value(n - 1), value(n)], 1e-10);
        let single = solvers::eigsh(&poisson(n, DType::F32), 2, &options).unwrap();
        assert_eq!(single.eigenvectors.dtype(), DType::F32);
        let wanted = [n - 1, n].map(|k| Complex64::from(poisson_value(n, k)));
        check_pairs(&poisson(n, DType::F32), &single, &wanted, 1e-5);
        // An identity: every space is invariant at once.
        let unit = banded(5, &[(0, 3.0.into())], DType::F64);
        let found = solvers::eigsh(&unit, 3, &EigenOptions::default()).unwrap();
        check_pairs(&unit, &found, &[3.0.into(); 3], 1e-13);
        let found = solvers::eigs(&unit, 2, &EigenOptions::default()).unwrap();
        check_pairs(&unit, &found, &[3.0.into(); 2], 1e-13);
        // All eigenvalues of a small matrix.
        let small = poisson(3, DType::F64);
        let found = solvers::eigsh(&small, 3, &EigenOptions::default()).unwrap();
        check_pairs(&small, &found, &[1, 2, 3].map(|k| poisson_value(3, k).into()), 1e-13);
        let nothing = Csr::zeros([4, 4], DType::F64).unwrap();
        let found = solvers::eigsh(&nothing, 2, &EigenOptions::default()).unwrap();
        check_pairs(&nothing, &found, &[0.0.into(); 2], 1e-13);
    });
}

#[test]
fn eigenvalues_of_general_matrices_have_closed_forms() {
    on_meshes(|| {
        // A band matrix with different bands: its eigenvalues are d + 2 √(l u) cos(kπ / (n + 1)).
        let n = 24;
        let bands = [(-1, (-1.3).into()), (0, 2.0.into()), (1, 0.8.into())];
        let a = banded(n, &bands, DType::C128);
        let imaginary = |k: usize| {
            let size = 2.0 * 1.04f64.sqrt() * (PI * k as f64 / (n + 1) as f64).cos();
            Complex64::new(2.0, size)
        };
        let options = EigenOptions::default().which(Which::LargestImaginary).tol(1e-11);
        let found = solvers::eigs(&a, 3, &options).unwrap();
        check_pairs(&a, &found, &[imaginary(1), imaginary(2), imaginary(3)], 1e-7);
        let options = EigenOptions::default().which(Which::SmallestImaginary).tol(1e-11);
        let found = solvers::eigs(&a, 2, &options).unwrap();
        check_pairs(&a, &found, &[imaginary(n), imaginary(n - 1)], 1e-7);
        // Eigenvalues of a real matrix are conjugate pairs, whose signs do not matter.
        let real = banded(n, &bands, DType::F64);
        let options = EigenOptions::default().which(Which::LargestImaginary).tol(1e-11);
        let found = solvers::eigs(&real, 4, &options).unwrap();
        let mut found = found.eigenvalues.to_vec::<Complex64>().unwrap();
        found.sort_by(|a, b| a.im.total_cmp(&b.im));
        let wanted = [imaginary(1).conj(), imaginary(2).conj(), imaginary(2), imaginary(1)];
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).norm() < 1e-7), "{found:?}");
        let mild =
            banded(n, &[(-1, (-1.1).into()), (0, 2.0.into()), (1, (-0.9).into())], DType::F64);
        let real = |k: usize| {
            Complex64::from(2.0 - 2.0 * 0.99f64.sqrt() * (PI * k as f64 / (n + 1) as f64).cos())
        };
        for (which, wanted) in [
            (Which::LargestMagnitude, [n, n - 1]),
            (Which::LargestReal, [n, n - 1]),
            (Which::SmallestReal, [1, 2]),
            (Which::SmallestMagnitude, [1, 2]),
        ] {
            let options = EigenOptions::default().which(which).tol(1e-11).ncv(12);
            let found = solvers::eigs(&mild, 2, &options).unwrap();
            check_pairs(&mild, &found, &wanted.map(real), 1e-7);
        }
        // A cycle: the roots of unity.
        let turn: Vec<_> = (0..8).map(|at| (at, (at + 1) % 8, Complex64::from(1.0))).collect();
        let turn = matrix([8, 8], &turn, DType::F64);
        let options = EigenOptions::default().which(Which::LargestReal);
        let found = solvers::eigs(&turn, 1, &options).unwrap();
        check_pairs(&turn, &found, &[1.0.into()], 1e-12);
    });
}

#[test]
fn singular_values_are_those_of_the_dense_matrix() {
    on_meshes(|| {
        for dtype in [DType::F64, DType::C128] {
            let down = tall(26, 9, dtype);
            for a in [down.clone(), down.transpose().unwrap()] {
                let all = linalg::svdvals(&a.to_dense()).to_vec::<f64>().unwrap();
                for which in [Which::LargestMagnitude, Which::SmallestMagnitude] {
                    let options = EigenOptions::default().which(which);
                    let found = solvers::svds(&a, 3, &options).unwrap();
                    assert_eq!(found.converged, 3);
                    let s = found.s.to_vec::<f64>().unwrap();
                    let mut wanted = match which {
                        Which::LargestMagnitude => all[..3].to_vec(),
                        _ => all[6..].to_vec(),
                    };
                    wanted.reverse();
                    for (value, wanted) in s.iter().zip(&wanted) {
                        assert!((value - wanted).abs() < 1e-10, "{s:?} {wanted:?}");
                    }
                    let left = matmul(&a.to_dense(), &found.vh.t().conjugate());
                    assert!(norm(&(left - &found.u * &found.s)) < 1e-9);
                    let gram = matmul(&found.u.t().conjugate(), &found.u);
                    assert!(norm(&(gram - phalanx::identity(3, DType::F64))) < 1e-12);
                }
            }
        }
        // A matrix of rank 1: the vectors of the zero singular value are orthogonal all the same.
        let ones: Vec<_> = (0..12).map(|at| (at / 3, at % 3, Complex64::from(1.0))).collect();
        let flat = matrix([4, 3], &ones, DType::F64);
        let found = solvers::svds(&flat, 2, &EigenOptions::default()).unwrap();
        let s = found.s.to_vec::<f64>().unwrap();
        assert!(s[0] < 1e-7 && (s[1] - 12f64.sqrt()).abs() < 1e-12, "{s:?}");
        let gram = matmul(&found.u.t(), &found.u);
        assert!(norm(&(gram - phalanx::identity(2, DType::F64))) < 1e-12);
    });
}

/// A start of `k` columns.
fn columns(n: usize, k: usize) -> Array {
    let element = |at: usize| ((at * at * 31 + at * 17) % 101) as f64 / 101.0 - 0.4;
    from_slice(&(0..n * k).map(element).collect::<Vec<_>>(), [n, k])
}

#[test]
fn blocks_converge_to_the_ends_of_the_spectrum() {
    on_meshes(|| {
        let n = 30;
        let a = poisson(n, DType::F64);
        let jacobi = solvers::Jacobi::new(&a).unwrap();
        let start = columns(n, 3);
        for largest in [true, false] {
            for has_inverse in [false, true] {
                let mut options = LobpcgOptions::default().largest(largest).maxiter(80).tol(1e-7);
                if has_inverse {
                    options = options.preconditioner(&jacobi);
                }
                let found = solvers::lobpcg(&a, &start, &options).unwrap();
                let values = found.eigenvalues.to_vec::<f64>().unwrap();
                let wanted: Vec<f64> = (0..3)
                    .map(|at| poisson_value(n, if largest { n - at } else { 1 + at }))
                    .collect();
                for (value, wanted) in values.iter().zip(&wanted) {
                    assert!((value - wanted).abs() < 1e-10, "{values:?} {wanted:?}");
                }
                let product = a.matmat(&found.eigenvectors);
                assert!(norm(&(product - &found.eigenvectors * &found.eigenvalues)) < 1e-6);
                let count = found.residual_history.len();
                assert_eq!(count, found.iterations + 1);
            }
        }
        // With another inner product, the eigenvalues are divided by its factor.
        let mass = banded(n, &[(0, 4.0.into())], DType::F64);
        let options = LobpcgOptions::default().mass(&mass).maxiter(80).tol(1e-6);
        let found = solvers::lobpcg(&a, &start, &options).unwrap();
        let values = found.eigenvalues.to_vec::<f64>().unwrap();
        assert!((values[0] - poisson_value(n, n) / 4.0).abs() < 1e-10);
        let gram = matmul(&found.eigenvectors.t(), &mass.matmat(&found.eigenvectors));
        assert!(norm(&(gram - phalanx::identity(3, DType::F64))) < 1e-8);
        // Without the vectors that are known.
        let options = LobpcgOptions::default().constraints(&found.eigenvectors).maxiter(90);
        let next = solvers::lobpcg(&a, &columns(n, 2), &options.tol(1e-7)).unwrap();
        let values = next.eigenvalues.to_vec::<f64>().unwrap();
        assert!((values[0] - poisson_value(n, n - 3)).abs() < 1e-9, "{values:?}");
        let flat = zeros([n, 2], DType::F64);
        let error = solvers::lobpcg(&a, &flat, &LobpcgOptions::default()).unwrap_err();
        assert_eq!(error.numpy_class(), "ValueError");
    });
}

#[test]
fn exponentials_act_as_their_spectrum_says() {
    on_meshes(|| {
        let n = 12;
        let a = poisson(n, DType::F64);
        // An eigenvector: the exponential multiplies it by a number.
        let wave: Vec<f64> =
            (1..=n).map(|at| (PI * 3.0 * at as f64 / (n + 1) as f64).sin()).collect();
        let wave = from_slice(&wave, [n]);
        for t in [-0.7, 1.0, -25.0, 0.0] {
            let found = solvers::expm_multiply(&a, &wave, t).unwrap();
            let wanted = &wave * (poisson_value(n, 3) * t).exp();
            let error = norm(&(&found - &wanted));
            // Terms of the size of the exponential of the norm cancel.
            assert!(error <= 1e-11 * norm(&wave).max(norm(&wanted)), "{t}: {error:e}");
        }
        let i = Complex64::new(0.0, -2.0);
        let found = solvers::expm_multiply(&a, &wave, i).unwrap();
        assert_eq!(found.dtype(), DType::C128);
        let wanted = &wave * (i * poisson_value(n, 3)).exp();
        assert!(norm(&(found - wanted)) <= 1e-12 * norm(&wave));
        // A rotation, by a function without a known norm or trace, of several columns.
        let turn = matrix([2, 2], &[(0, 1, (-1.0).into()), (1, 0, 1.0.into())], DType::F64);
        let back = turn.transpose().unwrap();
        let operator = Function::new([2, 2], DType::F64, |x| turn.matvec(x).into_result())
            .with_adjoint(|x| back.matvec(x).into_result());
        let unit = phalanx::identity(2, DType::F64);
        let found = solvers::expm_multiply(&operator, &unit, 0.5).unwrap();
        let (cosine, sine) = (0.5f64.cos(), 0.5f64.sin());
        let wanted = [cosine, -sine, sine, cosine];
        for (value, wanted) in found.to_vec::<f64>().unwrap().iter().zip(wanted) {
            assert!((value - wanted).abs() < 1e-14);
        }
        let times = solvers::expm_multiply_range(&a, &wave, [0.0, 1.0], 3).unwrap();
        assert_eq!(times.shape(), [3, n]);
        let last = times.slice(s![2]).copy();
        assert!(norm(&(last - &wave * poisson_value(n, 3).exp())) < 1e-11 * norm(&wave));
        let nothing = Csr::zeros([3, 3], DType::F64).unwrap();
        let b = right_side(3, DType::F64);
        assert_eq!(norm(&(solvers::expm_multiply(&nothing, &b, 2.0).unwrap() - &b)), 0.0);
    });
}

#[test]
fn norms_of_sparse_matrices() {
    on_meshes(|| {
        for dtype in [DType::F64, DType::C128] {
            let a = tall(15, 6, dtype);
            let dense = a.to_dense();
            for ord in [
                linalg::Ord::Default,
                linalg::Ord::Frobenius,
                linalg::Ord::P(1.0),
                linalg::Ord::P(-1.0),
                linalg::Ord::Infinity,
                linalg::Ord::MinusInfinity,
                linalg::Ord::P(2.0),
            ] {
                let found = solvers::norm(&a, ord).unwrap().item::<f64>().unwrap();
                let wanted = linalg::norm(&dense, ord, None, false).item::<f64>().unwrap();
                assert!((found - wanted).abs() <= 1e-12 * wanted, "{ord:?} {found} {wanted}");
            }
            let square = if dtype.is_complex() { hermitian(20, dtype) } else { convection(5, 0.3) };
            let wanted = solvers::norm(&square, linalg::Ord::P(1.0)).unwrap();
            let wanted = wanted.item::<f64>().unwrap();
            let found = solvers::onenormest(&square, 2, 5).unwrap();
            assert!((found.norm - wanted).abs() <= 1e-12 * wanted, "{} {wanted}", found.norm);
            let image = square.matvec(&found.v);
            assert!(norm(&(&image - &found.w)) <= 1e-12 * norm(&image));
        }
        let a = tall(5, 3, DType::F64);
        assert!(solvers::norm(&a, linalg::Ord::Nuclear).is_err());
        assert!(solvers::onenormest(&a, 2, 5).is_err());
    });
}
