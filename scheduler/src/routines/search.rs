//! Searching in a sorted vector that is split: the members send each value to the member in whose
//! block it belongs, which answers with its place.

use super::call::{CollectiveRoutine, RoutineCall};
use super::requests::{SMALL, largest_blocks, messages, starts};
use super::windows::Windows;
use crate::error::RunError;
use crate::gathering::{all_to_all, largest, wait};
use phalanx_device::{Buffer, Device, Slice};
use phalanx_kernels::Missing;
use phalanx_kernels::structured::requests::{Purpose, Requests};
use phalanx_kernels::structured::{self, Block, search};
use phalanx_ops::structured::Operand;
use phalanx_ops::{Bytes, DType, Shape, Structured};
use std::ops::Range;
use std::sync::Arc;

/// The routine of `Structured::SearchSorted`.
///
/// A value belongs in the last block whose first element stands before it. If a member receives
/// more than twice its share of the values, it receives and answers them in parts.
pub(super) struct Searches;

/// The sizes of a search. All members have the same.
struct Sizes {
    /// The most values of a member.
    values: usize,
    /// The bytes of a value.
    value: usize,
}

const PLACE: usize = size_of::<i64>();

impl Sizes {
    /// Of operands whose blocks do not exceed these extents.
    fn of(largest: &[Operand<'_>]) -> Option<Sizes> {
        let [_, (values, dtype)] = largest else { return None };
        Some(Sizes { values: values.iter().product(), value: dtype.size() })
    }

    /// The values of a member as requests to their owners.
    fn requests(&self, members: usize, count: usize) -> Requests {
        Requests {
            // The positions are the members themselves.
            starts: (0..=members as u64).collect(),
            purpose: Purpose::Write,
            lines: None,
            count,
            of_round: self.values.max(1),
            is_wide: true,
            outer: 1,
            bytes: self.value,
        }
    }

    /// From how many on the values for a member are received in parts.
    fn most(&self) -> usize {
        (2 * self.values).max(SMALL / (PLACE + self.value))
    }

    /// The bytes of the first elements of blocks, the slots, the values that leave, their places,
    /// the values that arrive, and the places of these.
    fn memory(&self, members: usize) -> [usize; 6] {
        let received = self.most().min(members * self.values);
        let (values, value) = (self.values, self.value);
        let sent = [members * value, values * PLACE, values * value, values * PLACE];
        let [firsts, slots, leaving, places] = sent;
        [firsts, slots, leaving, places, received * value, received * PLACE]
    }
}

impl Searches {
    /// The memory for a search.
    pub(super) fn room(largest: &[Operand<'_>], members: usize) -> Vec<Bytes> {
        let Some(sizes) = Sizes::of(largest) else { return Vec::new() };
        let dealing = sizes.requests(members, sizes.values).room();
        [dealing].into_iter().chain(sizes.memory(members)).map(Bytes).collect()
    }
}

impl CollectiveRoutine for Searches {
    fn run(&self, call: &RoutineCall<'_>) -> Result<(), RunError> {
        let unlike = || RunError::Bug { message: format!("{} is a search", call.op.name()) };
        let (Structured::SearchSorted(op), [vector, values]) = (call.op, call.operands) else {
            return Err(unlike());
        };
        let sizes = Sizes::of(&largest_blocks(call.operands, call.largest)).ok_or_else(unlike)?;
        let [dealing, firsts, slots, leaving, answered, arrived, answers] = call.room else {
            return Err(unlike());
        };
        let (members, count) = (call.communicator.size(), values.len());
        let first = starts(call, vector, 0)?[call.communicator.rank()];
        let bounds = bounds(call, vector)?;
        let requests = sizes.requests(members, count);
        // The owners of the values lie in the memory of the result until the places come.
        let owners = call.to;
        if count > 0 {
            firsts.buffer.write(firsts.offset, &bounds);
            let shape = [bounds.len() / vector.dtype.size()];
            let firsts = Block { buffer: &firsts.buffer, shape: &shape, ..*vector };
            search::run_on(*op, 0, &[firsts, *values], owners, call.device)?;
        }
        let dealt = requests.deal(owners, dealing, call.device)?;
        let nothing = vec![0; members + 1];
        let starts = if count > 0 { dealt.of_round(0) } else { &nothing };
        let counts: Vec<usize> = starts.windows(2).map(|part| part[1] - part[0]).collect();
        let arriving = all_to_all(call.communicator, &counts)?;
        let total: usize = arriving.iter().sum();
        let parts = largest(call.communicator, &[total])?[0].div_ceil(sizes.most()).max(1);
        if count > 0 {
            requests.write((&dealt, 0), owners, [answered, slots], call.device)?;
            requests.carry(0, slots, [&values.memory(), leaving], call.device)?;
        }
        let windows = Windows::of(call, &arriving, parts)?;
        for part in 0..parts {
            let [leave, arrive] = windows.of_part(starts, part);
            let end = arrive.last().map_or(0, |range| range.end);
            let exchange = |send: (&Slice, &[Range<usize>]), receive: (&Slice, _), item| {
                call.exchange(messages(send.0, send.1, item), messages(receive.0, receive.1, item))
            };
            exchange((leaving, &leave), (arrived, &arrive), sizes.value)?;
            let shape = [end];
            let values = Block { buffer: &arrived.buffer, shape: &shape, ..*vector };
            let places = Block { buffer: &answers.buffer, dtype: DType::I64, ..values };
            search::run_on(*op, first, &[*vector, values], &places, call.device)?;
            exchange((answers, &arrive), (answered, &leave), PLACE)?;
        }
        if count > 0 {
            let places = Requests { bytes: PLACE, ..requests };
            let from = [answered, answered, &call.to.memory()];
            places.place((count, 0), slots, from, call.device)?;
        }
        Ok(())
    }

    fn missing(
        &self,
        op: &Structured,
        (operands, _): (&[Block<'_>], &[Shape]),
        to: &Block<'_>,
        device: &Arc<dyn Device>,
    ) -> Vec<Missing<'static>> {
        let [vector, values] = operands else { return Vec::new() };
        let mut missing = Requests::missing(true, values.dtype.size(), device);
        missing.extend(Requests::missing(true, PLACE, device));
        let one = [1];
        let values = Block { shape: &one, ..*values };
        let to = Block { shape: &one, ..*to };
        missing.extend(structured::missing(op, &[*vector, values], &to, device));
        missing
    }
}

/// For each member but the first, up to the last one that has a block, the first element of the
/// vector that is not in the blocks before its own. So as many of them stand before a value as
/// there are members before its owner. Collective. Errors: those of the communicator.
fn bounds(call: &RoutineCall<'_>, vector: &Block<'_>) -> Result<Vec<u8>, RunError> {
    let (members, item) = (call.communicator.size(), vector.dtype.size());
    // The first element follows a number that says whether there is one.
    let mut own = vec![0; 1 + item];
    if !vector.is_empty() {
        own[0] = 1;
        vector.buffer.read(0, &mut own[1..]);
    }
    let (own, all) = (Buffer::from_vec(own), Buffer::from_vec(vec![0u8; members * (1 + item)]));
    wait(&call.communicator.all_gather(&own.whole(), &all.whole())?)?;
    let mut bytes = vec![0; all.len()];
    all.read(0, &mut bytes);
    let mut bounds: Vec<&[u8]> = Vec::new();
    let mut next = None;
    for known in bytes.chunks_exact(1 + item).skip(1).rev() {
        next = if known[0] == 1 { Some(&known[1..]) } else { next };
        bounds.extend(next);
    }
    Ok(bounds.into_iter().rev().flatten().copied().collect())
}
