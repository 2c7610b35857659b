//! The requests of a member, and where they lie.

use phalanx_device::Slice;

/// The alignment of pieces of memory.
const ALIGNMENT: usize = 256;
/// The most members among which a GPU can deal.
pub(super) const MOST_MEMBERS: usize = 8192;

/// What is done at the positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Elements are read. A negative position counts from the end of the axis, and a position
    /// outside becomes the nearest one inside. Positions in the block of the member `own` need no
    /// request.
    Read {
        /// The member that deals.
        own: usize,
    },
    /// Elements are written. Positions outside of the axis are left out.
    Write,
}

/// A member's positions of a split axis, and the members that own them.
///
/// A *member* is one of the devices among which an axis is split. The positions are dealt in rounds
/// of `of_round`. In each round, a position in another member's block becomes a request: a number
/// of type `i32`, or `i64` if `is_wide`. The requests of a round are ordered by owner, and then as
/// the positions are. The *slot* of a position, of the same type, is the place of its request, or
/// `!request` if it has none because the block is the member's own, or the least number if it is
/// left out.
///
/// Without `lines`, a request is a position in the owner's block. With them, the positions are
/// those of lines, and a request is the place of an element in the owner's block in C order.
#[derive(Clone, Debug)]
pub struct Requests {
    /// The first position of each member's block, ascending, and the extent of the axis.
    pub starts: Vec<u64>,
    /// What is done at the positions.
    pub purpose: Purpose,
    /// If each line has positions of its own: how many these are, and how many lines lie side by
    /// side.
    pub lines: Option<[usize; 2]>,
    /// The number of positions.
    pub count: usize,
    /// The number of positions of a round but the last.
    pub of_round: usize,
    /// Whether requests and slots take eight bytes instead of four.
    pub is_wide: bool,
    /// The stretches of a row that is read; 1 for values that are written.
    pub outer: usize,
    /// The bytes of a row in a stretch, or of a value.
    pub bytes: usize,
}

/// Where the requests of each tile of positions begin.
pub struct Dealt {
    /// For each round, for each member, for each tile of the round: the number of requests of the
    /// round before those; after them, the number of all of the round. Numbers are `u32`.
    pub(super) offsets: Slice,
    /// For each round, for each member: the number of requests before those to the member; after
    /// them, that of all.
    pub(super) starts: Vec<usize>,
    /// The first positions of the members, and the starts, in a GPU's memory.
    pub(super) firsts: Slice,
    pub(super) written: Slice,
    pub(super) members: usize,
}

impl Dealt {
    /// The places of the requests of a round to each member, and the number of all.
    pub fn of_round(&self, round: usize) -> &[usize] {
        &self.starts[round * (self.members + 1)..][..=self.members]
    }
}

impl Requests {
    /// The number of members.
    pub fn members(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of a request or slot.
    pub fn item(&self) -> usize {
        if self.is_wide { 8 } else { 4 }
    }

    /// The bytes of a whole row.
    pub fn row(&self) -> usize {
        self.outer * self.bytes
    }

    /// The number of rounds of this member.
    pub fn rounds(&self) -> usize {
        self.count.div_ceil(self.of_round.max(1))
    }

    /// The positions of a round: the first, and how many.
    pub(super) fn round(&self, round: usize) -> (usize, usize) {
        let first = (round * self.of_round).min(self.count);
        (first, self.of_round.min(self.count - first))
    }

    /// The number of positions that are counted together: few enough for many threads, unless there
    /// are many members, because a tile has a number for each.
    pub(super) fn tile(&self) -> usize {
        let of_thread = self.of_round >> 14;
        of_thread.clamp(1 << 10, 1 << 13).max(64 * self.members()).next_power_of_two()
    }

    /// The number of tiles of a round.
    pub(super) fn tiles(&self) -> usize {
        self.of_round.min(self.count).div_ceil(self.tile())
    }

    /// The bytes of the offsets, of the first positions, and of the starts, which a GPU writes.
    pub(super) fn pieces(&self) -> [usize; 3] {
        let (rounds, ends) = (self.rounds(), self.starts.len());
        [4 * rounds * self.stride(), 8 * ends, 4 * rounds * ends]
            .map(|bytes| bytes.next_multiple_of(ALIGNMENT))
    }

    /// The bytes of memory for dealing; for more positions, these are not fewer.
    pub fn room(&self) -> usize {
        self.pieces().iter().sum()
    }

    /// The length of the offsets of a round.
    pub(super) fn stride(&self) -> usize {
        self.members() * self.tiles() + 1
    }

    /// The member whose positions need no request.
    pub(super) fn own(&self) -> Option<usize> {
        match self.purpose {
            Purpose::Read { own } => Some(own),
            Purpose::Write => None,
        }
    }
}
