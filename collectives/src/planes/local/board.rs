//! The board on which the members of a local communicator group show each other their memory.

use super::barrier::Barrier;
use crate::failure::Failure;
use crate::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use crate::{CollectiveError, Operation};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Data up to this length is copied into the notice, which saves the second barrier.
pub(super) const INLINE_BYTES: usize = 512;

/// The boards of a process, by communicator group.
#[derive(Debug, Default)]
pub(crate) struct Boards(Mutex<HashMap<u64, Weak<Board>>>);

/// The notice board of a communicator group whose members are all in one process.
///
/// A member pins a notice, all meet at the barrier, then all read. The notices of two consecutive
/// operations use different turns, so a notice is overwritten only after the next barrier, when all
/// have read it. Memory that a notice points to may be read until its owner leaves, and all leave
/// together (`Visit`). The memory of a member that failed before the barrier is never read, because
/// then no member passes the barrier.
#[derive(Debug)]
pub(crate) struct Board {
    barrier: Barrier,
    slots: Box<[Slot]>,
}

/// One member's notices, on separate cache lines.
#[derive(Debug)]
#[repr(align(128))]
struct Slot {
    turn: AtomicUsize,
    notices: [Pinned; 2],
}

#[derive(Debug)]
#[repr(align(128))]
struct Pinned {
    call: AtomicU64,
    agreed: AtomicU64,
    send: AtomicPtr<u8>,
    receive: AtomicPtr<u8>,
    counts: AtomicPtr<usize>,
    inline: [AtomicU64; INLINE_BYTES / 8],
}

/// The next call of a member. `detail` and `agreed` must be equal on all members; the other fields
/// need not be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notice<'a> {
    pub(super) operation: Operation,
    /// Dtype, monoid and root, packed.
    pub(super) detail: u32,
    /// A byte count.
    pub(super) agreed: u64,
    pub(super) send: *mut u8,
    pub(super) receive: *mut u8,
    pub(super) counts: &'a [usize],
}

/// The time in which members may read each other's memory. It ends for all of them together.
pub(super) struct Visit<'a> {
    board: &'a Board,
    turn: usize,
}

/// The memory that another member shows during a visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) send: *mut u8,
    pub(super) receive: *mut u8,
    pub(super) counts: *const usize,
}

impl Boards {
    /// The board of a communicator group of `members` members; the first caller makes it.
    pub(crate) fn of(&self, group: u64, members: usize) -> Arc<Board> {
        let mut boards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(board) = boards.get(&group).and_then(Weak::upgrade) {
            return board;
        }
        boards.retain(|_, board| board.strong_count() > 0);
        let board = Arc::new(Board::new(members));
        boards.insert(group, Arc::downgrade(&board));
        board
    }
}

impl Board {
    fn new(members: usize) -> Board {
        let slots = (0..members).map(|_| Slot {
            turn: AtomicUsize::new(0),
            notices: [Pinned::default(), Pinned::default()],
        });
        Board { barrier: Barrier::new(members), slots: slots.collect() }
    }

    pub(super) fn members(&self) -> usize {
        self.slots.len()
    }

    /// Pins a notice, waits for those of the others, and lets all members read each other's memory
    /// until the visit is dropped.
    pub(super) fn visit(
        &self,
        member: usize,
        notice: Notice<'_>,
        failure: &Failure,
    ) -> Result<Visit<'_>, CollectiveError> {
        let turn = self.meet(member, notice, &[], failure)?;
        Ok(Visit { board: self, turn })
    }

    /// Pins a notice with data of at most `INLINE_BYTES` and waits for those of the others. Returns
    /// the turn to read.
    pub(super) fn meet(
        &self,
        member: usize,
        notice: Notice<'_>,
        data: &[u8],
        failure: &Failure,
    ) -> Result<usize, CollectiveError> {
        failure.check()?;
        let slot = &self.slots[member];
        let turn = slot.turn.load(Ordering::Relaxed);
        slot.notices[turn].pin(notice, data);
        self.barrier.wait(failure)?;
        slot.turn.store(1 - turn, Ordering::Relaxed);
        self.compare(turn)?;
        Ok(turn)
    }

    /// All members compare the same notices, so either all of them continue or none does.
    fn compare(&self, turn: usize) -> Result<(), CollectiveError> {
        let call = |member: usize| {
            let notice = &self.slots[member].notices[turn];
            (notice.call.load(Ordering::Relaxed), notice.agreed.load(Ordering::Relaxed))
        };
        let first = call(0);
        let Some(second) = (1..self.members()).find(|member| call(*member) != first) else {
            return Ok(());
        };
        let name = |(call, agreed): (u64, u64)| {
            let operation = Operation::ALL[(call >> 32) as usize];
            format!("{operation} of {agreed} bytes (variant {:x})", call as u32)
        };
        let (first_call, second_call) = (name(first), name(call(second)));
        Err(CollectiveError::Mismatch { first: 0, first_call, second, second_call })
    }

    /// Copies the data in a member's notice.
    pub(super) fn inline(&self, member: usize, turn: usize, data: &mut [u8]) {
        let words = &self.slots[member].notices[turn].inline;
        for (bytes, word) in data.chunks_mut(8).zip(words) {
            bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes()[..bytes.len()]);
        }
    }
}

impl Visit<'_> {
    /// The memory that a member shows.
    pub(super) fn shown(&self, member: usize) -> Shown {
        let notice = &self.board.slots[member].notices[self.turn];
        Shown {
            send: notice.send.load(Ordering::Relaxed),
            receive: notice.receive.load(Ordering::Relaxed),
            counts: notice.counts.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        // Every member that passed the first barrier arrives here after a bounded amount of copying
        // and combining.
        self.board.barrier.wait_surely();
    }
}

impl Default for Pinned {
    fn default() -> Pinned {
        Pinned {
            call: AtomicU64::new(0),
            agreed: AtomicU64::new(0),
            send: AtomicPtr::default(),
            receive: AtomicPtr::default(),
            counts: AtomicPtr::default(),
            inline: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

impl Pinned {
    /// Stores a notice. The barrier that follows publishes these stores.
    fn pin(&self, notice: Notice<'_>, data: &[u8]) {
        let call = (notice.operation as u64) << 32 | u64::from(notice.detail);
        self.call.store(call, Ordering::Relaxed);
        self.agreed.store(notice.agreed, Ordering::Relaxed);
        self.send.store(notice.send, Ordering::Relaxed);
        self.receive.store(notice.receive, Ordering::Relaxed);
        self.counts.store(notice.counts.as_ptr().cast_mut(), Ordering::Relaxed);
        for (bytes, word) in data.chunks(8).zip(&self.inline) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_ne_bytes(padded), Ordering::Relaxed);
        }
    }
}
