//! Whether the MPI library takes addresses of GPU memory: asked, tried, and agreed by all.
//!
//! A library that does not take them follows them on the host and ends the process. So nothing is
//! tried unless every library says that it does, or the user says so; and nothing is believed until
//! every process has received an element of its neighbour's GPU in its own.

use super::calls::{Bits, Envelope, Progress};
use super::device::settle;
use super::engine::{End, Engine};
use crate::CollectiveError;
use crate::agreement::told;
use crate::group::Member;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, Slice};
use phalanx_ops::waiting::look;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a message that was withdrawn may take to end.
const WITHDRAWAL: Duration = Duration::from_millis(300);
/// The pause between two looks at messages.
const PAUSE: Duration = Duration::from_micros(50);

/// Why a library is not given addresses of GPU memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Obstacle {
    Forbidden,
    Denied,
    Silent,
    Threads,
    Memory,
    Refused,
    Late,
    Wrong,
}

impl Obstacle {
    const ALL: [Obstacle; 8] = [
        Obstacle::Forbidden,
        Obstacle::Denied,
        Obstacle::Silent,
        Obstacle::Threads,
        Obstacle::Memory,
        Obstacle::Refused,
        Obstacle::Late,
        Obstacle::Wrong,
    ];

    /// What it is, for people.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Obstacle::Forbidden => "PHALANX_MPI_CUDA is 0, or Open MPI was told to do without CUDA",
            Obstacle::Denied => "the MPI library says that it does not take GPU memory",
            Obstacle::Silent => "the MPI library does not say whether it takes GPU memory",
            Obstacle::Threads => "the MPI library lets one thread alone call it",
            Obstacle::Memory => "the GPU had no element to exchange",
            Obstacle::Refused => "the MPI library failed to exchange an element of GPU memory",
            Obstacle::Late => "an element of GPU memory did not arrive in time",
            Obstacle::Wrong => "an element of GPU memory arrived with another value",
        }
    }

    /// What is told of an outcome: 0 of one without an obstacle.
    fn code(outcome: Result<(), Obstacle>) -> u8 {
        let of = |obstacle| Obstacle::ALL.iter().position(|one| *one == obstacle);
        outcome.err().and_then(of).map_or(0, |at| at as u8 + 1)
    }

    fn of(code: u8) -> Option<Obstacle> {
        usize::from(code).checked_sub(1).and_then(|at| Obstacle::ALL.get(at)).copied()
    }

    /// What stands in the way before anything is tried, by what the user and the library say.
    pub(crate) fn before(forced: Option<bool>, says: Option<bool>) -> Result<(), Obstacle> {
        match (forced, says) {
            (Some(false), _) => Err(Obstacle::Forbidden),
            (Some(true), _) | (None, Some(true)) => Ok(()),
            (None, Some(false)) => Err(Obstacle::Denied),
            (None, None) => Err(Obstacle::Silent),
        }
    }
}

/// The first obstacle that a process has told of, with its rank.
fn first_told(codes: &[Vec<u8>]) -> Result<(), (usize, Obstacle)> {
    let told = |(rank, code): (usize, &Vec<u8>)| Some((rank, Obstacle::of(code[0])?));
    codes.iter().enumerate().find_map(told).map_or(Ok(()), Err)
}

/// Finds out whether what lies on the processes' GPUs goes by MPI as it is; else which process has
/// which obstacle. `forced` is what the user says of the library here, `most` how many devices a
/// process has at most, and `seed` a number that all know. Collective over `processes`, which are
/// the first devices of all processes.
///
/// Errors: why the world has ended.
pub(crate) fn prove(
    engine: &Engine,
    processes: &Member,
    gpus: &[Arc<CudaDevice>],
    most: usize,
    forced: Option<bool>,
    (seed, limit): (u64, Duration),
) -> Result<Result<(), (usize, Obstacle)>, CollectiveError> {
    let agree = |own: Result<(), Obstacle>| -> Result<_, CollectiveError> {
        Ok(first_told(&told(processes, &[Obstacle::code(own)])?))
    };
    let may = Obstacle::before(forced, engine.mpi.calls.takes_device_memory());
    let may = may.and_then(|()| engine.mpi.only.map_or(Ok(()), |_| Err(Obstacle::Threads)));
    if let Err(obstacle) = agree(may)? {
        return Ok(Err(obstacle));
    }
    // Every GPU has a turn; those of processes that have fewer have several.
    for turn in 0..most {
        let gpu = &gpus[turn % gpus.len()];
        let value = |rank: usize| element(seed, rank, turn);
        let outcome = around_the_ring(engine, processes, gpu, &value, limit);
        if let Err(obstacle) = agree(outcome)? {
            return Ok(Err(obstacle));
        }
    }
    Ok(Ok(()))
}

/// What a process sends in a turn.
fn element(seed: u64, rank: usize, turn: usize) -> u64 {
    (seed ^ (rank as u64) << 32 ^ turn as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Sends an element to the next process and receives one of the process before.
fn around_the_ring(
    engine: &Engine,
    processes: &Member,
    gpu: &Arc<CudaDevice>,
    value: &dyn Fn(usize) -> u64,
    limit: Duration,
) -> Result<(), Obstacle> {
    let (rank, size) = (processes.rank, processes.places.len());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let device: Arc<dyn Device> = gpu.clone();
    let upload = |value: u64| {
        device.upload(&value.to_ne_bytes()).map(|buffer| buffer.whole()).map_err(|error| {
            tracing::debug!(%error, "no element of GPU memory");
            Obstacle::Memory
        })
    };
    let (sent, place) = (upload(value(rank))?, upload(!value(previous))?);
    settle(gpu, &processes.fabric).map_err(|_| Obstacle::Memory)?;
    engine.exchange_apart([next, previous], [&sent, &place], limit)?;
    let mut bytes = [0; 8];
    place.buffer.read(place.offset, &mut bytes);
    if u64::from_ne_bytes(bytes) == value(previous) { Ok(()) } else { Err(Obstacle::Wrong) }
}

impl Engine {
    /// Sends a slice to one process and receives one from another, by a tag that no group has, and
    /// waits for both; an error stays without consequences for the world. What does not end keeps
    /// its memory for ever.
    fn exchange_apart(
        &self,
        [to, from]: [usize; 2],
        [sent, place]: [&Slice; 2],
        limit: Duration,
    ) -> Result<(), Obstacle> {
        let refused = |error: CollectiveError| {
            tracing::debug!(%error, "the proof of MPI on GPUs");
            Obstacle::Refused
        };
        let envelope = |process| Envelope {
            communicator: self.communicator,
            process,
            tag: i32::try_from(self.tag_limit).unwrap_or(i32::MAX),
        };
        // SAFETY: the slices are whole buffers of the caller's, which leaves them alone; should a
        // request not end, they are kept for ever (below).
        let receive =
            self.call(|calls| unsafe { calls.receive(&envelope(from), place.as_ptr(), place.len) });
        let mut requests = vec![(receive.map_err(refused)?, End::Receive)];
        // SAFETY: as above.
        let send = self.call(|calls| unsafe { calls.send(&envelope(to), sent.as_ptr(), sent.len) });
        match send {
            Ok(send) => requests.push((send, End::Send)),
            Err(error) => {
                std::mem::forget(place.clone());
                return Err(refused(error));
            }
        }
        let mut outcome = Ok(());
        let mut deadline = Instant::now() + limit;
        let mut is_withdrawn = false;
        while !requests.is_empty() {
            let goes_on = |(request, _): &mut (Bits, End)| {
                match self.call(|calls| calls.test(request)) {
                    Progress::Pending => return true,
                    Progress::Done(_) => {}
                    Progress::Truncated(_) => outcome = Err(Obstacle::Refused),
                    Progress::Failed(error) => outcome = Err(refused(error)),
                }
                false
            };
            requests.retain_mut(goes_on);
            let is_late = Instant::now() > deadline || self.failure.is_set();
            if is_late && is_withdrawn {
                std::mem::forget((sent.clone(), place.clone()));
                return Err(Obstacle::Late);
            }
            if is_late && !requests.is_empty() {
                outcome = Err(Obstacle::Late);
                is_withdrawn = true;
                deadline = Instant::now() + WITHDRAWAL;
                for (request, _) in requests.iter_mut().filter(|(_, end)| *end == End::Receive) {
                    self.call(|calls| calls.cancel(request));
                }
            }
            std::thread::sleep(PAUSE);
            look();
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_tried_that_the_library_does_not_say_and_the_user_does_not_force() {
        use Obstacle::{Denied, Forbidden, Silent};
        for (forced, says, expected) in [
            (None, Some(true), Ok(())),
            (None, Some(false), Err(Denied)),
            (None, None, Err(Silent)),
            (Some(true), Some(false), Ok(())),
            (Some(true), None, Ok(())),
            (Some(false), Some(true), Err(Forbidden)),
            (Some(false), None, Err(Forbidden)),
        ] {
            assert_eq!(Obstacle::before(forced, says), expected, "{forced:?} {says:?}");
        }
    }

    #[test]
    fn the_first_obstacle_that_is_told_is_that_of_all() {
        for obstacle in Obstacle::ALL {
            let code = Obstacle::code(Err(obstacle));
            assert_eq!(Obstacle::of(code), Some(obstacle));
            let told = [vec![0], vec![code], vec![Obstacle::code(Err(Obstacle::Late))]];
            assert_eq!(first_told(&told), Err((1, obstacle)));
        }
        assert_eq!((Obstacle::code(Ok(())), Obstacle::of(0)), (0, None));
        assert_eq!(first_told(&[vec![0], vec![0]]), Ok(()));
    }

    #[test]
    fn neighbours_and_turns_have_values_of_their_own() {
        let mut values: Vec<u64> =
            (0..64).flat_map(|rank| (0..8).map(move |turn| element(7, rank, turn))).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 64 * 8);
    }
}
