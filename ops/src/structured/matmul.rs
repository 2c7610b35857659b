//! The matrix product: shapes `(…, m, k), (…, k, n) -> (…, m, n)` with equal leading extents, of
//! one floating-point or complex dtype. A third operand of the result's shape is added to the
//! product.

use super::{Follow, Rule, table::Operand};
use crate::{DType, Shape};

pub(super) fn result(operands: &[Operand<'_>]) -> (Shape, DType) {
    let mut shape: Shape = operands[0].0.into();
    let last = shape.len() - 1;
    shape[last] = operands[1].0[last];
    (shape, operands[0].1)
}

/// Rows of the left and columns of the right stay split, and so do the axes before them.
pub(super) fn rule(shapes: &[&[usize]]) -> Rule {
    let ndim = shapes[0].len();
    let follow = |operand: usize, axis: usize| match operand {
        0 if axis == ndim - 1 => Follow::Whole,
        1 if axis == ndim - 2 => Follow::Whole,
        _ => Follow::Result(axis as u8),
    };
    let axes = |operand: usize| (0..ndim).map(|axis| follow(operand, axis)).collect();
    Rule { operands: (0..shapes.len()).map(axes).collect() }
}
