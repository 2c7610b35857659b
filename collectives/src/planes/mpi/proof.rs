//! Proves whether the MPI library accepts addresses of GPU memory: asks, tries, and agrees.
//!
//! A library that does not accept them dereferences them on the host, which ends the process.
//! Therefore nothing is tried unless every library, or the user, says that it accepts them. Support
//! counts as proved only when every process has received an element from its neighbour's GPU in its
//! own. If one process meets an obstacle, all receive it before any process waits for its element.

use super::calls::{Bits, Envelope, Progress};
use super::engine::{End, Engine};
use super::obstacle::Obstacle;
use super::pace::Pace;
use super::plane::settle;
use crate::CollectiveError;
use crate::planes::HostGroup;
use crate::planes::agreement::gathered;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, Slice};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time limit for a cancelled message to end.
const WITHDRAWAL: Duration = Duration::from_millis(300);

/// The common result: the first obstacle that a process reported, with its rank.
type Proved = Result<(), (usize, Obstacle)>;

/// The first obstacle that a process reported.
fn first_obstacle(codes: &[Vec<u8>]) -> Proved {
    let obstacle = |(rank, code): (usize, &Vec<u8>)| Some((rank, Obstacle::of(code[0])?));
    codes.iter().enumerate().find_map(obstacle).map_or(Ok(()), Err)
}

/// Finds out whether MPI carries the memory of the processes' GPUs directly; else which process has
/// which obstacle. `forced` is the user's setting for this library, `most` the largest number of
/// devices of a process, and `seed` a number that all know. Collective over `processes`, the first
/// devices of all processes.
///
/// Errors: the error that ended the world.
pub(crate) fn prove(
    engine: &Engine,
    processes: &HostGroup,
    gpus: &[Arc<CudaDevice>],
    most: usize,
    forced: Option<bool>,
    (seed, limit): (u64, Duration),
) -> Result<Proved, CollectiveError> {
    let agree = |own: Result<(), Obstacle>| -> Result<_, CollectiveError> {
        Ok(first_obstacle(&gathered(processes, &[Obstacle::code(own)])?))
    };
    let may = Obstacle::before(forced, engine.mpi.calls.takes_device_memory());
    let may = may.and_then(|()| engine.mpi.only.map_or(Ok(()), |_| Err(Obstacle::Threads)));
    if let Err(obstacle) = agree(may)? {
        return Ok(Err(obstacle));
    }
    // Permanent: requests may stay with the library even if the proof fails.
    engine.use_gpu(&gpus[0]);
    // Every GPU has a turn; GPUs of processes with fewer devices have several.
    for turn in 0..most {
        let gpu = &gpus[turn % gpus.len()];
        let value = |rank: usize| element(seed, rank, turn);
        let proved = in_step(
            &agree,
            || prepare(processes, gpu, &value),
            |elements| engine.start_apart(around_the_ring(processes), elements),
            |apart, all_started| {
                engine.end_apart(apart, if all_started { limit } else { Duration::ZERO })
            },
            |elements| elements.check(&value, processes),
        )?;
        if proved.is_err() {
            return Ok(proved);
        }
    }
    Ok(Ok(()))
}

/// Runs one turn in stages. No process starts an exchange before all are ready, or waits for one
/// that some process has not started. `end` receives whether all have started.
fn in_step<R, S, E>(
    agree: &dyn Fn(Result<(), Obstacle>) -> Result<Proved, E>,
    prepare: impl FnOnce() -> Result<R, Obstacle>,
    start: impl FnOnce(&R) -> Result<S, Obstacle>,
    end: impl FnOnce(S, bool) -> Result<(), Obstacle>,
    check: impl FnOnce(&R) -> Result<(), Obstacle>,
) -> Result<Proved, E> {
    let ready = prepare();
    let agreed = agree(ready.as_ref().map(drop).map_err(|obstacle| *obstacle))?;
    let (Ok(ready), Ok(())) = (ready, agreed) else { return Ok(agreed) };
    let started = start(&ready);
    let agreed = agree(started.as_ref().map(drop).map_err(|obstacle| *obstacle));
    let all_started = matches!(agreed, Ok(Ok(())));
    // Also if the world has failed: a started exchange must end.
    let ended = started.and_then(|started| end(started, all_started));
    if !all_started {
        return agreed;
    }
    agree(ended.and_then(|()| check(&ready)))
}

/// The element that a process sends in a turn.
fn element(seed: u64, rank: usize, turn: usize) -> u64 {
    (seed ^ (rank as u64) << 32 ^ turn as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The next process, to which this one sends, and the previous one, from which it receives.
fn around_the_ring(processes: &HostGroup) -> [usize; 2] {
    let (rank, size) = (processes.group.rank, processes.group.size());
    [(rank + 1) % size, (rank + size - 1) % size]
}

/// An element to send and the memory for another one, both on a GPU.
struct Elements {
    sent: Slice,
    place: Slice,
}

/// Makes the elements of a turn and waits until the GPU has written them.
fn prepare(
    processes: &HostGroup,
    gpu: &Arc<CudaDevice>,
    value: &dyn Fn(usize) -> u64,
) -> Result<Elements, Obstacle> {
    let [_, previous] = around_the_ring(processes);
    let device: Arc<dyn Device> = gpu.clone();
    let upload = |value: u64| {
        device.upload(&value.to_ne_bytes()).map(|buffer| buffer.whole()).map_err(|error| {
            tracing::debug!(%error, "no element of GPU memory");
            Obstacle::Memory
        })
    };
    let elements =
        Elements { sent: upload(value(processes.group.rank))?, place: upload(!value(previous))? };
    settle(gpu, &processes.group.fabric).map_err(|_| Obstacle::Memory)?;
    Ok(elements)
}

impl Elements {
    /// Checks that the element of the previous process has arrived.
    fn check(&self, value: &dyn Fn(usize) -> u64, processes: &HostGroup) -> Result<(), Obstacle> {
        let [_, previous] = around_the_ring(processes);
        let mut bytes = [0; 8];
        self.place.buffer.read(self.place.offset, &mut bytes);
        if u64::from_ne_bytes(bytes) == value(previous) { Ok(()) } else { Err(Obstacle::Wrong) }
    }
}

/// Messages outside of the world's, and the memory that they use.
struct Apart {
    requests: Vec<(Bits, End)>,
    kept: [Slice; 2],
}

fn refused(error: &CollectiveError) -> Obstacle {
    tracing::debug!(%error, "the proof of MPI on GPUs");
    Obstacle::Refused
}

impl Engine {
    /// Starts to send an element to one process and to receive one from another, with a tag that no
    /// communicator group uses. An error does not affect the world.
    fn start_apart(
        &self,
        [to, from]: [usize; 2],
        Elements { sent, place }: &Elements,
    ) -> Result<Apart, Obstacle> {
        let envelope = |process| Envelope {
            communicator: self.communicator,
            process,
            tag: i32::try_from(self.tag_limit).unwrap_or(i32::MAX),
        };
        // SAFETY: the slices are whole buffers of the caller's, which leaves them alone; should a
        // request not end, they are kept for ever (`end_apart`).
        let receive =
            self.call(|calls| unsafe { calls.receive(&envelope(from), place.as_ptr(), place.len) });
        let receive = (receive.map_err(|error| refused(&error))?, End::Receive);
        let mut apart =
            Apart { requests: vec![receive], kept: [sent, place].map(|slice| slice.clone()) };
        // SAFETY: as above.
        let send = self.call(|calls| unsafe { calls.send(&envelope(to), sent.as_ptr(), sent.len) });
        match send {
            Ok(send) => apart.requests.push((send, End::Send)),
            Err(error) => {
                // This process will not wait for the received element.
                let _ = self.end_apart(apart, Duration::ZERO);
                return Err(refused(&error));
            }
        }
        Ok(apart)
    }

    /// Waits for messages and cancels them after the limit. A message that does not end keeps its
    /// memory for ever.
    fn end_apart(&self, mut apart: Apart, limit: Duration) -> Result<(), Obstacle> {
        let mut outcome = Ok(());
        let mut deadline = Instant::now() + limit;
        let mut is_withdrawn = false;
        let mut pace = Pace::default();
        loop {
            let is_pending = |(request, _): &mut (Bits, End)| {
                match self.call(|calls| calls.test(request)) {
                    Progress::Pending => return true,
                    Progress::Done(_) => {}
                    Progress::Truncated(_) => outcome = Err(Obstacle::Refused),
                    Progress::Failed(error) => outcome = Err(refused(&error)),
                }
                false
            };
            apart.requests.retain_mut(is_pending);
            if apart.requests.is_empty() {
                return outcome;
            }
            let is_late = Instant::now() > deadline || self.failure.is_set();
            if is_late && is_withdrawn {
                std::mem::forget(apart.kept);
                return Err(Obstacle::Late);
            }
            if is_late {
                outcome = Err(Obstacle::Late);
                is_withdrawn = true;
                deadline = Instant::now() + WITHDRAWAL;
                let receives = apart.requests.iter_mut().filter(|(_, end)| *end == End::Receive);
                for (request, _) in receives {
                    self.call(|calls| calls.cancel(request));
                }
            }
            pace.pause();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Barrier, Mutex};

    #[test]
    fn the_first_reported_obstacle_is_that_of_all() {
        for obstacle in Obstacle::ALL {
            let code = Obstacle::code(Err(obstacle));
            assert_eq!(Obstacle::of(code), Some(obstacle));
            let codes = [vec![0], vec![code], vec![Obstacle::code(Err(Obstacle::Late))]];
            assert_eq!(first_obstacle(&codes), Err((1, obstacle)));
        }
        assert_eq!((Obstacle::code(Ok(())), Obstacle::of(0)), (0, None));
        assert_eq!(first_obstacle(&[vec![0], vec![0]]), Ok(()));
    }

    /// Whether a process must wait for the exchange, rather than end it at once; `None` if
    /// it has not started one.
    type Waited = Option<bool>;

    /// The outcome of a turn on three ranks if rank 1 meets the obstacle in this stage.
    fn turn(fails_in: usize) -> [(Proved, Waited); 3] {
        let (met, codes) = (Barrier::new(3), Mutex::new([0u8; 3]));
        let agree = |rank: usize, own| {
            codes.lock().unwrap()[rank] = Obstacle::code(own);
            met.wait();
            let all = codes.lock().unwrap().map(|code| vec![code]);
            met.wait();
            Ok::<_, CollectiveError>(first_obstacle(&all))
        };
        let run = |rank: usize| {
            let mut waited = None;
            let outcome = |step| {
                if step == fails_in && rank == 1 {
                    Err([Obstacle::Memory, Obstacle::Refused, Obstacle::Late, Obstacle::Wrong]
                        [step])
                } else {
                    Ok(())
                }
            };
            let end = |(), all_started: bool| {
                waited = Some(all_started);
                outcome(2)
            };
            let agree = |own| agree(rank, own);
            let proved = in_step(&agree, || outcome(0), |()| outcome(1), end, |()| outcome(3));
            (proved.unwrap(), waited)
        };
        let run = &run;
        std::thread::scope(|scope| {
            [0, 1, 2].map(|rank| scope.spawn(move || run(rank))).map(|rank| rank.join().unwrap())
        })
    }

    #[test]
    fn no_process_waits_for_an_element_of_one_with_an_obstacle() {
        let no_memory = Err((1, Obstacle::Memory));
        assert_eq!(turn(0), [(no_memory, None); 3]);
        // The exchanges that the others have started end at once.
        let refused = Err((1, Obstacle::Refused));
        let withdrawn = (refused, Some(false));
        assert_eq!(turn(1), [withdrawn, (refused, None), withdrawn]);
        assert_eq!(turn(2), [(Err((1, Obstacle::Late)), Some(true)); 3]);
        assert_eq!(turn(3), [(Err((1, Obstacle::Wrong)), Some(true)); 3]);
        assert_eq!(turn(4), [(Ok(()), Some(true)); 3]);
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
