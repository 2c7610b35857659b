//! The current lane block: its rows, the addresses of its SIMD lanes, and how guards cover it.

use crate::cpu::layout::{LaneGuard, Lanes};
use crate::ir::AccessId;
use smallvec::SmallVec;

/// A run of SIMD lanes along the innermost group of axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The first SIMD lane.
    pub lane: usize,
    pub count: usize,
}

/// How much of a lane block is inside a guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cover {
    All,
    Part,
    None,
}

/// How an access reaches the SIMD lanes of a lane block.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// Bytes from one SIMD lane to the next, inside a piece or everywhere.
    pub stride: isize,
    /// Whether the stride holds across pieces.
    pub even: bool,
    /// Whether the SIMD lanes are one contiguous run of elements.
    pub contiguous: bool,
    /// The byte offset of each piece from SIMD lane 0, unless the access is even.
    pub starts: Vec<isize>,
    /// The byte offset of SIMD lane 0 from position 0 of all lane axes.
    pub start: isize,
    /// In a tile, the bytes from one row to the next if they are fewer than between
    /// SIMD lanes.
    pub down: Option<isize>,
}

/// The SIMD lanes that executor steps currently work on.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub count: usize,
    pub pieces: Vec<Piece>,
    /// The position along each group of the first SIMD lane of each piece.
    positions: Vec<usize>,
    groups: usize,
    /// By access.
    pub reach: Vec<Reach>,
    /// By guard, how much of the lane block is inside along the lane axes.
    pub covers: Vec<Cover>,
    /// The first SIMD lane and the number of lanes, if they are consecutive.
    consecutive: Option<(usize, usize)>,
    /// Whether the pieces are those of the last lane block in other rows.
    moved: bool,
}

impl Block {
    pub fn new(accesses: usize, guards: usize) -> Block {
        Block {
            reach: vec![Reach::default(); accesses],
            covers: vec![Cover::All; guards],
            ..Block::default()
        }
    }

    /// The position along each group of the first SIMD lane of a piece.
    pub fn position(&self, piece: usize) -> &[usize] {
        &self.positions[piece * self.groups..][..self.groups]
    }

    /// Lays out `count` consecutive SIMD lanes from position `start` on. Returns false if they are
    /// laid out already.
    pub fn consecutive(&mut self, lanes: &Lanes, start: usize, count: usize) -> bool {
        if self.consecutive == Some((start, count)) {
            self.count = count;
            return false;
        }
        if self.advances(lanes, start, count) {
            return true;
        }
        self.begin(lanes, count);
        self.consecutive = Some((start, count));
        let mut position: SmallVec<[usize; 8]> = SmallVec::from_elem(0, self.groups);
        let mut rest = start;
        for (at, group) in lanes.groups.iter().enumerate().rev() {
            position[at] = if at == 0 { rest } else { rest % group.extent };
            rest /= group.extent;
        }
        let columns = lanes.columns();
        let mut lane = 0;
        while lane < count {
            let run = (columns - position[self.groups - 1]).min(count - lane);
            self.piece(lane, run, &position);
            lane += run;
            position[self.groups - 1] = 0;
            for at in (0..self.groups - 1).rev() {
                position[at] += 1;
                if position[at] < lanes.groups[at].extent || at == 0 {
                    break;
                }
                position[at] = 0;
            }
        }
        true
    }

    /// Lays out consecutive SIMD lanes that cut rows as the last ones did, if they do: the pieces
    /// stay, and so do the distances between them.
    fn advances(&mut self, lanes: &Lanes, start: usize, count: usize) -> bool {
        let columns = lanes.columns();
        let Some((last, width)) = self.consecutive else { return false };
        self.moved = self.groups == 2
            && lanes.groups.len() == 2
            && width == count
            && start.abs_diff(last).is_multiple_of(columns);
        if !self.moved {
            return false;
        }
        self.count = count;
        self.consecutive = Some((start, count));
        let (old, new) = (last / columns, start / columns);
        for position in self.positions.chunks_exact_mut(2) {
            position[0] = position[0] - old + new;
        }
        true
    }

    /// Lays out tile number `tile` of `rows` by `columns` points of the two innermost groups.
    pub fn tile(&mut self, lanes: &Lanes, (rows, columns): (usize, usize), tile: usize) {
        let last = lanes.groups.len() - 1;
        let extent = [lanes.groups[last - 1].extent, lanes.groups[last].extent];
        let across = extent[1].div_ceil(columns);
        let down = extent[0].div_ceil(rows);
        let (row, column) = match rows {
            1 => (tile % down, tile / down % across),
            _ => (tile / across % down, tile % across),
        };
        let (row, column) = (row * rows, column * columns);
        let (rows, columns) = (rows.min(extent[0] - row), columns.min(extent[1] - column));
        self.begin(lanes, rows * columns);
        let mut position: SmallVec<[usize; 8]> = SmallVec::from_elem(0, self.groups);
        let mut rest = tile / (across * down);
        for at in (0..last - 1).rev() {
            position[at] = rest % lanes.groups[at].extent;
            rest /= lanes.groups[at].extent;
        }
        position[last] = column;
        for at in 0..rows {
            position[last - 1] = row + at;
            self.piece(at * columns, columns, &position);
        }
    }

    fn begin(&mut self, lanes: &Lanes, count: usize) {
        self.count = count;
        self.moved = false;
        self.consecutive = None;
        self.groups = lanes.groups.len();
        self.pieces.clear();
        self.positions.clear();
    }

    fn piece(&mut self, lane: usize, count: usize, position: &[usize]) {
        self.pieces.push(Piece { lane, count });
        // There may be a piece for every few elements, and a call of `memcpy` takes longer than
        // two writes.
        match *position {
            [row, column] => {
                self.positions.push(row);
                self.positions.push(column);
            }
            _ => self.positions.extend_from_slice(position),
        }
    }

    /// Computes how an access of `size`-byte elements, number `at` of the phase, reaches the SIMD
    /// lanes.
    pub fn reach(&mut self, lanes: &Lanes, at: usize, access: AccessId, size: usize) {
        let strides = lanes.strides(at);
        let offset = |position: &[usize]| -> isize {
            position
                .iter()
                .zip(strides)
                .map(|(&position, &stride)| position as isize * stride)
                .sum()
        };
        let (positions, groups) = (&self.positions, self.groups);
        let start = offset(&positions[..groups]);
        let reach = &mut self.reach[access.index()];
        reach.start = start;
        if self.moved {
            return;
        }
        reach.stride = strides[groups - 1];
        let consecutive = lanes.tile.is_none() && lanes.linear[at].is_some();
        reach.even = self.pieces.len() == 1 || consecutive;
        reach.contiguous = reach.even && reach.stride == size as isize;
        reach.down = None;
        if !reach.even {
            let down = strides[groups - 2];
            let across = lanes.tile.is_some() && down.unsigned_abs() < reach.stride.unsigned_abs();
            reach.down = across.then_some(down);
            reach.starts.clear();
            // Most layouts have two groups; a loop of known length over the groups is faster.
            if let &[down, across] = strides {
                let places = positions.chunks_exact(2);
                let offset =
                    |place: &[usize]| place[0] as isize * down + place[1] as isize * across;
                reach.starts.extend(places.map(|place| offset(place) - start));
            } else {
                let places = positions.chunks_exact(groups);
                reach.starts.extend(places.map(|place| offset(place) - start));
            }
        }
    }

    /// How much of the lane block is inside the guard along the lane axes.
    pub fn cover(&self, guard: &LaneGuard) -> Cover {
        let mut all = true;
        let mut any = false;
        for (at, piece) in self.pieces.iter().enumerate() {
            let (low, high) = self.inside(guard, at);
            any |= low < high;
            all &= low == 0 && high == piece.count;
        }
        match (all, any) {
            (true, _) => Cover::All,
            (false, true) => Cover::Part,
            (false, false) => Cover::None,
        }
    }

    /// The part `low..high` of a piece that is inside the guard along the lane axes.
    pub fn inside(&self, guard: &LaneGuard, piece: usize) -> (usize, usize) {
        let position = self.position(piece);
        let count = self.pieces[piece].count;
        let (mut low, mut high) = (0, count);
        for &(group, start, end) in &guard.lanes {
            let at = position[group];
            if group + 1 == self.groups {
                low = low.max(start.saturating_sub(at).min(count));
                high = high.min(end.saturating_sub(at));
            } else if at < start || at >= end {
                return (0, 0);
            }
        }
        if low < high { (low, high) } else { (0, 0) }
    }
}
