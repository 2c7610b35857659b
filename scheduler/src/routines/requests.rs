//! What reads and writes by requests have in common: the members' blocks of the axis, and the
//! numbers of requests that they send each other.

use super::call::RoutineCall;
use crate::error::RunError;
use crate::gathering::{gather, wait};
use phalanx_device::Buffer;
use phalanx_kernels::structured::Block;
use phalanx_ops::{DType, Monoid};

/// The least memory for requests that arrive at once.
pub(super) const SMALL: usize = 1 << 20;

/// The first position of each member's block of the axis, and the extent of the axis. Collective.
/// Errors: those of the communicator; a bug if the blocks do not follow each other.
pub(super) fn starts(
    call: &RoutineCall<'_>,
    owned: &Block<'_>,
    axis: usize,
) -> Result<Vec<u64>, RunError> {
    let all = gather(call.communicator, &[owned.origin[axis], owned.shape[axis]])?;
    let (all, _) = all.as_chunks::<2>();
    let mut starts = vec![0];
    for [start, extent] in all {
        let end = starts[starts.len() - 1];
        if *extent > 0 && *start as u64 != end {
            let message = format!("the block of {} begins at {start}, not {end}", call.op.name());
            return Err(RunError::Bug { message });
        }
        starts.push(end + *extent as u64);
    }
    Ok(starts)
}

/// Sends `of_each` numbers to each member, and receives as many from each. Collective.
pub(super) fn all_to_all(
    call: &RoutineCall<'_>,
    numbers: &[usize],
    of_each: usize,
) -> Result<Vec<usize>, RunError> {
    let counts = vec![8 * of_each; call.communicator.size()];
    let send = Buffer::from_vec(numbers.iter().map(|&number| number as u64).collect::<Vec<_>>());
    let receive = Buffer::from_vec(vec![0u64; numbers.len()]);
    let event =
        call.communicator.all_to_all_v(&send.whole(), &counts, &receive.whole(), &counts)?;
    wait(&event)?;
    let mut bytes = vec![0; receive.len()];
    receive.read(0, &mut bytes);
    let (words, _) = bytes.as_chunks::<8>();
    Ok(words.iter().map(|word| u64::from_ne_bytes(*word) as usize).collect())
}

/// The largest of the members' numbers, place by place. Collective.
pub(super) fn largest(
    call: &RoutineCall<'_>,
    numbers: impl Iterator<Item = usize>,
) -> Result<Vec<usize>, RunError> {
    let data = Buffer::from_vec(numbers.map(|number| number as u64).collect::<Vec<_>>());
    wait(&call.communicator.all_reduce(&data.whole(), DType::U64, Monoid::Max)?)?;
    let mut bytes = vec![0; data.len()];
    data.read(0, &mut bytes);
    let (words, _) = bytes.as_chunks::<8>();
    Ok(words.iter().map(|word| u64::from_ne_bytes(*word) as usize).collect())
}
