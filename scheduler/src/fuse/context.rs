//! The fusion's view of a window: how a group gets each input of a node.

use super::group::{Group, Load, Member, Reference, compose, folds_many};
use phalanx_distributed::{Placement, is_small_write, may_clash, misaligned_axes};
use phalanx_graph::{Graph, Input, NodeId, NodeOp, Source};
use phalanx_ops::{AffineMap, AxisMap, IndexBox, Monoid, Sharding};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A value up to this cost (in additions) is computed again where it is used at other indices.
const CHEAP: u32 = 4;
/// A value up to this cost with one consumer is computed there, at another index.
const CHEAP_ONCE: u32 = 16;
/// The most loads for which a value of one element, up to that cost, is computed wherever it is
/// used: a kernel of its own would take longer to start.
const FEW_LOADS: u32 = 4;

/// Up to so many views of a copy in another order of axes, reading the original through each costs
/// as much as making the copy.
const FEW_VIEWS: usize = 2;

/// The graph with what fusion derives from it.
pub(crate) struct Context<'a> {
    pub graph: &'a Graph,
    pub placements: &'a [Placement],
    pub leaves: &'a [Sharding],
    /// For each node that may be computed where it is used, the cost and number of loads of that.
    inline: Vec<Option<(u32, u32)>>,
    uses: Vec<u32>,
}

impl<'a> Context<'a> {
    pub fn new(
        graph: &'a Graph,
        placements: &'a [Placement],
        leaves: &'a [Sharding],
    ) -> Context<'a> {
        let mut uses = vec![0; graph.nodes.len()];
        let mut inline: Vec<Option<(u32, u32)>> = Vec::with_capacity(graph.nodes.len());
        for node in &graph.nodes {
            let own = match &node.op {
                NodeOp::Fill | NodeOp::Index(_) | NodeOp::Cast => Some(1),
                NodeOp::Select => Some(2),
                NodeOp::Elementwise(op) => Some(op.flops()),
                NodeOp::Special(function) => Some(function.flops()),
                _ => None,
            };
            let mut cost = own.map(|own| (own, 0));
            for input in &node.inputs {
                let loads = match input.source {
                    Source::Scalar(_) => (0, 0),
                    Source::Leaf(_) => (0, 1),
                    Source::Node(from) => {
                        uses[from.index()] += 1;
                        let shape = &graph[from].shape;
                        let cost = inline[from.index()];
                        cost.filter(|cost| is_cheap(shape, *cost)).unwrap_or((0, 1))
                    }
                };
                cost = cost.map(|cost| (cost.0 + loads.0, cost.1 + loads.1));
            }
            inline.push(match node.op {
                NodeOp::Fill | NodeOp::Index(_) => Some((0, 0)),
                _ => cost,
            });
        }
        let mut context = Context { graph, placements, leaves, inline, uses };
        context.keep_other_orders();
        context.keep_loops_inside();
        context.keep_small_writes_small();
        context
    }

    /// Stores copies in another order of axes that are read through several views: each view would
    /// go across the rows of memory.
    fn keep_other_orders(&mut self) {
        type Views<'a> = SmallVec<[Option<&'a [AxisMap]>; 4]>;
        let is_reordered = |input: &Input| input.map.as_deref().is_some_and(reorders);
        let copies = self.graph.numbered().filter(|(_, node)| {
            matches!(node.op, NodeOp::Cast) && node.inputs.iter().any(is_reordered)
        });
        let mut copies: FxHashMap<NodeId, Views<'_>> =
            copies.map(|(id, _)| (id, Views::new())).collect();
        if copies.is_empty() {
            return;
        }
        for input in self.graph.nodes.iter().flat_map(|reader| &reader.inputs) {
            let Source::Node(from) = input.source else { continue };
            let Some(views) = copies.get_mut(&from) else { continue };
            let view = input.map.as_ref().map(|map| map.axes.as_slice());
            if !views.contains(&view) {
                views.push(view);
            }
        }
        for (id, views) in copies {
            if views.len() > FEW_VIEWS {
                self.inline[id.index()] = None;
            }
        }
    }

    /// Stores the operand of a reduction whose loop would read beyond the device's blocks, if the
    /// loop cannot be cut.
    fn keep_loops_inside(&mut self) {
        for (id, node) in self.graph.numbered() {
            let NodeOp::Reduce { .. } = &node.op else { continue };
            if let Source::Node(from) = node.inputs[0].source
                && !self.can_be_cut(&Group::alone(id, self.graph, self.placements))
            {
                self.inline[from.index()] = None;
            }
        }
    }

    /// Stores the value of a small update that would read what it overwrites: that copies a few
    /// elements instead of the whole base.
    fn keep_small_writes_small(&mut self) {
        for (id, node) in self.graph.numbered() {
            let NodeOp::Update(_) = &node.op else { continue };
            if let Source::Node(from) = node.inputs[1].source
                && self.inline[from.index()].is_some()
                && self.copies_whole_base(&Group::alone(id, self.graph, self.placements))
            {
                self.inline[from.index()] = None;
            }
        }
    }

    /// Whether a group writes a small part of a base and reads other elements of it that it
    /// overwrites. The base would be copied, although storing the value elsewhere costs less.
    pub fn copies_whole_base(&self, group: &Group) -> bool {
        let space: IndexBox = group.axes.iter().map(|axis| 0..axis.extent).collect();
        group.members.iter().any(|member| {
            let node = &self.graph[member.node];
            let NodeOp::Update(target) = &node.op else { return false };
            if member.is_selected || !is_small_write(target, &node.shape) {
                return false;
            }
            let written = target.then(&member.from_group);
            let clashes = |load: &Load| {
                let read = load.guard.as_ref().map_or(&space, |guard| guard);
                load.source == node.inputs[0].source
                    && may_clash((&load.map, read), (&written, &space))
            };
            group.members.iter().any(|other| self.loads(other, group).iter().any(clashes))
        })
    }

    /// Whether the launch of a group can be cut where a slab begins.
    pub fn can_be_cut(&self, group: &Group) -> bool {
        self.stays_inside(group) || self.folds_in_parts(group)
    }

    /// Whether a group computes everything in loops over the same axes, and its folds give partial
    /// results, each combined by an operation with that of the next launch. A copy with another
    /// sharding stays alone: what it receives is stored in its place.
    pub fn folds_in_parts(&self, group: &Group) -> bool {
        let has_one_loop = group.axes.iter().all(|axis| axis.level <= 1);
        has_one_loop
            && group.members.iter().all(|member| match &self.graph[member.node].op {
                NodeOp::Reduce { monoid, .. } => {
                    let is_partial = self.placements[member.node.index()].partial().is_some();
                    member.depth == 0 && is_partial && monoid.operation().is_some()
                }
                NodeOp::Reshard(_) => false,
                _ => member.depth == 1,
            })
    }

    /// Whether loads leave the device's block only along grid axes.
    pub fn stays_inside(&self, group: &Group) -> bool {
        if group.axes.iter().all(|axis| axis.level == 0) {
            return true;
        }
        let space = group.space();
        group.members.iter().all(|member| {
            self.loads(member, group).iter().all(|load| {
                let Some(sharding) = self.sharding(load.source) else { return true };
                misaligned_axes(sharding, &load.map, &space)
                    .iter()
                    .all(|&axis| group.axes[axis as usize].level == 0)
            })
        })
    }

    /// Whether no reduction may be placed around the loops of a group. Threads share the points of
    /// outermost loops only, so a long loop belongs there. To store its result costs little, unless
    /// the group visits more points than any value that it reads has elements, as do the distances
    /// of all pairs of points: then the result may be larger than all that is read.
    pub fn keeps_loops_outermost(&self, group: &Group) -> bool {
        if !group.members.iter().any(|member| folds_many(self.graph, member.node)) {
            return false;
        }
        let loads: Vec<Load> =
            group.members.iter().flat_map(|member| self.loads(member, group)).collect();
        let has_element_for_each_point = |load: &Load| {
            let follows = |at| load.map.axes.iter().any(|map| map.axis == Some(at as u8));
            (0..group.axes.len()).all(|at| group.axes[at].extent == 1 || follows(at))
        };
        loads.is_empty() || loads.iter().any(has_element_for_each_point)
    }

    /// Whether a node is a sum over axes.
    pub fn is_sum(&self, node: NodeId) -> bool {
        matches!(self.graph[node].op, NodeOp::Reduce { monoid: Monoid::Add, .. })
    }

    /// Whether a node is computed wherever it is used, so it needs no memory.
    pub fn is_free(&self, node: NodeId) -> bool {
        matches!(self.graph[node].op, NodeOp::Fill | NodeOp::Index(_))
    }

    /// Whether a node is computed again where it is used at another index than its own.
    pub fn is_recomputed(&self, node: NodeId) -> bool {
        let shape = &self.graph[node].shape;
        self.inline[node.index()].is_some_and(|cost| is_cheap(shape, cost))
    }

    /// The cost of computing a node where it is used, in additions.
    pub fn flops(&self, node: NodeId) -> u32 {
        self.inline[node.index()].map_or(u32::MAX, |cost| cost.0)
    }

    pub fn sharding(&self, source: Source) -> Option<&Sharding> {
        match source {
            Source::Node(node) => Some(&self.placements[node.index()].output),
            Source::Leaf(leaf) => Some(&self.leaves[leaf.index()]),
            Source::Scalar(_) => None,
        }
    }

    /// How a group gets an input, if `from_group` maps the group's index to the consumer's and the
    /// consumer reads at the level `depth`. Maps do not determine the level: axes of extent 1 are
    /// all alike, so a value inside of a loop over one can have the same map as a value outside,
    /// which must not wait for the loop.
    pub fn refer(
        &self,
        input: &Input,
        from_group: &AffineMap,
        group: &Group,
        depth: usize,
    ) -> Reference {
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
            && member.depth <= depth
            && self.placements[node.index()].partial().is_none()
            && self.value_map(member, group).is_some_and(|own| own.axes == map.axes)
        {
            return Reference::Member(node, map);
        }
        let inlined = self.inline[node.index()].is_some_and(|cost| {
            is_cheap(shape, cost)
                || (self.uses[node.index()] == 1
                    && cost.0 <= CHEAP_ONCE
                    && input
                        .map
                        .as_ref()
                        .is_some_and(|map| !map.follows_all() && map.is_injective()))
        });
        if inlined {
            Reference::Inline(node, map)
        } else {
            Reference::Load(Source::Node(node), map)
        }
    }

    /// The map from the group to a member's value, if other members may use it in registers.
    fn value_map(&self, member: &Member, group: &Group) -> Option<AffineMap> {
        let node = &self.graph[member.node];
        match &node.op {
            NodeOp::Reduce { axes, .. } => {
                let kept =
                    (0..member.from_group.axes.len()).filter(|&axis| !axes.contains(&(axis as u8)));
                let maps = kept.map(|axis| member.from_group.axes[axis]).collect();
                Some(AffineMap {
                    shape: group.axes.iter().map(|axis| axis.extent).collect(),
                    axes: maps,
                })
            }
            NodeOp::Update(_) if !member.is_selected => None,
            NodeOp::Accumulate { .. } => None,
            _ => Some(member.from_group.clone()),
        }
    }

    /// All loads of a member, including those of inline nodes.
    pub fn loads(&self, member: &Member, group: &Group) -> Vec<Load> {
        let mut loads = Vec::new();
        let node = &self.graph[member.node];
        let at = (group, Group::reading_depth(member, self.graph));
        match &node.op {
            NodeOp::Update(target) if member.is_selected => {
                self.collect(&node.inputs[0], &member.from_group, None, at, &mut loads);
                if let Some((map, guard)) = selection(target, &member.from_group) {
                    self.collect_selected(&node.inputs[1], &map, Some(&guard), at, &mut loads);
                }
            }
            NodeOp::Update(_) => {
                self.collect(&node.inputs[1], &member.from_group, None, at, &mut loads)
            }
            _ => {
                for input in &node.inputs {
                    self.collect(input, &member.from_group, None, at, &mut loads);
                }
            }
        }
        loads
    }

    /// How a group gets the value of a selected update: as `refer`, but a node used only there is
    /// computed there.
    pub fn refer_selected(
        &self,
        input: &Input,
        from_group: &AffineMap,
        group: &Group,
        depth: usize,
    ) -> Reference {
        match self.refer(input, from_group, group, depth) {
            Reference::Load(Source::Node(node), map)
                if self.uses[node.index()] == 1
                    && self.inline[node.index()].is_some_and(|cost| cost.0 <= CHEAP_ONCE) =>
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
        at: (&Group, usize),
        loads: &mut Vec<Load>,
    ) {
        match self.refer_selected(input, from_group, at.0, at.1) {
            Reference::Inline(node, map) => {
                for input in &self.graph[node].inputs {
                    self.collect(input, &map, guard, at, loads);
                }
            }
            _ => self.collect(input, from_group, guard, at, loads),
        }
    }

    fn collect(
        &self,
        input: &Input,
        from_group: &AffineMap,
        guard: Option<&IndexBox>,
        at: (&Group, usize),
        loads: &mut Vec<Load>,
    ) {
        match self.refer(input, from_group, at.0, at.1) {
            Reference::Member(..) | Reference::Scalar(_) => {}
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
                for input in &self.graph[node].inputs {
                    self.collect(input, &map, guard, at, loads);
                }
            }
        }
    }
}

/// Computes an update at every index of its base: returns the map from the group to the value's
/// index, and the guard, a box of the group in which the map is valid. `None` for updates with
/// slice steps other than 1 and -1, or of a diagonal.
///
/// `from_group` maps the group to the base.
pub(crate) fn selection(
    target: &AffineMap,
    from_group: &AffineMap,
) -> Option<(AffineMap, IndexBox)> {
    if target.shape.contains(&0) {
        // Nothing is written. A guard cannot express that if the base names no axis.
        return None;
    }
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
                let last = written.start + written.step * (extent - 1);
                if let Some(axis) = own.axis
                    && written.step != 0
                {
                    // base = start + slice step * value, with slice step 1 or -1.
                    axes[to as usize] = AxisMap {
                        axis: Some(axis),
                        start: -written.start * written.step,
                        step: written.step,
                    };
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

/// Whether a map follows axes in another order.
fn reorders(map: &AffineMap) -> bool {
    let followed = map.axes.iter().filter_map(|axis| axis.axis);
    !followed.is_sorted()
}

fn is_cheap(shape: &[usize], (flops, loads): (u32, u32)) -> bool {
    (flops <= CHEAP && loads <= 1)
        || (flops <= CHEAP_ONCE && loads <= FEW_LOADS && shape.iter().all(|&extent| extent == 1))
}
