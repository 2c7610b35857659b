//! Scans in blocks: totals of blocks, a scan of the totals, and scans of the blocks that continue
//! from them.

use super::super::call::Call;
use super::super::expansion::{Expansion, Phase, PhaseInput, PhaseSource};
use crate::placement::{Placement, Schedule};
use phalanx_graph::NodeOp;
use phalanx_ops::structured::{ReduceAt, Scan};
use phalanx_ops::{AffineMap, Bounds, DType, Scalar, Shape, Sharding, Split, Structured};

/// The phases of a scan whose result has the sharding `output`, in which no block of the scanned
/// axis is empty.
pub(super) fn expand(scan: Scan, call: Call<'_>, output: &Sharding) -> Expansion {
    let (shape, dtype) = call.result;
    let axis = usize::from(scan.axis);
    let Some(split) = &output.axes[axis] else {
        unreachable!("bug: a scan in blocks of an axis that is not split")
    };
    let count = split.bounds.parts();
    let with_axis = |split: Option<Split>| {
        let mut sharding = output.clone();
        sharding.axes[axis] = split;
        sharding
    };
    let mut table = Shape::from_slice(shape);
    table[axis] = count;
    let blocks = |sharding: &Sharding| Placement {
        schedule: Schedule::Blocks,
        ..Placement::on(sharding.clone())
    };
    let value = || PhaseInput::from(PhaseSource::Operand(0));

    // A table with a row for each block.
    let rows = Split { bounds: Bounds::even(count, count), ..split.clone() };
    let of_rows = Sharding { axes: [Some(rows.clone())].into_iter().collect(), partial: None };
    let starts = Phase {
        op: NodeOp::Fill,
        inputs: [PhaseSource::Constant(Scalar::new(0i64)).into()].into_iter().collect(),
        operands: [None].into_iter().collect(),
        shape: Shape::from_slice(&[count]),
        dtype: DType::I64,
        placement: Placement::on(of_rows.clone()),
    };
    let reduce = Structured::ReduceAt(ReduceAt { op: scan.op, axis: scan.axis, in_order: false });
    let totals = Phase {
        op: NodeOp::Structured(reduce),
        inputs: [value(), PhaseSource::Phase(0).into()].into_iter().collect(),
        operands: [Some(output.clone()), Some(of_rows)].into_iter().collect(),
        shape: table.clone(),
        dtype,
        placement: blocks(&with_axis(Some(rows))),
    };
    let everywhere = with_axis(None);
    let scanned = Phase {
        op: NodeOp::Structured(Structured::Scan(scan)),
        inputs: [PhaseSource::Phase(1).into()].into_iter().collect(),
        operands: [Some(everywhere.clone())].into_iter().collect(),
        shape: table.clone(),
        dtype,
        placement: Placement::on(everywhere),
    };
    // A block continues from the row of the block before it, and the first from none.
    let mut earlier = AffineMap::identity(&table);
    earlier.shape[axis] = count - 1;
    let before = PhaseInput { source: PhaseSource::Phase(2), map: Some(earlier) };
    let sizes: Vec<usize> = (0..count).map(|block| block.min(1)).collect();
    let of_before = Split { bounds: Bounds::explicit(&sizes), ..split.clone() };
    let result = Phase {
        op: NodeOp::Structured(Structured::Scan(scan)),
        inputs: [value(), before].into_iter().collect(),
        operands: [Some(output.clone()), Some(with_axis(Some(of_before)))].into_iter().collect(),
        shape: shape.into(),
        dtype,
        placement: blocks(output),
    };
    Expansion { phases: vec![starts, totals, scanned, result] }
}
