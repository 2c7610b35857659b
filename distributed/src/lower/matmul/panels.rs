//! Products in panels: each phase multiplies one range of the contracted axis and adds the result
//! of the phase before it.

use super::super::call::{Call, PlacedOperand};
use super::super::expansion::{Expansion, Phase, PhaseInput, PhaseSource};
use super::super::rule;
use crate::placement::{Placement, Schedule};
use crate::policy::Policy;
use phalanx_graph::NodeOp;
use phalanx_ops::{AffineMap, Bytes, DType, Sharding, Structured};
use std::ops::Range;

/// The most bytes of an operand that a device gathers at a time, if the contracted axis is so long.
const MOST_PANEL: usize = 1 << 30;
/// The most panels, if they are small enough.
const ENOUGH_PANELS: usize = 5;

/// The number of panels of a product whose result has the sharding `output`: one if a device
/// gathers little of an operand.
pub(super) fn count(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    output: &Sharding,
    policy: &Policy,
) -> usize {
    let [left, right] = operands else { return 1 };
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
    let Bytes(chunk) = policy.chunk();
    // A product of fewer points of the contracted axis takes longer than its part of the whole.
    let depth = 4 * policy.split_from.max(1).isqrt();
    let most = (gathered / chunk.div_ceil(2)).min(inner / depth);
    let wished = (1..=ENOUGH_PANELS).rev().find(|&count| weight(count) <= most).unwrap_or(1);
    let is_small = |&count: &usize| {
        let last = weight(count) - weight(count - 1);
        gathered / weight(count) * last <= MOST_PANEL
    };
    let most = with_points(usize::MAX, inner);
    (wished..most).find(is_small).unwrap_or(most)
}

/// As many of some panels as all have two points. A plan for a panel of one point is not refilled
/// with more, so there is none, unless it is the only panel.
pub(super) fn with_points(panels: usize, points: usize) -> usize {
    let most = match points / 2 {
        0..=2 => 1,
        3..=6 => 2,
        pairs => (pairs + 5) / 4,
    };
    panels.min(most)
}

/// The length of the first panels together, where that of the first is 1. The message for the first
/// has nothing to hide behind, so that panel is the shortest; longer ones multiply faster, and the
/// message for each has the product of a panel half as long, or as long, to hide behind.
fn weight(panels: usize) -> usize {
    match panels {
        0..=2 => (1 << panels) - 1,
        _ => 4 * panels - 5,
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
        let panel = share(inner, number, count);
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

/// The points of a panel. Panels begin at multiples of a power of two, because libraries multiply
/// such matrices faster.
pub(super) fn share(points: usize, panel: usize, panels: usize) -> Range<usize> {
    let unit = 1 << (points / weight(panels) / 4).max(1).ilog2();
    let end = |panel: usize| match panel == panels {
        true => points,
        false => points * weight(panel) / weight(panels) / unit * unit,
    };
    end(panel)..end(panel + 1)
}

/// The view of a range along one axis.
pub(super) fn cut(shape: &[usize], axis: usize, range: &Range<usize>) -> AffineMap {
    let mut cut = AffineMap::identity(shape);
    cut.shape[axis] = range.len();
    cut.axes[axis].start = range.start as i64;
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_follow_each_other_and_have_points() {
        for points in 1..200 {
            let most = with_points(usize::MAX, points);
            for panels in 1..=most {
                let shares: Vec<_> = (0..panels).map(|it| share(points, it, panels)).collect();
                let least = shares.iter().map(Range::len).min();
                assert!(panels == 1 || least >= Some(2), "{points}: {shares:?}");
                assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert_eq!((shares[0].start, shares[panels - 1].end), (0, points));
            }
            assert!(most == 1 || 2 * weight(most) <= points, "{points}");
            assert!(2 * weight(most + 1) > points, "{points}");
        }
        assert_eq!(share(1100, 0, 4), 0..96);
        assert_eq!(share(1100, 3, 4), 688..1100);
        let starts: Vec<usize> = (0..5).map(|panel| share(1 << 14, panel, 5).start).collect();
        assert_eq!(starts, [0, 1024, 3072, 7424, 11776]);
    }
}
