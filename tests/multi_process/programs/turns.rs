//! Loops whose turns every rank takes alike.

use super::{Outcome, strike_self};
use phalanx::prelude::*;
use std::time::{Duration, Instant};

/// The state of a loop.
pub struct Turns {
    state: Array,
    is_split: bool,
}

impl Turns {
    /// `split`: each turn needs the neighbours' values; `replicated`: every rank computes alone.
    pub fn new(work: &str) -> Turns {
        let is_split = work == "split";
        let rows = if is_split { 256 } else { 8 };
        let state = from_function([rows, 64], |at| (&at[0] * 64 + &at[1]).astype(DType::F64));
        Turns { state, is_split }
    }

    /// One turn, computed.
    pub fn turn(&self) -> Result<(), phalanx::Error> {
        if self.is_split {
            let inner = self.state.slice(s![1..-1, ..]);
            let change =
                self.state.slice(s![..-2, ..]) + self.state.slice(s![2.., ..]) - 2.0 * &inner;
            inner.add_assign(&(0.25 * change));
        } else {
            self.state.add_assign(1.0);
        }
        self.state.evaluate()
    }

    /// The sum of the state.
    pub fn sum(&self) -> Result<f64, phalanx::Error> {
        self.state.sum(()).item::<f64>()
    }
}

/// Turns without end, for tests that kill a rank. A rank and a signal behind the work: that rank
/// sends itself the signal once the others know what it does.
pub fn go_on(arguments: &[&str]) -> Outcome {
    let turns = Turns::new(arguments[0]);
    for turn in 0.. {
        turns.turn()?;
        println!("turn {turn}");
        if let [_, victim, signal] = arguments
            && turn == 200
            && phalanx::rank().to_string() == *victim
        {
            strike_self(signal)?;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Turns of which one takes rank 1 so many seconds, in which it computes without a pause.
pub fn be_slow(work: &str, seconds: &str) -> Outcome {
    let (turns, pause) = (Turns::new(work), Duration::from_secs(seconds.parse()?));
    for turn in 0..30 {
        if turn == 15 && phalanx::rank() == 1 {
            let start = Instant::now();
            while start.elapsed() < pause {
                std::hint::spin_loop();
            }
        }
        turns.turn()?;
    }
    Ok(())
}
