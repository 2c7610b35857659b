//! Executor steps that use memory or positions of SIMD lanes: loads, stores, indices and guards.
//!
//! The numbered conditions are those of `worker`.

use super::block::Cover;
use super::interpret::Worker;
use crate::cpu::folds::Indices;
use crate::cpu::instructions::for_each_level;
use crate::cpu::layout::LaneGuard;
use crate::cpu::program::{Load, Store, Width};
use crate::cpu::transfer;
use crate::ir::{AccessId, AxisId, GuardId};

/// The smallest piece of a lane block in bytes whose successor is fetched while it is copied.
const FETCHED: usize = 1024;

for_each_level! {
    /// Writes the integers from `first` on.
    fn ascending[][](values: &mut [i64], first: i64) {
        // A check of overflow would keep the loop out of vector registers.
        for (at, value) in values.iter_mut().enumerate() {
            *value = first.wrapping_add(at as i64);
        }
    }
}

impl<'a> Worker<'a> {
    /// The phase's split of a guard, and how it covers the lane block at the current point of all
    /// loops.
    pub(super) fn guard(&self, guard: GuardId) -> (&'a LaneGuard, Cover) {
        let guards = &self.prepared.lanes[self.state.phase].guards;
        // The guards of a phase are in ascending order, each once.
        let at = guards.binary_search_by_key(&guard, |split| split.guard);
        let split = &guards[at.expect("bug: a phase does not list a guard that it uses")];
        let met = |&(axis, low, high): &(AxisId, usize, usize)| {
            (low..high).contains(&self.state.index[axis.index()])
        };
        if split.sequential.iter().all(met) {
            (split, self.state.block.covers[guard.index()])
        } else {
            (split, Cover::None)
        }
    }

    pub(super) fn load(&mut self, load: &Load) {
        let (home, source) =
            (self.state.homes[load.output], self.state.cursors[load.access.index()]);
        let guard = load.guard.map(|guard| self.guard(guard));
        let cover = guard.map_or(Cover::All, |(_, cover)| cover);
        let count = self.count(load.width);
        self.state.pointers[load.output] = home;
        // SAFETY: conditions 1 and 2; elements outside the guard are not touched.
        unsafe {
            if cover == Cover::None && load.is_selected {
                return;
            }
            if cover == Cover::None {
                return std::ptr::write_bytes(home, 0, count * load.size);
            }
            if load.width == Width::Uniform {
                return transfer::element(load.size, source, home);
            }
            let reach = &self.state.block.reach[load.access.index()];
            if cover == Cover::All && reach.contiguous && !(load.late && self.prepared.overlap) {
                self.state.pointers[load.output] = source;
            } else if cover == Cover::All && reach.even {
                transfer::gather(load.size, source, reach.stride, home, count);
            } else if cover == Cover::All
                && let Some(down) = reach.down
            {
                // Memory is contiguous along columns of the tile, so read it column by column.
                let (rows, columns) =
                    (self.state.block.pieces.len(), self.state.block.pieces[0].count);
                for column in 0..columns {
                    let from = source.wrapping_offset(column as isize * reach.stride);
                    let to = home.add(column * load.size);
                    transfer::strided(
                        load.size,
                        from,
                        down,
                        to,
                        (columns * load.size) as isize,
                        rows,
                    );
                }
            } else if cover == Cover::All && reach.stride == 0 {
                let counts = self.state.block.pieces.iter().map(|piece| piece.count);
                let runs = reach.starts.iter().copied().zip(counts);
                transfer::repeat(load.size, source, runs, home);
            } else {
                let split = guard.filter(|_| cover == Cover::Part).map(|(split, _)| split);
                self.gather_pieces(load, split, source, home);
            }
        }
    }

    unsafe fn gather_pieces(
        &self,
        load: &Load,
        guard: Option<&LaneGuard>,
        source: *const u8,
        home: *mut u8,
    ) {
        let (size, reach) = (load.size, &self.state.block.reach[load.access.index()]);
        let pieces = &self.state.block.pieces;
        for (at, piece) in pieces.iter().enumerate() {
            let (low, high) =
                guard.map_or((0, piece.count), |guard| self.state.block.inside(guard, at));
            let start_of = |at: usize| match pieces.get(at) {
                Some(piece) if reach.even => Some(piece.lane as isize * reach.stride),
                _ => reach.starts.get(at).copied(),
            };
            let start = start_of(at).expect("bug: a piece has a start");
            if reach.stride == size as isize && piece.count * size >= FETCHED {
                // Far memory is fetched while this piece is copied; after the last piece, the next
                // block probably goes on in the same steps.
                let before = at.checked_sub(1).and_then(start_of).map(|before| start - before);
                let next = start_of(at + 1).or(before.map(|step| start + step));
                if let Some(next) = next {
                    transfer::prefetch_all(source.wrapping_offset(next), piece.count * size);
                }
            }
            // SAFETY: conditions 1 and 2, as the caller has them.
            unsafe {
                let target = home.add(piece.lane * size);
                if !load.is_selected {
                    std::ptr::write_bytes(target, 0, low * size);
                    std::ptr::write_bytes(target.add(high * size), 0, (piece.count - high) * size);
                }
                let from = source.wrapping_offset(start + low as isize * reach.stride);
                transfer::gather(size, from, reach.stride, target.add(low * size), high - low);
            }
        }
    }

    pub(super) fn store(&mut self, store: &Store) {
        let (source, target) = (
            self.state.pointers[store.input].cast_const(),
            self.state.cursors[store.access.index()],
        );
        // SAFETY: conditions 1 and 2.
        unsafe {
            if store.width == Width::Uniform {
                return transfer::element(store.size, source, target);
            }
            let reach = &self.state.block.reach[store.access.index()];
            if reach.even {
                let bytes = self.state.block.count * store.size;
                if self.streams(store.access, bytes) {
                    transfer::stream(source, target, bytes);
                } else if source != target || !reach.contiguous {
                    transfer::scatter(
                        store.size,
                        source,
                        target,
                        reach.stride,
                        self.state.block.count,
                    );
                }
                return;
            }
            if let Some(down) = reach.down {
                let (rows, columns) =
                    (self.state.block.pieces.len(), self.state.block.pieces[0].count);
                for column in 0..columns {
                    let from = source.add(column * store.size);
                    let to = target.wrapping_offset(column as isize * reach.stride);
                    transfer::strided(
                        store.size,
                        from,
                        (columns * store.size) as isize,
                        to,
                        down,
                        rows,
                    );
                }
                return;
            }
            for (piece, &start) in self.state.block.pieces.iter().zip(&reach.starts) {
                let from = source.add(piece.lane * store.size);
                let target = target.wrapping_offset(start);
                transfer::scatter(store.size, from, target, reach.stride, piece.count);
            }
        }
    }

    /// Whether a lane block of `bytes` bytes is written past the caches.
    pub(super) fn streams(&self, access: AccessId, bytes: usize) -> bool {
        const WORTHWHILE: usize = 1024;
        let contiguous = self.state.block.reach[access.index()].contiguous;
        contiguous && bytes >= WORTHWHILE && self.prepared.streams(access)
    }

    pub(super) fn global_index(&mut self, axis: AxisId, output: usize, width: Width) {
        let target = self.state.homes[output].cast::<i64>();
        self.state.pointers[output] = self.state.homes[output];
        if width == Width::Uniform {
            let origin = self.prepared.launch.origins[axis.index()];
            // SAFETY: condition 2.
            unsafe { target.write(origin + self.state.index[axis.index()] as i64) };
            return;
        }
        for (at, piece) in self.state.block.pieces.iter().enumerate() {
            let (first, step) = self.indices_of_piece(axis, at);
            // SAFETY: condition 2; pieces tile the SIMD lanes of the lane block.
            let lanes =
                unsafe { std::slice::from_raw_parts_mut(target.add(piece.lane), piece.count) };
            match step {
                0 => lanes.fill(first),
                _ => ascending(lanes, first),
            }
        }
    }

    /// The index along an axis of the first SIMD lane of a piece, and what each lane adds.
    fn indices_of_piece(&self, axis: AxisId, piece: usize) -> (i64, i64) {
        let origin = self.prepared.launch.origins[axis.index()];
        let groups = &self.prepared.lanes[self.state.phase].groups;
        match groups.iter().position(|group| group.axis == Some(axis)) {
            Some(group) => {
                let position = self.state.block.position(piece)[group];
                (origin + position as i64, i64::from(group + 1 == groups.len()))
            }
            None => (origin + self.state.index[axis.index()] as i64, 0),
        }
    }

    /// The indices along an axis of the SIMD lanes; if they have several pieces, the register gets
    /// them.
    pub(super) fn indices(&mut self, axis: AxisId, register: usize) -> Indices {
        if self.state.block.pieces.len() == 1 {
            let (first, step) = self.indices_of_piece(axis, 0);
            return Indices::Counted { first, step };
        }
        self.global_index(axis, register, Width::Block);
        Indices::Each(self.state.homes[register].cast())
    }

    pub(super) fn inside(
        &mut self,
        guard: GuardId,
        output: usize,
        width: Width,
        is_selected: bool,
    ) {
        if is_selected {
            return;
        }
        let (split, cover) = self.guard(guard);
        let target = self.state.homes[output];
        self.state.pointers[output] = target;
        let count = self.count(width);
        // SAFETY: condition 2; pieces tile the SIMD lanes of the lane block.
        unsafe {
            if width == Width::Uniform || cover != Cover::Part {
                return std::ptr::write_bytes(target, u8::from(cover == Cover::All), count);
            }
            for (at, piece) in self.state.block.pieces.iter().enumerate() {
                let (low, high) = self.state.block.inside(split, at);
                let target = target.add(piece.lane);
                std::ptr::write_bytes(target, 0, piece.count);
                std::ptr::write_bytes(target.add(low), 1, high - low);
            }
        }
    }

    /// The byte offset of a SIMD lane of an access relative to SIMD lane 0.
    pub(super) fn lane_offset(&self, access: AccessId, piece: usize, lane: usize) -> isize {
        let reach = &self.state.block.reach[access.index()];
        let within = (lane - self.state.block.pieces[piece].lane) as isize * reach.stride;
        if reach.even { lane as isize * reach.stride } else { reach.starts[piece] + within }
    }
}
