//! The builder: scopes, and the sinks emitted into them.

use super::built::{Buffer, Built, BuiltAccess, ScalarSource, Trace};
use super::maps::{MapId, MapOrigin, Maps, NumberOrigin};
use crate::fuse::{Context, Group, Member, Reference, selection};
use phalanx_graph::{Input, NodeId, NodeOp, ScalarId};
use phalanx_kernels::ir::{
    self, AccessId, AxisId, Expr, Fold, GuardId, Kernel, ParamId, Stmt, Value, ValueId,
};
use phalanx_ops::{AffineMap, DType, IndexBox, Monoid, Op, Scalar};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Builds the kernel that stores the members in `stored`.
pub(crate) fn build(context: &Context<'_>, group: &Group, stored: &BTreeSet<NodeId>) -> Built {
    tracing::trace!(target: "phalanx::path", file = file!());
    let mut wanted = stored.clone();
    loop {
        let mut builder = Builder::new(context, group, &wanted);
        builder.run();
        let built = builder.finish();
        if built.reloaded.is_subset(&wanted) {
            return built;
        }
        wanted.extend(&built.reloaded);
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Node(NodeId, MapId, Option<GuardId>),
    Load(Buffer, MapId, Option<GuardId>),
    Inside(GuardId),
    Index(u8, i64, i64),
    Scalar(ScalarKey),
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum ScalarKey {
    Argument(ScalarId),
    Number(Scalar),
    /// See `ScalarSource::Points`.
    Points(usize),
    /// See `ScalarSource::IsFirst`.
    IsFirst,
}

#[derive(Default)]
pub(super) struct Scope {
    /// The kernel axes of the loop.
    pub(super) axes: Vec<AxisId>,
    pub(super) statements: Vec<Stmt>,
    pub(super) known: FxHashMap<Key, ValueId>,
    pub(super) folds: Vec<Fold>,
    /// Reductions with folds in this scope; their results exist after its loop.
    pub(super) pending: Vec<(NodeId, ValueId, Option<ValueId>)>,
    /// Sums known in this scope, each with a reduction over the same elements.
    pub(super) sums: Vec<(NodeId, ValueId)>,
}

/// A stored member's value.
pub(super) struct Written {
    /// The map from the group to the value.
    pub(super) map: MapId,
    /// The outermost level at which it may be loaded: that of its store or, after the loop, around
    /// it.
    pub(super) level: usize,
}

pub(super) struct Builder<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) group: &'a Group,
    pub(super) stored: &'a BTreeSet<NodeId>,
    /// The stored members and those that they depend on.
    pub(super) needed: BTreeSet<NodeId>,
    pub(super) kernel: Kernel,
    /// The kernel axis of each group axis in the currently open loop; every loop has its own axes.
    pub(super) place: Vec<AxisId>,
    pub(super) axes: Vec<u8>,
    pub(super) maps: Maps,
    /// The accesses, each with its map and guard.
    pub(super) accesses: Vec<(Buffer, MapId, Option<GuardId>)>,
    pub(super) access_of: FxHashMap<(Buffer, MapId, Vec<AxisId>, Option<GuardId>), AccessId>,
    pub(super) guards: Vec<IndexBox>,
    /// The guard of the values computed now: loads outside of it must not happen.
    pub(super) guard: Option<GuardId>,
    /// The level at which the member whose value is computed now reads its inputs.
    pub(super) depth: usize,
    pub(super) params: FxHashMap<Buffer, ParamId>,
    pub(super) scalars: Vec<ScalarSource>,
    /// The scalars that are numbers of the plan, with their indices among the numbers.
    pub(super) scalar_numbers: Vec<(ir::ScalarId, usize)>,
    pub(super) scalar_of: FxHashMap<ScalarKey, ir::ScalarId>,
    pub(super) scopes: Vec<Scope>,
    pub(super) level_of: Vec<usize>,
    /// Members that are stored already.
    pub(super) written: FxHashMap<NodeId, Written>,
    pub(super) computed_in_closed_loop: BTreeSet<NodeId>,
    /// For each member of `moments`, the count, the mean and, if it is partial, the rest.
    pub(super) parts_of: FxHashMap<NodeId, SmallVec<[ValueId; 4]>>,
    pub(super) reloaded: BTreeSet<NodeId>,
    /// Whether the values computed now belong to a value that a rebuild of the kernel will load
    /// instead.
    pub(super) is_recomputing: bool,
}

impl<'a> Builder<'a> {
    fn new(
        context: &'a Context<'a>,
        group: &'a Group,
        stored: &'a BTreeSet<NodeId>,
    ) -> Builder<'a> {
        let axes: Vec<u8> = (0..group.axes.len() as u8)
            .filter(|&axis| group.axes[axis as usize].level == 0)
            .collect();
        let mut place = vec![AxisId::new(0); group.axes.len()];
        for (kernel_axis, &axis) in axes.iter().enumerate() {
            place[axis as usize] = AxisId::new(kernel_axis);
        }
        let kernel = Kernel { grid: axes.len(), axes: axes.len(), ..Kernel::default() };
        Builder {
            context,
            group,
            stored,
            needed: BTreeSet::new(),
            kernel,
            place,
            axes,
            maps: Maps::default(),
            accesses: Vec::new(),
            access_of: FxHashMap::default(),
            guards: Vec::new(),
            guard: None,
            depth: 0,
            params: FxHashMap::default(),
            scalars: Vec::new(),
            scalar_numbers: Vec::new(),
            scalar_of: FxHashMap::default(),
            scopes: vec![Scope::default()],
            level_of: Vec::new(),
            written: FxHashMap::default(),
            computed_in_closed_loop: BTreeSet::new(),
            parts_of: FxHashMap::default(),
            reloaded: BTreeSet::new(),
            is_recomputing: false,
        }
    }

    fn run(&mut self) {
        self.needed = self.needed();
        for member in &self.group.members {
            if !self.needed.contains(&member.node) {
                continue;
            }
            let node = &self.context.graph[member.node];
            let stored = self.stored.contains(&member.node);
            match &node.op {
                NodeOp::Reduce { monoid, axes } => {
                    match monoid {
                        Monoid::Moments => self.moments(member),
                        _ => self.fold(member, *monoid, axes),
                    }
                    if stored {
                        self.store_reduction(member, *monoid);
                    }
                }
                NodeOp::Accumulate { monoid } => self.accumulate(member, *monoid),
                NodeOp::Update(_) if !member.is_selected => self.store_update(member),
                _ if stored => {
                    self.prepare(member);
                    self.open(member.depth);
                    let value = self.member_value(member.node);
                    let map = self.value_map(member.node);
                    let access = self.access(Buffer::Output(member.node), map, node.dtype);
                    self.scopes[member.depth].statements.push(Stmt::Store { access, value });
                    self.written.insert(member.node, Written { map, level: member.depth });
                }
                _ => {}
            }
        }
        self.close_to(0);
    }

    fn finish(mut self) -> Built {
        self.kernel.body = std::mem::take(&mut self.scopes[0].statements);
        let accesses = self.accesses.iter().map(|&(buffer, map, guard)| BuiltAccess {
            buffer,
            map: self.maps.get(map).clone(),
            guard,
        });
        Built {
            kernel: Arc::new(self.kernel),
            axes: self.axes.into(),
            accesses: accesses.collect(),
            scalars: self.scalars.into(),
            guards: self.guards,
            reloaded: self.reloaded,
            trace: Arc::new(Trace {
                access_maps: self.accesses.iter().map(|access| access.1).collect(),
                scalar_numbers: self.scalar_numbers,
                maps: self.maps,
            }),
        }
    }

    /// The stored members and those that they depend on.
    fn needed(&self) -> BTreeSet<NodeId> {
        let mut needed = self.stored.clone();
        for member in self.group.members.iter().rev() {
            if needed.contains(&member.node) {
                self.members_used(member, &mut needed);
            }
        }
        needed
    }

    pub(super) fn members_used(&self, member: &Member, used: &mut BTreeSet<NodeId>) {
        let node = &self.context.graph[member.node];
        let depth = Group::reading_depth(member, self.context.graph);
        match &node.op {
            NodeOp::Update(target) if member.is_selected => {
                self.inputs_used(&node.inputs[0], &member.from_group, depth, used);
                if let Some((map, _)) = selection(target, &member.from_group) {
                    match self.context.refer_selected(&node.inputs[1], &map, self.group, depth) {
                        Reference::Inline(node, map) => {
                            for input in &self.context.graph[node].inputs {
                                self.inputs_used(input, &map, depth, used);
                            }
                        }
                        _ => self.inputs_used(&node.inputs[1], &map, depth, used),
                    }
                }
            }
            NodeOp::Update(_) => self.inputs_used(&node.inputs[1], &member.from_group, depth, used),
            _ => node
                .inputs
                .iter()
                .for_each(|input| self.inputs_used(input, &member.from_group, depth, used)),
        }
        used.extend(self.sums_shared(member));
    }

    fn inputs_used(
        &self,
        input: &Input,
        from_group: &AffineMap,
        depth: usize,
        used: &mut BTreeSet<NodeId>,
    ) {
        match self.context.refer(input, from_group, self.group, depth) {
            Reference::Member(node, _) => {
                used.insert(node);
            }
            Reference::Inline(node, map) => {
                for input in &self.context.graph[node].inputs {
                    self.inputs_used(input, &map, depth, used);
                }
            }
            Reference::Load(..) | Reference::Scalar(_) => {}
        }
    }

    /// Closes loops whose folds the member needs, directly or through members that are not sinks.
    pub(super) fn prepare(&mut self, member: &Member) {
        let mut used = BTreeSet::new();
        self.members_used(member, &mut used);
        let mut all = used.clone();
        for other in self.group.members.iter().rev() {
            // A reduction is a sink: its needs were prepared when it was emitted.
            let is_sink = matches!(self.context.graph[other.node].op, NodeOp::Reduce { .. });
            if all.contains(&other.node) && !is_sink {
                self.members_used(other, &mut all);
            }
        }
        let level = (0..self.scopes.len())
            .find(|&level| self.scopes[level].pending.iter().any(|(node, ..)| all.contains(node)));
        if let Some(level) = level {
            self.close_to(level - 1);
        }
    }

    /// Opens loops up to a level, at which values are computed from now on.
    pub(super) fn open(&mut self, depth: usize) {
        self.depth = depth;
        while self.scopes.len() <= depth {
            let level = self.scopes.len();
            let mut scope = Scope::default();
            for (axis, data) in self.group.axes.iter().enumerate() {
                if data.level == level {
                    self.place[axis] = AxisId::new(self.kernel.axes);
                    scope.axes.push(self.place[axis]);
                    self.axes.push(axis as u8);
                    self.kernel.axes += 1;
                }
            }
            self.scopes.push(scope);
        }
    }

    pub(super) fn close_to(&mut self, depth: usize) {
        while self.scopes.len() > depth + 1 {
            let level = self.scopes.len() - 1;
            let Some(scope) = self.scopes.pop() else { return };
            for key in scope.known.keys() {
                if let Key::Node(node, ..) = key {
                    self.computed_in_closed_loop.insert(*node);
                }
            }
            let axes = scope.axes;
            self.written
                .values_mut()
                .for_each(|written| written.level = written.level.min(level - 1));
            let outer = &mut self.scopes[level - 1];
            outer.statements.push(Stmt::Loop { axes, body: scope.statements, folds: scope.folds });
            for (node, result, index) in scope.pending {
                let value = index.unwrap_or(result);
                let map = self.value_map(node);
                let outer = &mut self.scopes[level - 1];
                outer.known.insert(Key::Node(node, map, None), value);
                if self.context.is_sum(node) {
                    outer.sums.push((node, value));
                }
            }
        }
    }

    /// The map from the group to the index of a member's value.
    pub(super) fn value_map(&mut self, node: NodeId) -> MapId {
        self.map(MapOrigin::Value(node))
    }

    /// The map from the group to a member's iteration space.
    pub(super) fn space_map(&mut self, member: &Member) -> MapId {
        self.map(MapOrigin::Space(member.node))
    }

    fn map(&mut self, origin: MapOrigin) -> MapId {
        match self.maps.derive(self.context.graph, self.group, origin) {
            Some(map) => map,
            None => unreachable!("bug: {origin:?} is not of this window"),
        }
    }

    fn fold(&mut self, member: &Member, monoid: Monoid, axes: &[u8]) {
        self.prepare(member);
        if monoid == Monoid::Add
            && let Some(sum) = self.known_sum(member)
        {
            let map = self.value_map(member.node);
            self.scopes[member.depth].known.insert(Key::Node(member.node, map, None), sum);
            return;
        }
        self.open(member.depth + 1);
        let node = &self.context.graph[member.node];
        let (_, dtype) = self.context.graph.source(node.inputs[0].source);
        let space = self.space_map(member);
        let value = self.input_value(member.node, 0, space);
        let is_indexed = matches!(monoid, Monoid::ArgMin | Monoid::ArgMax);
        let index = is_indexed.then(|| self.linear_index(member, axes));
        let result = self.define(Value { dtype, expr: Expr::Folded }, member.depth);
        let is_packed = monoid.is_compound()
            && self.context.placements[member.node.index()].partial().is_some();
        let count = match monoid {
            Monoid::ArgMin | Monoid::ArgMax => 1,
            // The value is the last part.
            Monoid::Binned if is_packed => monoid.parts() - 1,
            _ => 0,
        };
        let whole = Value { dtype: DType::I64, expr: Expr::Folded };
        let parts: Vec<ValueId> =
            (0..count).map(|_| self.define(whole.clone(), member.depth)).collect();
        if is_packed {
            // As they are in an item.
            let item = if is_indexed { vec![result] } else { parts.clone() };
            self.parts_of.insert(member.node, item.into());
        }
        let index_result = is_indexed.then(|| parts[0]);
        let scope = &mut self.scopes[member.depth + 1];
        scope.folds.push(Fold { monoid, value, index, result, parts });
        scope.pending.push((member.node, result, index_result));
    }

    /// The index of a point within the reduced axes, in C order.
    fn linear_index(&mut self, member: &Member, axes: &[u8]) -> ValueId {
        let mut total: Option<ValueId> = None;
        for &axis in axes {
            let map = member.from_group.axes[axis as usize];
            let Some(group_axis) = map.axis else { continue };
            let index = self.plain_index(group_axis);
            total = Some(match total {
                None => index,
                Some(total) => {
                    let extent = self.group.axes[group_axis as usize].extent as i64;
                    let extent = self.number(NumberOrigin::Extent(group_axis), extent);
                    let scaled = self.operation(Op::Multiply, vec![total, extent], DType::I64);
                    self.operation(Op::Add, vec![scaled, index], DType::I64)
                }
            });
        }
        total.unwrap_or_else(|| self.number(NumberOrigin::Constant(0), 0))
    }

    fn store_reduction(&mut self, member: &Member, monoid: Monoid) {
        let node = &self.context.graph[member.node];
        self.close_to(member.depth);
        let map = self.value_map(member.node);
        let is_partial = self.context.placements[member.node.index()].partial().is_some();
        if is_partial && monoid.is_compound() {
            // The result is the last part, as in `Monoid::parts`.
            let given = self.member_value(member.node);
            let mut parts = self.parts_of[&member.node].clone();
            parts.push(given);
            for (part, value) in parts.into_iter().enumerate() {
                let buffer = match part as u8 {
                    0 => Buffer::Output(member.node),
                    part => Buffer::OutputPart(member.node, part),
                };
                let access = self.access(buffer, map, self.kernel[value].dtype);
                self.scopes[member.depth].statements.push(Stmt::Store { access, value });
            }
            return;
        }
        let mut value = self.member_value(member.node);
        if self.group.is_in_parts {
            value = self.with_parts_before(member.node, monoid, map, value);
        }
        let access = self.access(Buffer::Output(member.node), map, node.dtype);
        self.scopes[member.depth].statements.push(Stmt::Store { access, value });
        self.written.insert(member.node, Written { map, level: member.depth });
    }

    /// A fold's result, combined with that of the launches before. The first launch loads memory
    /// with any content and does not use it.
    fn with_parts_before(
        &mut self,
        node: NodeId,
        monoid: Monoid,
        map: MapId,
        own: ValueId,
    ) -> ValueId {
        let Some(op) = monoid.operation() else {
            unreachable!("bug: {monoid} does not combine parts")
        };
        let dtype = self.context.graph[node].dtype;
        let before = self.load(Buffer::Output(node), map, dtype);
        let all = self.operation(op, vec![before, own], dtype);
        let condition = self.scalar_value(ScalarKey::IsFirst, DType::Bool);
        let first = Expr::Select { condition, on_true: own, on_false: all };
        self.pure(first, &[condition, own, all], dtype)
    }

    fn accumulate(&mut self, member: &Member, monoid: Monoid) {
        self.prepare(member);
        self.open(member.depth);
        let node = &self.context.graph[member.node];
        let space = self.space_map(member);
        let position = self.input_value(member.node, 0, space);
        let value = self.input_value(member.node, 1, space);
        let length = node.shape[0] as i64;
        let number = self.maps.number(NumberOrigin::Length(member.node), length);
        let length = self.number_scalar(number, length);
        let map = self.map(MapOrigin::Table(member.node));
        let access = self.access(Buffer::Output(member.node), map, node.dtype);
        self.scopes[member.depth].statements.push(Stmt::Accumulate {
            access,
            length,
            position,
            value,
            monoid,
        });
    }

    fn store_update(&mut self, member: &Member) {
        self.prepare(member);
        self.open(member.depth);
        let node = &self.context.graph[member.node];
        let space = self.space_map(member);
        let value = self.input_value(member.node, 1, space);
        let map = self.map(MapOrigin::Target { node: member.node, inner: space });
        let access = self.access(Buffer::Output(member.node), map, node.dtype);
        self.scopes[member.depth].statements.push(Stmt::Store { access, value });
    }
}
