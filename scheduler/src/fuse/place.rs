//! Grouping: finds or makes the group of each node, in program order.

use super::context::{Context, selection};
use super::group::{
    Group, Load, Member, Reference, SpaceOf, Unit, iteration_shape, nest, writes_one_owner,
};
use super::reads::{overwritten, reads_of};
use crate::ids::UnitId;
use phalanx_distributed::is_small_write;
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_ops::{Monoid, Sharding};
use smallvec::SmallVec;

/// The most members of a group.
const MOST_MEMBERS: usize = 64;
/// The most distinct loads of a group.
const MOST_LOADS: usize = 24;
/// The number of newest units that a node may join.
const LOOK_BACK: usize = 8;

/// The fused window.
pub(crate) struct Fused {
    /// Units in the order in which they run.
    pub units: Vec<Unit>,
    /// The unit of each node that has one so far.
    unit_of: Vec<UnitId>,
}

impl Fused {
    /// Adds a unit after all others. Returns its id.
    fn push(&mut self, unit: Unit) -> UnitId {
        self.units.push(unit);
        UnitId::new(self.units.len() - 1)
    }

    /// The unit of a node that has one.
    fn unit_of(&self, node: NodeId) -> UnitId {
        self.unit_of[node.index()]
    }

    /// The oldest unit that a node may join. A copy stays behind the routine before it: a routine
    /// in phases needs one copy at a time, and later ones are under way while it runs.
    fn oldest_for(&self, op: &NodeOp) -> usize {
        let oldest = self.units.len().saturating_sub(LOOK_BACK);
        if !matches!(op, NodeOp::Reshard(_)) {
            return oldest;
        }
        let mut newer = self.units[oldest..].iter();
        let routine = newer.rposition(|unit| matches!(unit, Unit::Routine(_)));
        routine.map_or(oldest, |routine| oldest + routine + 1)
    }

    /// A unit, if it is a group.
    fn group(&self, unit: UnitId) -> Option<&Group> {
        match &self.units[unit.index()] {
            Unit::Group(group) => Some(group),
            Unit::Reshape(_) | Unit::Routine(_) | Unit::Compress(_) => None,
        }
    }
}

/// Groups the nodes of a window.
pub(crate) fn fuse(context: &Context<'_>) -> Fused {
    tracing::trace!(target: "phalanx::path", file = file!());
    let count = context.graph.nodes.len();
    let mut fused = Fused { units: Vec::new(), unit_of: Vec::with_capacity(count) };
    for (position, node) in context.graph.numbered() {
        let unit = match &node.op {
            NodeOp::Reshape => Some(Unit::Reshape(position)),
            NodeOp::Structured(_) => Some(Unit::Routine(position)),
            NodeOp::Compress => Some(Unit::Compress(position)),
            _ => None,
        };
        match unit {
            Some(unit) => {
                let unit = fused.push(unit);
                fused.unit_of.push(unit);
            }
            None => place(context, &mut fused, position),
        }
    }
    for unit in &mut fused.units {
        if let Unit::Group(group) = unit {
            group.is_in_parts = !context.stays_inside(group);
        }
    }
    fused
}

/// Finds or makes the group of a node.
fn place(context: &Context<'_>, fused: &mut Fused, position: NodeId) {
    let space = &context.placements[position.index()].space;
    let shape = iteration_shape(context.graph, position);
    if let Some(unit) = place_selected(context, fused, position) {
        fused.unit_of.push(unit);
        return;
    }
    let oldest = fused.oldest_for(&context.graph[position].op);
    // A free node gets a group of its own: joining another would tie kernels together for nothing.
    if !context.is_free(position) {
        let best = unit_with_mean(context, fused, position).filter(|unit| unit.index() >= oldest);
        for candidate in best.into_iter().chain((oldest..fused.units.len()).rev().map(UnitId::new))
        {
            if let Some(joined) = try_join(context, fused, candidate, position, &shape, space) {
                fused.units[candidate.index()] = Unit::Group(joined);
                fused.unit_of.push(candidate);
                absorb(context, fused, candidate, position);
                return;
            }
        }
    }
    let unit = fused.push(Unit::Group(Group::alone(position, context.graph, context.placements)));
    fused.unit_of.push(unit);
    if !context.is_free(position) {
        absorb(context, fused, unit, position);
    }
}

/// The unit that sums the same elements as this `moments`, or the reverse: one loop computes both,
/// and one collective combines both.
fn unit_with_mean(context: &Context<'_>, fused: &Fused, position: NodeId) -> Option<UnitId> {
    let node = &context.graph[position];
    let NodeOp::Reduce { monoid, axes } = &node.op else { return None };
    let other = match monoid {
        Monoid::Moments => Monoid::Add,
        Monoid::Add => Monoid::Moments,
        _ => return None,
    };
    let other = NodeOp::Reduce { monoid: other, axes: axes.clone() };
    let before = &context.graph.nodes[..position.index()];
    let found = before.iter().rposition(|it| it.op == other && it.inputs == node.inputs);
    found.map(|found| fused.unit_of(NodeId::new(found)))
}

/// Finds or makes the group in which an update is a selection: the group of its old value, or a
/// group of its own if the old value is cheap to compute again. `None` if the update must be
/// written into memory instead.
fn place_selected(context: &Context<'_>, fused: &mut Fused, position: NodeId) -> Option<UnitId> {
    let NodeOp::Update(target) = &context.graph[position].op else { return None };
    let Source::Node(old) = context.graph[position].inputs[0].source else {
        return None;
    };
    if target.is_identity(&context.graph[position].shape) {
        return None;
    }
    if !context.is_free(old) {
        let candidate = fused.unit_of(old);
        if let Some(group) = selected(context, fused, position, Some((candidate, old))) {
            fused.units[candidate.index()] = Unit::Group(group);
            return Some(candidate);
        }
        // The written value may be known only after the group of the old value has run.
        let is_small = is_small_write(target, &context.graph[position].shape);
        if is_small || !context.is_recomputed(old) {
            return None;
        }
    }
    let group = selected(context, fused, position, None)?;
    Some(fused.push(Unit::Group(group)))
}

/// Adds an update as a selection, if that is legal, to the group of the `existing` unit and member,
/// or to a new group.
fn selected(
    context: &Context<'_>,
    fused: &Fused,
    position: NodeId,
    existing: Option<(UnitId, NodeId)>,
) -> Option<Group> {
    let node = &context.graph[position];
    let NodeOp::Update(target) = &node.op else { return None };
    let space = &context.placements[position.index()].output;
    let candidate = existing.map_or(UnitId::new(fused.units.len()), |(candidate, _)| candidate);
    let (mut group, depth, from_group) = if let Some((_, old)) = existing {
        let group = fused.group(candidate)?;
        if group.members.len() >= MOST_MEMBERS {
            return None;
        }
        let depth = group.members.iter().find(|member| member.node == old)?.depth;
        (group.clone(), depth, group.space_at(depth, &node.shape, space)?)
    } else {
        let (group, map) = Group::new(SpaceOf::Value(position), context.graph, context.placements);
        (group, 0, map)
    };
    let base = context.refer(&node.inputs[0], &from_group, &group, depth);
    if existing.is_some() && !matches!(base, Reference::Member(..)) {
        return None;
    }
    let (map, guard) = selection(target, &from_group)?;
    if phalanx_ops::sharding::is_empty(&guard) {
        return None;
    }
    // The value must be computed here or before.
    if let Reference::Load(Source::Node(from), _) =
        context.refer_selected(&node.inputs[1], &map, &group, depth)
        && fused.unit_of(from) >= candidate
    {
        return None;
    }
    let member = Member { node: position, depth, from_group, is_selected: true };
    let is_before = |load: &Load| match load.source {
        Source::Node(from) => fused.unit_of(from) < candidate,
        _ => true,
    };
    if !context.loads(&member, &group).iter().all(is_before) {
        return None;
    }
    group.members.push(member);
    if distinct_loads(context, &group).len() > MOST_LOADS || !context.can_be_cut(&group) {
        return None;
    }
    Some(group)
}

/// The candidate group with the node added, if that is legal and saves loads.
fn try_join(
    context: &Context<'_>,
    fused: &Fused,
    candidate: UnitId,
    position: NodeId,
    shape: &[usize],
    space: &Sharding,
) -> Option<Group> {
    let group = fused.group(candidate)?;
    if group.members.len() >= MOST_MEMBERS
        || group.is_for_owners
        || writes_one_owner(position, context.graph, context.placements)
    {
        return None;
    }
    let node = &context.graph[position];
    // Values that the group loads must come from earlier units.
    let is_before = |source: Source| match source {
        Source::Node(from) => fused.unit_of(from) < candidate,
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
        if let NodeOp::Reduce { axes, .. } = &node.op {
            let at: SmallVec<[u8; 4]> = group.axes_to(depth);
            let removed: SmallVec<[u8; 4]> = axes.iter().map(|&axis| at[axis as usize]).collect();
            let level: SmallVec<[u8; 4]> = (0..group.axes.len() as u8)
                .filter(|&axis| group.axes[axis as usize].level == depth)
                .collect();
            if depth > 0 && level.as_slice() == removed.as_slice() {
                member.depth = depth - 1;
            } else if depth == 0 && !context.keeps_loops_outermost(group) {
                nest(&mut joined, axes);
            } else {
                continue;
            }
        }
        let inputs =
            if matches!(node.op, NodeOp::Update(_)) { &node.inputs[1..] } else { &node.inputs[..] };
        let reads_at = Group::reading_depth(&member, context.graph);
        let uses_member = inputs.iter().any(|input| {
            let reference = context.refer(input, &member.from_group, &joined, reads_at);
            matches!(reference, Reference::Member(..))
        });
        let loads = context.loads(&member, &joined);
        if !loads.iter().all(|load| is_before(load.source)) {
            continue;
        }
        let known = distinct_loads(context, group);
        let shares_load =
            loads.iter().any(|load| known.iter().any(|other| other.source == load.source));
        if !uses_member && !shares_load {
            continue;
        }
        let more = loads.iter().filter(|load| !known.contains(load)).count();
        if known.len() + more > MOST_LOADS {
            continue;
        }
        joined.members.push(member);
        if context.can_be_cut(&joined) && !context.copies_whole_base(&joined) {
            return Some(joined);
        }
    }
    None
}

/// The loads of a group, each once.
fn distinct_loads(context: &Context<'_>, group: &Group) -> Vec<Load> {
    let mut loads: Vec<Load> = Vec::new();
    for member in &group.members {
        for load in context.loads(member, group) {
            if !loads.contains(&load) {
                loads.push(load);
            }
        }
    }
    loads
}

/// Moves groups with the same space into `target` if its newest member loads their values at its
/// own index, so two operands computed apart meet in one kernel. Legal if no unit between reads the
/// values that move.
fn absorb(context: &Context<'_>, fused: &mut Fused, target: UnitId, position: NodeId) {
    loop {
        let Some(group) = fused.group(target) else { return };
        let Some(member) = group.members.iter().find(|member| member.node == position) else {
            return;
        };
        let merged = context.loads(member, group).iter().find_map(|load| {
            let Source::Node(node) = load.source else { return None };
            let from = fused.unit_of(node);
            Some((from, merge(context, fused, from, target, load)?))
        });
        let Some((from, merged)) = merged else { return };
        for member in &merged.members {
            fused.unit_of[member.node.index()] = target;
        }
        fused.units[from.index()] = Unit::Group(Group::default());
        fused.units[target.index()] = Unit::Group(merged);
    }
}

/// The group `target` with the members of group `from`, if that is legal. `target` loads a value of
/// `from`.
fn merge(
    context: &Context<'_>,
    fused: &Fused,
    from: UnitId,
    target: UnitId,
    load: &Load,
) -> Option<Group> {
    let (earlier, later) = (fused.group(from)?, fused.group(target)?);
    let between = fused.units.get(from.index() + 1..target.index())?;
    let alike = earlier.axes.len() == later.axes.len()
        && earlier
            .axes
            .iter()
            .zip(&later.axes)
            .all(|(a, b)| a.level == 0 && a.extent == b.extent && a.split == b.split);
    if !alike
        || load.guard.is_some()
        || later.is_for_owners
        || earlier.is_for_owners
        || between.len() >= LOOK_BACK
        || earlier.members.len() + later.members.len() > MOST_MEMBERS
        || earlier
            .members
            .iter()
            .any(|member| context.placements[member.node.index()].partial().is_some())
    {
        return None;
    }
    let moves = |source: Source| match source {
        Source::Node(node) => fused.unit_of(node) == from,
        _ => false,
    };
    let is_read_between =
        between.iter().any(|unit| reads_of(context, unit).iter().any(|read| moves(read.source)));
    if is_read_between {
        return None;
    }
    // A moved member must not read a base that a unit between writes in place: the base would be
    // copied.
    let read = distinct_loads(context, earlier);
    let is_read = |base: Source| read.iter().any(|load| load.source == base);
    let is_written_between = between.iter().any(|unit| match unit {
        Unit::Group(group) => {
            let mut bases = group.members.iter().filter_map(|member| written_base(context, member));
            bases.any(is_read)
        }
        Unit::Routine(node) => overwritten(&context.graph[*node]).is_some_and(is_read),
        Unit::Reshape(_) | Unit::Compress(_) => false,
    });
    if is_written_between {
        return None;
    }
    let depth = later.axes.iter().map(|axis| axis.level).max().unwrap_or(0);
    let mut merged = later.clone();
    merged.members.extend(earlier.members.iter().map(|member| Member { depth, ..member.clone() }));
    merged.members.sort_by_key(|member| member.node);
    // Loads of moved values must become members: the kernel cannot read what it has yet to write.
    let loads = distinct_loads(context, &merged);
    let is_inside = |source: Source| match source {
        Source::Node(node) => moves(source) || fused.unit_of(node) == target,
        _ => false,
    };
    // An update must not overwrite a value that the kernel itself has yet to store.
    let keeps_inside = |member: &Member| written_base(context, member).is_some_and(is_inside);
    let is_legal = loads.len() <= MOST_LOADS
        && !loads.iter().any(|load| is_inside(load.source))
        && !merged.members.iter().any(keeps_inside);
    let is_legal = is_legal && context.can_be_cut(&merged);
    (is_legal && !context.copies_whole_base(&merged)).then_some(merged)
}

/// The base that a member writes in place in part, if it does.
fn written_base(context: &Context<'_>, member: &Member) -> Option<Source> {
    let node = &context.graph[member.node];
    let NodeOp::Update(map) = &node.op else { return None };
    let is_in_place = !member.is_selected && !map.is_identity(&node.shape);
    is_in_place.then_some(node.inputs[0].source)
}
