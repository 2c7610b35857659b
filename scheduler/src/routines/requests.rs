//! What reads and writes by requests have in common: the members' blocks, and their messages.

use super::call::RoutineCall;
use crate::error::RunError;
use crate::gathering::gather;
use phalanx_collectives::Message;
use phalanx_device::Slice;
use phalanx_kernels::structured::Block;
use phalanx_ops::Shape;
use phalanx_ops::structured::Operand;
use std::ops::Range;

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

/// The operands of a routine with the largest extents of their blocks.
pub(super) fn largest_blocks<'a>(operands: &[Block<'_>], largest: &'a [Shape]) -> Vec<Operand<'a>> {
    largest.iter().zip(operands).map(|(shape, block)| (&**shape, block.dtype)).collect()
}

/// Messages of items of so many bytes, a range for each member.
pub(super) fn messages(memory: &Slice, ranges: &[Range<usize>], item: usize) -> Vec<Message> {
    let message = |(peer, range): (usize, &Range<usize>)| Message {
        peer,
        data: memory.slice(range.start * item, range.len() * item),
        rows: None,
    };
    ranges.iter().enumerate().map(message).collect()
}
