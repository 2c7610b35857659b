//! The time of a message, from round trips between two members.

use phalanx_collectives::{CollectiveError, Communicator, Price};
use phalanx_device::Slice;
use std::time::Instant;

/// The bytes of a short message and of a long one, which is longer between GPUs: links of some
/// hundred gigabytes a second need that.
const SHORT: usize = 8;
pub(super) const LONG: usize = 8 << 20;
pub(super) const LONG_OF_GPUS: usize = 128 << 20;
/// The number of round trips timed together, and of repetitions; the best counts.
const SHORT_TRIPS: usize = 200;
const LONG_TRIPS: usize = 3;
const REPEATS: usize = 5;

/// Allocates memory for a member's messages.
pub(super) type Memory<'a> = &'a (dyn Fn(usize) -> Result<Slice, CollectiveError> + Sync);

/// The price of a plane on the process that measured it, or why the plane cannot be used.
pub(super) type Found = Result<Option<Price>, CollectiveError>;

/// The price of messages between the first and the last member, from a short message and one of
/// `long` bytes, returned on the first. Collective.
pub(super) fn between_ends(member: &dyn Communicator, memory: Memory<'_>, long: usize) -> Found {
    let (rank, last) = (member.rank(), member.size() - 1);
    let fastest = |bytes: usize, trips: usize| -> Result<f64, CollectiveError> {
        let data = memory(bytes)?;
        let mut best = f64::INFINITY;
        // The first repetition warms up.
        for repeat in 0..=REPEATS {
            member.barrier()?;
            let begun = Instant::now();
            for _ in 0..trips {
                if rank == 0 {
                    member.send(&data, last)?.wait()?;
                    member.recv(&data, last)?.wait()?;
                } else if rank == last {
                    member.recv(&data, 0)?.wait()?;
                    member.send(&data, 0)?.wait()?;
                }
            }
            // The read waits for the work enqueued on a GPU.
            data.buffer.read(0, &mut [0; 4]);
            let seconds = begun.elapsed().as_secs_f64() / (2 * trips) as f64;
            if repeat > 0 {
                best = best.min(seconds);
            }
        }
        Ok(best)
    };
    let (latency, time) = (fastest(SHORT, SHORT_TRIPS)?, fastest(long, LONG_TRIPS)?);
    let rate = long as f64 / (time - latency).max(time / 2.0);
    Ok((rank == 0).then_some(Price { latency, rate }))
}
