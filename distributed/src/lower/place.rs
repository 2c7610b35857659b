//! The placement of a structured operation from the rule of its operands.
//!
//! Every device computes its block of the result from its blocks of the operands, which are brought
//! there by `Reshard`s that the plan shows: along axes that the operation needs whole, operands are
//! split elsewhere (a transposing reshard) or gathered.

use super::matmul;
use crate::policy::Policy;
use crate::price::read_price;
use crate::propagate::Placement;
use phalanx_ops::shape::size;
use phalanx_ops::structured::{Follow, Rule};
use phalanx_ops::{AffineMap, Mesh, Sharding, Structured};
use smallvec::SmallVec;

/// An operand as it lies.
pub(crate) struct Lying<'a> {
    pub sharding: Sharding,
    pub shape: &'a [usize],
    /// Bytes of an element.
    pub item: usize,
}

/// The placement of the operation under which the operands move the fewest bytes, of equal ones
/// that with the sharding of the first operand.
pub(crate) fn place(
    op: &Structured,
    operands: &[Lying<'_>],
    shape: &[usize],
    mesh: &Mesh,
    policy: &Policy,
) -> Placement {
    let own = |output: Sharding| Placement { space: output.clone(), output, partial: None };
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
    let partial = match op {
        Structured::Matmul(_) => matmul::partial(operands, shape, mesh),
        _ => None,
    };
    if candidates.is_empty() {
        candidates.push(split_elsewhere(&rule, shape, mesh, policy));
    }
    let price = |candidate: &Sharding| -> usize {
        let moved = operands.iter().enumerate().map(|(number, operand)| {
            let Some(wanted) = follow(&rule, candidate, number) else { return 0 };
            let map = AffineMap::identity(operand.shape);
            let Lying { sharding, shape, item } = operand;
            read_price(sharding, shape, *item, &map, &wanted, mesh)
        });
        moved.sum()
    };
    let priced = candidates.iter().map(|candidate| (price(candidate), candidate));
    let cheapest = priced.min_by_key(|(price, _)| *price);
    match (cheapest, partial) {
        (Some((price, _)), Some((less, space, partial))) if less < price => {
            Placement { space, output: Sharding::replicated(shape.len()), partial: Some(partial) }
        }
        (Some((_, candidate)), _) => own(candidate.clone()),
        (None, _) => own(Sharding::replicated(shape.len())),
    }
}

/// The default sharding of a result among those that the rule allows.
fn split_elsewhere(rule: &Rule, shape: &[usize], mesh: &Mesh, policy: &Policy) -> Sharding {
    let devices = mesh.devices();
    if devices == 1 || size(shape) < policy.split_from.max(1) {
        return Sharding::replicated(shape.len());
    }
    let open: Vec<usize> = (0..shape.len()).filter(|&axis| rule.may_split(axis)).collect();
    let roomy = open.iter().copied().find(|&axis| shape[axis] >= 4 * devices);
    let largest = || open.iter().copied().max_by_key(|&axis| (shape[axis], shape.len() - axis));
    match roomy.or_else(largest).filter(|&axis| shape[axis] > 1) {
        Some(axis) => Sharding::even(shape, axis, mesh),
        None => Sharding::replicated(shape.len()),
    }
}

/// The sharding that an operand must have where the result has `output`; `None` if it may lie as it
/// does.
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

/// The shardings that the operands of a structured operation must have.
pub(crate) fn operand_shardings(
    op: &Structured,
    shapes: &[&[usize]],
    placement: &Placement,
) -> SmallVec<[Option<Sharding>; 3]> {
    if let (Some(_), Some(Some(split))) = (&placement.partial, placement.space.axes.last()) {
        let (left, right) = matmul::contracted(placement.space.axes.len(), split);
        return [Some(left), Some(right)].into_iter().collect();
    }
    let rule = op.rule(shapes);
    (0..shapes.len()).map(|operand| follow(&rule, &placement.output, operand)).collect()
}
