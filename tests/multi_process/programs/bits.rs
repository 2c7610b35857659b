//! A program that would show by the bits of its values which instructions computed them, if that
//! made a difference: many operations, dtypes, lengths that no register divides, and views.

use super::Outcome;
use phalanx::Index;
use phalanx::prelude::*;
use phalanx::{Config, InstructionLevel};

/// The configuration of a process that computes with the instructions of this name, or with those
/// that it chooses for `default`. The ranks do not report this at the start.
pub fn with_instructions(config: Config, name: &str) -> Config {
    if name == "default" {
        return config;
    }
    let level = InstructionLevel::from_name(name).expect("a level has this name");
    assert!(level.is_available(), "the tests ask for no instructions that are not there");
    config.instructions(level)
}

/// Arguments: the instructions, and the size from which arrays are split.
pub fn run() -> Outcome {
    println!("instructions {}", InstructionLevel::current().name());
    for shape in [[301, 1003], [3, 5], [1, 77]] {
        for dtype in [DType::F32, DType::F64, DType::I64, DType::F16, DType::U8] {
            let values = start(shape, dtype);
            for (name, value) in results(&values) {
                let host = value.to_host()?;
                let hash = host.bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                    (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
                });
                println!("bits {name} {dtype} {shape:?} {:?} {hash:016x}", host.shape);
            }
        }
    }
    Ok(())
}

/// Numbers without a pattern, of both signs where the dtype has two.
fn start(shape: [usize; 2], dtype: DType) -> Array {
    let numbers = from_function(shape, |at| (&at[0] * 7919 + &at[1] * 104_729).remainder(2003));
    if dtype.is_integer() { numbers.astype(dtype) } else { (numbers * 0.0137 - 13.7).astype(dtype) }
}

fn every(step: i64) -> Index {
    Index::Range { start: None, stop: None, step }
}

fn results(a: &Array) -> Vec<(&'static str, Array)> {
    let powers = (a - a.max(keepdims(1))).exp();
    let softmax = &powers / powers.sum(keepdims(1));
    let chain = ((a * 0.5 + 1.0).sin() * (a * 0.01).exp() - a.cos()).abs().sqrt();
    let ratio = (a.abs() + 1.0).log() / (a * a + 3.0);
    // Distances of all rows to three of them, and the nearest one.
    let centres = a.slice(s![..1, ..]).broadcast_to([3, a.shape()[1]]);
    let offsets = from_slice(&[0.25, -1.5, 0.75], [3, 1]);
    let apart = a.expand_dims(1) - (centres + offsets);
    let nearest = (&apart * &apart).sum(2).argmin(1);
    let smooth = a.astype(DType::F64).copy();
    for _ in 0..3 {
        let neighbours = smooth.slice(s![.., 2..]) + smooth.slice(s![.., ..-2]);
        let inner = smooth.slice(s![.., 1..-1]);
        inner.add_assign(&(0.25 * (neighbours - 2.0 * &inner)));
    }
    vec![
        ("sum", a.sum(())),
        ("column sums", a.sum(0)),
        ("row sums", a.sum(1)),
        ("product", (a * 0.001 + 1.0).prod(0)),
        ("mean", a.mean(())),
        ("row means", a.mean(1)),
        ("var", a.var((), 0.0)),
        ("column variances", a.var(0, 1.0)),
        ("std", a.std(1, 0.0)),
        ("largest", a.max(0)),
        ("least", a.min(())),
        ("least of sums", a.sum(1).argmin(())),
        ("nearest", nearest),
        ("softmax", softmax),
        ("smooth", smooth),
        ("chain", chain),
        ("ratio", ratio),
        ("tanh", (a * 0.3).tanh()),
        ("power", (a.abs() + 0.5).power(1.7)),
        ("angle", a.arctan2(2.5)),
        ("quotient", a.floor_divide(3)),
        ("rest", a.remainder(7)),
        ("choice", select(&a.greater(a.mean(())), a, &(a + 1))),
        ("count", a.less(3).count_nonzero(1)),
        ("every third", a.slice(s![.., every(3)]).sum(1)),
        ("from the end", (a.slice(s![every(-1), every(-1)]) + a).sum(0)),
        ("transposed", (a.t() * 2).copy()),
        ("as f32", (a * 1.1).astype(DType::F32)),
        ("as i32", a.astype(DType::I32)),
    ]
}
