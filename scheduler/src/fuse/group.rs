//! Groups: sets of nodes that become one kernel each.

use phalanx_distributed::Placement;
use phalanx_graph::{Graph, NodeId, NodeOp, ScalarId, Source};
use phalanx_ops::{AffineMap, AxisMap, IndexBox, Shape, Sharding, Split};
use smallvec::SmallVec;

/// From this many points on, a loop is long: its result is small beside what it folds.
const LONG: usize = 64;

/// Work that runs as one step, after the exchanges for it.
#[derive(Clone, Debug)]
pub(crate) enum Unit {
    /// A fused kernel.
    Group(Group),
    /// A reshape, which shares its input's memory.
    Reshape(NodeId),
    /// A structured operation.
    Routine(NodeId),
    /// A selection by a mask (`compress`).
    Compress(NodeId),
}

impl Unit {
    /// Whether the unit computes a value.
    pub fn computes(&self, source: Source) -> bool {
        let Source::Node(node) = source else { return false };
        match self {
            Unit::Group(group) => group.members.iter().any(|member| member.node == node),
            Unit::Reshape(own) | Unit::Routine(own) | Unit::Compress(own) => *own == node,
        }
    }
}

/// A group: the nodes of one kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// The axes of the iteration space; positions never change.
    pub axes: Vec<GroupAxis>,
    /// The shape and sharding from which the axes are taken.
    pub space_of: SpaceOf,
    /// The nodes computed, in program order.
    pub members: Vec<Member>,
    /// Set for a single update at one position of a split axis: only the devices that hold the
    /// position run the kernel, so it computes nothing else.
    pub is_for_owners: bool,
    /// Whether its loop is cut where slabs begin: each of several launches combines what it folds
    /// with the result of the launches before.
    pub is_in_parts: bool,
}

/// The source of a group's axes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum SpaceOf {
    /// None: the group was merged into another.
    #[default]
    Nothing,
    /// The iteration space of a node.
    Space(NodeId),
    /// The value of a node.
    Value(NodeId),
}

/// An axis of a group.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct GroupAxis {
    pub extent: usize,
    pub split: Option<Split>,
    /// 0 for the grid, 1 for a loop, 2 for a loop inside of that.
    pub level: usize,
}

/// A node computed in a group.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub node: NodeId,
    /// The level at which the value exists.
    pub depth: usize,
    /// The map from the group to the input's index space for a reduction, an accumulation or a
    /// written update; otherwise to the node's own.
    pub from_group: AffineMap,
    /// Set for an update that selects between the value and the old value at every index of the
    /// base.
    pub is_selected: bool,
}

/// A load of a group.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Load {
    pub source: Source,
    /// From the group to the value.
    pub map: AffineMap,
    /// The box of the group outside of which nothing is loaded (the element may not exist).
    pub guard: Option<IndexBox>,
}

/// How a group gets an input of a member.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Reference {
    /// The value of a member at the same index, which the map gives.
    Member(NodeId, AffineMap),
    /// A node that is computed again, at the index that the map gives.
    Inline(NodeId, AffineMap),
    /// An element loaded from a value that is computed before.
    Load(Source, AffineMap),
    /// A scalar argument.
    Scalar(ScalarId),
}

impl Group {
    /// The sharding of the iteration space.
    pub fn space(&self) -> Sharding {
        Sharding { axes: self.axes.iter().map(|axis| axis.split.clone()).collect(), partial: None }
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.axes
            .iter()
            .map(|axis| axis.level)
            .chain(self.members.iter().map(|m| m.depth))
            .max()
            .unwrap_or(0)
            + 1
    }

    /// The axes on levels up to `depth`, in order.
    pub fn axes_to(&self, depth: usize) -> SmallVec<[u8; 4]> {
        (0..self.axes.len())
            .filter(|&axis| self.axes[axis].level <= depth)
            .map(|axis| axis as u8)
            .collect()
    }

    /// The map from the group to an index space with this shape and sharding, whose axes are the
    /// group's axes up to `depth`.
    pub fn space_at(
        &self,
        depth: usize,
        shape: &[usize],
        sharding: &Sharding,
    ) -> Option<AffineMap> {
        let axes = self.axes_to(depth);
        let equal = axes.len() == shape.len()
            && axes.iter().zip(shape).zip(&sharding.axes).all(|((&axis, &extent), split)| {
                let own = &self.axes[axis as usize];
                own.extent == extent && own.split == *split
            });
        if !equal {
            return None;
        }
        let maps = axes.iter().zip(shape).map(|(&axis, &extent)| follow(axis, extent)).collect();
        Some(AffineMap { shape: self.axes.iter().map(|axis| axis.extent).collect(), axes: maps })
    }

    /// A group without members whose axes are those of `space_of`, and the map to these.
    pub fn new(space_of: SpaceOf, graph: &Graph, placements: &[Placement]) -> (Group, AffineMap) {
        let (shape, sharding) = space_of.look_up(graph, placements);
        let axes = shape
            .iter()
            .zip(&sharding.axes)
            .map(|(&extent, split)| GroupAxis { extent, split: split.clone(), level: 0 })
            .collect();
        let map = AffineMap {
            shape: shape.clone(),
            axes: shape
                .iter()
                .enumerate()
                .map(|(axis, &extent)| follow(axis as u8, extent))
                .collect(),
        };
        (Group { axes, space_of, ..Group::default() }, map)
    }

    /// A group with one node.
    pub fn alone(node: NodeId, graph: &Graph, placements: &[Placement]) -> Group {
        let (mut group, map) = Group::new(SpaceOf::Space(node), graph, placements);
        group.is_for_owners = writes_one_owner(node, graph, placements);
        group.members.push(Member { node, depth: 0, from_group: map, is_selected: false });
        if let NodeOp::Reduce { axes, .. } = &graph[node].op {
            nest(&mut group, axes);
            // The value of the reduction exists outside of its loop.
            group.members[0].depth = 0;
        }
        group
    }

    /// The level at which a member reads its inputs: for a reduction, inside its loop.
    pub fn reading_depth(member: &Member, graph: &Graph) -> usize {
        let is_reduction = matches!(graph[member.node].op, NodeOp::Reduce { .. });
        member.depth + usize::from(is_reduction)
    }

    /// The member of a node. Panics (`bug:`) if it has none.
    pub fn member(&self, node: NodeId) -> &Member {
        match self.members.iter().find(|member| member.node == node) {
            Some(member) => member,
            None => unreachable!("bug: node {node} is not a member"),
        }
    }

    /// The same group for another window of the same pattern.
    pub fn refilled(&self, graph: &Graph, placements: &[Placement]) -> Group {
        if self.space_of == SpaceOf::Nothing {
            return Group::default();
        }
        let (shape, sharding) = self.space_of.look_up(graph, placements);
        let axes = self.axes.iter().zip(&shape).zip(&sharding.axes);
        let axes = axes.map(|((old, &extent), split)| GroupAxis {
            extent,
            split: split.clone(),
            level: old.level,
        });
        // Members follow the axes one to one, so only the extents of their maps differ.
        let members = self.members.iter().map(|member| Member {
            from_group: AffineMap {
                shape: Shape::from_slice(&shape),
                axes: SmallVec::from_slice(&member.from_group.axes),
            },
            ..*member
        });
        Group {
            axes: axes.collect(),
            space_of: self.space_of,
            members: members.collect(),
            is_for_owners: self.is_for_owners,
            is_in_parts: self.is_in_parts,
        }
    }
}

impl SpaceOf {
    fn look_up<'a>(self, graph: &Graph, placements: &'a [Placement]) -> (Shape, &'a Sharding) {
        match self {
            SpaceOf::Space(node) => (iteration_shape(graph, node), &placements[node.index()].space),
            SpaceOf::Value(node) => {
                (Shape::from_slice(&graph[node].shape), &placements[node.index()].output)
            }
            SpaceOf::Nothing => unreachable!("bug: a group without axes of its own"),
        }
    }
}

/// Whether a node is an update at a fixed index of a split axis of its base.
pub(crate) fn writes_one_owner(node: NodeId, graph: &Graph, placements: &[Placement]) -> bool {
    let NodeOp::Update(target) = &graph[node].op else { return false };
    let splits = &placements[node.index()].output.axes;
    target.axes.iter().zip(splits).any(|(axis, split)| axis.axis.is_none() && split.is_some())
}

/// The shape of the space that a node iterates over.
pub(crate) fn iteration_shape(graph: &Graph, position: NodeId) -> Shape {
    let node = &graph[position];
    match &node.op {
        NodeOp::Reduce { .. } | NodeOp::Accumulate { .. } => match &node.inputs[0].map {
            Some(map) => Shape::from_slice(&map.shape),
            None => graph.source(node.inputs[0].source).0.into(),
        },
        NodeOp::Update(map) => Shape::from_slice(&map.shape),
        _ => Shape::from_slice(&node.shape),
    }
}

/// Whether a node is a reduction with a long loop for each of its results. The pattern of a window
/// records it (`identity`), since fusion depends on it.
pub(crate) fn folds_many(graph: &Graph, position: NodeId) -> bool {
    let node = &graph[position];
    let NodeOp::Reduce { axes, .. } = &node.op else { return false };
    let shape = iteration_shape(graph, position);
    let extents = axes.iter().map(|&axis| shape[axis as usize]);
    extents.fold(1, usize::saturating_mul) >= LONG
}

fn follow(axis: u8, extent: usize) -> AxisMap {
    // Axes of extent 1 have one normal form.
    if extent == 1 {
        AxisMap { axis: None, start: 0, step: 0 }
    } else {
        AxisMap { axis: Some(axis), start: 0, step: 1 }
    }
}

/// The map `outer` of a base of shape `base`, applied after `inner`, in normal form.
pub(crate) fn compose(outer: Option<&AffineMap>, base: &[usize], inner: &AffineMap) -> AffineMap {
    let mut map = match outer {
        Some(outer) => outer.then(inner),
        None => inner.clone(),
    };
    for (axis, &extent) in map.axes.iter_mut().zip(base) {
        if extent == 1 {
            // There is one position, also where an index outside of a guard would differ.
            *axis = AxisMap { axis: None, start: 0, step: 0 };
        } else if axis.axis.is_none_or(|a| inner.shape[a as usize] == 1) {
            *axis = AxisMap { axis: None, start: axis.start, step: 0 };
        }
    }
    map
}

/// Moves `axes` (positions among the group's level-0 axes) to level 1, and all deeper levels one
/// level in.
pub(crate) fn nest(group: &mut Group, axes: &[u8]) {
    let outer = group.axes_to(0);
    for axis in &mut group.axes {
        if axis.level > 0 {
            axis.level += 1;
        }
    }
    for &axis in axes {
        group.axes[outer[axis as usize] as usize].level = 1;
    }
    for member in &mut group.members {
        member.depth += 1;
    }
}
