//! Times and checksums.

use crate::cases::Case;
use crate::inputs::Precision;
use phalanx::{Array, Config};
use std::hint::black_box;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

/// The fewest and the most runs of a case. After `PATIENCE` no run starts beyond the fewest. The
/// result is the median. `numpy_peer.py` has the same numbers.
const FEWEST: usize = 5;
const MOST: usize = 15;
const PATIENCE: Duration = Duration::from_secs(2);

/// The size of the copy that measures bandwidth, in bytes: far more than caches hold.
const COPIED: usize = 1 << 27;

/// The measurements of one program.
#[derive(Debug)]
pub struct Measured {
    /// The median of its times, in milliseconds.
    pub ms: f64,
    /// The weighted sum of the result.
    pub checksum: f64,
    /// The weighted sum of the result's absolute values.
    pub magnitude: f64,
}

/// Runs a case on a mesh of `ranks` devices.
pub fn run(case: &Case, precision: Precision, ranks: usize) -> Result<Measured, String> {
    let config = Config::default().devices(ranks).threads(threads());
    let session = phalanx::init(config).map_err(|error| error.to_string())?;
    let measured = session.handle().enter(|| run_here(case, precision))?;
    session.finish().map_err(|error| error.to_string())?;
    Ok(measured)
}

fn run_here(case: &Case, precision: Precision) -> Result<Measured, String> {
    let text = |error: phalanx::Error| error.to_string();
    let arrays = case.inputs.iter().enumerate();
    let inputs: Vec<Array> =
        arrays.map(|(number, input)| input.array(number, precision)).collect::<Result<_, _>>()?;
    let fresh = || -> Result<Vec<Array>, String> {
        let copy = |array: &Array| {
            let copy = array.copy();
            copy.evaluate().map(|()| copy).map_err(text)
        };
        if case.program.writes_input() {
            inputs.iter().map(copy).collect()
        } else {
            Ok(inputs.clone())
        }
    };
    let once = || -> Result<(f64, Array), String> {
        let inputs = fresh()?;
        let start = Instant::now();
        let result = case.program.record(&inputs);
        result.evaluate().map_err(text)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let first = vec![0; result.ndim()];
        result.at(first).item::<f64>().map_err(text)?;
        Ok((ms, result))
    };
    for _ in 0..2 {
        let _warm = once()?;
    }
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < FEWEST || (times.len() < MOST && start.elapsed() < PATIENCE) {
        times.push(once()?.0);
    }
    let (_, result) = once()?;
    let (checksum, magnitude) = checksum(&result.to_vec::<f64>().map_err(text)?);
    Ok(Measured { ms: median(times), checksum, magnitude })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The number of different weights: a prime, so that no axis has this extent.
const WEIGHTS: usize = 1021;

/// The sums of the elements, and of their absolute values, each times a weight that depends on its
/// position. The sums are computed in blocks, because one long sum loses the last places.
fn checksum(values: &[f64]) -> (f64, f64) {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for block in values.chunks(WEIGHTS) {
        let weight = |index: usize| (index + 1) as f64 / WEIGHTS as f64;
        let weighted = block.iter().enumerate().map(|(index, value)| value * weight(index));
        let (signed, absolute) = weighted
            .fold((0.0, 0.0), |(sum, absolute), value| (sum + value, absolute + value.abs()));
        sum += signed;
        magnitude += absolute;
    }
    (sum, magnitude)
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// The bytes that the machine reads and writes in a millisecond while all cores copy memory.
pub fn copy_bandwidth() -> f64 {
    let from = vec![1u8; COPIED];
    let mut to = vec![2u8; COPIED];
    let share = COPIED.div_ceil(threads());
    let mut times = Vec::new();
    for _ in 0..FEWEST + 4 {
        let start = Instant::now();
        thread::scope(|scope| {
            for (to, from) in to.chunks_mut(share).zip(from.chunks(share)) {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        times.push(start.elapsed().as_secs_f64() * 1e3);
        black_box(&mut to);
    }
    2.0 * COPIED as f64 / median(times)
}
