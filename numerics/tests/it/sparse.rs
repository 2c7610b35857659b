//! Factors of sparse matrices: their product is the matrix, and solutions have small residuals.

use num_complex::Complex64;
use phalanx_numerics::sparse::{
    ColumnOrder, Columns, Dropping, Factorise, Factors, Method, Options, System, Unfactorised,
};

/// Numbers between -1 and 1 that look random.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    }
}

/// A matrix with random entries, about `mean` in a column, and an element on the diagonal.
fn drawn<T: Factorise>(n: usize, mean: usize, diagonal: f64, seed: u64) -> Columns<T> {
    let mut next = random(seed);
    let mut made = Columns { starts: vec![0], rows: vec![], values: vec![] };
    for column in 0..n {
        for row in 0..n {
            let is_drawn = (next() + 1.0) * n as f64 <= 2.0 * mean as f64;
            if row == column || is_drawn {
                let own = if row == column { diagonal } else { 0.0 };
                made.rows.push(row as u32);
                made.values.push(T::of(next() + own, next()));
            }
        }
        made.starts.push(made.rows.len());
    }
    made
}

/// The elements in C order.
fn dense<T: Factorise>(matrix: &Columns<T>) -> Vec<T> {
    let n = matrix.extent();
    let mut made = vec![T::default(); n * n];
    for (column, bounds) in matrix.starts.windows(2).enumerate() {
        for entry in bounds[0]..bounds[1] {
            made[matrix.rows[entry] as usize * n + column] += matrix.values[entry];
        }
    }
    made
}

/// The largest difference between the product of the factors and the matrix.
fn error_of<T: Factorise>(factors: &Factors<T>, matrix: &Columns<T>) -> f64 {
    let (lower, upper, wanted) = (dense(&factors.lower), dense(&factors.upper), dense(matrix));
    let n = matrix.extent();
    let mut largest = 0.0_f64;
    for row in 0..n {
        for column in 0..n {
            let at = factors.row_positions[row] as usize;
            let to = factors.column_positions[column] as usize;
            let mut sum = T::default();
            for k in 0..n {
                sum += lower[at * n + k] * upper[k * n + to];
            }
            largest = largest.max((sum - wanted[row * n + column]).magnitude());
        }
    }
    largest
}

/// The largest residual of a solution for some right-hand sides.
fn residual<T: Factorise>(matrix: &Columns<T>, how: Method, system: System) -> f64 {
    let (n, columns) = (matrix.extent(), 3);
    let mut next = random(5);
    let right: Vec<T> = (0..n * columns).map(|_| T::of(next(), next())).collect();
    let mut x = right.clone();
    T::solve(&T::factorise(matrix.clone(), how).unwrap(), &mut x, columns, system);
    let mut rest = right;
    for column in 0..n {
        for entry in matrix.starts[column]..matrix.starts[column + 1] {
            let (row, value) = (matrix.rows[entry] as usize, matrix.values[entry]);
            for at in 0..columns {
                let (to, from, value) = match system {
                    System::Matrix => (row, column, value),
                    System::Transpose => (column, row, value),
                    System::Adjoint => (column, row, value.conjugate()),
                };
                rest[to * columns + at] -= value * x[from * columns + at];
            }
        }
    }
    rest.iter().map(|it| it.magnitude()).fold(0.0, f64::max)
}

fn of_type<T: Factorise>() {
    for order in [ColumnOrder::Natural, ColumnOrder::OfProduct, ColumnOrder::OfSum] {
        for diagonal_threshold in [1.0, 0.1, 0.0] {
            for (n, seed) in [(1, 1), (2, 2), (17, 3), (40, 4)] {
                let matrix = drawn::<T>(n, 4, 3.0, seed);
                let how = Method::Columns(Options { order, diagonal_threshold, dropping: None });
                let solver = T::factorise(matrix.clone(), how).unwrap();
                assert!(error_of(solver.factors().unwrap(), &matrix) < 1e-9, "{how:?} {n}");
                for system in [System::Matrix, System::Transpose, System::Adjoint] {
                    assert!(residual(&matrix, how, system) < 1e-8, "{how:?} {n} {system:?}");
                }
            }
        }
    }
}

#[test]
fn factors_have_the_matrix_as_their_product() {
    of_type::<f64>();
    of_type::<Complex64>();
}

#[test]
fn factors_with_many_entries_are_in_blocks() {
    for system in [System::Matrix, System::Transpose, System::Adjoint] {
        let real = drawn::<f64>(400, 12, 8.0, 7);
        assert!(residual(&real, Method::complete(), system) < 1e-9, "{system:?}");
        let complex = drawn::<Complex64>(400, 12, 8.0, 8);
        assert!(residual(&complex, Method::complete(), system) < 1e-9, "{system:?}");
    }
}

#[test]
fn nothing_is_dropped_below_a_threshold_of_zero() {
    let matrix = drawn::<f64>(40, 4, 3.0, 9);
    let factor = |threshold, fill| {
        let dropping = Some(Dropping { threshold, fill });
        let how = Method::Columns(Options { dropping, ..Options::default() });
        let solver = f64::factorise(matrix.clone(), how).unwrap();
        let factors = solver.factors().unwrap();
        let entries = factors.lower.rows.len() + factors.upper.rows.len();
        (error_of(factors, &matrix), entries)
    };
    let (error, all) = factor(0.0, 1e9);
    assert!(error < 1e-9);
    let (error, fewer) = factor(0.05, 1e9);
    assert!(error < 1.0 && fewer < all, "{error} {fewer} {all}");
    // Two triangular factors, and a unit diagonal beside those entries.
    let (_, capped) = factor(0.0, 1.0);
    let mean = matrix.rows.len().div_ceil(40);
    assert!(capped <= 40 * (mean + 1) && capped < fewer, "{capped} {fewer}");
}

#[test]
fn matrices_without_pivots_are_refused() {
    let all = [Method::complete(), Method::Pattern, Method::Relaxation { factor: 1.0 }];
    for how in all {
        // The second column has no element.
        let hollow = Columns { starts: vec![0, 2, 2], rows: vec![0, 1], values: vec![1.0, 2.0] };
        let refused = f64::factorise(hollow, how).unwrap_err();
        assert_eq!(refused, Unfactorised::Singular { column: 1 }, "{how:?}");
    }
    let (starts, rows) = (vec![0, 2, 4], vec![0, 1, 0, 1]);
    let values = vec![f64::NAN, 1.0, 1.0, 2.0];
    let unknown = Columns { starts: starts.clone(), rows: rows.clone(), values };
    assert!(f64::factorise(unknown, Method::complete()).is_err());
    let rank_one = Columns { starts, rows, values: vec![1.0, 2.0, 2.0, 4.0] };
    assert!(f64::factorise(rank_one.clone(), Method::complete()).is_err());
    assert!(f64::factorise(rank_one.clone(), Method::Pattern).is_err());
    assert!(f64::factorise(rank_one, Method::HermitianPattern).is_err());
}

#[test]
fn factors_of_a_pattern_agree_with_the_matrix_on_it() {
    let drawn = drawn::<Complex64>(30, 4, 9.0, 10);
    let solver = Complex64::factorise(drawn.clone(), Method::Pattern).unwrap();
    let factors = solver.factors().unwrap();
    let (lower, upper) = (dense(&factors.lower), dense(&factors.upper));
    for column in 0..30 {
        for entry in drawn.starts[column]..drawn.starts[column + 1] {
            let row = drawn.rows[entry] as usize;
            let product =
                (0..30).map(|k| lower[row * 30 + k] * upper[k * 30 + column]).sum::<Complex64>();
            assert!((product - drawn.values[entry]).norm() < 1e-10);
        }
    }
}
