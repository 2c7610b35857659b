//! Random programs of a seed: the same on all ranks except for the moments when handles are
//! dropped.

use super::{Outcome, planned_collectives};
use phalanx::Session;
use phalanx::prelude::*;

/// Values that later operations may still use.
const WITHIN_REACH: usize = 6;
const OPERATIONS: usize = 160;

/// Random numbers by splitmix64.
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

/// Arguments: seed, rows, columns, the size from which arrays are split, and `drop` or `keep`.
pub fn run(session: &Session, arguments: &[&str]) -> Outcome {
    let seed: u64 = arguments[0].parse()?;
    let shape: [usize; 2] = [arguments[1].parse()?, arguments[2].parse()?];
    let mut random = Random(seed);
    // Rank 0 keeps everything; the others drop unreachable values, each at its own moments.
    let mut whim = Random(seed ^ phalanx::rank() as u64);
    let drops = arguments[4] == "drop" && phalanx::rank() > 0;
    let mut values = vec![Some(start(shape, 1.0)), Some(start(shape, 0.5))];
    let mut dropped = Vec::new();
    for number in 0..OPERATIONS {
        let mut pick = || {
            let back = 1 + random.below(WITHIN_REACH.min(values.len()));
            values[values.len() - back].clone().expect("values within reach are kept")
        };
        let (a, b) = (pick(), pick());
        values.push(Some(operation(random.below(11), &a, &b)));
        drop((a, b));
        if drops {
            for (value, array) in values.iter_mut().enumerate().rev().skip(WITHIN_REACH) {
                if array.is_some() && whim.below(2) == 0 {
                    dropped.push(format!("{value}@{number}"));
                    *array = None;
                }
            }
        }
        if random.below(12) == 0 {
            observe(values.last().and_then(Option::as_ref).expect("the last value is kept"))?;
        }
    }
    for value in values.iter().rev().take(WITHIN_REACH).flatten() {
        observe(value)?;
    }
    println!("dropped {}", dropped.join(" "));
    println!("windows {}", session.counters().windows);
    Ok(())
}

fn start(shape: [usize; 2], scale: f64) -> Array {
    from_function(shape, |at| (&at[0] * 31 + &at[1] * 7).astype(DType::F64) * scale).sin()
}

/// One of the operations; all keep values between about -2 and 2 and the shape.
fn operation(kind: usize, a: &Array, b: &Array) -> Array {
    match kind {
        0 => (a + b).sin(),
        1 => a * 0.5 + b.mean(0),
        2 => (a - b.mean(keepdims(1))).cos(),
        3 => {
            // The values above and below.
            let smooth = a.copy();
            let change =
                a.slice(s![2.., ..]) - 2.0 * a.slice(s![1..-1, ..]) + a.slice(s![..-2, ..]);
            smooth.slice(s![1..-1, ..]).add_assign(&(0.25 * change));
            smooth
        }
        4 => select(&a.greater(b), a, &(b * 0.5)),
        5 => (a.abs() + 1.0).sqrt() - b.max(()) * 0.25,
        6 => a.slice(s![reversed(), ..]) * 0.75 + b * 0.25,
        7 => a.astype(DType::F32).sin().astype(DType::F64) - b.var((), 0.0),
        8 => {
            // As many elements as there happen to be.
            let kept = a.compress(&a.greater(b));
            b * 0.5 + kept.sum(()) * 1e-4
        }
        9 => a * 0.5 + matmul(&a.t(), b).mean(()).sin(),
        _ => {
            let written = b.copy();
            written.slice(s![3..-3, 1..]).assign(a.slice(s![..-6, ..-1]));
            written
        }
    }
}

/// All rows, the last first.
fn reversed() -> phalanx::Index {
    phalanx::Index::Range { start: None, stop: None, step: -1 }
}

/// Observes numbers computed from the whole value, and shows the communication of the plan and the
/// numbers' bits.
fn observe(value: &Array) -> Result<(), phalanx::Error> {
    let (sum, rows) = (value.sum(()), value.mean(1));
    for line in planned_collectives(&sum)? {
        println!("collective {line}");
    }
    println!("bits {:016x}", sum.item::<f64>()?.to_bits());
    let hash = rows.to_vec::<f64>()?.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, row| {
        (hash ^ row.to_bits()).wrapping_mul(0x0100_0000_01b3)
    });
    println!("bits {hash:016x}");
    Ok(())
}
