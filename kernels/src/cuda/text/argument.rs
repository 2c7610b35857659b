//! The argument of a kernel: one struct of 64-bit words. A launch fills them in the order in which
//! the text declares them.

use crate::cuda::variant::{Chunks, GuardKind, Step, Variant};
use crate::ir::{AccessId, AxisId, Expr, GuardId, Kernel, ScalarId};
use std::collections::BTreeSet;

/// A group of the grid, or of the loop with a number.
#[derive(Clone, Copy)]
pub(super) enum Along {
    Grid(usize),
    Loop(usize, usize),
}

/// One word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cuda) enum Field {
    /// The address of an access at position 0 of all axes.
    Pointer(AccessId),
    /// The byte stride of an access along a group of the grid.
    GridStride(AccessId, usize),
    /// The byte stride of an access along a group of a loop.
    LoopStride(AccessId, usize, usize),
    /// Points of a group of the grid.
    GridExtent(usize),
    /// Points of a group of a loop.
    LoopExtent(usize, usize),
    /// Points of a loop.
    LoopPoints(usize),
    /// The global index of position 0 of an axis.
    Origin(AxisId),
    /// The first position inside a guard along one of its axes, and the position after the last.
    Low(GuardId, usize),
    High(GuardId, usize),
    /// Eight bytes of a scalar.
    Scalar(ScalarId, usize),
    /// The number of points by which the first block begins before the innermost group.
    Skew,
    /// Lanes of the grid.
    Units,
    /// Chunks of each loop.
    Chunks,
    /// Memory for the partial results of blocks.
    Scratch,
    /// Counters by which blocks wait for each other.
    Counters,
}

impl Field {
    pub(super) fn name(self) -> String {
        match self {
            Field::Pointer(access) => format!("p{access}"),
            Field::GridStride(access, group) => format!("s{access}_g{group}"),
            Field::LoopStride(access, number, group) => format!("s{access}_l{number}_{group}"),
            Field::GridExtent(group) => format!("n_g{group}"),
            Field::LoopExtent(number, group) => format!("n_l{number}_{group}"),
            Field::LoopPoints(number) => format!("points{number}"),
            Field::Origin(axis) => format!("origin{axis}"),
            Field::Low(guard, at) => format!("low{guard}_{at}"),
            Field::High(guard, at) => format!("high{guard}_{at}"),
            Field::Scalar(scalar, word) => format!("scalar{scalar}_{word}"),
            Field::Skew => String::from("skew"),
            Field::Units => String::from("units"),
            Field::Chunks => String::from("chunks"),
            Field::Scratch => String::from("scratch"),
            Field::Counters => String::from("counters"),
        }
    }
}

/// The words of the argument of a variant.
pub(in crate::cuda) fn fields(kernel: &Kernel, variant: &Variant) -> Vec<Field> {
    let mut fields = Vec::new();
    for access in kernel.access_ids() {
        fields.push(Field::Pointer(access));
        if variant.alike[access.index()] != access {
            continue;
        }
        for (group, step) in variant.grid_steps[access.index()].iter().enumerate() {
            if *step == Step::Any {
                fields.push(Field::GridStride(access, group));
            }
        }
        for (number, steps) in variant.loop_steps[access.index()].iter().enumerate() {
            for (group, step) in steps.iter().enumerate() {
                if *step == Step::Any {
                    fields.push(Field::LoopStride(access, number, group));
                }
            }
        }
    }
    fields.extend((0..variant.grid.len()).map(Field::GridExtent));
    for (number, groups) in variant.loops.iter().enumerate() {
        fields.extend((0..groups.len()).map(|group| Field::LoopExtent(number, group)));
        fields.push(Field::LoopPoints(number));
    }
    let mut indexed: BTreeSet<AxisId> = BTreeSet::new();
    for value in &kernel.values {
        if let Expr::Index(axis) = value.expr {
            indexed.insert(axis);
        }
    }
    fields.extend(indexed.into_iter().map(Field::Origin));
    for (guard, kind) in variant.guards.iter().enumerate() {
        let guard = GuardId::new(guard);
        if let GuardKind::Bounds(axes) = kind {
            fields.extend(
                (0..axes.len()).flat_map(|at| [Field::Low(guard, at), Field::High(guard, at)]),
            );
        }
    }
    for (scalar, dtype) in kernel.scalars.iter().enumerate() {
        let scalar = ScalarId::new(scalar);
        fields.extend((0..dtype.size().div_ceil(8)).map(|word| Field::Scalar(scalar, word)));
    }
    if variant.is_skewed() {
        fields.push(Field::Skew);
    }
    fields.push(Field::Units);
    if variant.chunks != Chunks::One {
        fields.extend([Field::Chunks, Field::Scratch, Field::Counters]);
    }
    fields
}
