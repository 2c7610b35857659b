//! Fusion: which operations run in one kernel.
//!
//! Nodes are visited in program order and each joins a *group*, a kernel to be: the newest one with its iteration space
//! to which all its operands are loads of earlier values or values at the very same index, else a new one. A value that
//! a consumer loads at another index is materialised, unless it is free or cheap to compute again. A group's axes lie on
//! *levels*: level 0 is the grid; a reduction moves the axes it removes one level in, so reductions nest, and what uses
//! the result joins outside the loop, or in a second loop over the same axes. A value with a partial result ends its
//! group, for it has to be combined across devices first.
//!
//! Deterministic: a function of the graph and the placements alone.

use phalanx_array::{Graph, Input, NodeOp, Source};
use phalanx_distributed::{Placement, misaligned_axes};
use phalanx_ops::{AffineMap, AxisMap, IndexBox, Sharding, Split};
use smallvec::SmallVec;

/// The most members of a group.
const MOST_MEMBERS: usize = 64;
/// The most distinct loads of a group.
const MOST_LOADS: usize = 24;
/// A value this cheap (in additions) is computed again where it is used at other indices.
const CHEAP: u32 = 4;
/// A value with one consumer is computed there, at another index, up to this cost.
const CHEAP_ONCE: u32 = 16;
/// How many groups back a node looks for one to join.
const LOOK_BACK: usize = 8;

/// Something that runs as one step (with what has to be exchanged before it).
#[derive(Clone, Debug)]
pub(crate) enum Unit {
    /// A fused kernel.
    Group(Group),
    /// The same elements under another shape.
    Reshape(u32),
    /// A matrix product.
    Matmul(u32),
    /// A selection by a mask.
    Compress(u32),
}

/// A kernel to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// The iteration space; positions are stable.
    pub axes: Vec<GroupAxis>,
    /// The nodes computed, in program order.
    pub members: Vec<Member>,
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
    pub node: u32,
    /// The level at which the value exists.
    pub depth: usize,
    /// For a reduction, an accumulation or a written update: from the group to the input's index space. Else to the
    /// node's own.
    pub from_group: AffineMap,
    /// Set for an update computed as a selection between the value and the old value, at every index of the base.
    pub is_selected: bool,
}

/// A load of a group.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Load {
    pub source: Source,
    /// From the group to the value.
    pub map: AffineMap,
    /// The box of the group outside of which the element is not loaded (and may not exist).
    pub guard: Option<IndexBox>,
}

/// What an input of a member is to its group.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Reference {
    /// A value computed in the group at the same index.
    Member(u32),
    /// A node computed here once more, at the index that the map gives.
    Inline(u32, AffineMap),
    /// An element of a value that exists before.
    Load(Source, AffineMap),
    /// A scalar argument.
    Scalar(u32),
}

impl Group {
    /// The iteration space's sharding.
    pub fn space(&self) -> Sharding {
        Sharding { axes: self.axes.iter().map(|axis| axis.split.clone()).collect(), partial: None }
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.axes.iter().map(|axis| axis.level).chain(self.members.iter().map(|m| m.depth)).max().unwrap_or(0) + 1
    }

    /// The axes on levels up to `depth`, in order.
    fn axes_to(&self, depth: usize) -> SmallVec<[u8; 4]> {
        (0..self.axes.len()).filter(|&axis| self.axes[axis].level <= depth).map(|axis| axis as u8).collect()
    }

    /// The map from the group to an index space of this shape and sharding whose axes are those up to `depth`.
    fn space_at(&self, depth: usize, shape: &[usize], sharding: &Sharding) -> Option<AffineMap> {
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

    fn new(shape: &[usize], sharding: &Sharding) -> (Group, AffineMap) {
        let axes = shape
            .iter()
            .zip(&sharding.axes)
            .map(|(&extent, split)| GroupAxis { extent, split: split.clone(), level: 0 })
            .collect();
        let map = AffineMap {
            shape: shape.into(),
            axes: shape.iter().enumerate().map(|(axis, &extent)| follow(axis as u8, extent)).collect(),
        };
        (Group { axes, members: Vec::new() }, map)
    }
}

fn follow(axis: u8, extent: usize) -> AxisMap {
    // Axes of extent 1 are all alike, whatever they follow.
    if extent == 1 { AxisMap { axis: None, start: 0, step: 0 } } else { AxisMap { axis: Some(axis), start: 0, step: 1 } }
}

/// The map `outer` of a base of shape `base`, applied after `inner`, in normal form.
pub(crate) fn compose(outer: Option<&AffineMap>, base: &[usize], inner: &AffineMap) -> AffineMap {
    let mut map = match outer {
        Some(outer) => outer.then(inner),
        None => inner.clone(),
    };
    for (axis, &extent) in map.axes.iter_mut().zip(base) {
        if extent == 1 || axis.axis.is_none() {
            *axis = AxisMap { axis: None, start: axis.start, step: 0 };
        } else if axis.axis.is_some_and(|a| inner.shape[a as usize] == 1) {
            *axis = AxisMap { axis: None, start: axis.start, step: 0 };
        }
    }
    map
}

/// The fused window.
pub(crate) struct Fused {
    /// Units in the order in which they run.
    pub units: Vec<Unit>,
    /// The unit of each node; `None` for nodes computed only where they are used.
    pub unit_of: Vec<usize>,
}

/// What fusion knows of the graph.
pub(crate) struct Context<'a> {
    pub graph: &'a Graph,
    pub placements: &'a [Placement],
    pub leaves: &'a [Sharding],
    /// For each node, the cost and number of loads of computing it where it is used, if that may be done.
    inline: Vec<Option<(u32, u32)>>,
    uses: Vec<u32>,
}

impl<'a> Context<'a> {
    pub fn new(graph: &'a Graph, placements: &'a [Placement], leaves: &'a [Sharding]) -> Context<'a> {
        let mut uses = vec![0; graph.nodes.len()];
        let mut inline: Vec<Option<(u32, u32)>> = Vec::with_capacity(graph.nodes.len());
        for node in &graph.nodes {
            let own = match &node.op {
                NodeOp::Fill | NodeOp::Index(_) | NodeOp::Cast => Some(1),
                NodeOp::Select => Some(2),
                NodeOp::Elementwise(op) => Some(op.flops()),
                _ => None,
            };
            let mut cost = own.map(|own| (own, 0));
            for input in &node.inputs {
                let loads = match input.source {
                    Source::Scalar(_) => (0, 0),
                    Source::Leaf(_) => (0, 1),
                    Source::Node(from) => {
                        uses[from as usize] += 1;
                        inline[from as usize].filter(|cost| is_cheap(*cost)).unwrap_or((0, 1))
                    }
                };
                cost = cost.map(|cost| (cost.0 + loads.0, cost.1 + loads.1));
            }
            inline.push(match node.op {
                NodeOp::Fill | NodeOp::Index(_) => Some((0, 0)),
                _ => cost,
            });
        }
        Context { graph, placements, leaves, inline, uses }
    }

    /// Whether a node is computed wherever it is used and never has to exist.
    pub fn is_free(&self, node: u32) -> bool {
        matches!(self.graph.nodes[node as usize].op, NodeOp::Fill | NodeOp::Index(_))
    }

    /// What a node costs where it is used, in additions.
    pub fn flops(&self, node: u32) -> u32 {
        self.inline[node as usize].map_or(u32::MAX, |cost| cost.0)
    }

    pub fn sharding(&self, source: Source) -> Option<&Sharding> {
        match source {
            Source::Node(node) => Some(&self.placements[node as usize].output),
            Source::Leaf(leaf) => Some(&self.leaves[leaf as usize]),
            Source::Scalar(_) => None,
        }
    }

    /// What an input is, seen from a group, when the consumer's index follows from the group's by `from_group`.
    pub fn refer(&self, input: &Input, from_group: &AffineMap, group: &Group) -> Reference {
        let (shape, _) = self.graph.source(input.source);
        let map = compose(input.map.as_deref(), shape, from_group);
        let Source::Node(node) = input.source else {
            return match input.source {
                Source::Scalar(scalar) => Reference::Scalar(scalar),
                source => Reference::Load(source, map),
            };
        };
        let found = group.members.iter().find(|member| member.node == node);
        if let Some(member) = found
            && self.placements[node as usize].partial.is_none()
            && self.value_map(member, group).is_some_and(|own| own.axes == map.axes)
        {
            return Reference::Member(node);
        }
        let inlined = self.inline[node as usize].is_some_and(|cost| {
            is_cheap(cost)
                || (self.uses[node as usize] == 1
                    && cost.0 <= CHEAP_ONCE
                    && input.map.as_ref().is_some_and(|map| !map.follows_all() && map.is_injective()))
        });
        if inlined { Reference::Inline(node, map) } else { Reference::Load(Source::Node(node), map) }
    }

    /// The map from the group to the value of a member, if members may use it in registers.
    fn value_map(&self, member: &Member, group: &Group) -> Option<AffineMap> {
        let node = &self.graph.nodes[member.node as usize];
        match &node.op {
            NodeOp::Reduce { axes, .. } => {
                let kept = (0..member.from_group.axes.len()).filter(|&axis| !axes.contains(&(axis as u8)));
                let maps = kept.map(|axis| member.from_group.axes[axis]).collect();
                Some(AffineMap { shape: group.axes.iter().map(|axis| axis.extent).collect(), axes: maps })
            }
            NodeOp::Update(_) if !member.is_selected => None,
            NodeOp::Accumulate { .. } => None,
            _ => Some(member.from_group.clone()),
        }
    }

    /// All loads of a member, those of nodes computed inline included.
    pub fn loads(&self, member: &Member, group: &Group) -> Vec<Load> {
        let mut loads = Vec::new();
        let node = &self.graph.nodes[member.node as usize];
        match &node.op {
            NodeOp::Update(target) if member.is_selected => {
                self.collect(&node.inputs[0], &member.from_group, None, group, &mut loads);
                if let Some((map, guard)) = selection(target, &member.from_group) {
                    self.collect_selected(&node.inputs[1], &map, Some(&guard), group, &mut loads);
                }
            }
            NodeOp::Update(_) => self.collect(&node.inputs[1], &member.from_group, None, group, &mut loads),
            _ => {
                for input in &node.inputs {
                    self.collect(input, &member.from_group, None, group, &mut loads);
                }
            }
        }
        loads
    }

    /// What the value of a selected update is to its group: as `refer`, but a node used only there is computed there.
    pub fn refer_selected(&self, input: &Input, from_group: &AffineMap, group: &Group) -> Reference {
        match self.refer(input, from_group, group) {
            Reference::Load(Source::Node(node), map)
                if self.uses[node as usize] == 1
                    && self.inline[node as usize].is_some_and(|cost| cost.0 <= CHEAP_ONCE) =>
            {
                Reference::Inline(node, map)
            }
            other => other,
        }
    }

    fn collect_selected(
        &self,
        input: &Input,
        from_group: &AffineMap,
        guard: Option<&IndexBox>,
        group: &Group,
        loads: &mut Vec<Load>,
    ) {
        match self.refer_selected(input, from_group, group) {
            Reference::Inline(node, map) => {
                for input in &self.graph.nodes[node as usize].inputs {
                    self.collect(input, &map, guard, group, loads);
                }
            }
            _ => self.collect(input, from_group, guard, group, loads),
        }
    }

    fn collect(
        &self,
        input: &Input,
        from_group: &AffineMap,
        guard: Option<&IndexBox>,
        group: &Group,
        loads: &mut Vec<Load>,
    ) {
        match self.refer(input, from_group, group) {
            Reference::Member(_) | Reference::Scalar(_) => {}
            Reference::Load(source, map) => {
                let guard = guard.cloned();
                let is_known = |known: &Load| {
                    known.source == source && known.map.axes == map.axes && known.guard == guard
                };
                if !loads.iter().any(is_known) {
                    loads.push(Load { source, map, guard });
                }
            }
            Reference::Inline(node, map) => {
                for input in &self.graph.nodes[node as usize].inputs {
                    self.collect(input, &map, guard, group, loads);
                }
            }
        }
    }
}

/// How an update is computed at every index of its base: the map from the group to the value's index, valid inside the
/// guard (a box of the group), and the guard. `None` for updates with steps other than 1 and -1, or of a diagonal.
///
/// `from_group` leads from the group to the base.
pub(crate) fn selection(target: &AffineMap, from_group: &AffineMap) -> Option<(AffineMap, IndexBox)> {
    let mut guard: IndexBox = from_group.shape.iter().map(|&extent| 0..extent).collect();
    let nowhere = AxisMap { axis: None, start: 0, step: 0 };
    let mut axes: SmallVec<[AxisMap; 4]> = SmallVec::from_elem(nowhere, target.shape.len());
    let mut followed = 0u64;
    for (written, own) in target.axes.iter().zip(&from_group.axes) {
        let reached = match written.axis {
            None => written.start..written.start + 1,
            Some(to) => {
                if written.step.abs() > 1 || followed >> to & 1 == 1 {
                    return None;
                }
                followed |= 1 << to;
                let extent = target.shape[to as usize] as i64;
                if extent == 0 {
                    return None;
                }
                let last = written.start + written.step * (extent - 1);
                if let Some(axis) = own.axis
                    && written.step != 0
                {
                    // base = start + step * value, with step 1 or -1.
                    axes[to as usize] =
                        AxisMap { axis: Some(axis), start: -written.start * written.step, step: written.step };
                }
                written.start.min(last)..written.start.max(last) + 1
            }
        };
        if let Some(axis) = own.axis {
            let range = &mut guard[axis as usize];
            *range = range.start.max(reached.start as usize)..range.end.min(reached.end as usize);
        }
    }
    Some((AffineMap { shape: from_group.shape.clone(), axes }, guard))
}

fn is_cheap((flops, loads): (u32, u32)) -> bool {
    flops <= CHEAP && loads <= 1
}

/// Groups the nodes of a window.
pub(crate) fn fuse(context: &Context<'_>) -> Fused {
    let mut fused = Fused { units: Vec::new(), unit_of: vec![usize::MAX; context.graph.nodes.len()] };
    for (position, node) in context.graph.nodes.iter().enumerate() {
        let position = position as u32;
        let unit = match &node.op {
            NodeOp::Reshape => Some(Unit::Reshape(position)),
            NodeOp::Matmul => Some(Unit::Matmul(position)),
            NodeOp::Compress => Some(Unit::Compress(position)),
            _ => None,
        };
        fused.unit_of[position as usize] = match unit {
            Some(unit) => {
                fused.units.push(unit);
                fused.units.len() - 1
            }
            None => place(context, &mut fused, position),
        };
    }
    fused
}

/// Finds or makes the group of a node.
fn place(context: &Context<'_>, fused: &mut Fused, position: u32) -> usize {
    let node = &context.graph.nodes[position as usize];
    let space = &context.placements[position as usize].space;
    let shape = iteration_shape(context, position);
    if let Some(unit) = place_selected(context, fused, position) {
        return unit;
    }
    let oldest = fused.units.len().saturating_sub(LOOK_BACK);
    // Free nodes are stored, if at all, by a kernel of their own; to share one would tie kernels together for nothing.
    if !context.is_free(position) {
        for candidate in (oldest..fused.units.len()).rev() {
            if let Some(joined) = try_join(context, fused, candidate, position, &shape, space) {
                fused.units[candidate] = Unit::Group(joined);
                return candidate;
            }
        }
    }
    let (mut group, map) = Group::new(&shape, space);
    group.members.push(Member { node: position, depth: 0, from_group: map, is_selected: false });
    if let NodeOp::Reduce { axes, .. } = &node.op {
        nest(&mut group, axes);
        // The reduction itself is the value outside of its loop.
        group.members[0].depth = 0;
    }
    fused.units.push(Unit::Group(group));
    fused.units.len() - 1
}

/// Finds or makes the group in which an update is a selection: where its old value is computed, or, if that is free, a
/// group of its own. `None` if the update has to be written into memory instead.
fn place_selected(context: &Context<'_>, fused: &mut Fused, position: u32) -> Option<usize> {
    let node = &context.graph.nodes[position as usize];
    let NodeOp::Update(target) = &node.op else { return None };
    let Source::Node(old) = node.inputs[0].source else { return None };
    if target.is_identity(&node.shape) {
        return None;
    }
    let space = &context.placements[position as usize].output;
    let is_free = context.is_free(old);
    let candidate = if is_free { fused.units.len() } else { fused.unit_of[old as usize] };
    let (mut group, from_group) = if is_free {
        Group::new(&node.shape, space)
    } else {
        let Unit::Group(group) = &fused.units[candidate] else { return None };
        if group.members.len() >= MOST_MEMBERS {
            return None;
        }
        let depth = group.members.iter().find(|member| member.node == old)?.depth;
        (group.clone(), group.space_at(depth, &node.shape, space)?)
    };
    if !is_free && !matches!(context.refer(&node.inputs[0], &from_group, &group), Reference::Member(_)) {
        return None;
    }
    let (map, guard) = selection(target, &from_group)?;
    if phalanx_ops::sharding::is_empty(&guard) {
        return None;
    }
    // The value has to be computed here, or to exist before.
    if let Reference::Load(Source::Node(from), _) = context.refer_selected(&node.inputs[1], &map, &group)
        && fused.unit_of[from as usize] >= candidate
    {
        return None;
    }
    let depth = group.axes.iter().map(|axis| axis.level).max().unwrap_or(0);
    let member = Member { node: position, depth, from_group, is_selected: true };
    let is_before = |load: &Load| match load.source {
        Source::Node(from) => fused.unit_of[from as usize] < candidate,
        _ => true,
    };
    if !context.loads(&member, &group).iter().all(is_before) {
        return None;
    }
    group.members.push(member);
    let loads: usize = group.members.iter().map(|member| context.loads(member, &group).len()).sum();
    if loads > MOST_LOADS || !stays_inside(context, &group) {
        return None;
    }
    if is_free {
        fused.units.push(Unit::Group(group));
    } else {
        fused.units[candidate] = Unit::Group(group);
    }
    Some(candidate)
}

/// The shape of the space that a node iterates over.
pub(crate) fn iteration_shape(context: &Context<'_>, position: u32) -> phalanx_ops::Shape {
    let node = &context.graph.nodes[position as usize];
    let of_input = |input: &Input| {
        input.map.as_ref().map_or_else(|| context.graph.source(input.source).0.into(), |map| map.shape.clone())
    };
    match &node.op {
        NodeOp::Reduce { .. } | NodeOp::Accumulate { .. } => of_input(&node.inputs[0]),
        NodeOp::Update(map) => map.shape.clone(),
        _ => node.shape.clone(),
    }
}

/// Moves `axes` (positions of the group's level-0 axes, in order) one level in, and everything inside along.
fn nest(group: &mut Group, axes: &[u8]) {
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

/// The group with the node added, if that is legal and worth while.
fn try_join(
    context: &Context<'_>,
    fused: &Fused,
    candidate: usize,
    position: u32,
    shape: &[usize],
    space: &Sharding,
) -> Option<Group> {
    let Unit::Group(group) = &fused.units[candidate] else { return None };
    if group.members.len() >= MOST_MEMBERS {
        return None;
    }
    let node = &context.graph.nodes[position as usize];
    // What has to exist before the group runs must come from earlier units.
    let is_before = |source: Source| match source {
        Source::Node(from) => fused.unit_of[from as usize] < candidate,
        _ => true,
    };
    if let NodeOp::Update(map) = &node.op
        && !map.is_identity(&node.shape)
        && !is_before(node.inputs[0].source)
    {
        return None;
    }
    for depth in (0..group.levels()).rev() {
        let Some(from_group) = group.space_at(depth, shape, space) else { continue };
        let mut joined = group.clone();
        let mut member = Member { node: position, depth, from_group, is_selected: false };
        let inputs = if matches!(node.op, NodeOp::Update(_)) { &node.inputs[1..] } else { &node.inputs[..] };
        let uses_member = inputs
            .iter()
            .any(|input| matches!(context.refer(input, &member.from_group, group), Reference::Member(_)));
        let loads = context.loads(&member, group);
        if !loads.iter().all(|load| is_before(load.source)) {
            continue;
        }
        let known: Vec<Load> = group.members.iter().flat_map(|m| context.loads(m, group)).collect();
        let shares_load = loads.iter().any(|load| known.iter().any(|other| other.source == load.source));
        if !uses_member && !shares_load {
            continue;
        }
        let mut distinct: Vec<&Load> = known.iter().collect();
        distinct.extend(loads.iter().filter(|load| !known.contains(load)));
        if distinct.len() > MOST_LOADS {
            continue;
        }
        if let NodeOp::Reduce { axes, .. } = &node.op {
            let at: SmallVec<[u8; 4]> = group.axes_to(depth);
            let removed: SmallVec<[u8; 4]> = axes.iter().map(|&axis| at[axis as usize]).collect();
            let level: SmallVec<[u8; 4]> =
                (0..group.axes.len() as u8).filter(|&axis| group.axes[axis as usize].level == depth).collect();
            if depth > 0 && level.as_slice() == removed.as_slice() {
                member.depth = depth - 1;
                joined.members.push(member);
            } else if depth == 0 {
                nest(&mut joined, axes);
                joined.members.push(member);
            } else {
                continue;
            }
        } else {
            joined.members.push(member);
        }
        if stays_inside(context, &joined) {
            return Some(joined);
        }
    }
    None
}

/// Whether no load may leave the device's block along a loop axis: a loop cannot be cut where a slab begins.
fn stays_inside(context: &Context<'_>, group: &Group) -> bool {
    if group.axes.iter().all(|axis| axis.level == 0) {
        return true;
    }
    let space = group.space();
    group.members.iter().all(|member| {
        context.loads(member, group).iter().all(|load| {
            let Some(sharding) = context.sharding(load.source) else { return true };
            misaligned_axes(sharding, &load.map, &space).iter().all(|&axis| group.axes[axis as usize].level == 0)
        })
    })
}
