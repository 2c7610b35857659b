//! Building a kernel: the members of a group that are needed, as kernel IR.
//!
//! Sinks (stores, folds, accumulations) are emitted in program order; the values they need are computed on demand, each
//! on the outermost level at which all it depends on is known. A sink that uses the result of a fold whose loop is still
//! open closes the loop; what comes after opens a second loop over the same axes. A value needed in both is computed
//! twice if cheap, else stored by the first loop and loaded by the second.

use crate::fuse::{Context, Group, Member, Reference, selection};
use phalanx_array::{NodeOp, Source};
use phalanx_kernels::ir::{Access, AxisId, Expr, Fold, GuardId, Kernel, Param, Role, Stmt, Value, ValueId};
use phalanx_ops::{AffineMap, DType, IndexBox, Monoid, Op, Scalar};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A value this cheap (in additions) is computed again in a later loop over the same axes.
const CHEAP_AGAIN: u32 = 8;

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

/// Builds the kernel that computes the members whose values are in `stored`.
pub(crate) fn build(context: &Context<'_>, group: &Group, stored: &BTreeSet<u32>) -> Built {
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
enum Key {
    Node(u32, AffineMap, Option<GuardId>),
    Load(Buffer, AffineMap, Option<GuardId>),
    Inside(GuardId),
    Index(u8, i64, i64),
    Scalar(ScalarKey),
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum ScalarKey {
    Argument(u32),
    Number(Scalar),
}

#[derive(Default)]
struct Scope {
    /// The kernel axes of the loop.
    axes: Vec<AxisId>,
    statements: Vec<Stmt>,
    known: FxHashMap<Key, ValueId>,
    folds: Vec<Fold>,
    /// Reductions whose folds are in this scope: their results exist once it is closed.
    pending: Vec<(u32, ValueId, Option<ValueId>)>,
}

struct Builder<'a> {
    context: &'a Context<'a>,
    group: &'a Group,
    stored: &'a BTreeSet<u32>,
    kernel: Kernel,
    /// The kernel axis of each group axis, in the loop that is open now: every loop has axes of its own.
    place: Vec<usize>,
    axes: Vec<u8>,
    accesses: Vec<BuiltAccess>,
    access_of: FxHashMap<(Buffer, AffineMap, Vec<AxisId>, Option<GuardId>), usize>,
    guards: Vec<IndexBox>,
    /// The guard under which values are computed now: loads outside of it must not happen.
    guard: Option<GuardId>,
    params: FxHashMap<Buffer, usize>,
    scalars: Vec<ScalarSource>,
    scalar_of: FxHashMap<ScalarKey, usize>,
    scopes: Vec<Scope>,
    level_of: Vec<usize>,
    /// Members stored by a loop that has been closed.
    written: FxHashMap<u32, AffineMap>,
    computed_in_closed_loop: BTreeSet<u32>,
    reloaded: BTreeSet<u32>,
}

impl<'a> Builder<'a> {
    fn new(context: &'a Context<'a>, group: &'a Group, stored: &'a BTreeSet<u32>) -> Builder<'a> {
        let axes: Vec<u8> = (0..group.axes.len() as u8).filter(|&axis| group.axes[axis as usize].level == 0).collect();
        let mut place = vec![0; group.axes.len()];
        for (kernel_axis, &axis) in axes.iter().enumerate() {
            place[axis as usize] = kernel_axis;
        }
        let kernel = Kernel { grid: axes.len(), axes: axes.len(), ..Kernel::default() };
        Builder {
            context,
            group,
            stored,
            kernel,
            place,
            axes,
            accesses: Vec::new(),
            access_of: FxHashMap::default(),
            guards: Vec::new(),
            guard: None,
            params: FxHashMap::default(),
            scalars: Vec::new(),
            scalar_of: FxHashMap::default(),
            scopes: vec![Scope::default()],
            level_of: Vec::new(),
            written: FxHashMap::default(),
            computed_in_closed_loop: BTreeSet::new(),
            reloaded: BTreeSet::new(),
        }
    }

    fn run(&mut self) {
        let needed = self.needed();
        for member in &self.group.members {
            if !needed.contains(&member.node) {
                continue;
            }
            let node = &self.context.graph.nodes[member.node as usize];
            let stored = self.stored.contains(&member.node);
            match &node.op {
                NodeOp::Reduce { monoid, axes } => {
                    self.fold(member, *monoid, axes);
                    if stored {
                        self.store_reduction(member, *monoid, axes);
                    }
                }
                NodeOp::Accumulate { monoid } => self.accumulate(member, *monoid),
                NodeOp::Update(_) if !member.is_selected => self.store_update(member),
                _ if stored => {
                    self.prepare(member);
                    self.open(member.depth);
                    let value = self.member_value(member.node);
                    let access = self.access(Buffer::Output(member.node), member.from_group.clone(), node.dtype);
                    self.scopes[member.depth].statements.push(Stmt::Store { access, value });
                    self.written.insert(member.node, member.from_group.clone());
                }
                _ => {}
            }
        }
        self.close_to(0);
    }

    fn finish(mut self) -> Built {
        self.kernel.body = std::mem::take(&mut self.scopes[0].statements);
        Built {
            kernel: self.kernel,
            axes: self.axes,
            accesses: self.accesses,
            scalars: self.scalars,
            guards: self.guards,
            reloaded: self.reloaded,
        }
    }

    /// The members that stored ones depend on, themselves included.
    fn needed(&self) -> BTreeSet<u32> {
        let mut needed = self.stored.clone();
        for member in self.group.members.iter().rev() {
            if needed.contains(&member.node) {
                self.members_used(member, &mut needed);
            }
        }
        needed
    }

    fn members_used(&self, member: &Member, used: &mut BTreeSet<u32>) {
        let node = &self.context.graph.nodes[member.node as usize];
        match &node.op {
            NodeOp::Update(target) if member.is_selected => {
                self.inputs_used(&node.inputs[0], &member.from_group, used);
                if let Some((map, _)) = selection(target, &member.from_group) {
                    match self.context.refer_selected(&node.inputs[1], &map, self.group) {
                        Reference::Inline(node, map) => {
                            for input in &self.context.graph.nodes[node as usize].inputs {
                                self.inputs_used(input, &map, used);
                            }
                        }
                        _ => self.inputs_used(&node.inputs[1], &map, used),
                    }
                }
            }
            NodeOp::Update(_) => self.inputs_used(&node.inputs[1], &member.from_group, used),
            _ => node.inputs.iter().for_each(|input| self.inputs_used(input, &member.from_group, used)),
        }
    }

    fn inputs_used(&self, input: &phalanx_array::Input, from_group: &AffineMap, used: &mut BTreeSet<u32>) {
        match self.context.refer(input, from_group, self.group) {
            Reference::Member(node) => {
                used.insert(node);
            }
            Reference::Inline(node, map) => {
                for input in &self.context.graph.nodes[node as usize].inputs {
                    self.inputs_used(input, &map, used);
                }
            }
            Reference::Load(..) | Reference::Scalar(_) => {}
        }
    }

    /// Closes loops whose folds the member needs, directly or through members that are not sinks themselves.
    fn prepare(&mut self, member: &Member) {
        let mut used = BTreeSet::new();
        self.members_used(member, &mut used);
        let mut all = used.clone();
        for other in self.group.members.iter().rev() {
            // A reduction is a sink of its own: what it needed was prepared when it was emitted.
            let is_sink = matches!(self.context.graph.nodes[other.node as usize].op, NodeOp::Reduce { .. });
            if all.contains(&other.node) && !is_sink {
                self.members_used(other, &mut all);
            }
        }
        let level = (0..self.scopes.len()).find(|&level| {
            self.scopes[level].pending.iter().any(|(node, ..)| all.contains(node))
        });
        if let Some(level) = level {
            self.close_to(level - 1);
        }
    }

    fn open(&mut self, depth: usize) {
        while self.scopes.len() <= depth {
            let level = self.scopes.len();
            let mut scope = Scope::default();
            for (axis, data) in self.group.axes.iter().enumerate() {
                if data.level == level {
                    self.place[axis] = self.kernel.axes;
                    scope.axes.push(self.kernel.axes);
                    self.axes.push(axis as u8);
                    self.kernel.axes += 1;
                }
            }
            self.scopes.push(scope);
        }
    }

    fn close_to(&mut self, depth: usize) {
        while self.scopes.len() > depth + 1 {
            let level = self.scopes.len() - 1;
            let Some(scope) = self.scopes.pop() else { return };
            for key in scope.known.keys() {
                if let Key::Node(node, ..) = key {
                    self.computed_in_closed_loop.insert(*node);
                }
            }
            let axes = scope.axes;
            let outer = &mut self.scopes[level - 1];
            outer.statements.push(Stmt::Loop { axes, body: scope.statements, folds: scope.folds });
            for (node, result, index) in scope.pending {
                let value = index.unwrap_or(result);
                let map = self.value_map(node);
                self.scopes[level - 1].known.insert(Key::Node(node, map, None), value);
            }
        }
    }

    /// The map from the group to the index of a member's value.
    fn value_map(&self, node: u32) -> AffineMap {
        let Some(member) = self.group.members.iter().find(|member| member.node == node) else {
            unreachable!("bug: node {node} is not a member")
        };
        match &self.context.graph.nodes[node as usize].op {
            NodeOp::Reduce { axes, .. } => AffineMap {
                shape: member.from_group.shape.clone(),
                axes: member
                    .from_group
                    .axes
                    .iter()
                    .enumerate()
                    .filter(|(axis, _)| !axes.contains(&(*axis as u8)))
                    .map(|(_, map)| *map)
                    .collect(),
            },
            _ => member.from_group.clone(),
        }
    }

    fn fold(&mut self, member: &Member, monoid: Monoid, axes: &[u8]) {
        self.prepare(member);
        self.open(member.depth + 1);
        let node = &self.context.graph.nodes[member.node as usize];
        let (_, dtype) = self.context.graph.source(node.inputs[0].source);
        let value = self.input_value(&node.inputs[0], &member.from_group);
        let is_indexed = matches!(monoid, Monoid::ArgMin | Monoid::ArgMax);
        let index = is_indexed.then(|| self.linear_index(member, axes));
        let result = self.define(Value { dtype, expr: Expr::Folded }, member.depth);
        let index_result =
            is_indexed.then(|| self.define(Value { dtype: DType::I64, expr: Expr::Folded }, member.depth));
        let scope = &mut self.scopes[member.depth + 1];
        scope.folds.push(Fold { monoid, value, index, result, index_result });
        scope.pending.push((member.node, result, index_result));
    }

    /// The position of a point among the reduced axes, in C order.
    fn linear_index(&mut self, member: &Member, axes: &[u8]) -> ValueId {
        let mut total: Option<ValueId> = None;
        for &axis in axes {
            let map = member.from_group.axes[axis as usize];
            let Some(group_axis) = map.axis else { continue };
            let index = self.index(group_axis, 0, 1);
            total = Some(match total {
                None => index,
                Some(total) => {
                    let extent = self.group.axes[group_axis as usize].extent as i64;
                    let extent = self.number(Scalar::new(extent));
                    let scaled = self.operation(Op::Multiply, vec![total, extent], DType::I64);
                    self.operation(Op::Add, vec![scaled, index], DType::I64)
                }
            });
        }
        total.unwrap_or_else(|| self.number(Scalar::new(0i64)))
    }

    fn store_reduction(&mut self, member: &Member, monoid: Monoid, axes: &[u8]) {
        let _ = axes;
        let node = &self.context.graph.nodes[member.node as usize];
        self.close_to(member.depth);
        let map = self.value_map(member.node);
        let is_packed = self.context.placements[member.node as usize].partial.is_some()
            && matches!(monoid, Monoid::ArgMin | Monoid::ArgMax);
        if is_packed {
            let (_, dtype) = self.context.graph.source(node.inputs[0].source);
            let folds = self.last_fold(member.node);
            let access = self.access(Buffer::Output(member.node), map.clone(), dtype);
            self.scopes[member.depth].statements.push(Stmt::Store { access, value: folds.0 });
            let access = self.access(Buffer::OutputIndex(member.node), map, DType::I64);
            self.scopes[member.depth].statements.push(Stmt::Store { access, value: folds.1 });
            return;
        }
        let value = self.member_value(member.node);
        let access = self.access(Buffer::Output(member.node), map, node.dtype);
        self.scopes[member.depth].statements.push(Stmt::Store { access, value });
    }

    /// The value and index that the fold of an indexed reduction gave.
    fn last_fold(&self, node: u32) -> (ValueId, ValueId) {
        let map = self.value_map(node);
        let key = Key::Node(node, map, None);
        let index = self.scopes.iter().find_map(|scope| scope.known.get(&key).copied());
        let Some(index) = index else { unreachable!("bug: the fold of node {node} is still open") };
        // The value was defined right before its index.
        (index - 1, index)
    }

    fn accumulate(&mut self, member: &Member, monoid: Monoid) {
        self.prepare(member);
        self.open(member.depth);
        let node = &self.context.graph.nodes[member.node as usize];
        let position = self.input_value(&node.inputs[0], &member.from_group);
        let value = self.input_value(&node.inputs[1], &member.from_group);
        let length = self.scalar(ScalarKey::Number(Scalar::new(node.shape[0] as i64)), DType::I64);
        let map = AffineMap {
            shape: member.from_group.shape.clone(),
            axes: [phalanx_ops::AxisMap { axis: None, start: 0, step: 0 }].into_iter().collect(),
        };
        let access = self.access(Buffer::Output(member.node), map, node.dtype);
        self.scopes[member.depth].statements.push(Stmt::Accumulate { access, length, position, value, monoid });
    }

    fn store_update(&mut self, member: &Member) {
        self.prepare(member);
        self.open(member.depth);
        let node = &self.context.graph.nodes[member.node as usize];
        let NodeOp::Update(target) = &node.op else { unreachable!("bug: not an update") };
        let value = self.input_value(&node.inputs[1], &member.from_group);
        let map = target.then(&member.from_group);
        let access = self.access(Buffer::Output(member.node), map, node.dtype);
        self.scopes[member.depth].statements.push(Stmt::Store { access, value });
    }

    fn member_value(&mut self, node: u32) -> ValueId {
        // A member's value exists at every point, whatever guard its user is under.
        let guard = self.guard.take();
        let map = self.value_map(node);
        let value = self.node_value(node, &map, true);
        self.guard = guard;
        value
    }

    /// The value of an update computed as a selection.
    fn selected_update(&mut self, node: u32, map: &AffineMap) -> ValueId {
        let data = &self.context.graph.nodes[node as usize];
        let NodeOp::Update(target) = &data.op else { unreachable!("bug: not an update") };
        let Some((value_map, guard)) = selection(target, map) else {
            unreachable!("bug: an update that is not a selection")
        };
        let old = self.input_value(&data.inputs[0], map);
        let whole = guard.iter().zip(&map.shape).all(|(range, &extent)| *range == (0..extent));
        let guard = (!whole).then(|| self.guard_id(&guard));
        let outer = std::mem::replace(&mut self.guard, guard);
        let value = match self.context.refer_selected(&data.inputs[1], &value_map, self.group) {
            Reference::Inline(inner, map) => self.node_value(inner, &map, false),
            _ => self.input_value(&data.inputs[1], &value_map),
        };
        self.guard = outer;
        let Some(guard) = guard else { return value };
        let axes = &self.guards[guard];
        let bounded = axes.iter().zip(&map.shape).enumerate().filter(|(_, (range, extent))| **range != (0..**extent));
        let level = bounded.map(|(axis, _)| self.group.axes[axis].level).max().unwrap_or(0);
        let inside =
            self.known_or(Key::Inside(guard), Value { dtype: DType::Bool, expr: Expr::Inside(guard) }, level);
        let select = Expr::Select { condition: inside, on_true: value, on_false: old };
        self.pure(select, &[inside, value, old], data.dtype)
    }

    /// The kernel's guard for a box of the group.
    fn guard_id(&mut self, guard: &IndexBox) -> GuardId {
        if let Some(known) = self.guards.iter().position(|known| known == guard) {
            return known;
        }
        let axes = guard.iter().enumerate().filter(|(axis, range)| **range != (0..self.group.axes[*axis].extent));
        self.kernel.guards.push(axes.map(|(axis, _)| self.place[axis]).collect());
        self.guards.push(guard.clone());
        self.guards.len() - 1
    }

    fn input_value(&mut self, input: &phalanx_array::Input, from_group: &AffineMap) -> ValueId {
        match self.context.refer(input, from_group, self.group) {
            Reference::Member(node) => self.member_value(node),
            Reference::Inline(node, map) => self.node_value(node, &map, false),
            Reference::Scalar(scalar) => {
                let (_, dtype) = self.context.graph.source(Source::Scalar(scalar));
                let id = self.scalar(ScalarKey::Argument(scalar), dtype);
                self.known_or(Key::Scalar(ScalarKey::Argument(scalar)), Value { dtype, expr: Expr::Scalar(id) }, 0)
            }
            Reference::Load(source, map) => {
                let (_, dtype) = self.context.graph.source(source);
                self.load(Buffer::Input(source), map, dtype)
            }
        }
    }

    /// The value of a node at the index that `map` gives.
    fn node_value(&mut self, node: u32, map: &AffineMap, is_member: bool) -> ValueId {
        let key = Key::Node(node, map.clone(), self.guard);
        if let Some(value) = self.find(&key) {
            return value;
        }
        let data = &self.context.graph.nodes[node as usize];
        if is_member && self.computed_in_closed_loop.contains(&node) && self.context.flops(node) > CHEAP_AGAIN {
            self.reloaded.insert(node);
            if self.written.get(&node) == Some(map) {
                return self.load(Buffer::Output(node), map.clone(), data.dtype);
            }
        }
        let value = match &data.op {
            NodeOp::Index(axis) => {
                let at = map.axes[*axis as usize];
                match at.axis {
                    Some(follows) => return self.index(follows, at.start, at.step),
                    None => return self.number(Scalar::new(at.start)),
                }
            }
            NodeOp::Update(_) => self.selected_update(node, map),
            NodeOp::Fill | NodeOp::Reshard(_) => return self.input_value(&data.inputs[0], map),
            NodeOp::Cast => {
                let input = self.input_value(&data.inputs[0], map);
                if self.kernel.values[input].dtype == data.dtype {
                    return input;
                }
                self.pure(Expr::Cast(input), &[input], data.dtype)
            }
            NodeOp::Select => {
                let [condition, on_true, on_false] = [0, 1, 2].map(|at| self.input_value(&data.inputs[at], map));
                self.pure(Expr::Select { condition, on_true, on_false }, &[condition, on_true, on_false], data.dtype)
            }
            NodeOp::Elementwise(op) => {
                let inputs: Vec<ValueId> = data.inputs.iter().map(|input| self.input_value(input, map)).collect();
                self.operation(*op, inputs, data.dtype)
            }
            other => unreachable!("bug: {other:?} has no value inside of a kernel"),
        };
        let level = self.level_of[value];
        self.scopes[level].known.insert(key, value);
        value
    }

    fn find(&self, key: &Key) -> Option<ValueId> {
        self.scopes.iter().rev().find_map(|scope| scope.known.get(key).copied())
    }

    fn operation(&mut self, op: Op, inputs: Vec<ValueId>, dtype: DType) -> ValueId {
        self.pure(Expr::Op { op, inputs: inputs.clone() }, &inputs, dtype)
    }

    /// A computation of other values, on the outermost level where they all are known.
    fn pure(&mut self, expr: Expr, inputs: &[ValueId], dtype: DType) -> ValueId {
        let level = inputs.iter().map(|&input| self.level_of[input]).max().unwrap_or(0);
        self.emit(Value { dtype, expr }, level)
    }

    fn define(&mut self, value: Value, level: usize) -> ValueId {
        self.kernel.values.push(value);
        self.level_of.push(level);
        self.kernel.values.len() - 1
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

    fn number(&mut self, scalar: Scalar) -> ValueId {
        let key = ScalarKey::Number(scalar);
        let id = self.scalar(key.clone(), scalar.dtype());
        self.known_or(Key::Scalar(key), Value { dtype: scalar.dtype(), expr: Expr::Scalar(id) }, 0)
    }

    fn scalar(&mut self, key: ScalarKey, dtype: DType) -> usize {
        if let Some(&known) = self.scalar_of.get(&key) {
            return known;
        }
        self.kernel.scalars.push(dtype);
        self.scalars.push(match key {
            ScalarKey::Argument(argument) => ScalarSource::Argument(argument),
            ScalarKey::Number(number) => ScalarSource::Number(number),
        });
        self.scalar_of.insert(key, self.scalars.len() - 1);
        self.scalars.len() - 1
    }

    /// `start + step * index` along a group axis.
    fn index(&mut self, axis: u8, start: i64, step: i64) -> ValueId {
        let key = Key::Index(axis, start, step);
        if let Some(known) = self.find(&key) {
            return known;
        }
        let level = self.group.axes[axis as usize].level;
        let kernel_axis = self.place[axis as usize];
        let plain = Key::Index(axis, 0, 1);
        let mut value = self.known_or(plain, Value { dtype: DType::I64, expr: Expr::Index(kernel_axis) }, level);
        if step != 1 {
            let step = self.number(Scalar::new(step));
            value = self.operation(Op::Multiply, vec![value, step], DType::I64);
        }
        if start != 0 {
            let start = self.number(Scalar::new(start));
            value = self.operation(Op::Add, vec![value, start], DType::I64);
        }
        self.scopes[level].known.insert(key, value);
        value
    }

    fn load(&mut self, buffer: Buffer, map: AffineMap, dtype: DType) -> ValueId {
        let guard = if matches!(buffer, Buffer::Input(_)) { self.guard } else { None };
        let key = Key::Load(buffer.clone(), map.clone(), guard);
        if let Some(known) = self.find(&key) {
            return known;
        }
        let mut axes: Vec<u8> = map.axes.iter().filter_map(|axis| axis.axis).collect();
        if let Some(guard) = guard {
            let ranges = self.guards[guard].iter().zip(&map.shape).enumerate();
            axes.extend(ranges.filter(|(_, (range, extent))| **range != (0..**extent)).map(|(axis, _)| axis as u8));
        }
        let levels = axes.into_iter().map(|axis| self.group.axes[axis as usize].level);
        let mut level = levels.max().unwrap_or(0);
        if let Buffer::Output(_) = buffer {
            // A value stored by an earlier loop must not be loaded before that loop.
            level = level.max(self.scopes.len() - 1);
        }
        let access = self.guarded_access(buffer, map, dtype, guard);
        let role = &mut self.kernel.params[self.kernel.accesses[access].param].role;
        if *role == Role::Out {
            *role = Role::InOut;
        }
        self.known_or(key, Value { dtype, expr: Expr::Load { access, guard } }, level)
    }

    fn access(&mut self, buffer: Buffer, map: AffineMap, dtype: DType) -> usize {
        self.guarded_access(buffer, map, dtype, None)
    }

    fn guarded_access(&mut self, buffer: Buffer, map: AffineMap, dtype: DType, guard: Option<GuardId>) -> usize {
        let mut axes: Vec<AxisId> =
            map.axes.iter().filter(|m| m.step != 0).filter_map(|m| m.axis).map(|a| self.place[a as usize]).collect();
        axes.sort_unstable();
        axes.dedup();
        let key = (buffer.clone(), map.clone(), axes.clone(), guard);
        if let Some(&known) = self.access_of.get(&key) {
            return known;
        }
        let is_table = matches!(&buffer, Buffer::Output(node)
            if matches!(self.context.graph.nodes[*node as usize].op, NodeOp::Accumulate { .. }));
        let role = match buffer {
            Buffer::Input(_) => Role::In,
            _ if is_table => Role::Table,
            Buffer::Output(_) | Buffer::OutputIndex(_) => Role::Out,
        };
        let param = *self.params.entry(buffer.clone()).or_insert_with(|| {
            self.kernel.params.push(Param { dtype, role });
            self.kernel.params.len() - 1
        });
        self.kernel.accesses.push(Access { param, axes });
        self.accesses.push(BuiltAccess { buffer, map, guard });
        self.access_of.insert(key, self.accesses.len() - 1);
        self.accesses.len() - 1
    }
}
