//! Products in panels: each phase multiplies one range of the contracted axis and adds the result
//! of the phase before it.

use super::super::call::{Call, PlacedOperand};
use super::super::expansion::{Expansion, Phase, PhaseInput, PhaseSource};
use super::super::rule;
use crate::placement::{Placement, Schedule};
use phalanx_graph::NodeOp;
use phalanx_ops::{AffineMap, DType, Sharding, Structured};
use std::ops::Range;

/// The fewest bytes of an operand that a device gathers at a time.
const LEAST_PANEL: usize = 8 << 20;
/// The most bytes of an operand that a device gathers at a time, if the contracted axis is so long.
const MOST_PANEL: usize = 256 << 20;
/// The fewest points of the contracted axis in a panel that is smaller than that: a product of
/// fewer takes longer than its part of the whole.
const DEPTH: usize = 2048;
/// The most panels, if they are small enough.
const ENOUGH_PANELS: usize = 16;

/// The schedule of a product whose result has the sharding `output`: in panels if a device gathers
/// much of an operand, otherwise by rule.
pub(super) fn schedule(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    output: &Sharding,
) -> Schedule {
    let [left, right] = operands else { return Schedule::Rule };
    // Rules depend only on shapes, so any dtype will do.
    let typed = [left, right].map(|operand| (operand.shape, DType::F64));
    let call = Call { op, operands: &typed, result: (shape, DType::F64) };
    let wanted = rule::operands(call, &Placement::on(output.clone()));
    let gathered = operands.iter().zip(&wanted).map(|(operand, wanted)| match wanted {
        Some(wanted) if operand.sharding != *wanted => {
            wanted.largest_block(operand.shape) * operand.dtype.size()
        }
        _ => 0,
    });
    let (inner, gathered) = (left.shape[left.shape.len() - 1], gathered.max().unwrap_or(0));
    let wished = gathered.div_ceil(LEAST_PANEL).min(inner / DEPTH).min(ENOUGH_PANELS);
    match gathered.div_ceil(MOST_PANEL).max(wished).clamp(1, inner.max(1)) {
        1 => Schedule::Rule,
        count => Schedule::Panels(count),
    }
}

/// The phases of a product in this many panels.
pub(super) fn expand(call: Call<'_>, placement: &Placement, count: usize) -> Expansion {
    let [(left, _), (right, _)] = call.operands else {
        unreachable!("bug: a product in panels to which something is added")
    };
    let (shape, dtype) = call.result;
    let ndim = shape.len();
    let inner = left[ndim - 1];
    let placement = Placement { schedule: Schedule::Rule, ..placement.clone() };
    let wanted = rule::operands(call, &placement);
    let phase = |number: usize| {
        let panel = inner * number / count..inner * (number + 1) / count;
        let cuts = [(left, ndim - 1), (right, ndim - 2)];
        let operands = cuts.into_iter().enumerate().map(|(operand, (shape, axis))| {
            let map = Some(cut(shape, axis, &panel));
            PhaseInput { source: PhaseSource::Operand(operand as u8), map }
        });
        let sum = number.checked_sub(1).map(|before| PhaseSource::Phase(before as u32).into());
        let inputs = operands.chain(sum).collect();
        Phase {
            op: NodeOp::Structured(*call.op),
            inputs,
            // The sum so far resides where the product does, so it needs no sharding.
            operands: wanted.iter().cloned().chain((number > 0).then_some(None)).collect(),
            shape: shape.into(),
            dtype,
            placement: placement.clone(),
        }
    };
    Expansion { phases: (0..count).map(phase).collect() }
}

/// The view of a range along one axis.
fn cut(shape: &[usize], axis: usize, range: &Range<usize>) -> AffineMap {
    let mut cut = AffineMap::identity(shape);
    cut.shape[axis] = range.len();
    cut.axes[axis].start = range.start as i64;
    cut
}
