//! Loops whose points run one after the other, and the folds of whole lane blocks over them.

use super::interpret::Worker;
use crate::cpu::folds::{Combine, LANES, LEAF};
use crate::cpu::program::{BlockFold, LoopStep};

impl<'a> Worker<'a> {
    pub(super) fn sequential_loop(&mut self, step: &'a LoopStep) {
        let total = self.prepared.loops[step.number].total;
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
        if stride == LANES {
            for point in (lane..count).step_by(LANES) {
                self.visit(step, start + point, at, point == lane);
            }
            return self.settle(step, at);
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
            self.settle(step, at + point % LANES);
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
        let Combine::Single(code) = fold.code else { panic!("bug: a fold of pairs has an order") };
        let spare = accumulators.entries.len() - 1;
        // SAFETY: conditions 2 and 3 of `worker`; `held` still points at elements of an earlier
        // point, which no statement of the loop stores.
        unsafe {
            if first && in_memory {
                accumulators.held = value;
            } else if first {
                let target = accumulators.entries[at];
                std::ptr::copy_nonoverlapping(value, target, count * fold.size);
            } else {
                let held = std::mem::replace(&mut accumulators.held, std::ptr::null());
                let left =
                    if held.is_null() { accumulators.entries[at].cast_const() } else { held };
                code(&[left, value], accumulators.entries[spare], count);
                accumulators.entries.swap(at, spare);
            }
        }
    }

    /// Copies elements that are still only in loaded memory to their accumulator.
    fn settle(&mut self, step: &LoopStep, at: usize) {
        for fold in &step.folds {
            let count = self.count(fold.width);
            let accumulators = &mut self.state.accumulators[fold.number];
            let held = std::mem::replace(&mut accumulators.held, std::ptr::null());
            if !held.is_null() {
                let target = accumulators.entries[at];
                // SAFETY: condition 2 of `worker`.
                unsafe { std::ptr::copy_nonoverlapping(held, target, count * fold.size) };
            }
        }
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
            let entries = &mut self.state.accumulators[fold.number].entries;
            let spare = entries.len() - 1;
            // SAFETY: conditions 2 and 3 of `worker`.
            unsafe { code(&[entries[left].cast_const(), entries[right]], entries[spare], count) };
            entries.swap(left, spare);
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
