//! Facts of a kernel that decide how GPUs run it: loops, loads, and whether the order of
//! combination shows in a result.

use crate::cuda::special::is_long;
use crate::ir::{AccessId, AxisId, Expr, Fold, Kernel, Param, Role, Stmt, Value};
use phalanx_ops::Monoid;

/// The loops of a body in the order of their starts, with their depth.
pub(super) fn loops(body: &[Stmt]) -> Vec<(&[AxisId], usize)> {
    fn walk<'a>(body: &'a [Stmt], depth: usize, found: &mut Vec<(&'a [AxisId], usize)>) {
        for statement in body {
            if let Stmt::Loop { axes, body, .. } = statement {
                found.push((axes, depth));
                walk(body, depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(body, 0, &mut found);
    found
}

/// Whether a body stores or accumulates somewhere inside its loops.
pub(super) fn stores_in_loops(body: &[Stmt], in_loop: bool) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Loop { body, .. } => stores_in_loops(body, true),
        Stmt::Store { .. } | Stmt::Accumulate { .. } => in_loop,
        Stmt::Let(_) => false,
    })
}

/// The accesses that the body of a loop loads or stores directly, not in inner loops.
pub(super) fn direct_accesses(kernel: &Kernel, body: &[Stmt]) -> Vec<AccessId> {
    let access = |statement: &Stmt| match statement {
        Stmt::Let(value) => match kernel[*value].expr {
            Expr::Load { access, .. } => Some(access),
            _ => None,
        },
        Stmt::Store { access, .. } => Some(*access),
        _ => None,
    };
    body.iter().filter_map(access).collect()
}

/// Floating-point operations for an element.
pub(super) fn flops(kernel: &Kernel) -> u32 {
    let of = |value: &Value| match &value.expr {
        Expr::Op { op, .. } => op.flops(),
        Expr::Special { function, .. } => function.flops(),
        _ => 0,
    };
    kernel.values.iter().map(of).sum()
}

/// Whether a kernel computes a special function of which a thread has one element at a time.
pub(super) fn has_long(kernel: &Kernel) -> bool {
    kernel.values.iter().any(|value| match value.expr {
        Expr::Special { function, .. } => is_long(function),
        _ => false,
    })
}

/// Whether a loop of a body folds sums of bins.
pub(in crate::cuda) fn has_binned(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Loop { body, folds, .. } => {
            folds.iter().any(|fold| fold.monoid == Monoid::Binned) || has_binned(body)
        }
        Stmt::Let(_) | Stmt::Store { .. } | Stmt::Accumulate { .. } => false,
    })
}

/// Whether no result depends on the order in which its parts are combined.
pub(in crate::cuda) fn folds_in_any_order(kernel: &Kernel) -> bool {
    fn all(kernel: &Kernel, body: &[Stmt]) -> bool {
        let is_free = |fold: &Fold| match fold.monoid {
            Monoid::ArgMin | Monoid::ArgMax | Monoid::Binned => true,
            _ => !kernel[fold.value].dtype.is_inexact(),
        };
        body.iter().all(|statement| match statement {
            Stmt::Loop { body, folds, .. } => folds.iter().all(is_free) && all(kernel, body),
            Stmt::Accumulate { .. } => false,
            Stmt::Let(_) | Stmt::Store { .. } => true,
        })
    }
    all(kernel, &kernel.body)
}

/// Whether a kernel combines into a table whose result depends on the order.
pub(in crate::cuda) fn has_ordered_tables(kernel: &Kernel) -> bool {
    fn accumulates(kernel: &Kernel, body: &[Stmt]) -> bool {
        body.iter().any(|statement| match statement {
            Stmt::Loop { body, .. } => accumulates(kernel, body),
            Stmt::Accumulate { access, .. } => is_ordered(&kernel[kernel[*access].param]),
            _ => false,
        })
    }
    accumulates(kernel, &kernel.body)
}

/// Whether a parameter is a table whose result depends on the order of combination.
pub(in crate::cuda) fn is_ordered(param: &Param) -> bool {
    param.role == Role::Table && param.dtype.is_inexact()
}
