//! The collectives of a local communicator group: members read each other's memory.

use super::board::{Board, INLINE_BYTES, Notice, Shown, Visit};
use crate::call::Call;
use crate::chunks::part_of;
use crate::failure::Failure;
use crate::order::{Items, Order, evaluate, own_part};
use crate::{CollectiveError, Operation};
use phalanx_device::Slice;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// One member's side of a board.
///
/// Conditions that the SAFETY comments below rely on:
/// 1. Until the visit is dropped, the slices and counts of all members are alive and left alone by
///    their owners.
/// 2. The arguments were checked: every member's slices have the lengths that the counts require.
///    The counts are equal on all members.
/// 3. Each byte of a result is written by one member, and no other member reads it during the
///    visit.
#[derive(Debug)]
pub(crate) struct LocalGroup {
    board: Arc<Board>,
    rank: usize,
    failure: Arc<Failure>,
}

impl LocalGroup {
    pub(crate) fn new(board: Arc<Board>, rank: usize, failure: Arc<Failure>) -> LocalGroup {
        LocalGroup { board, rank, failure }
    }

    fn visit(&self, notice: Notice<'_>) -> Result<Visit<'_>, CollectiveError> {
        self.board.visit(self.rank, notice, &self.failure)
    }

    pub(crate) fn barrier(&self) -> Result<(), CollectiveError> {
        let notice = notice(Operation::Barrier, 0, 0);
        self.board.meet(self.rank, notice, &[], &self.failure).map(drop)
    }

    /// Performs a collective whose arguments were checked.
    pub(crate) fn collective(&self, call: Call<'_>) -> Result<(), CollectiveError> {
        match call {
            Call::AllReduce { data, items } => self.all_reduce(data, items),
            Call::Reduce { data, items, root } => self.reduce(data, items, root),
            Call::Broadcast { data, root } => self.broadcast(data, root),
            Call::AllGather { send, receive, counts } => self.all_gather(send, receive, counts),
            Call::ReduceScatter { send, receive, counts, items } => {
                self.reduce_scatter(send, receive, counts, items)
            }
            Call::AllToAll { send, send_counts, receive, receive_counts } => {
                self.all_to_all(send, send_counts, receive, receive_counts)
            }
            Call::Scatter { send, receive, counts, root } => {
                self.scatter(send, receive, counts, root)
            }
            Call::Gather { send, receive, counts, root } => {
                self.gather(send, receive, counts, root)
            }
        }
    }

    fn all_reduce(&self, data: &Slice, items: Items) -> Result<(), CollectiveError> {
        if data.len <= INLINE_BYTES {
            return self.all_reduce_inline(data, items);
        }
        let all = 0..self.board.members();
        self.reduce_to(Operation::AllReduce, detail(items, 0), data, items, all)
    }

    fn reduce(&self, data: &Slice, items: Items, root: usize) -> Result<(), CollectiveError> {
        self.reduce_to(Operation::Reduce, detail(items, root), data, items, root..root + 1)
    }

    fn all_reduce_inline(&self, data: &Slice, items: Items) -> Result<(), CollectiveError> {
        let members = self.board.members();
        // SAFETY: the caller leaves the slice alone during the call (condition 2 of `Buffer`).
        let own = unsafe { data.bytes_mut() };
        let notice = notice(Operation::AllReduce, detail(items, 0), own.len() as u64);
        let turn = self.board.meet(self.rank, notice, own, &self.failure)?;
        let mut shown = vec![0; members * own.len()];
        for (member, bytes) in shown.chunks_mut(own.len().max(1)).enumerate() {
            self.board.inline(member, turn, bytes);
        }
        let len = own.len();
        let read = |member: usize, block: Range<usize>| {
            &shown[member * len + block.start..member * len + block.end]
        };
        evaluate(items, Order::Tree, members, 0, 0..len, read, |block, bytes| {
            own[block].copy_from_slice(bytes);
        });
        Ok(())
    }

    /// Combines this member's part of all members' data and writes it into the data of every
    /// target.
    fn reduce_to(
        &self,
        operation: Operation,
        detail: u32,
        data: &Slice,
        items: Items,
        targets: Range<usize>,
    ) -> Result<(), CollectiveError> {
        let members = self.board.members();
        let mut notice = notice(operation, detail, data.len as u64);
        notice.send = data.as_ptr();
        let visit = self.visit(notice)?;
        let shown: Vec<Shown> = (0..members).map(|member| visit.shown(member)).collect();
        let part = own_part(items, data.len, members, self.rank);
        // SAFETY: conditions 1 and 2; the part is this member's alone (condition 3), and a cache
        // block is written only after the references to it have been used.
        let read = |member: usize, block: Range<usize>| unsafe { bytes(shown[member].send, block) };
        evaluate(items, Order::of(data.len), members, self.rank, part, read, |block, combined| {
            for target in targets.clone() {
                // SAFETY: as above.
                unsafe { write(combined, shown[target].send, block.start) };
            }
        });
        Ok(())
    }

    fn reduce_scatter(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        items: Items,
    ) -> Result<(), CollectiveError> {
        let members = self.board.members();
        let mut notice = notice(Operation::ReduceScatter, detail(items, 0), send.len as u64);
        notice.send = send.as_ptr();
        let visit = self.visit(notice)?;
        let shown: Vec<Shown> = (0..members).map(|member| visit.shown(member)).collect();
        let part = part_of(counts, self.rank);
        let start = part.start;
        // SAFETY: conditions 1 and 2; only this member reads the part, so `receive` may be that
        // part of `send`.
        let read = |member: usize, block: Range<usize>| unsafe { bytes(shown[member].send, block) };
        evaluate(items, Order::of(send.len), members, self.rank, part, read, |block, combined| {
            // SAFETY: as above, and `receive` is this member's own (condition 3).
            unsafe { write(combined, receive.as_ptr(), block.start - start) };
        });
        Ok(())
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<(), CollectiveError> {
        let mut notice = notice(Operation::Broadcast, root as u32, data.len as u64);
        notice.send = data.as_ptr();
        let visit = self.visit(notice)?;
        if self.rank != root {
            // SAFETY: conditions 1 to 3: `data` is written by this member only, and read on the
            // root only.
            unsafe { copy(visit.shown(root).send, 0, data.as_ptr(), 0, data.len) };
        }
        Ok(())
    }

    fn all_gather(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<(), CollectiveError> {
        let mut notice = notice(Operation::AllGather, 0, receive.len as u64);
        notice.send = send.as_ptr();
        let visit = self.visit(notice)?;
        let mut start = 0;
        for (member, count) in counts.iter().enumerate() {
            // SAFETY: conditions 1 to 3; `send` may be the own part of `receive`, which is then not
            // written.
            unsafe { copy(visit.shown(member).send, 0, receive.as_ptr(), start, *count) };
            start += count;
        }
        Ok(())
    }

    fn all_to_all(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<(), CollectiveError> {
        let members = self.board.members();
        let mut notice = notice(Operation::AllToAll, 0, 0);
        notice.send = send.as_ptr();
        notice.counts = send_counts;
        let visit = self.visit(notice)?;
        let mut start = 0;
        let mut outcome = Ok(());
        for (from, count) in receive_counts.iter().enumerate() {
            let shown = visit.shown(from);
            // SAFETY: condition 1; every member shows as many counts as the communicator group has
            // members.
            let theirs = unsafe { std::slice::from_raw_parts(shown.counts, members) };
            let part = part_of(theirs, self.rank);
            if part.len() != *count {
                let (sent, expected) = (part.len() as u64, *count as u64);
                outcome = Err(CollectiveError::Length { from, to: self.rank, sent, expected });
                break;
            }
            // SAFETY: conditions 1 to 3; the counts of both sides were compared just now.
            unsafe { copy(shown.send, part.start, receive.as_ptr(), start, *count) };
            start += count;
        }
        outcome
    }

    fn scatter(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<(), CollectiveError> {
        let total: usize = counts.iter().sum();
        let mut notice = notice(Operation::Scatter, root as u32, total as u64);
        notice.send = send.as_ptr();
        let visit = self.visit(notice)?;
        let part = part_of(counts, self.rank);
        // SAFETY: conditions 1 to 3; the root shows a slice of the total length.
        unsafe { copy(visit.shown(root).send, part.start, receive.as_ptr(), 0, part.len()) };
        Ok(())
    }

    fn gather(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<(), CollectiveError> {
        let total: usize = counts.iter().sum();
        let mut notice = notice(Operation::Gather, root as u32, total as u64);
        notice.receive = receive.as_ptr();
        let visit = self.visit(notice)?;
        let part = part_of(counts, self.rank);
        // SAFETY: conditions 1 to 3; each member writes its own part of the root's slice.
        unsafe { copy(send.as_ptr(), 0, visit.shown(root).receive, part.start, part.len()) };
        Ok(())
    }
}

fn notice(operation: Operation, detail: u32, agreed: u64) -> Notice<'static> {
    let (send, receive) = (ptr::null_mut(), ptr::null_mut());
    Notice { operation, detail, agreed, send, receive, counts: &[] }
}

/// Packs the arguments that must be equal on all members of a reduction.
fn detail(items: Items, root: usize) -> u32 {
    (items.dtype as u32) << 24 | (items.monoid as u32) << 16 | root as u32 & 0xffff
}

/// # Safety
/// `start` is valid for reads of `block` and no thread writes there while the reference is in use.
unsafe fn bytes<'a>(start: *const u8, block: Range<usize>) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(start.add(block.start), block.len()) }
}

/// # Safety
/// `target` is valid for writes of the data from `offset`, and no other thread touches it there.
unsafe fn write(data: &[u8], target: *mut u8, offset: usize) {
    // SAFETY: the caller's promise; `data` is an accumulator of this member, so there is no
    // overlap.
    unsafe { ptr::copy_nonoverlapping(data.as_ptr(), target.add(offset), data.len()) };
}

/// # Safety
/// Unless `count` is 0: both addresses are valid for `count` bytes from their offsets, no
/// thread writes the source and no other thread touches the target.
unsafe fn copy(source: *const u8, from: usize, target: *mut u8, to: usize, count: usize) {
    // In-place calls copy a part to itself; others may be reading it.
    let in_place = ptr::eq(source.wrapping_add(from), target.wrapping_add(to));
    if count > 0 && !in_place {
        // SAFETY: the caller's promise; `copy` allows overlap.
        unsafe { ptr::copy(source.add(from), target.add(to), count) };
    }
}
