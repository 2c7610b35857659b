//! The lowering that follows an operation's rule.
//!
//! Every device computes its block of the result from its blocks of the operands. `Reshard`s in the
//! plan move the operands there: along axes that the operation needs whole, operands are split
//! along another axis (a transposing reshard) or gathered.

use super::call::{Call, PlacedOperand};
use crate::placement::{OperandShardings, Placement};
use crate::policy::Layout;
use phalanx_ops::shape::size;
use phalanx_ops::structured::{Follow, Rule};
use phalanx_ops::{Bytes, Mesh, Sharding, Structured};

/// The placement for which the operands move the fewest bytes.
pub(crate) fn place(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    layout: Layout<'_>,
) -> Placement {
    let (output, _) = cheapest(op, operands, shape, layout);
    Placement::on(output)
}

/// Another placement if its operands move fewer bytes than those of the rule's cheapest, else that.
pub(crate) fn place_unless_cheaper(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    layout: Layout<'_>,
    other: Option<(Bytes, Placement)>,
) -> Placement {
    let (output, moved) = cheapest(op, operands, shape, layout);
    match other {
        Some((less, placement)) if less < moved => placement,
        _ => Placement::on(output),
    }
}

/// The sharding of the result for which the operands move the fewest bytes, and those bytes. On a
/// tie, the splits of all operands together win, then those of the first operand.
pub(crate) fn cheapest(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    layout: Layout<'_>,
) -> (Sharding, Bytes) {
    let shapes: Vec<&[usize]> = operands.iter().map(|operand| operand.shape).collect();
    let rule = op.rule(&shapes);
    let mut candidates: Vec<Sharding> = Vec::new();
    let mut together = Sharding::replicated(shape.len());
    for (operand, follows) in operands.iter().zip(&rule.operands) {
        let mut own = Sharding::replicated(shape.len());
        for (split, follow) in operand.sharding.axes.iter().zip(follows) {
            let (Some(split), Follow::Result(axis)) = (split, follow) else { continue };
            own.axes[usize::from(*axis)] = Some(split.clone());
            let is_used = |mesh_axis: &u8| {
                together.axes.iter().flatten().any(|split| split.mesh_axes.contains(mesh_axis))
            };
            if together.axes[usize::from(*axis)].is_none() && !split.mesh_axes.iter().any(is_used) {
                together.axes[usize::from(*axis)] = Some(split.clone());
            }
        }
        candidates.push(own);
    }
    candidates.insert(0, together);
    candidates.retain(|candidate| !candidate.is_replicated());
    if candidates.is_empty() {
        candidates.push(split_elsewhere(&rule, shape, layout));
    }
    let priced = candidates.into_iter().map(|candidate| {
        let price = moved(&rule, operands, &candidate, layout.mesh);
        (candidate, price)
    });
    let cheapest = priced.min_by_key(|(_, price)| *price);
    cheapest.unwrap_or_else(|| (Sharding::replicated(shape.len()), Bytes(0)))
}

/// The bytes that the operands move if the result has this sharding.
fn moved(rule: &Rule, operands: &[PlacedOperand<'_>], output: &Sharding, mesh: &Mesh) -> Bytes {
    let of_operand = |(number, operand): (usize, &PlacedOperand<'_>)| {
        let wanted = follow(rule, output, number)?;
        Some(operand.moved(&wanted, mesh))
    };
    operands.iter().enumerate().filter_map(of_operand).sum()
}

/// The default sharding of a result among those that the rule allows.
fn split_elsewhere(rule: &Rule, shape: &[usize], layout: Layout<'_>) -> Sharding {
    let devices = layout.mesh.devices();
    if devices == 1 || size(shape) < layout.policy.split_from.max(1) {
        return Sharding::replicated(shape.len());
    }
    let open: Vec<usize> = (0..shape.len()).filter(|&axis| rule.may_split(axis)).collect();
    let roomy = open.iter().copied().find(|&axis| shape[axis] >= 4 * devices);
    let largest = || open.iter().copied().max_by_key(|&axis| (shape[axis], shape.len() - axis));
    match roomy.or_else(largest).filter(|&axis| shape[axis] > 1) {
        Some(axis) => Sharding::even(shape, axis, layout.mesh),
        None => Sharding::replicated(shape.len()),
    }
}

/// The sharding that an operand must have if the result has `output`; `None` if any will do.
fn follow(rule: &Rule, output: &Sharding, operand: usize) -> Option<Sharding> {
    let follows = &rule.operands[operand];
    if follows.contains(&Follow::Own) {
        return None;
    }
    let mut wanted = Sharding::replicated(follows.len());
    for (split, follow) in wanted.axes.iter_mut().zip(follows) {
        if let Follow::Result(axis) = follow {
            *split = output.axes[usize::from(*axis)].clone();
        }
    }
    Some(wanted)
}

/// The sharding that each operand must have.
pub(crate) fn operands(call: Call<'_>, placement: &Placement) -> OperandShardings {
    let rule = call.op.rule(&call.shapes());
    (0..call.operands.len()).map(|operand| follow(&rule, &placement.output, operand)).collect()
}
