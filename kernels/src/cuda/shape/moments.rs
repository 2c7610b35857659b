//! Variances in one pass.
//!
//! A kernel that sums `x`, divides, and then sums `(x - mean)²` over the same points reads them
//! twice. Both sums follow from the number of points, their mean and the sum of squares about it.
//! Welford's update (1962, "Note on a method for calculating corrected sums of squares and
//! products") computes these in one pass, as exactly as in two.

use super::facts::loops;
use super::geometry::{Geometry, Group};
use crate::ir::{AccessId, Expr, Fold, Kernel, Stmt, ValueId};
use phalanx_ops::{DType, Monoid, Op};

/// Accesses, two by two.
type Same = Vec<(AccessId, AccessId)>;

/// Two loops that run as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cuda) struct Moments {
    /// The numbers of both loops.
    pub first: usize,
    pub second: usize,
    pub pairs: Vec<Pair>,
    /// The folds of the second loop, in order: the number of the pair, and whether the fold sums
    /// the differences instead of their squares.
    pub results: Vec<(usize, bool)>,
    /// Accesses that must be the same.
    same: Same,
}

/// A sum of the first loop, and the sum of squares about its mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cuda) struct Pair {
    /// The sum, and whether it is stored: then it is computed like a separate fold.
    pub sum: ValueId,
    pub is_sum_stored: bool,
    /// The value that the second loop subtracts from each element.
    pub mean: ValueId,
}

impl Moments {
    /// The first such pair of loops of a kernel.
    pub fn find(kernel: &Kernel) -> Option<Moments> {
        let mut number = 0;
        let mut before: Option<(usize, &[Stmt], &[Fold])> = None;
        for statement in &kernel.body {
            let Stmt::Loop { body, folds, .. } = statement else { continue };
            let own = number;
            number += 1 + loops(body).len();
            if body.iter().any(|statement| !matches!(statement, Stmt::Let(_))) {
                before = None;
                continue;
            }
            if let Some((first, inner, sums)) = before
                && let Some(found) = Moments::of(kernel, (first, inner, sums), (own, body, folds))
            {
                return Some(found);
            }
            before = Some((own, body, folds));
        }
        None
    }

    fn of(
        kernel: &Kernel,
        (first, inner, sums): (usize, &[Stmt], &[Fold]),
        (second, outer, all): (usize, &[Stmt], &[Fold]),
    ) -> Option<Moments> {
        let mut same = Same::new();
        let mut pairs: Vec<Pair> = Vec::with_capacity(all.len());
        let mut results = Vec::with_capacity(all.len());
        for fold in all {
            let pair = |sum| Pair::of(kernel, (inner, sum), (outer, fold));
            let (pair, is_rest, more) = sums.iter().find_map(pair)?;
            let at = pairs.iter().position(|known| known.sum == pair.sum);
            let at = at.unwrap_or_else(|| {
                pairs.push(pair);
                pairs.len() - 1
            });
            if results.contains(&(at, is_rest)) {
                return None;
            }
            results.push((at, is_rest));
            same.extend(more);
        }
        let dtype = |pair: &Pair| kernel[pair.sum].dtype;
        let is_found =
            !pairs.is_empty() && pairs.iter().all(|pair| dtype(pair) == dtype(&pairs[0]));
        is_found.then_some(Moments { first, second, pairs, results, same })
    }

    /// Whether both loops of a launch visit the same elements.
    pub(super) fn holds(&self, launch: &Geometry<'_>, loops: &[Vec<Group>]) -> bool {
        let extents = |at: usize| loops[at].iter().map(|group| group.extent).collect::<Vec<_>>();
        extents(self.first) == extents(self.second)
            && self.same.iter().all(|&(one, other)| {
                launch.addresses[one.index()] == launch.addresses[other.index()]
                    && launch.strides[one.index()] == launch.strides[other.index()]
            })
    }
}

impl Pair {
    fn of(
        kernel: &Kernel,
        (inner, sum): (&[Stmt], &Fold),
        (outer, squares): (&[Stmt], &Fold),
    ) -> Option<(Pair, bool, Same)> {
        let dtype = kernel[sum.value].dtype;
        if [sum.monoid, squares.monoid] != [Monoid::Add; 2]
            || !matches!(dtype, DType::F32 | DType::F64)
        {
            return None;
        }
        let expr = |value: ValueId| &kernel[value].expr;
        let difference = match expr(squares.value) {
            Expr::Op { op: Op::Square, inputs } => inputs[0],
            Expr::Op { op: Op::Multiply, inputs } if inputs[0] == inputs[1] => inputs[0],
            _ => squares.value,
        };
        let Expr::Op { op: Op::Subtract, inputs } = expr(difference) else { return None };
        let (value, mean) = (inputs[0], inputs[1]);
        let Expr::Op { op: Op::Divide, inputs } = expr(mean) else { return None };
        let mut same = Same::new();
        let is_found = inputs[0] == sum.result
            && defined(outer, difference)
            && !defined(outer, mean)
            && alike(kernel, (inner, sum.value), (outer, value), &mut same)
            // No other value uses them. A stored mean is the one that the squares are taken about.
            && users(kernel, sum.result) == 1 + stores(&kernel.body, sum.result)
            && users(kernel, mean) == 1 + stores(&kernel.body, mean);
        let is_sum_stored = stores(&kernel.body, sum.result) > 0;
        let is_rest = difference == squares.value;
        is_found.then_some((Pair { sum: sum.result, is_sum_stored, mean }, is_rest, same))
    }
}

fn defined(body: &[Stmt], value: ValueId) -> bool {
    body.iter().any(|statement| matches!(statement, Stmt::Let(own) if *own == value))
}

/// How many values, folds and stores use a value.
fn users(kernel: &Kernel, value: ValueId) -> usize {
    fn in_body(body: &[Stmt], value: ValueId) -> usize {
        let of = |statement: &Stmt| match statement {
            Stmt::Loop { body, folds, .. } => {
                let folds =
                    folds.iter().filter(|fold| fold.value == value || fold.index == Some(value));
                in_body(body, value) + folds.count()
            }
            Stmt::Store { value: stored, .. } => usize::from(*stored == value),
            Stmt::Accumulate { value: one, position, .. } => {
                usize::from(*one == value) + usize::from(*position == value)
            }
            Stmt::Let(_) => 0,
        };
        body.iter().map(of).sum()
    }
    let uses = |expr: &Expr| match expr {
        Expr::Op { inputs, .. } | Expr::Special { inputs, .. } => {
            inputs.iter().filter(|&&input| input == value).count()
        }
        Expr::Select { condition, on_true, on_false } => {
            [condition, on_true, on_false].into_iter().filter(|&&input| input == value).count()
        }
        Expr::Cast(input) => usize::from(*input == value),
        _ => 0,
    };
    kernel.values.iter().map(|value| uses(&value.expr)).sum::<usize>()
        + in_body(&kernel.body, value)
}

/// How many statements outside of loops store a value.
fn stores(body: &[Stmt], value: ValueId) -> usize {
    let is_store = |statement: &&Stmt| match statement {
        Stmt::Store { value: stored, .. } => *stored == value,
        _ => false,
    };
    body.iter().filter(is_store).count()
}

/// Whether two values, one of each loop, are computed alike.
fn alike(
    kernel: &Kernel,
    (inner, one): (&[Stmt], ValueId),
    (outer, other): (&[Stmt], ValueId),
    same: &mut Same,
) -> bool {
    if one == other {
        // Computed before both loops.
        return !defined(inner, one) && !defined(outer, other);
    }
    let (left, right) = (&kernel[one], &kernel[other]);
    if left.dtype != right.dtype {
        return false;
    }
    let mut both = |one: ValueId, other: ValueId| alike(kernel, (inner, one), (outer, other), same);
    match (&left.expr, &right.expr) {
        (Expr::Load { access: one, guard: None }, Expr::Load { access: other, guard: None }) => {
            same.push((*one, *other));
            kernel[*one].param == kernel[*other].param
        }
        (Expr::Scalar(one), Expr::Scalar(other)) => one == other,
        (Expr::Constant(one), Expr::Constant(other)) => one == other,
        (Expr::Op { op: one, inputs: left }, Expr::Op { op: other, inputs: right }) => {
            one == other && left.iter().zip(right).all(|(&one, &other)| both(one, other))
        }
        (Expr::Cast(one), Expr::Cast(other)) => both(*one, *other),
        _ => false,
    }
}
