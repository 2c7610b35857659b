//! Programs that ask for more memory than there is, and go on with less.

use super::Outcome;
use phalanx::prelude::*;
use phalanx::{Bounds, Session, Sharding, Split};

/// Elements whose `f64` blocks pass the limit of one mebibyte that the tests set.
const MANY: usize = 1 << 18;

/// What is refused: work on all ranks, on rank 0 alone, or data on the rank that still keeps
/// something.
pub fn run(session: &Session, what: &str) -> Outcome {
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
    println!("sum {}", arange(0, 100, 1).sum(()).item::<i64>()?);
    Ok(())
}
