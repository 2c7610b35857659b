//! What building a kernel gives.

use phalanx_array::Source;
use phalanx_kernels::ir::{GuardId, Kernel};
use phalanx_ops::{AffineMap, IndexBox, Scalar};
use std::collections::BTreeSet;

/// A buffer parameter of a built kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Buffer {
    /// A value computed before.
    Input(Source),
    /// The value that a member stores.
    Output(u32),
    /// The index half of what an `argmin` or `argmax` member stores before it is combined.
    OutputIndex(u32),
}

/// Where an access of a built kernel points.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BuiltAccess {
    pub buffer: Buffer,
    /// From the group's axes to the index of the buffer's value.
    pub map: AffineMap,
    /// The kernel's guard outside of which nothing is loaded.
    pub guard: Option<GuardId>,
}

/// Where a scalar argument of a built kernel comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ScalarSource {
    /// A scalar argument of the window.
    Argument(u32),
    /// A number of the plan.
    Number(Scalar),
}

/// A kernel and what its parameters stand for.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    pub kernel: Kernel,
    /// The group axis of each kernel axis.
    pub axes: Vec<u8>,
    pub accesses: Vec<BuiltAccess>,
    pub scalars: Vec<ScalarSource>,
    /// For each guard of the kernel, the box of the group's axes.
    pub guards: Vec<IndexBox>,
    /// Member values that later loops load: they have to be stored even if nothing else needs them.
    pub reloaded: BTreeSet<u32>,
}
