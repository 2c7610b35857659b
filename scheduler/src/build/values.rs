//! Values that sinks need, each computed at the outermost possible level.

use super::builder::{Builder, Key, ScalarKey};
use super::built::{Buffer, ScalarSource};
use super::maps::{MapId, MapOrigin, NumberOrigin};
use crate::fuse::{Reference, selection};
use phalanx_graph::{NodeId, NodeOp, Source};
use phalanx_kernels::ir::{
    Access, AccessId, AxisId, Expr, GuardId, Param, ParamId, Role, ScalarId, Stmt, Value, ValueId,
};
use phalanx_ops::{AffineMap, DType, IndexBox, Op, Scalar};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// A value up to this cost (in additions) is computed again in a later loop over the same axes.
const CHEAP_AGAIN: u32 = 8;
/// The cost of moving an element to memory or back, in additions.
const MOVE: u32 = 16;

/// The cost of computing a value.
#[derive(Default)]
struct Parts {
    /// The level and the number of elements of the value.
    depth: usize,
    size: usize,
    nodes: BTreeSet<NodeId>,
    /// The arrays that are loaded.
    sources: FxHashSet<Source>,
    /// The operations, in additions.
    flops: u32,
}

impl Builder<'_> {
    pub(super) fn member_value(&mut self, node: NodeId) -> ValueId {
        // A member's value exists at every point, so the guard of its user does not apply.
        let guard = self.guard.take();
        let depth = std::mem::replace(&mut self.depth, self.group.member(node).depth);
        let map = self.value_map(node);
        let value = self.node_value(node, map, true);
        (self.guard, self.depth) = (guard, depth);
        value
    }

    /// The value of an update computed as a selection.
    fn selected_update(&mut self, node: NodeId, map: MapId) -> ValueId {
        let data = &self.context.graph[node];
        let NodeOp::Update(target) = &data.op else { unreachable!("bug: not an update") };
        let Some((value_map, guard)) = selection(target, self.maps.get(map)) else {
            unreachable!("bug: an update that is not a selection")
        };
        let old = self.input_value(node, 0, map);
        let origin = MapOrigin::Selected { node, inner: map };
        let selected = self.maps.intern(origin, || value_map.clone());
        let shape = &value_map.shape;
        let whole = guard.iter().zip(shape).all(|(range, &extent)| *range == (0..extent));
        let guard = (!whole).then(|| self.guard_id(&guard, origin));
        let outer = std::mem::replace(&mut self.guard, guard);
        let written = &data.inputs[1];
        let depth = self.depth;
        let value = match self.context.refer_selected(written, &value_map, self.group, depth) {
            Reference::Inline(inner, map) => {
                let map = self.input_map(node, 1, selected, map);
                self.node_value(inner, map, false)
            }
            _ => self.input_value(node, 1, selected),
        };
        self.guard = outer;
        let Some(guard) = guard else { return value };
        let axes = &self.guards[guard.index()];
        let bounded = axes
            .iter()
            .zip(shape)
            .enumerate()
            .filter(|(_, (range, extent))| **range != (0..**extent));
        let level = bounded.map(|(axis, _)| self.group.axes[axis].level).max().unwrap_or(0);
        let inside = self.known_or(
            Key::Inside(guard),
            Value { dtype: DType::Bool, expr: Expr::Inside(guard) },
            level,
        );
        let select = Expr::Select { condition: inside, on_true: value, on_false: old };
        self.pure(select, &[inside, value, old], data.dtype)
    }

    /// The kernel's guard for a box of the group.
    fn guard_id(&mut self, guard: &IndexBox, origin: MapOrigin) -> GuardId {
        let bounded = guard
            .iter()
            .enumerate()
            .filter(|(axis, range)| **range != (0..self.group.axes[*axis].extent));
        // A second loop over the same axes has its own kernel axes, which need another guard.
        let mut axes: Vec<AxisId> = bounded.map(|(axis, _)| self.place[axis]).collect();
        axes.sort_unstable();
        let known =
            self.guards.iter().zip(&self.kernel.guards).position(|known| known == (guard, &axes));
        let id = GuardId::new(known.unwrap_or(self.guards.len()));
        self.maps.guard(id, origin);
        if known.is_none() {
            self.kernel.guards.push(axes);
            self.guards.push(guard.clone());
        }
        id
    }

    /// Records a map to an input that is computed already.
    fn input_map(&mut self, node: NodeId, input: u8, inner: MapId, map: AffineMap) -> MapId {
        self.maps.intern(MapOrigin::Input { node, input, inner }, || map)
    }

    /// The value of an input of a node; `inner` leads to the node.
    pub(super) fn input_value(&mut self, node: NodeId, input: u8, inner: MapId) -> ValueId {
        let data = &self.context.graph[node].inputs[input as usize];
        match self.context.refer(data, self.maps.get(inner), self.group, self.depth) {
            Reference::Member(member, map) => {
                // A refill must check that the member is at the same index.
                self.value_map(member);
                self.input_map(node, input, inner, map);
                self.member_value(member)
            }
            Reference::Inline(from, map) => {
                let map = self.input_map(node, input, inner, map);
                self.node_value(from, map, false)
            }
            Reference::Scalar(scalar) => {
                let (_, dtype) = self.context.graph.source(Source::Scalar(scalar));
                self.scalar_value(ScalarKey::Argument(scalar), dtype)
            }
            Reference::Load(source, map) => {
                let map = self.input_map(node, input, inner, map);
                let (_, dtype) = self.context.graph.source(source);
                self.load(Buffer::Input(source), map, dtype)
            }
        }
    }

    /// The value of a node at the index that `map` gives.
    fn node_value(&mut self, node: NodeId, map: MapId, is_member: bool) -> ValueId {
        let key = Key::Node(node, map, self.guard);
        if let Some(value) = self.find(&key) {
            return value;
        }
        let data = &self.context.graph[node];
        let is_costly = is_member
            && self.computed_in_closed_loop.contains(&node)
            && self.is_cheaper_loaded(node);
        // A reduction cannot be computed again. If it is not stored yet, this load causes a rebuild
        // in which it is.
        let is_loaded = self.written.get(&node).is_some_and(|written| written.map == map)
            || matches!(data.op, NodeOp::Reduce { .. });
        if is_costly && is_loaded {
            self.reloaded.insert(node);
            return self.load(Buffer::Output(node), map, data.dtype);
        }
        // The inputs of a value that a rebuild will load are not needed there, so only it is
        // recorded.
        let is_first = is_costly && !std::mem::replace(&mut self.is_recomputing, true);
        if is_first {
            self.reloaded.insert(node);
        }
        let value = self.computed_value(node, map);
        if is_first {
            self.is_recomputing = false;
        }
        // These nodes pass on values that have keys of their own.
        if !matches!(data.op, NodeOp::Index(_) | NodeOp::Fill | NodeOp::Reshard(_)) {
            let level = self.level_of[value.index()];
            self.scopes[level].known.insert(key, value);
        }
        value
    }

    /// Whether loading a member's value in a later loop, and storing it if needed, costs less than
    /// computing it again.
    fn is_cheaper_loaded(&self, node: NodeId) -> bool {
        if !self.is_computed(node) {
            return true;
        }
        let depth = self.depth_of(node).unwrap_or(0);
        let size = self.size_of(Source::Node(node));
        let mut parts = Parts { depth, size, ..Parts::default() };
        self.add_parts(node, &mut parts);
        let again = parts.flops + MOVE * parts.sources.len() as u32;
        if self.stored.contains(&node) {
            again > MOVE + CHEAP_AGAIN
        } else {
            again > 2 * MOVE && self.context.flops(node) > CHEAP_AGAIN
        }
    }

    /// Adds the cost of computing a node again. Reductions, values from outside of the loop and
    /// broadcast arrays cost nothing; loads of one array at several indices count once.
    fn add_parts(&self, node: NodeId, parts: &mut Parts) {
        let data = &self.context.graph[node];
        if !parts.nodes.insert(node) || matches!(data.op, NodeOp::Reduce { .. }) {
            return;
        }
        if !self.is_computed(node) {
            parts.sources.insert(Source::Node(node));
            return;
        }
        parts.flops += match &data.op {
            NodeOp::Elementwise(op) => op.flops(),
            NodeOp::Special(function) => function.flops(),
            NodeOp::Index(_) | NodeOp::Fill | NodeOp::Reshard(_) => 0,
            _ => 1,
        };
        for input in &data.inputs {
            match input.source {
                Source::Scalar(_) => {}
                Source::Node(from) if self.depth_of(from).is_some_and(|own| own < parts.depth) => {}
                Source::Node(from)
                    if self.depth_of(from).is_some()
                        || self.context.is_free(from)
                        || self.context.is_recomputed(from) =>
                {
                    self.add_parts(from, parts);
                }
                source if self.size_of(source) < parts.size => {}
                source => {
                    parts.sources.insert(source);
                }
            }
        }
    }

    /// Whether a node can be computed wherever it is needed.
    fn is_computed(&self, node: NodeId) -> bool {
        match &self.context.graph[node].op {
            NodeOp::Elementwise(_)
            | NodeOp::Special(_)
            | NodeOp::Cast
            | NodeOp::Select
            | NodeOp::Index(_)
            | NodeOp::Fill
            | NodeOp::Reshard(_) => true,
            NodeOp::Update(_) => {
                let mut members = self.group.members.iter();
                members.any(|member| member.node == node && member.is_selected)
            }
            _ => false,
        }
    }

    /// The level of a member of the group.
    fn depth_of(&self, node: NodeId) -> Option<usize> {
        let member = self.group.members.iter().find(|member| member.node == node);
        member.map(|member| member.depth)
    }

    fn size_of(&self, source: Source) -> usize {
        self.context.graph.source(source).0.iter().product()
    }

    /// The value of a node, computed from its inputs.
    fn computed_value(&mut self, node: NodeId, map: MapId) -> ValueId {
        let data = &self.context.graph[node];
        match &data.op {
            NodeOp::Index(axis) => {
                let at = self.maps.get(map).axes[*axis as usize];
                let start = NumberOrigin::Start(map, *axis);
                match at.axis {
                    Some(follows) => self.index(follows, (start, at.start), at.step),
                    None => self.number(start, at.start),
                }
            }
            NodeOp::Update(_) => self.selected_update(node, map),
            NodeOp::Fill | NodeOp::Reshard(_) => self.input_value(node, 0, map),
            NodeOp::Cast => {
                let input = self.input_value(node, 0, map);
                if self.kernel[input].dtype == data.dtype {
                    return input;
                }
                self.pure(Expr::Cast(input), &[input], data.dtype)
            }
            NodeOp::Select => {
                let [condition, on_true, on_false] =
                    [0, 1, 2].map(|at| self.input_value(node, at, map));
                self.pure(
                    Expr::Select { condition, on_true, on_false },
                    &[condition, on_true, on_false],
                    data.dtype,
                )
            }
            NodeOp::Elementwise(op) => {
                let inputs = self.input_values(node, map);
                self.operation(*op, inputs, data.dtype)
            }
            NodeOp::Special(function) => {
                let inputs = self.input_values(node, map);
                let expr = Expr::Special { function: *function, inputs: inputs.clone() };
                self.pure(expr, &inputs, data.dtype)
            }
            other => unreachable!("bug: {other:?} has no value inside of a kernel"),
        }
    }

    fn input_values(&mut self, node: NodeId, map: MapId) -> Vec<ValueId> {
        let inputs = 0..self.context.graph[node].inputs.len() as u8;
        inputs.map(|input| self.input_value(node, input, map)).collect()
    }

    fn find(&self, key: &Key) -> Option<ValueId> {
        self.scopes.iter().rev().find_map(|scope| scope.known.get(key).copied())
    }

    pub(super) fn operation(&mut self, op: Op, inputs: Vec<ValueId>, dtype: DType) -> ValueId {
        self.pure(Expr::Op { op, inputs: inputs.clone() }, &inputs, dtype)
    }

    /// A computation from other values, at the outermost level where all are known.
    pub(super) fn pure(&mut self, expr: Expr, inputs: &[ValueId], dtype: DType) -> ValueId {
        let level = inputs.iter().map(|&input| self.level_of[input.index()]).max().unwrap_or(0);
        self.emit(Value { dtype, expr }, level)
    }

    pub(super) fn define(&mut self, value: Value, level: usize) -> ValueId {
        self.kernel.values.push(value);
        self.level_of.push(level);
        ValueId::new(self.kernel.values.len() - 1)
    }

    fn emit(&mut self, value: Value, level: usize) -> ValueId {
        let id = self.define(value, level);
        self.scopes[level].statements.push(Stmt::Let(id));
        id
    }

    fn known_or(&mut self, key: Key, value: Value, level: usize) -> ValueId {
        if let Some(known) = self.find(&key) {
            return known;
        }
        let id = self.emit(value, level);
        self.scopes[level].known.insert(key, id);
        id
    }

    /// A number of the plan, as a value.
    pub(super) fn number(&mut self, origin: NumberOrigin, value: i64) -> ValueId {
        let number = self.maps.number(origin, value);
        let id = self.number_scalar(number, value);
        let dtype = DType::I64;
        let key = Key::Scalar(ScalarKey::Number(Scalar::new(value)));
        self.known_or(key, Value { dtype, expr: Expr::Scalar(id) }, 0)
    }

    /// A number of the plan, as a scalar argument.
    pub(super) fn number_scalar(&mut self, number: usize, value: i64) -> ScalarId {
        let id = self.scalar(ScalarKey::Number(Scalar::new(value)), DType::I64);
        if !self.scalar_numbers.iter().any(|known| known.0 == id) {
            self.scalar_numbers.push((id, number));
        }
        id
    }

    /// A scalar argument, as a value.
    pub(super) fn scalar_value(&mut self, key: ScalarKey, dtype: DType) -> ValueId {
        let id = self.scalar(key.clone(), dtype);
        self.known_or(Key::Scalar(key), Value { dtype, expr: Expr::Scalar(id) }, 0)
    }

    fn scalar(&mut self, key: ScalarKey, dtype: DType) -> ScalarId {
        if let Some(&known) = self.scalar_of.get(&key) {
            return known;
        }
        self.kernel.scalars.push(dtype);
        self.scalars.push(match key {
            ScalarKey::Argument(argument) => ScalarSource::Argument(argument),
            ScalarKey::Number(number) => ScalarSource::Number(number),
            ScalarKey::Points(level) => ScalarSource::Points(level),
            ScalarKey::IsFirst => ScalarSource::IsFirst,
        });
        let id = ScalarId::new(self.scalars.len() - 1);
        self.scalar_of.insert(key, id);
        id
    }

    /// The index along a group axis.
    pub(super) fn plain_index(&mut self, axis: u8) -> ValueId {
        let level = self.group.axes[axis as usize].level;
        let index = Value { dtype: DType::I64, expr: Expr::Index(self.place[axis as usize]) };
        self.known_or(Key::Index(axis, 0, 1), index, level)
    }

    /// `start + step * index` along a group axis.
    fn index(&mut self, axis: u8, start: (NumberOrigin, i64), step: i64) -> ValueId {
        // Records the start, so that a refill checks whether it is zero or equal again.
        self.maps.number(start.0, start.1);
        let key = Key::Index(axis, start.1, step);
        if let Some(known) = self.find(&key) {
            return known;
        }
        let level = self.group.axes[axis as usize].level;
        let mut value = self.plain_index(axis);
        if step != 1 {
            let step = self.number(NumberOrigin::Constant(step), step);
            value = self.operation(Op::Multiply, vec![value, step], DType::I64);
        }
        if start.1 != 0 {
            let start = self.number(start.0, start.1);
            value = self.operation(Op::Add, vec![value, start], DType::I64);
        }
        self.scopes[level].known.insert(key, value);
        value
    }

    pub(super) fn load(&mut self, buffer: Buffer, map: MapId, dtype: DType) -> ValueId {
        let guard = if matches!(buffer, Buffer::Input(_)) { self.guard } else { None };
        let key = Key::Load(buffer, map, guard);
        if let Some(known) = self.find(&key) {
            return known;
        }
        let target = self.maps.get(map);
        let mut axes: Vec<u8> = target.axes.iter().filter_map(|axis| axis.axis).collect();
        if let Some(guard) = guard {
            let ranges = self.guards[guard.index()].iter().zip(&target.shape).enumerate();
            axes.extend(
                ranges
                    .filter(|(_, (range, extent))| **range != (0..**extent))
                    .map(|(axis, _)| axis as u8),
            );
        }
        let levels = axes.into_iter().map(|axis| self.group.axes[axis as usize].level);
        let mut level = levels.max().unwrap_or(0);
        if let Buffer::Output(node) = &buffer {
            // A value stored by an earlier loop must be loaded after that loop and inside the loops
            // in which it exists: a device without points there has not stored it.
            let stored =
                self.written.get(node).map_or(self.scopes.len() - 1, |written| written.level);
            let exists = self.depth_of(*node).unwrap_or(0);
            level = level.max(stored).max(exists);
        }
        let access = self.guarded_access(buffer, map, dtype, guard);
        let param = self.kernel[access].param;
        let role = &mut self.kernel.params[param.index()].role;
        if *role == Role::Out {
            *role = Role::InOut;
        }
        self.known_or(key, Value { dtype, expr: Expr::Load { access, guard } }, level)
    }

    pub(super) fn access(&mut self, buffer: Buffer, map: MapId, dtype: DType) -> AccessId {
        self.guarded_access(buffer, map, dtype, None)
    }

    fn guarded_access(
        &mut self,
        buffer: Buffer,
        map: MapId,
        dtype: DType,
        guard: Option<GuardId>,
    ) -> AccessId {
        let mut axes: Vec<AxisId> = self
            .maps
            .get(map)
            .axes
            .iter()
            .filter(|m| m.step != 0)
            .filter_map(|m| m.axis)
            .map(|a| self.place[a as usize])
            .collect();
        axes.sort_unstable();
        axes.dedup();
        let key = (buffer, map, axes.clone(), guard);
        if let Some(&known) = self.access_of.get(&key) {
            return known;
        }
        let is_table = matches!(&buffer, Buffer::Output(node)
            if matches!(self.context.graph[*node].op, NodeOp::Accumulate { .. }));
        let role = match buffer {
            Buffer::Input(_) => Role::In,
            _ if is_table => Role::Table,
            Buffer::Output(_) | Buffer::OutputPart(..) => Role::Out,
        };
        let param = *self.params.entry(buffer).or_insert_with(|| {
            self.kernel.params.push(Param { dtype, role });
            ParamId::new(self.kernel.params.len() - 1)
        });
        self.kernel.accesses.push(Access { param, axes });
        self.accesses.push((buffer, map, guard));
        let id = AccessId::new(self.accesses.len() - 1);
        self.access_of.insert(key, id);
        id
    }
}
