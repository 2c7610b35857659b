//! The lowering of scans.

use super::super::call::{Call, PlacedOperand};
use super::super::expansion::Expansion;
use super::super::lowering::Lowering;
use super::super::rule;
use super::blocks;
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::structured::Scan;
use phalanx_ops::{Bounds, Bytes, Sharding, Split, Structured};

/// The lowering of scans.
pub(crate) struct Scans;

impl Lowering for Scans {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let other = in_blocks(op, &operands[0], layout).map(|(bytes, blocks)| {
            (bytes, Placement { schedule: Schedule::Blocks, ..Placement::on(blocks) })
        });
        rule::place_unless_cheaper(op, operands, shape, layout, other)
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            Schedule::Blocks => [Some(placement.output.clone())].into_iter().collect(),
            _ => rule::operands(call, placement),
        }
    }

    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        let Structured::Scan(scan) = *call.op else { return None };
        let is_in_blocks = placement.schedule == Schedule::Blocks;
        is_in_blocks.then(|| blocks::expand(scan, call, &placement.output))
    }
}

/// The sharding of a scan in blocks, and the bytes that a device receives for it; `None` if the
/// axis is not split or has fewer elements than blocks, or if the elements must be combined in
/// order.
fn in_blocks(
    op: &Structured,
    operand: &PlacedOperand<'_>,
    layout: Layout<'_>,
) -> Option<(Bytes, Sharding)> {
    let Structured::Scan(Scan { op, axis, in_order }) = *op else { return None };
    let (axis, PlacedOperand { sharding, shape, dtype }) = (usize::from(axis), operand);
    let split = sharding.axes[axis].as_ref()?;
    let parts = split.bounds.parts();
    if in_order || !op.is_free(*dtype) || shape[axis] < parts {
        return None;
    }
    let mut output = sharding.clone();
    // In a reversed view, the first device has the end of each line. Blocks without elements have
    // no total.
    let is_fit =
        split.bounds.is_ascending() && (0..parts).all(|part| !split.bounds.block(part).is_empty());
    if !is_fit {
        let even = Bounds::even(shape[axis], parts);
        output.axes[axis] = Some(Split { bounds: even, ..split.clone() });
    }
    let moved = operand.moved(&output, layout.mesh);
    let mut row = shape.to_vec();
    row[axis] = parts;
    let mut everywhere = output.clone();
    everywhere.axes[axis] = None;
    Some((moved + Bytes::of(everywhere.largest_block(&row), dtype.size()), output))
}
