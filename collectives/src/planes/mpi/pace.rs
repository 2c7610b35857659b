//! The pace of a thread that waits for MPI, or for a device before MPI: the library advances only
//! while a thread tests requests.

use phalanx_waiting::look;
use std::time::{Duration, Instant};

/// Tests before a waiting thread yields between tests: some microseconds, the time of a short
/// message.
const SPINS: u32 = 16;
/// Tests between two reads of the clock, and in a row between two pauses. A test that moves data
/// takes long, so travelling data keeps moving.
const BURST: u32 = 16;
/// How long a thread tests without pauses. After this time the message is late, and the added delay
/// of a pause does not matter.
const PATIENCE: Duration = Duration::from_millis(5);
/// The pause between two bursts of tests of a thread that has waited long.
pub(super) const PAUSE: Duration = Duration::from_micros(50);

/// The pace of one wait.
#[derive(Debug, Default)]
pub(super) struct Pace {
    looks: u32,
    began: Option<Instant>,
}

impl Pace {
    /// Pauses between two unsuccessful tests.
    pub(super) fn pause(&mut self) {
        self.looks = self.looks.wrapping_add(1);
        if self.began.is_none() && self.looks < SPINS {
            std::hint::spin_loop();
            return;
        }
        if !self.looks.is_multiple_of(BURST) {
            std::thread::yield_now();
            return;
        }
        let began = *self.began.get_or_insert_with(Instant::now);
        if began.elapsed() < PATIENCE {
            std::thread::yield_now();
            return;
        }
        std::thread::sleep(PAUSE);
        look();
    }

    /// Whether the wait is long enough to check for ranks that have left.
    pub(super) fn is_long(&self) -> bool {
        self.began.is_some() && self.looks.is_multiple_of(BURST)
    }
}
