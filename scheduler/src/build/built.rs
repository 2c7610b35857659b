//! Built kernels.

use super::maps::{MapId, Maps};
use crate::fuse::Group;
use phalanx_graph::{Graph, NodeId, ScalarId, Source};
use phalanx_kernels::ir::{self, GuardId, Kernel};
use phalanx_ops::{AffineMap, IndexBox, Scalar};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A buffer parameter of a built kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Buffer {
    /// A value computed before.
    Input(Source),
    /// The value that a member stores.
    Output(NodeId),
    /// A later part, by its number, of the items that a member stores before they are combined: the
    /// index of `argmin` and `argmax`; the mean, the rest and the squares of `moments`.
    OutputPart(NodeId, u8),
}

/// The target of a built kernel's access.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BuiltAccess {
    pub buffer: Buffer,
    /// The map from the group's axes to the index of the buffer's value.
    pub map: AffineMap,
    /// The guard of a load: nothing is loaded outside of it.
    pub guard: Option<GuardId>,
}

/// The source of a built kernel's scalar argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ScalarSource {
    /// A scalar argument of the window.
    Argument(ScalarId),
    /// A number of the plan.
    Number(Scalar),
    /// The number of points that a device visits in the loop at this level.
    Points(usize),
    /// Whether no launch of the kernel has stored the results of folds yet (`Group::is_in_parts`).
    IsFirst,
}

/// A kernel with the meaning of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    pub kernel: Arc<Kernel>,
    /// The group axis of each kernel axis.
    pub axes: SmallVec<[u8; 8]>,
    pub accesses: Vec<BuiltAccess>,
    pub scalars: Arc<[ScalarSource]>,
    /// For each guard of the kernel, the box in the group's axes.
    pub guards: Vec<IndexBox>,
    /// Members that later loops load: they must be stored even if nothing else needs them.
    pub reloaded: BTreeSet<NodeId>,
    /// The derivation of maps, guards and numbers from the window.
    pub trace: Arc<Trace>,
}

/// The derivation of a built kernel's maps, guards and numbers from the window.
#[derive(Debug)]
pub(crate) struct Trace {
    pub maps: Maps,
    /// The map of each access.
    pub access_maps: Vec<MapId>,
    /// The scalars that are numbers of the plan, with their indices among the numbers.
    pub scalar_numbers: Vec<(ir::ScalarId, usize)>,
}

impl Built {
    /// The same kernel for another window of the same pattern, if it is correct there.
    pub fn refilled(&self, graph: &Graph, group: &Group) -> Option<Built> {
        let new = self.trace.maps.refill(graph, group, &self.guards)?;
        let mut scalars = self.scalars.clone();
        if !self.trace.scalar_numbers.is_empty() {
            let mut new_scalars = scalars.to_vec();
            for &(scalar, number) in &self.trace.scalar_numbers {
                new_scalars[scalar.index()] =
                    ScalarSource::Number(Scalar::new(new.numbers[number]));
            }
            scalars = new_scalars.into();
        }
        let maps = self.trace.access_maps.iter().map(|&map| new.maps[map.index()].clone());
        let accesses = self
            .accesses
            .iter()
            .zip(maps)
            .map(|(access, map)| BuiltAccess { map, ..*access })
            .collect();
        Some(Built {
            kernel: self.kernel.clone(),
            axes: self.axes.clone(),
            accesses,
            scalars,
            guards: new.guards,
            reloaded: BTreeSet::new(),
            trace: self.trace.clone(),
        })
    }
}
