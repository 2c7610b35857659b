//! What building a kernel gives.

use super::maps::{MapId, Maps};
use crate::fuse::Group;
use phalanx_array::{Graph, Source};
use phalanx_kernels::ir::{GuardId, Kernel};
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
    Output(u32),
    /// A later part of the items that a member stores before they are combined, by its number:
    /// the index of `argmin` and `argmax`, the mean, the rest and the squares of `moments`.
    OutputPart(u32, u8),
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
    /// How many points of the loop on this level a device visits.
    Points(usize),
}

/// A kernel and what its parameters stand for.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    pub kernel: Arc<Kernel>,
    /// The group axis of each kernel axis.
    pub axes: SmallVec<[u8; 8]>,
    pub accesses: Vec<BuiltAccess>,
    pub scalars: Arc<[ScalarSource]>,
    /// For each guard of the kernel, the box of the group's axes.
    pub guards: Vec<IndexBox>,
    /// Member values that later loops load: they have to be stored even if nothing else needs them.
    pub reloaded: BTreeSet<u32>,
    /// How the maps, guards and numbers follow from the window.
    pub trace: Arc<Trace>,
}

/// How the maps, guards and numbers of a built kernel follow from the window.
#[derive(Debug)]
pub(crate) struct Trace {
    pub maps: Maps,
    /// The map of each access.
    pub access_maps: Vec<MapId>,
    /// The scalars that are numbers of the plan, with their places among the numbers.
    pub scalar_numbers: Vec<(usize, usize)>,
}

impl Built {
    /// The same kernel for another window of the same pattern, if it is right for that.
    pub fn refilled(&self, graph: &Graph, group: &Group) -> Option<Built> {
        let new = self.trace.maps.refill(graph, group, &self.guards)?;
        let mut scalars = self.scalars.clone();
        if !self.trace.scalar_numbers.is_empty() {
            let mut new_scalars = scalars.to_vec();
            for &(scalar, number) in &self.trace.scalar_numbers {
                new_scalars[scalar] = ScalarSource::Number(Scalar::new(new.numbers[number]));
            }
            scalars = new_scalars.into();
        }
        let maps = self.trace.access_maps.iter().map(|&map| new.maps[map].clone());
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
