//! Algebraic multigrid on meshes of several sizes.

use crate::meshes::{MESHES, on_meshes};
use phalanx::Limits;
use phalanx::linalg;
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{LinearOperator, Multigrid, MultigridOptions, Options, cg};
use std::sync::Mutex;

/// The five-point matrix of a square, with a weight of the couplings along one axis.
fn poisson(side: usize, weight: f64) -> Csr {
    let (mut rows, mut columns, mut values) = (vec![], vec![], vec![]);
    let mut put = |row: usize, column: usize, value: f64| {
        rows.push(row as i64);
        columns.push(column as i64);
        values.push(value);
    };
    for at in 0..side * side {
        let (y, x) = (at / side, at % side);
        put(at, at, 2.0 + 2.0 * weight);
        let near = [(x > 0, -1, 1.0), (x + 1 < side, 1, 1.0)];
        let far = [(y > 0, -(side as i64), weight), (y + 1 < side, side as i64, weight)];
        for (is_inside, step, size) in near.into_iter().chain(far) {
            if is_inside {
                put(at, (at as i64 + step) as usize, -size);
            }
        }
    }
    let n = side * side;
    let [rows, columns] = [rows, columns].map(Array::from_vec);
    Csr::from_triplets(&rows, &columns, &Array::from_vec(values), [n, n]).unwrap()
}

#[test]
fn few_cycles_solve_poisson() {
    let seen = Mutex::new(Vec::new());
    on_meshes(&MESHES, Limits::default(), |_| {
        let matrix = poisson(48, 1.0);
        let options = MultigridOptions::default().smallest(60);
        let multigrid = Multigrid::new(&matrix, options).unwrap();
        let rows = multigrid.rows();
        assert!(rows.len() >= 3 && rows[0] == 48 * 48 && *rows.last().unwrap() <= 60, "{rows:?}");
        assert!(multigrid.complexity() < 2.0, "{}", multigrid.complexity());
        let b = arange(0, 48 * 48, 1).astype(DType::F64).sin();
        let plain = cg(&matrix, &b, Options::default().rtol(1e-8)).unwrap();
        let options = Options::default().rtol(1e-8).preconditioner(&multigrid);
        let found = cg(&matrix, &b, options).unwrap();
        let residual =
            linalg::norm(&(&b - matrix.matvec(&found.x)), Default::default(), None, false);
        let size = linalg::norm(&b, Default::default(), None, false);
        assert!(residual.item::<f64>().unwrap() <= 2e-8 * size.item::<f64>().unwrap());
        assert!(found.iterations <= 20 && 3 * found.iterations < plain.iterations);
        seen.lock().unwrap().push((rows, found.iterations));
    });
    // Levels do not depend on the number of devices, nor do iterations but for rounding.
    let seen = seen.into_inner().unwrap();
    for (rows, iterations) in &seen {
        assert_eq!(*rows, seen[0].0);
        assert!(iterations.abs_diff(seen[0].1) <= 1, "{seen:?}");
    }
}

#[test]
fn weak_couplings_are_left_out() {
    on_meshes(&[&[1], &[3]], Limits::default(), |_| {
        let matrix = poisson(40, 0.001);
        let options = MultigridOptions::default().smallest(100);
        let multigrid = Multigrid::new(&matrix, options).unwrap();
        // Aggregates are along one axis, of about three rows.
        let rows = multigrid.rows();
        assert!(rows[1] * 4 > rows[0], "{rows:?}");
        let b = arange(0, 1600, 1).astype(DType::F64).cos();
        let options = Options::default().rtol(1e-8).preconditioner(&multigrid);
        assert!(cg(&matrix, &b, options).unwrap().iterations <= 25);
    });
}

#[test]
fn a_cycle_is_symmetric() {
    on_meshes(&[&[2]], Limits::default(), |_| {
        let multigrid = Multigrid::new(&poisson(20, 1.0), MultigridOptions::default().smallest(30));
        let multigrid = multigrid.unwrap();
        let (u, v) = (arange(0, 400, 1).astype(DType::F64).sin(), (arange(1, 401, 1) * 0.7).cos());
        let inner = |a: &Array, b: Array| (a * b).sum(()).item::<f64>().unwrap();
        let left = inner(&u, multigrid.apply(&v).unwrap());
        let right = inner(&v, multigrid.apply(&u).unwrap());
        assert!((left - right).abs() < 1e-10 * left.abs().max(1.0), "{left} {right}");
    });
}

#[test]
fn small_and_wrong_matrices() {
    on_meshes(&[&[1], &[4]], Limits::default(), |_| {
        // One level is solved directly.
        let multigrid = Multigrid::new(&poisson(4, 1.0), MultigridOptions::default()).unwrap();
        assert_eq!(multigrid.rows(), [16]);
        let wide = Csr::zeros([3, 4], DType::F64).unwrap();
        let error = Multigrid::new(&wide, MultigridOptions::default()).unwrap_err();
        assert_eq!(error.numpy_class(), "ValueError");
    });
}
