//! Writing at positions of a split axis: the members send each other positions and values.

use super::call::{CollectiveRoutine, RoutineCall};
use super::requests::{SMALL, largest_blocks, messages, starts};
use super::windows::Windows;
use crate::error::RunError;
use crate::gathering::{all_to_all, largest};
use phalanx_device::{Buffer, Device, Slice};
use phalanx_kernels::Missing;
use phalanx_kernels::structured::requests::{Purpose, Requests};
use phalanx_kernels::structured::{self, Block};
use phalanx_ops::structured::{Operand, Put};
use phalanx_ops::{Bytes, DType, Shape, Structured};
use std::sync::Arc;

/// The routine of `Structured::Put`.
///
/// Each member orders its positions and values by owner. An owner receives them in the order of the
/// members, which is that of the operation, and writes them like a block of its own. If a member
/// receives more than twice its share, it receives and writes them in parts.
pub(super) struct Writes;

/// What a write does with each position.
struct Shapes {
    /// The most positions of a member.
    positions: usize,
    /// The bytes of a value.
    value: usize,
}

impl Shapes {
    /// Of operands whose blocks do not exceed these extents.
    fn of(largest: &[Operand<'_>]) -> Option<Shapes> {
        let [_, (positions, _), (_, value)] = largest else { return None };
        Some(Shapes { positions: positions.iter().product(), value: value.size() })
    }

    fn requests(&self, starts: Vec<u64>, count: usize, lines: Option<[usize; 2]>) -> Requests {
        Requests {
            starts,
            purpose: Purpose::Write,
            lines,
            count,
            of_round: self.positions.max(1),
            is_wide: true,
            outer: 1,
            bytes: self.value,
        }
    }

    /// From how many on the values for a member are received in parts.
    fn most(&self, requests: &Requests) -> usize {
        (2 * self.positions).max(SMALL / (requests.item() + self.value))
    }

    /// The bytes of the slots, the positions and values that leave, and those that arrive.
    fn memory(&self, requests: &Requests) -> [usize; 5] {
        let (item, count) = (requests.item(), self.positions);
        let received = self.most(requests).min(requests.members() * count);
        [count * item, count * item, count * self.value, received * item, received * self.value]
    }
}

impl Writes {
    /// The memory for a write.
    pub(super) fn room(largest: &[Operand<'_>], members: usize) -> Vec<Bytes> {
        let Some(shapes) = Shapes::of(largest) else { return Vec::new() };
        let requests = shapes.requests(vec![0; members + 1], shapes.positions, None);
        [requests.room()].into_iter().chain(shapes.memory(&requests)).map(Bytes).collect()
    }
}

impl CollectiveRoutine for Writes {
    fn run(&self, call: &RoutineCall<'_>) -> Result<(), RunError> {
        let unlike = || RunError::Bug { message: format!("{} is written", call.op.name()) };
        let (Structured::Put(put), [old, positions, values]) = (call.op, call.operands) else {
            return Err(unlike());
        };
        let shapes = Shapes::of(&largest_blocks(call.operands, call.largest)).ok_or_else(unlike)?;
        let axis = usize::from(put.axis);
        let inner: usize = old.shape[axis + 1..].iter().product();
        let outer: usize = old.shape[..axis].iter().product();
        let count = positions.len();
        let lines = (outer * inner > 1).then_some([positions.shape[axis], inner]);
        let requests = shapes.requests(starts(call, old, axis)?, count, lines);
        let [dealing, slots, sent, carried, placed, given] = call.room else {
            return Err(unlike());
        };
        let dealt = requests.deal(positions, dealing, call.device)?;
        let nothing = vec![0; requests.members() + 1];
        let starts = if count > 0 { dealt.of_round(0) } else { &nothing };
        let leaving: Vec<usize> = starts.windows(2).map(|part| part[1] - part[0]).collect();
        let arriving = all_to_all(call.communicator, &leaving)?;
        let total: usize = arriving.iter().sum();
        let (item, bytes) = (requests.item(), requests.bytes);
        let most = shapes.most(&requests);
        let parts = largest(call.communicator, &[total])?[0].div_ceil(most).max(1);
        if count > 0 {
            requests.write((&dealt, 0), positions, [sent, slots], call.device)?;
            requests.carry(0, slots, [&values.memory(), carried], call.device)?;
        }
        let windows = Windows::of(call, &arriving, parts)?;
        for part in 0..parts {
            let [leave, arrive] = windows.of_part(starts, part);
            let end = arrive.last().map_or(0, |range| range.end);
            let all = |[from, to]: [&Slice; 2], item: usize| {
                call.exchange(messages(from, &leave, item), messages(to, &arrive, item))
            };
            all([sent, placed], item)?;
            all([carried, given], bytes)?;
            if call.takes_device_memory {
                // Writing may allocate: all members have enqueued the messages.
                call.communicator.barrier()?;
            }
            let base = if part == 0 { old } else { call.to };
            write(*put, base, [(placed, DType::I64), (given, values.dtype)], end, call)?;
            if call.takes_device_memory {
                call.communicator.barrier()?;
            }
        }
        Ok(())
    }

    fn missing(
        &self,
        op: &Structured,
        (operands, largest): (&[Block<'_>], &[Shape]),
        to: &Block<'_>,
        device: &Arc<dyn Device>,
    ) -> Vec<Missing<'static>> {
        let (Structured::Put(put), [_, positions, values]) = (op, operands) else {
            return Vec::new();
        };
        let mut missing = Requests::missing(true, values.dtype.size(), device);
        let op = Structured::Put(Put { axis: 0, ..*put });
        let len = [to.len()];
        // The number of values that arrive decides about the way.
        let Some(shapes) = Shapes::of(&largest_blocks(operands, largest)) else { return missing };
        for count in [1, 2 * shapes.positions.max(SMALL)] {
            let count = [count];
            let operands = [
                Block { shape: &len, origin: &[0], ..*to },
                Block { shape: &count, origin: &[0], ..*positions },
                Block { shape: &count, origin: &[0], ..*values },
            ];
            missing.extend(structured::missing(&op, &operands, &operands[0], device));
        }
        missing
    }
}

/// Writes what has arrived to the device's own block, as to a vector.
fn write(
    put: Put,
    base: &Block<'_>,
    [positions, values]: [(&Slice, DType); 2],
    count: usize,
    call: &RoutineCall<'_>,
) -> Result<(), RunError> {
    let (len, counts) = ([call.to.len()], [count]);
    fn block<'a>(buffer: &'a Buffer, dtype: DType, shape: &'a [usize]) -> Block<'a> {
        Block { buffer, dtype, shape, origin: &[0] }
    }
    let operands = [
        block(base.buffer, base.dtype, &len),
        block(&positions.0.buffer, positions.1, &counts),
        block(&values.0.buffer, values.1, &counts),
    ];
    let to = block(call.to.buffer, call.to.dtype, &len);
    let op = Structured::Put(Put { axis: 0, ..put });
    structured::run_on(&op, &operands, &[], &to, call.device)?;
    Ok(())
}
