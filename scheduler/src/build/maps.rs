//! The maps and numbers of a kernel, each with its derivation from the window: another window of
//! the same pattern derives its own without building the kernel again.

use crate::fuse::{Group, compose, selection};
use phalanx_graph::{Graph, NodeId, NodeOp};
use phalanx_kernels::ir::GuardId;
use phalanx_ops::{AffineMap, AxisMap, IndexBox, id_type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

id_type! {
    /// A map of a kernel, by its position among the kernel's maps.
    pub(crate) struct MapId;
}

/// The derivation of a map, which leads from the group to its target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum MapOrigin {
    /// To the iteration space of this node's member.
    Space(NodeId),
    /// To the value of this node's member.
    Value(NodeId),
    /// To an input of a node; `inner` leads to the node.
    Input { node: NodeId, input: u8, inner: MapId },
    /// To the value of a selected update; `inner` leads to its base.
    Selected { node: NodeId, inner: MapId },
    /// To the base of a written update; `inner` leads to its value.
    Target { node: NodeId, inner: MapId },
    /// To the first element of a table.
    Table(NodeId),
}

/// The derivation of a kernel's number from the window.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum NumberOrigin {
    /// A constant of the pattern.
    Constant(i64),
    /// The start of a map along an axis of its target.
    Start(MapId, u8),
    /// The extent of an axis of the group.
    Extent(u8),
    /// The number of elements of a vector.
    Length(NodeId),
}

/// The maps and numbers of a kernel.
#[derive(Clone, Default, Debug)]
pub(crate) struct Maps {
    /// The derivation of each map, with the first map equal to it, whose number represents both.
    origins: Vec<(MapOrigin, MapId)>,
    maps: Vec<AffineMap>,
    known: FxHashMap<MapOrigin, MapId>,
    numbers: Vec<(NumberOrigin, i64)>,
    /// For each use of a guard, the guard and the selection that it is the bound of.
    guards: Vec<(GuardId, MapOrigin)>,
}

/// The maps and numbers of another window.
pub(crate) struct Refilled {
    pub maps: Vec<AffineMap>,
    pub guards: Vec<IndexBox>,
    pub numbers: Vec<i64>,
}

impl Maps {
    /// The number of a map, which is the number of the first map equal to it.
    pub fn intern(&mut self, origin: MapOrigin, map: impl FnOnce() -> AffineMap) -> MapId {
        if let Some(&known) = self.known.get(&origin) {
            return known;
        }
        let (map, id) = (map(), MapId::new(self.maps.len()));
        let equal = self.maps.iter().zip(&self.origins).position(|(m, _)| m.axes == map.axes);
        let class = equal.map_or(id, MapId::new);
        self.origins.push((origin, class));
        self.maps.push(map);
        self.known.insert(origin, class);
        class
    }

    /// The number of a map derived from the window and earlier maps; `None` if the window has no
    /// such map.
    pub fn derive(&mut self, graph: &Graph, group: &Group, origin: MapOrigin) -> Option<MapId> {
        if let Some(&known) = self.known.get(&origin) {
            return Some(known);
        }
        let map = map_of(graph, group, origin, &self.maps)?;
        Some(self.intern(origin, || map))
    }

    /// The map with a number.
    pub fn get(&self, id: MapId) -> &AffineMap {
        &self.maps[id.index()]
    }

    /// The index of a number of the kernel.
    pub fn number(&mut self, origin: NumberOrigin, value: i64) -> usize {
        let known = self.numbers.iter().position(|number| number.0 == origin);
        known.unwrap_or_else(|| {
            self.numbers.push((origin, value));
            self.numbers.len() - 1
        })
    }

    /// Records that a guard bounds a selection.
    pub fn guard(&mut self, guard: GuardId, selection: MapOrigin) {
        if !self.guards.contains(&(guard, selection)) {
            self.guards.push((guard, selection));
        }
    }

    /// The maps, guards and numbers of a window of the same pattern, if the kernel is correct for
    /// them: equal numbers stay equal, zeros stay zero, and a guard bounds the same axes.
    pub fn refill(&self, graph: &Graph, group: &Group, before: &[IndexBox]) -> Option<Refilled> {
        let mut maps: Vec<AffineMap> = Vec::with_capacity(self.maps.len());
        for &(origin, class) in &self.origins {
            let map = map_of(graph, group, origin, &maps)?;
            if maps.get(class.index()).is_some_and(|equal| equal.axes != map.axes) {
                return None;
            }
            maps.push(map);
        }
        let mut guards: Vec<Option<IndexBox>> = vec![None; before.len()];
        for &(guard, selected) in &self.guards {
            let MapOrigin::Selected { node, inner } = selected else { return None };
            let NodeOp::Update(target) = &graph[node].op else { return None };
            let (_, bounds) = selection(target, &maps[inner.index()])?;
            let shapes = maps[inner.index()].shape.iter().zip(&self.maps[inner.index()].shape);
            let is_alike = bounds.iter().zip(&before[guard.index()]).zip(shapes).all(
                |((new, old), (extent, old_extent))| {
                    (*new == (0..*extent)) == (*old == (0..*old_extent))
                        && new.is_empty() == old.is_empty()
                },
            );
            match &guards[guard.index()] {
                Some(known) if *known != bounds => return None,
                _ if !is_alike => return None,
                _ => guards[guard.index()] = Some(bounds),
            }
        }
        let mut numbers: Vec<i64> = Vec::with_capacity(self.numbers.len());
        for &(origin, old) in &self.numbers {
            let number = number_of(graph, group, origin, &maps);
            let equal = self.numbers[..numbers.len()].iter().position(|known| known.1 == old);
            if (number == 0) != (old == 0) || equal.is_some_and(|equal| numbers[equal] != number) {
                return None;
            }
            numbers.push(number);
        }
        Some(Refilled { maps, guards: guards.into_iter().collect::<Option<_>>()?, numbers })
    }
}

fn number_of(graph: &Graph, group: &Group, origin: NumberOrigin, maps: &[AffineMap]) -> i64 {
    match origin {
        NumberOrigin::Constant(value) => value,
        NumberOrigin::Start(map, axis) => maps[map.index()].axes[axis as usize].start,
        NumberOrigin::Extent(axis) => group.axes[axis as usize].extent as i64,
        NumberOrigin::Length(node) => graph[node].shape[0] as i64,
    }
}

fn map_of(
    graph: &Graph,
    group: &Group,
    origin: MapOrigin,
    maps: &[AffineMap],
) -> Option<AffineMap> {
    Some(match origin {
        MapOrigin::Space(node) => group.member(node).from_group.clone(),
        MapOrigin::Value(node) => value_map(graph, group, node),
        MapOrigin::Input { node, input, inner } => {
            let input = &graph[node].inputs[input as usize];
            compose(input.map.as_deref(), graph.source(input.source).0, &maps[inner.index()])
        }
        MapOrigin::Selected { node, inner } => match &graph[node].op {
            NodeOp::Update(target) => selection(target, &maps[inner.index()])?.0,
            _ => return None,
        },
        MapOrigin::Target { node, inner } => match &graph[node].op {
            NodeOp::Update(target) => target.then(&maps[inner.index()]),
            _ => return None,
        },
        MapOrigin::Table(node) => {
            let nowhere = AxisMap { axis: None, start: 0, step: 0 };
            let shape = group.member(node).from_group.shape.clone();
            AffineMap { shape, axes: SmallVec::from_slice(&[nowhere]) }
        }
    })
}

/// The map from the group to the index of a member's value.
fn value_map(graph: &Graph, group: &Group, node: NodeId) -> AffineMap {
    let from_group = &group.member(node).from_group;
    match &graph[node].op {
        NodeOp::Reduce { axes, .. } => AffineMap {
            shape: from_group.shape.clone(),
            axes: from_group
                .axes
                .iter()
                .enumerate()
                .filter(|(axis, _)| !axes.contains(&(*axis as u8)))
                .map(|(_, map)| *map)
                .collect(),
        },
        _ => from_group.clone(),
    }
}
