//! How a thread that waits for MPI, or for a device before MPI, spends the time between two looks:
//! the library makes progress only while somebody looks.

use phalanx_ops::waiting::look;
use std::time::{Duration, Instant};

/// Looks before a waiting thread lets others run between them: some microseconds, the time of a
/// short message.
const SPINS: u32 = 16;
/// Looks between two looks at the clock, and at once between two pauses: data that is on its way
/// keeps moving, since a look that moves some takes long.
const BURST: u32 = 16;
/// How long a thread looks without a pause. Whoever is waited for longer is late, and what a pause
/// adds does not count.
const PATIENCE: Duration = Duration::from_millis(5);
/// The pause between two bursts of looks of a thread that has waited for long.
pub(super) const PAUSE: Duration = Duration::from_micros(50);

/// The pace of one wait.
#[derive(Debug, Default)]
pub(super) struct Pace {
    looks: u32,
    began: Option<Instant>,
}

impl Pace {
    /// Between two looks, of which neither found what is waited for.
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

    /// Whether others may be late, so that it is worth to look for who has left.
    pub(super) fn is_long(&self) -> bool {
        self.began.is_some() && self.looks.is_multiple_of(BURST)
    }
}
