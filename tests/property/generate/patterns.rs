//! Instructions that belong together: loops, overlapping writes, stencils, uses of reductions.

use super::instructions::{ARITHMETIC, IN_PLACE};
use super::writer::Writer;
use crate::program::{Instruction, Operand};
use phalanx::{Index, Op};

impl Writer<'_> {
    /// Repeats the last instructions, like a loop.
    pub(super) fn repeat(&mut self) {
        let length = self.program.len();
        let body = self.program[length.saturating_sub(1 + self.random.below(4))..].to_vec();
        for _ in 0..self.random.pick(&[2, 2, 3, 3, 10]) {
            for instruction in &body {
                self.push(instruction.clone());
            }
        }
    }

    /// A write from one part of an array to another part, which may overlap it.
    pub(super) fn overlap(&mut self) {
        let Some(of) = self.array() else { return };
        let shape = self.shape_of(of);
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for extent in shape {
            let length = 1 + self.random.below(extent.max(1));
            let step = if length * 2 <= extent + 1 && self.random.chance(30) { 2 } else { 1 };
            let reach = (length - 1) * step + 1;
            for items in [&mut from, &mut to] {
                let start = self.random.below(extent.saturating_sub(reach) + 1) as i64;
                let stop = start + reach as i64;
                let step = step as i64;
                items.push(if self.random.chance(25) {
                    let stop = (start > 0).then_some(start - 1);
                    Index::Range { start: Some(start + reach as i64 - 1), stop, step: -step }
                } else {
                    Index::Range { start: Some(start), stop: Some(stop), step }
                });
            }
        }
        let (source, target) = (self.name(), self.name());
        if source == of || target == of || source == target {
            return;
        }
        if !self.push(Instruction::Slice { to: source, of, items: from })
            || !self.push(Instruction::Slice { to: target, of, items: to })
        {
            return;
        }
        let value = Operand::Array(source);
        if self.random.chance(50) {
            self.push(Instruction::Assign { of: target, value });
        } else {
            let op = self.random.pick(&IN_PLACE);
            self.push(Instruction::InPlace { op, of: target, value });
        }
    }

    /// A reduction whose result is reduced again, indexed, compared, written or combined with its
    /// operand, all before anything is computed.
    pub(super) fn uses_of_a_reduction(&mut self) {
        let Some(of) = self.array() else { return };
        let reduced = self.name();
        if reduced == of {
            return;
        }
        let reduction = self.reduction_of(reduced, of);
        if !self.push(reduction) {
            return;
        }
        for _ in 0..2 + self.random.below(3) {
            let to = self.name();
            if to == of || to == reduced {
                continue;
            }
            let (left, right) = (Operand::Array(reduced), Operand::Array(of));
            let instruction = match self.random.below(8) {
                0 | 1 => Some(self.reduction_of(to, reduced)),
                2 => self.element_of(to, reduced),
                3 => Some(self.slice_of(to, reduced)),
                4 => {
                    Some(Instruction::Binary { to, op: self.random.pick(&ARITHMETIC), left, right })
                }
                5 => {
                    let zero = Operand::Number(self.value(phalanx::DType::I64));
                    Some(Instruction::Binary { to, op: Op::Greater, left, right: zero })
                }
                6 => {
                    let value = self.operand_within(&self.shape_of(reduced));
                    value.map(|value| Instruction::Assign { of: reduced, value })
                }
                _ => {
                    let op = self.random.pick(&IN_PLACE);
                    let value = Operand::Number(self.number());
                    Some(Instruction::InPlace { op, of: reduced, value })
                }
            };
            if let Some(instruction) = instruction {
                self.push(instruction);
            }
        }
    }

    /// A sum of many windows of an array, written back or not.
    pub(super) fn neighbours(&mut self) {
        let Some(of) = self.array_where(|a| a.shape().iter().any(|&extent| extent > 2)) else {
            return;
        };
        let shape = self.shape_of(of);
        let (total, window) = (self.name(), self.name());
        if total == of || window == of || total == window {
            return;
        }
        let reach: Vec<usize> = shape.iter().map(|&e| self.random.below(e.clamp(1, 3))).collect();
        let count = self.random.pick(&[2, 3, 5, 9, 30]);
        for term in 0..count {
            let items = (0..shape.len())
                .map(|axis| {
                    let start = self.random.below(reach[axis] + 1);
                    let stop = start + shape[axis] - reach[axis];
                    Index::Range { start: Some(start as i64), stop: Some(stop as i64), step: 1 }
                })
                .collect();
            if term == 0 {
                self.push(Instruction::Slice { to: total, of, items });
                continue;
            }
            self.push(Instruction::Slice { to: window, of, items });
            let op = self.random.pick(&ARITHMETIC);
            let (left, right) = (Operand::Array(total), Operand::Array(window));
            self.push(Instruction::Binary { to: total, op, left, right });
        }
        if self.random.chance(50) {
            self.push(Instruction::Assign { of: window, value: Operand::Array(total) });
        }
    }
}
