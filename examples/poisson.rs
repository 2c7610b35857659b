//! Poisson's equation on the unit square, by conjugate gradients on a sparse matrix.
//!
//!     cargo run --release --example poisson [N]
//!
//! `-Δu = f` on N × N inner points (64 without N), with zeros on the border and an `f` whose
//! solution is known. Prints the number of steps, whether the residual is small, and the error of
//! the discretisation.

use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{Options, cg};
use phalanx::{concatenate, full};
use std::error::Error;
use std::f64::consts::PI;

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::from_env()?;
    let n: i64 = std::env::args().nth(1).map_or(Ok(64), |text| text.parse())?;
    let session = phalanx::init(config)?;
    let (matrix, x, y) = laplacian(n)?;
    // The solution u = x²(1 - x) sin πy; `f` has its second derivatives.
    let (bump, wave) = (&x * &x * (1.0 - &x), (&y * PI).sin());
    let solution = &bump * &wave;
    let width = 1.0 / (n + 1) as f64;
    let f = (&bump * (PI * PI) + 6.0 * &x - 2.0) * &wave * (width * width);
    let found = cg(&matrix, &f, Options::default().rtol(1e-10).maxiter(10 * n as usize))?;

    let residual = &f - matrix.matvec(&found.x);
    let norm = |array: &Array| array.square().sum(()).sqrt().item::<f64>();
    let residual = norm(&residual)? / norm(&f)?;
    let error = (&found.x - &solution).abs().max(()).item::<f64>()?;
    if phalanx::rank() == 0 {
        println!("{} unknowns, {} entries", n * n, matrix.nnz());
        println!("{} steps, residual below 1e-10: {}", found.iterations, residual <= 1.01e-10);
        println!("largest error {error:.3e}");
    }
    session.finish()?;
    Ok(())
}

/// The five-point matrix of the negative Laplacian, times the square of the width, and the
/// coordinates of the points.
fn laplacian(n: i64) -> Result<(Csr, Array, Array), phalanx::Error> {
    let size = n * n;
    let point = arange(0, size, 1);
    let (row, column) = (point.floor_divide(n), point.remainder(n));
    let mut rows = vec![point.clone()];
    let mut columns = vec![point.clone()];
    let mut values = vec![full([size], 4.0, DType::F64)];
    for (inside, step) in [
        (row.greater(0), -n),
        (row.less(n - 1), n),
        (column.greater(0), -1),
        (column.less(n - 1), 1),
    ] {
        let from = point.compress(&inside);
        values.push(full([from.size()], -1.0, DType::F64));
        columns.push(&from + step);
        rows.push(from);
    }
    let [rows, columns, values] =
        [rows, columns, values].map(|parts| concatenate(&parts.iter().collect::<Vec<&Array>>(), 0));
    let matrix = Csr::from_triplets(&rows, &columns, &values, [size as usize, size as usize])?;
    let width = 1.0 / (n + 1) as f64;
    let coordinate = |index: Array| (index + 1).astype(DType::F64) * width;
    Ok((matrix, coordinate(column), coordinate(row)))
}
