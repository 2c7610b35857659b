//! The clocks of ranks, compared with that of rank 0.
//!
//! Rank 0 asks each rank for its time. The answer belongs to the middle between question and
//! answer, up to half of the time between them, so the quickest of several answers counts (D. L.
//! Mills, "Internet Time Synchronization: The Network Time Protocol", 1991, section 4). Clocks are
//! compared at the start and at the end of a session, because they run at different rates.

use crate::error::RunError;
use crate::processes::Processes;
use std::time::Instant;

/// How often a rank is asked.
const ASKED: usize = 8;

/// The same moment by two clocks, in nanoseconds from the start of each rank's session.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Pair {
    own: i64,
    first: i64,
}

/// The clocks of all ranks at one time; on other ranks than rank 0 nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Clocks(Vec<Pair>);

impl Clocks {
    /// Compares the clocks. Collective over the processes.
    ///
    /// Errors: why the world ended.
    pub fn compare(processes: &Processes, origin: Instant) -> Result<Clocks, RunError> {
        let now = || origin.elapsed().as_nanos() as i64;
        if processes.rank() > 0 {
            for _ in 0..ASKED {
                processes.receive_word(0)?;
                processes.send_word(0, now() as u64)?;
            }
            return Ok(Clocks::default());
        }
        let mut pairs = vec![Pair::default()];
        for peer in 1..processes.size() {
            let mut quickest = (i64::MAX, Pair::default());
            for _ in 0..ASKED {
                let asked = now();
                processes.send_word(peer, 0)?;
                let own = processes.receive_word(peer)? as i64;
                let answered = now();
                if answered - asked < quickest.0 {
                    let first = asked + (answered - asked) / 2;
                    quickest = (answered - asked, Pair { own, first });
                }
            }
            pairs.push(quickest.1);
        }
        Ok(Clocks(pairs))
    }

    /// A time of a rank by the clock of rank 0, from a comparison before and one after.
    pub fn by_first(before: &Clocks, after: &Clocks, rank: usize, own: i64) -> i64 {
        let of = |clocks: &Clocks| clocks.0.get(rank).copied().unwrap_or_default();
        let (start, end) = (of(before), of(after));
        let (passed, of_first) = (end.own - start.own, end.first - start.first);
        // The difference of rates is small, so this keeps all digits.
        let faster = if passed > 0 { (of_first - passed) as f64 / passed as f64 } else { 0.0 };
        let since = own - start.own;
        start.first + since + (since as f64 * faster) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_started_later_and_run_faster_are_corrected() {
        let second = 1_000_000_000;
        let pairs = |own, first| Clocks(vec![Pair::default(), Pair { own, first }]);
        // Rank 1 began a second later, and its clock gains a tenth.
        let (before, after) = (pairs(0, second), pairs(11 * second, 11 * second));
        let by_first = |rank, own| Clocks::by_first(&before, &after, rank, own);
        assert_eq!(by_first(0, 5 * second), 5 * second);
        assert_eq!(by_first(1, 0), second);
        assert_eq!(by_first(1, 11 * second), 11 * second);
        let middle = by_first(1, 55 * second / 10);
        assert!((middle - 6 * second).abs() < 10, "{middle}");
        // With one comparison the rates count as equal.
        assert_eq!(Clocks::by_first(&before, &before, 1, 3 * second), 4 * second);
    }
}
