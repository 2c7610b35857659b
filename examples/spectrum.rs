//! The two-dimensional power spectrum of a height model, averaged over directions.
//!
//!     cargo run --release --example spectrum [FILE.npz]
//!
//! Prints the power of the heights in rings of equal wave number, and the slope of its logarithm
//! over the logarithm of the wave number. For natural terrain the slope is near -3.

use phalanx::prelude::*;
use phalanx::{bincount, fft, hanning, outer};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::from_env()?;
    let default = config.data.join("jacksboro_fault_dem.npz");
    let session = phalanx::init(config)?;
    let path = std::env::args().nth(1).map_or(default, Into::into);
    let height = phalanx::io::load_npz(&path, "elevation")?.astype(DType::F64);
    let (rows, columns) = (height.shape()[0], height.shape()[1]);

    // Without the Hann window, the jump from one border to the other would dominate the spectrum.
    let window = outer(&hanning(rows), &hanning(columns));
    let spectrum = fft::fft2(&((&height - height.mean(())) * &window), ());
    let power = spectrum.real().square() + spectrum.imag().square();

    // Parseval: the sum of the power is the sum of the squares times the number of elements.
    let energy = ((&height - height.mean(())) * &window).square().sum(()) * (rows * columns) as f64;
    let parseval = (power.sum(()) / energy).item::<f64>()?;

    // Rings of wave numbers, in cycles per side of the grid.
    let along = fft::fftfreq(rows as i64, 1.0 / rows as f64).expand_dims(1);
    let across = fft::fftfreq(columns as i64, 1.0 / columns as f64);
    let ring = along.hypot(&across).rint().astype(DType::I64).ravel();
    let rings = rows.min(columns) / 2;
    let counts = bincount(&ring, None, rings as i64).slice(s![..rings]).astype(DType::F64);
    let sums = bincount(&ring, Some(&power.ravel()), rings as i64).slice(s![..rings]).copy();
    let mean = (sums / counts).slice(s![1..]).to_vec::<f64>()?;

    let logarithms: Vec<(f64, f64)> = mean
        .iter()
        .enumerate()
        .map(|(ring, power)| (((ring + 1) as f64).ln(), power.ln()))
        .collect();
    let slope = slope(&logarithms);
    if phalanx::rank() == 0 {
        println!("{rows} x {columns} heights, power over energy {parseval:.9}");
        for ring in [1, 2, 4, 8, 16, 32, 64, 128].into_iter().filter(|ring| *ring < rings) {
            println!("wave number {ring:>4}: power {:.6e}", mean[ring - 1]);
        }
        println!("slope {slope:.6}");
    }
    session.finish()?;
    Ok(())
}

/// The slope of the line that fits points by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let along: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    along / points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum::<f64>()
}
