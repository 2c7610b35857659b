//! The argument of a kernel: one struct of 64-bit words, declared in the text and filled for each
//! launch in the same order.

use super::shape::Shape;
use super::variant::{Chunks, GuardKind, Step, Variant};
use crate::ir::{AccessId, AxisId, Expr, GuardId, Kernel, ScalarId};
use phalanx_ops::Scalar;
use std::collections::BTreeSet;

/// One word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
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

/// Addresses that a launch gets in addition to its accesses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Workspace {
    pub scratch: u64,
    pub counters: u64,
}

impl Field {
    pub fn name(self) -> String {
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

    fn value(self, shape: &Shape, launch: &Values<'_>) -> u64 {
        let signed = |number: isize| number as i64 as u64;
        match self {
            Field::Pointer(access) => launch.addresses[access],
            Field::GridStride(access, group) => {
                signed(shape.strides[access][shape.grid[group].inner])
            }
            Field::LoopStride(access, number, group) => {
                signed(shape.strides[access][shape.loops[number][group].inner])
            }
            Field::GridExtent(group) => shape.grid[group].extent as u64,
            Field::LoopExtent(number, group) => shape.loops[number][group].extent as u64,
            Field::LoopPoints(number) => shape.loop_points(number) as u64,
            Field::Origin(axis) => launch.origins[axis] as u64,
            Field::Low(guard, at) => shape.bounds[guard][at].0 as u64,
            Field::High(guard, at) => shape.bounds[guard][at].1 as u64,
            Field::Scalar(scalar, word) => {
                let bytes = launch.scalars[scalar].bytes();
                let from = (8 * word).min(bytes.len());
                let bytes = &bytes[from..(from + 8).min(bytes.len())];
                let mut whole = [0; 8];
                whole[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(whole)
            }
            Field::Skew => shape.skew as u64,
            Field::Units => shape.units as u64,
            Field::Chunks => shape.chunks as u64,
            Field::Scratch => launch.workspace.scratch,
            Field::Counters => launch.workspace.counters,
        }
    }
}

/// The values of a launch that are not part of its shape.
pub(super) struct Values<'a> {
    pub addresses: &'a [u64],
    pub origins: &'a [i64],
    pub scalars: &'a [Scalar],
    pub workspace: Workspace,
}

/// The words of the argument of a variant.
pub(super) fn fields(kernel: &Kernel, variant: &Variant) -> Vec<Field> {
    let mut fields = Vec::new();
    for access in 0..kernel.accesses.len() {
        fields.push(Field::Pointer(access));
        for (group, step) in variant.grid_steps[access].iter().enumerate() {
            if *step == Step::Any {
                fields.push(Field::GridStride(access, group));
            }
        }
        for (number, steps) in variant.loop_steps[access].iter().enumerate() {
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
        if let GuardKind::Bounds(axes) = kind {
            fields.extend(
                (0..axes.len()).flat_map(|at| [Field::Low(guard, at), Field::High(guard, at)]),
            );
        }
    }
    for (scalar, dtype) in kernel.scalars.iter().enumerate() {
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

/// The bytes of the argument of a launch.
pub(super) fn bytes(fields: &[Field], shape: &Shape, values: &Values<'_>) -> Vec<u8> {
    fields.iter().flat_map(|field| field.value(shape, values).to_le_bytes()).collect()
}
