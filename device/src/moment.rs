//! Moments: points in time of a device's work.

use crate::cuda::Timed;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// A point in time of a device's work.
#[derive(Clone)]
pub enum Moment {
    /// By the host's clock.
    Host(Instant),
    /// A point in a stream of a GPU. It is past when the work before it in the stream is done, and
    /// then the GPU's clock has its time.
    Stream(Arc<Timed>),
}

impl Moment {
    /// The present, by the host's clock.
    pub fn now() -> Moment {
        Moment::Host(Instant::now())
    }

    /// Seconds from another moment of the same device to this one; `None` if one of them is not
    /// past, or they have no common clock. Local.
    pub fn since(&self, earlier: &Moment) -> Option<f64> {
        match (self, earlier) {
            (Moment::Host(later), Moment::Host(earlier)) => {
                Some(match later.checked_duration_since(*earlier) {
                    Some(passed) => passed.as_secs_f64(),
                    None => -earlier.duration_since(*later).as_secs_f64(),
                })
            }
            (Moment::Stream(later), Moment::Stream(earlier)) => {
                later.since(earlier).map(|passed| f64::from(passed) / 1e3)
            }
            _ => None,
        }
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Host(at) => at.fmt(f),
            Moment::Stream(_) => f.write_str("Stream"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn time_may_run_backwards() {
        let now = Instant::now();
        let (first, second) = (Moment::Host(now), Moment::Host(now + Duration::from_millis(250)));
        assert_eq!(second.since(&first), Some(0.25));
        assert_eq!(first.since(&second), Some(-0.25));
    }
}
