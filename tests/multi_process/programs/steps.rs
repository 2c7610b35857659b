//! A program that saves its state after every iteration and continues from there.

use super::{Outcome, SPLIT_FROM, strike_self};
use phalanx::io::{checkpoint, restore};
use phalanx::prelude::*;

/// Six iterations; rank 1 is killed after the fourth in the first run, in every run or in `never`
/// one.
pub fn save_steps(path: &str, dies: &str) -> Outcome {
    let attempt = std::env::var("PHALANX_ATTEMPT").unwrap_or_default();
    let (first, mut state) = match restore(path)? {
        None => (0, arange(0, SPLIT_FROM, 1).astype(DType::F64)),
        Some(saved) => {
            let state = saved.get("state").ok_or("a checkpoint without its array")?;
            (saved.step + 1, state.clone())
        }
    };
    if phalanx::rank() == 0 {
        println!("first {first}");
    }
    for step in first..6 {
        state = &state * 1.25 + 1.0;
        checkpoint(path, step, &[("state", &state)])?;
        let is_due = match dies {
            "once" => step == 3 && attempt == "0",
            "always" => step == 3 || attempt == "1",
            _ => false,
        };
        if is_due && phalanx::rank() == 1 {
            strike_self("KILL")?;
        }
    }
    let sum = state.sum(()).item::<f64>()?;
    if phalanx::rank() == 0 {
        println!("sum {sum:?}");
    }
    Ok(())
}

/// One more iteration than before.
pub fn save_again(path: &str) -> Outcome {
    let saved = restore(path)?.ok_or("no checkpoint")?;
    let state = saved.get("state").ok_or("a checkpoint without its array")?;
    checkpoint(path, saved.step + 1, &[("state", &(state + 1.0))])?;
    Ok(())
}
