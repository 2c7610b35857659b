//! Programs that request more memory than there is, and continue with less.

use super::Outcome;
use phalanx::prelude::*;
use phalanx::{Bounds, Session, Sharding, Split};

/// Elements whose `f64` blocks pass the limit of one mebibyte that the tests set.
const MANY: usize = 1 << 18;

/// The refused work: on all ranks, on rank 0 alone, work that only one rank can still observe, work
/// with elements that travel, or data on the rank that still keeps something.
pub fn run(session: &Session, what: &str) -> Outcome {
    let before = arange(0, 10, 1) * 3;
    let written = zeros(64, DType::F64);
    written.evaluate()?;
    written.add_assign(1.0);
    let refused = match what {
        "work" => (ones(4 * MANY, DType::F64) + 1.0).evaluate(),
        "work_of_one" => {
            let ranks = session.mesh().devices();
            let blocks: Vec<usize> =
                (0..ranks).map(|rank| if rank == 0 { MANY } else { 16 }).collect();
            let mut sharding = Sharding::replicated(1);
            let bounds = Bounds::explicit(&blocks);
            sharding.axes[0] = Some(Split { mesh_axes: [0].into_iter().collect(), bounds });
            let array = ones(blocks.iter().sum::<usize>(), DType::F64).with_sharding(sharding);
            array.evaluate()
        }
        "pending" | "dropped" => {
            let product = ones([1 << 16, 1], DType::F64) * ones([1, 1 << 16], DType::F64);
            let shifted = &product + 1.0;
            let spectrum = phalanx::fft::fft(&ones(4 * MANY, DType::F64), ());
            // On other ranks nothing of it can be observed.
            let kept = (what == "pending" && phalanx::rank() == 1).then(|| shifted.clone());
            drop((shifted, product));
            let refused = spectrum.evaluate();
            drop(spectrum);
            for turn in 2..6 {
                written.add_assign(1.0);
                let sum = written.sum(()).item::<f64>()?;
                assert_eq!(sum, 64.0 * f64::from(turn), "in turn {turn}");
            }
            written.subtract_assign(4.0);
            if let Some(kept) = kept {
                let error = kept.evaluate().expect_err("what is larger than the memory");
                assert_eq!(error.code(), "PX050");
            }
            refused
        }
        _ => {
            let first = ones(MANY / 8 * 5, DType::F64);
            first.evaluate()?;
            // Rank 1 alone keeps it.
            let _kept = (phalanx::rank() == 1).then(|| first.clone());
            drop(first);
            let data = from_slice(&vec![1.0; MANY / 2], [MANY / 2]);
            data.sum(()).evaluate()
        }
    };
    match refused {
        Ok(()) => println!("refused nothing"),
        Err(error) => println!("refused {error}"),
    }
    assert_eq!(before.to_vec::<i64>()?, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
    assert_eq!(written.to_vec::<f64>()?, [1.0; 64]);
    println!("sum {}", arange(0, 100, 1).sum(()).item::<i64>()?);
    Ok(())
}
