//! Handwritten digits: k-means, principal components and logistic regression.
//!
//!     cargo run --release --example digits [digits.csv.gz]
//!
//! `cargo xtask setup` extracts the table from scikit-learn. It has 64 grey values and the digit in
//! each of 1,797 rows. All three methods are written as in NumPy, on whole arrays.

use flate2::read::GzDecoder;
use phalanx::prelude::*;
use phalanx::{axis, bincount, linalg};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

const DIGITS: usize = 10;
const PIXELS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::from_env()?;
    let default = config.data.join("digits.csv.gz");
    let session = phalanx::init(config)?;
    let path = std::env::args().nth(1).map_or(default, PathBuf::from);
    let table = read(&path)?;
    let rows = table.len() / (PIXELS + 1);
    let table = from_slice(&table, [rows, PIXELS + 1]);
    let pixels = table.slice(s![.., ..-1]).copy();
    let digits = table.slice(s![.., -1]).astype(DType::I64);

    let (turns, purity) = k_means(&pixels, &digits)?;
    let explained = principal_components(&pixels)?;
    let accuracy = logistic_regression(&pixels, &digits)?;
    if phalanx::rank() == 0 {
        println!("{rows} digits");
        println!("k-means: {turns} turns, {purity:.6} by majority label");
        println!("first ten components: {explained:.6} of the variance");
        println!("logistic regression: {accuracy:.6} of every fifth row right");
    }
    session.finish()?;
    Ok(())
}

/// The numbers of the table, row by row.
fn read(path: &Path) -> Result<Vec<f64>, Box<dyn Error>> {
    let unread = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(unread)?;
    let mut numbers = Vec::new();
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        for number in line.map_err(unread)?.split(',') {
            numbers.push(number.trim().parse()?);
        }
    }
    Ok(numbers)
}

/// A row for each label, with 1 in the column of the label and 0 elsewhere.
fn one_hot(labels: &Array) -> Array {
    labels.expand_dims(1).equal(arange(0, DIGITS as i64, 1)).astype(DType::F64)
}

/// Lloyd's iteration from the first ten rows. Returns the number of iterations until no label
/// changes, and the fraction of rows whose digit is the most frequent one of their cluster.
fn k_means(pixels: &Array, digits: &Array) -> Result<(usize, f64), phalanx::Error> {
    let mut centres = pixels.slice(s![..DIGITS]).copy();
    let mut labels = nearest(pixels, &centres);
    let mut turns = 0;
    loop {
        let members = one_hot(&labels);
        centres = matmul(&members.t(), pixels) / members.sum(0).expand_dims(1);
        let next = nearest(pixels, &centres);
        turns += 1;
        let changed = next.not_equal(&labels).any(()).item::<bool>()?;
        labels = next;
        if !changed {
            break;
        }
    }
    // The number of occurrences of each digit in each cluster.
    let places = &labels * DIGITS as i64 + digits;
    let table = bincount(&places, None, (DIGITS * DIGITS) as i64).reshape([DIGITS, DIGITS]);
    let right = table.max(1).sum(()).item::<i64>()?;
    Ok((turns, right as f64 / digits.size() as f64))
}

/// The centre that is nearest to each row.
fn nearest(pixels: &Array, centres: &Array) -> Array {
    (pixels.expand_dims(1) - centres.expand_dims(0)).square().sum(2).argmin(1)
}

/// The fraction of the variance along the first ten principal components.
fn principal_components(pixels: &Array) -> Result<f64, phalanx::Error> {
    let centred = pixels - pixels.mean(0);
    let covariance = matmul(&centred.t(), &centred);
    let values = linalg::eigvalsh(&covariance, linalg::Triangle::Lower);
    let share = values.slice(s![-10..]).sum(()) / values.sum(());
    share.item::<f64>()
}

/// Multinomial logistic regression by gradient descent on four rows of five. Returns the fraction
/// of correct predictions for the other rows.
fn logistic_regression(pixels: &Array, digits: &Array) -> Result<f64, phalanx::Error> {
    let rows = pixels.shape()[0] as i64;
    let held_out = arange(0, rows, 1).remainder(5).equal(0);
    let train = 1.0 - held_out.astype(DType::F64);
    let inputs = zeros([rows as usize, PIXELS + 1], DType::F64);
    inputs.slice(s![.., ..-1]).assign(pixels / 16.0);
    inputs.slice(s![.., -1]).assign(1.0);
    let wanted = one_hot(digits);
    let count = train.sum(());
    let weights = zeros([PIXELS + 1, DIGITS], DType::F64);
    for _ in 0..300 {
        let scores = matmul(&inputs, &weights);
        let powers = (&scores - scores.max(axis(1).keepdims())).exp();
        let chances = &powers / powers.sum(axis(1).keepdims());
        let errors = (chances - &wanted) * train.expand_dims(1);
        weights.subtract_assign(matmul(&inputs.t(), &errors) * 2.0 / &count);
    }
    let found = matmul(&inputs, &weights).argmax(1);
    let right = found.equal(digits).logical_and(&held_out).count_nonzero(());
    let right = right.item::<i64>()? as f64;
    Ok(right / held_out.count_nonzero(()).item::<i64>()? as f64)
}
