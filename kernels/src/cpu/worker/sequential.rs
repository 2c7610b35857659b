//! Loops whose points run one after the other, and the folds of whole lane blocks over them.

use super::block::Piece;
use super::interpret::Worker;
use crate::cpu::folds::{
    Combine, Counter, Indices, LANES, LEAF, ROWS, Rows, RowsLoop, TREE, is_tree,
};
use crate::cpu::program::{BlockFold, LineCode, LineFold, LoopStep, RowFold, Width};
use smallvec::SmallVec;
use std::ops::Range;

/// Bytes of lines that stay cached from one fold to the next.
const LINES_BYTES: usize = 16 << 10;
/// The SIMD lanes of the pieces of a lane block whose rows are folded at once, on average.
const SHORTEST_PIECE: usize = 32;

/// How a loop folds many rows of the current lane block at once.
struct BlockRows<'a> {
    fold: &'a RowFold,
    /// The positions in the loop's steps of the load of a row and of the element with which it is
    /// paired, if there is one.
    row: usize,
    factor: Option<usize>,
    /// Whether the pieces of the lane block follow each other in memory.
    whole: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn sequential_loop(&mut self, step: &'a LoopStep) {
        let total = self.prepared.loops[step.number].total;
        if total > 0 && self.prepared.folds_lines(step) {
            self.fold_lines(step, total);
            return step.folds.iter().for_each(|fold| self.publish(fold));
        }
        self.run_points(step, 0, total);
        for fold in &step.folds {
            if total == 0 {
                self.empty(fold);
            }
            self.publish(fold);
        }
    }

    /// Runs the points `start..end` of a loop and combines them into accumulator 0. If the loop is
    /// ordered, `start` is the first point of a leaf.
    pub(in crate::cpu) fn run_points(&mut self, step: &'a LoopStep, start: usize, end: usize) {
        let mut entered = std::mem::take(&mut self.state.entered[step.number]);
        entered.clear();
        entered.extend(step.accesses.iter().map(|&access| self.state.cursors[access.index()]));
        self.state.entered[step.number] = entered;
        for fold in &step.folds {
            self.state.accumulators[fold.number].fresh = true;
        }
        if step.ordered {
            self.run_leaves(step, start, end);
        } else if let Some(rows) = self.row_fold(step) {
            for point in (start..end).step_by(ROWS) {
                let points = point..(point + ROWS).min(end);
                let next = points.end..end;
                self.fold_rows(step, &rows, rows.fold.code, points, next, (0, point > start));
            }
        } else {
            for point in start..end {
                self.visit(step, point, 0, false);
            }
        }
        for (at, &access) in step.accesses.iter().enumerate() {
            self.state.cursors[access.index()] = self.state.entered[step.number][at];
        }
    }

    fn run_leaves(&mut self, step: &'a LoopStep, start: usize, end: usize) {
        let mut depth = 0;
        for (leaf, start) in (start..end).step_by(LEAF).enumerate() {
            let count = LEAF.min(end - start);
            if step.natural {
                self.natural_leaf(step, start, count, depth)
            } else {
                self.lane_tree(step, 1, 0, (start, count), depth)
            }
            depth += 1;
            let mut carry = leaf;
            while carry & 1 == 1 {
                depth -= 1;
                self.merge(step, depth - 1, depth);
                carry >>= 1;
            }
        }
        while depth > 1 {
            depth -= 1;
            self.merge(step, depth - 1, depth);
        }
        if start < end {
            self.settle(step);
        }
    }

    /// Points the result registers of a fold at accumulator 0.
    pub(super) fn publish(&mut self, fold: &BlockFold) {
        let accumulators = &self.state.accumulators[fold.number];
        self.state.pointers[fold.output] = accumulators.entries[0];
        if let Some(output) = fold.index_output {
            self.state.pointers[output] = accumulators.indices;
        }
    }

    /// Sets the result of a fold that was computed elsewhere.
    pub(in crate::cpu) fn restore(
        &mut self,
        fold: &BlockFold,
        elements: &[[u64; 2]],
        indices: &[i64],
    ) {
        let count = self.count(fold.width);
        let accumulators = &self.state.accumulators[fold.number];
        // SAFETY: condition 2 of `worker`; the slices hold `count` elements, and as many indices if
        // the fold has them.
        unsafe {
            let source = elements.as_ptr().cast();
            std::ptr::copy_nonoverlapping(source, accumulators.entries[0], count * fold.size);
            let target = accumulators.indices.cast();
            std::ptr::copy_nonoverlapping(indices.as_ptr(), target, indices.len());
        }
        self.publish(fold);
    }

    /// Visits the virtual lanes of a leaf depth first, so that halving needs few accumulators; the
    /// result is in accumulator `at`. This call covers the virtual lanes `lane, lane + stride, ..`.
    fn lane_tree(
        &mut self,
        step: &'a LoopStep,
        stride: usize,
        lane: usize,
        (start, count): (usize, usize),
        at: usize,
    ) {
        let points = (lane..count).step_by(stride);
        // A virtual lane has one point, so that the points are combined by halving.
        if count <= LANES
            && is_tree(points.len())
            && let Some(rows) = self.row_fold(step)
            && let Some(tree) = rows.fold.tree
        {
            let points = points.map(|point| start + point);
            return self.fold_rows(step, &rows, tree, points, 0..0, (at, false));
        }
        if stride == LANES {
            if lane + LANES < count
                && let Some(rows) = self.row_fold(step)
            {
                let next = next_lane(lane);
                let next = (next..count).step_by(LANES).map(|point| start + point);
                let points = points.map(|point| start + point);
                return self.fold_rows(step, &rows, rows.fold.code, points, next, (at, false));
            }
            for point in points {
                self.visit(step, start + point, at, point == lane);
            }
            return;
        }
        self.lane_tree(step, 2 * stride, lane, (start, count), at);
        if lane + stride < count.min(LANES) {
            self.lane_tree(step, 2 * stride, lane + stride, (start, count), at + 1);
            self.merge(step, at, at + 1);
        }
    }

    /// Like `lane_tree` for all virtual lanes, but visits the points in ascending order, with an
    /// accumulator for each virtual lane.
    fn natural_leaf(&mut self, step: &'a LoopStep, start: usize, count: usize, at: usize) {
        for point in 0..count {
            self.visit(step, start + point, at + point % LANES, point < LANES);
        }
        let mut lanes = count.min(LANES);
        let mut half = LANES / 2;
        while half > 0 {
            for lane in half..lanes {
                self.merge(step, at + lane - half, at + lane);
            }
            lanes = lanes.min(half);
            half /= 2;
        }
    }

    /// Runs the body for one point and combines it into accumulator `at`, which it starts if
    /// `first`.
    fn visit(&mut self, step: &'a LoopStep, point: usize, at: usize, first: bool) {
        let shape = &self.prepared.loops[step.number];
        if let [group] = shape.groups.as_slice() {
            if let Some(axis) = group.axis {
                self.state.index[axis.index()] = point;
            }
            for (number, &access) in step.accesses.iter().enumerate() {
                let offset = point as isize * shape.strides(number)[0];
                self.state.cursors[access.index()] =
                    self.state.entered[step.number][number].wrapping_offset(offset);
            }
        } else {
            for (number, &access) in step.accesses.iter().enumerate() {
                self.state.cursors[access.index()] = self.state.entered[step.number][number];
            }
            let mut rest = point;
            for (at, group) in shape.groups.iter().enumerate().rev() {
                let position = rest % group.extent;
                rest /= group.extent;
                if let Some(axis) = group.axis {
                    self.state.index[axis.index()] = position;
                }
                for (number, &access) in step.accesses.iter().enumerate() {
                    let offset = position as isize * shape.strides(number)[at];
                    self.state.cursors[access.index()] =
                        self.state.cursors[access.index()].wrapping_offset(offset);
                }
            }
        }
        self.steps(&step.steps);
        for fold in &step.folds {
            if fold.ordered {
                self.combine_ordered(fold, at, first)
            } else {
                self.combine_unordered(fold)
            }
        }
    }

    fn combine_ordered(&mut self, fold: &BlockFold, at: usize, first: bool) {
        let count = self.count(fold.width);
        let value = self.state.pointers[fold.value].cast_const();
        let in_memory = fold.loaded && !self.is_home(fold.value);
        let accumulators = &mut self.state.accumulators[fold.number];
        if first && in_memory {
            accumulators.held[at] = value;
        } else if first {
            accumulators.held[at] = std::ptr::null();
            let target = accumulators.entries[at];
            // SAFETY: conditions 2 and 3 of `worker`.
            unsafe { std::ptr::copy_nonoverlapping(value, target, count * fold.size) };
        } else {
            let Combine::Single(code) = fold.code else {
                panic!("bug: a fold of pairs has an order")
            };
            // SAFETY: conditions 2 and 3 of `worker`.
            unsafe { accumulators.combine(code, at, value, count) };
        }
    }

    /// Copies elements that are still only in loaded memory to the first accumulator.
    fn settle(&mut self, step: &LoopStep) {
        for fold in &step.folds {
            let count = self.count(fold.width);
            let accumulators = &mut self.state.accumulators[fold.number];
            let held = std::mem::replace(&mut accumulators.held[0], std::ptr::null());
            if !held.is_null() {
                let target = accumulators.entries[0];
                // SAFETY: condition 2 of `worker`.
                unsafe { std::ptr::copy_nonoverlapping(held, target, count * fold.size) };
            }
        }
    }

    /// How the loop folds many rows at once, if it does and the rows of the current lane block, or
    /// of its long pieces, are contiguous in memory and paired with one element each.
    fn row_fold(&self, step: &'a LoopStep) -> Option<BlockRows<'a>> {
        let fold = step.rows.as_ref()?;
        let block = &self.state.block;
        let reach = |at: usize| &block.reach[step.load(at).access.index()];
        let is_row = |at: usize| {
            let load = step.load(at);
            load.width == Width::Block && reach(at).stride == load.size as isize
        };
        let is_one = |at: usize| step.load(at).width == Width::Uniform || reach(at).stride == 0;
        let [left, right] = fold.loads;
        let (row, factor) = match (left == right, is_row(left), is_row(right)) {
            (true, true, _) => (left, None),
            (false, true, _) if is_one(right) => (left, Some(right)),
            (false, _, true) if is_one(left) => (right, Some(left)),
            _ => return None,
        };
        let is_even = |at: usize| step.load(at).width == Width::Uniform || reach(at).even;
        let whole = is_even(row) && factor.is_none_or(is_even);
        let is_long = block.count >= SHORTEST_PIECE * block.pieces.len();
        (whole || is_long).then_some(BlockRows { fold, row, factor, whole })
    }

    /// Folds the rows of `points` by `code` into accumulator `at`, which it starts unless it
    /// continues; meanwhile the rows of `next` are fetched, as many as there are.
    fn fold_rows(
        &mut self,
        step: &LoopStep,
        found: &BlockRows<'_>,
        code: RowsLoop,
        points: impl Iterator<Item = usize> + Clone,
        next: impl Iterator<Item = usize>,
        (at, continues): (usize, bool),
    ) {
        type Addresses = SmallVec<[*const u8; TREE]>;
        let number = |at: usize| {
            let number = step.access_number(step.load(at).access);
            number.expect("bug: a row does not depend on its loop")
        };
        let row = number(found.row);
        let mut rows: Addresses =
            points.clone().map(|point| self.address(step, row, point)).collect();
        let mut next: Addresses =
            next.take(rows.len()).map(|point| self.address(step, row, point)).collect();
        let mut factors: Addresses = match found.factor.map(number) {
            Some(factor) => points.map(|point| self.address(step, factor, point)).collect(),
            None => Addresses::new(),
        };
        let fold = &step.folds[0];
        let accumulators = &mut self.state.accumulators[fold.number];
        accumulators.held[at] = std::ptr::null();
        let output = accumulators.entries[at];
        let pieces = if found.whole { 1 } else { self.state.block.pieces.len() };
        let mut before = [0; 2];
        for piece in 0..pieces {
            let (mut lane, mut count) = (0, self.count(fold.width));
            if !found.whole {
                Piece { lane, count } = self.state.block.pieces[piece];
                let offset = |at: usize| {
                    let load = step.load(at);
                    match load.width {
                        Width::Uniform => 0,
                        Width::Block => self.lane_offset(load.access, piece, lane),
                    }
                };
                let offsets = [offset(found.row), found.factor.map_or(0, offset)];
                let moved = [0, 1].map(|at| offsets[at] - before[at]);
                let moved_rows = rows.iter_mut().chain(&mut next);
                moved_rows.for_each(|row| *row = row.wrapping_offset(moved[0]));
                factors.iter_mut().for_each(|one| *one = one.wrapping_offset(moved[1]));
                before = offsets;
            }
            let rows = Rows { rows: &rows, factors: &factors, next: &next };
            // SAFETY: conditions 1 to 3 of `worker`; the rows are contiguous (`row_fold`).
            unsafe { code(rows, output.wrapping_add(lane * fold.size), count, continues) };
        }
    }

    /// Folds a line of `total` consecutive elements for each SIMD lane into accumulator 0 of each
    /// fold. Several folds take few lines in turn, which are still cached for the next fold.
    fn fold_lines(&mut self, step: &LoopStep, total: usize) {
        let mut counter = Counter::default();
        let bytes = step.lines.iter().map(|lines| lines.size * total).max().unwrap_or(1);
        let together = match step.lines.as_slice() {
            [_] => usize::MAX,
            _ => (LINES_BYTES / bytes).max(1),
        };
        for piece in 0..self.state.block.pieces.len() {
            let lanes = self.state.block.pieces[piece];
            let end = lanes.lane + lanes.count;
            let mut first = lanes.lane;
            while first < end {
                let next = end.min(first.saturating_add(together));
                for fold in step.folds.iter().zip(&step.lines) {
                    self.fold_lines_of(step, fold, (piece, first..next), total, &mut counter);
                }
                first = next;
            }
        }
    }

    /// Folds the lines of some lanes of a piece.
    fn fold_lines_of(
        &mut self,
        step: &LoopStep,
        (fold, lines): (&BlockFold, &LineFold),
        (piece, lanes): (usize, Range<usize>),
        total: usize,
        counter: &mut Counter,
    ) {
        let accumulators = &mut self.state.accumulators[fold.number];
        accumulators.held[0] = std::ptr::null();
        let (values, indices) = (accumulators.entries[0], accumulators.indices.cast::<i64>());
        let loads = lines.loads.map(|at| step.load(at));
        for lane in lanes {
            let line = loads.map(|load| {
                let cursor = self.state.cursors[load.access.index()].cast_const();
                match load.width {
                    Width::Uniform => cursor,
                    Width::Block => {
                        cursor.wrapping_offset(self.lane_offset(load.access, piece, lane))
                    }
                }
            });
            let value = values.wrapping_add(lane * fold.size);
            // SAFETY: conditions 1 to 3 of `worker`; the lines have `total` elements
            // (`folds_lines`), and accumulator 0 has an element for each SIMD lane, and an index if
            // the fold carries one.
            unsafe {
                match lines.code {
                    // A single leaf is the whole result.
                    LineCode::Leaves(leaf) if total <= LEAF => leaf(line, value, total),
                    LineCode::Leaves(leaf) => {
                        let sizes = [lines.size, fold.size];
                        counter.push_points(leaf, fold.code, sizes, line, total);
                        let item = counter.finish(fold.code).expect("bug: an empty line");
                        std::ptr::copy_nonoverlapping(item.value.as_ptr(), value, fold.size);
                    }
                    LineCode::Best(best, axis) => {
                        let first = self.prepared.launch.origins[axis.index()];
                        let along = Indices::Counted { first, step: 1 };
                        best(line[0], along, value, indices.add(lane), total, true);
                    }
                }
            }
        }
    }

    /// The address of the elements of a loop's access at a point.
    fn address(&self, step: &LoopStep, number: usize, point: usize) -> *const u8 {
        let shape = &self.prepared.loops[step.number];
        let strides = shape.strides(number);
        let offset = match strides {
            [stride] => point as isize * stride,
            _ => {
                let (mut rest, mut offset) = (point, 0);
                for (group, stride) in shape.groups.iter().zip(strides).rev() {
                    offset += (rest % group.extent) as isize * stride;
                    rest /= group.extent;
                }
                offset
            }
        };
        self.state.entered[step.number][number].wrapping_offset(offset)
    }

    fn combine_unordered(&mut self, fold: &BlockFold) {
        let count = self.count(fold.width);
        let value = self.state.pointers[fold.value].cast_const();
        let index =
            fold.index.map_or(std::ptr::null(), |index| self.state.pointers[index].cast_const());
        let accumulators = &mut self.state.accumulators[fold.number];
        let fresh = std::mem::replace(&mut accumulators.fresh, false);
        let (target, spare) = (accumulators.entries[0], accumulators.entries[1]);
        // SAFETY: conditions 2 and 3 of `worker`.
        unsafe {
            if fresh {
                std::ptr::copy_nonoverlapping(value, target, count * fold.size);
                if !index.is_null() {
                    std::ptr::copy_nonoverlapping(index, accumulators.indices, count * 8);
                }
                return;
            }
            match fold.code {
                Combine::Single(code) => {
                    code(&[target.cast_const(), value], spare, count);
                    accumulators.entries.swap(0, 1);
                }
                Combine::Pair(_) => {
                    fold.code.run(target, accumulators.indices, value, index, count)
                }
            }
        }
    }

    /// Combines accumulator `right` into accumulator `left`, for all ordered folds.
    fn merge(&mut self, step: &LoopStep, left: usize, right: usize) {
        for fold in step.folds.iter().filter(|fold| fold.ordered) {
            let count = self.count(fold.width);
            let Combine::Single(code) = fold.code else {
                panic!("bug: a fold of pairs has an order")
            };
            let accumulators = &mut self.state.accumulators[fold.number];
            let value = accumulators.elements(right);
            // SAFETY: conditions 2 and 3 of `worker`.
            unsafe { accumulators.combine(code, left, value, count) };
        }
    }

    /// The result of a fold over no points.
    fn empty(&mut self, fold: &BlockFold) {
        let count = self.count(fold.width);
        let accumulators = &self.state.accumulators[fold.number];
        // SAFETY: condition 2 of `worker`.
        unsafe {
            let source = fold.identity.as_ptr();
            for at in 0..count {
                let target = accumulators.entries[0].add(at * fold.size);
                std::ptr::copy_nonoverlapping(source, target, fold.size);
            }
            if fold.index.is_some() {
                for at in 0..count {
                    accumulators.indices.cast::<i64>().add(at).write_unaligned(i64::MAX);
                }
            }
        }
    }
}

/// The virtual lane after `lane` in the order in which halving needs them: that of the reversed
/// bits. After the last one, a lane that no leaf has.
fn next_lane(lane: usize) -> usize {
    let reversed = |lane: usize| lane.reverse_bits() >> (usize::BITS - LANES.ilog2());
    let next = reversed(lane) + 1;
    if next < LANES { reversed(next) } else { LEAF }
}
