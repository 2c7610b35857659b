//! Propagation: chooses a placement for every node of a window, in program order.

use crate::lower::PlacedOperand;
use crate::placement::{Placement, Schedule};
use crate::price::read_price;
use crate::regions::greatest_common_divisor;
use crate::setup::Setup;
use phalanx_graph::{Graph, Input, NodeData, NodeId, NodeOp, Source};
use phalanx_ops::shape::size;
use phalanx_ops::{
    AffineMap, Bounds, Bytes, Mesh, Monoid, Partial, Shape, Sharding, Split, Structured,
};
use smallvec::SmallVec;

/// The placement of every node. `leaves` are the shardings of the graph's leaves.
pub fn propagate(graph: &Graph, leaves: &[Sharding], setup: Setup<'_>) -> Vec<Placement> {
    tracing::trace!(target: "phalanx::path", file = file!());
    if setup.mesh.devices() == 1 {
        return graph.nodes.iter().map(|node| whole(graph, node)).collect();
    }
    let (targets, readers) = (update_targets(graph), reshaping_readers(graph));
    let placements = Vec::with_capacity(graph.nodes.len());
    let mut known = Propagation { graph, leaves, setup, targets, readers, placements };
    for (id, node) in graph.numbered() {
        let placement = known.place(id, node);
        known.placements.push(placement);
    }
    known.placements
}

/// A window whose first nodes have placements.
struct Propagation<'a> {
    graph: &'a Graph,
    leaves: &'a [Sharding],
    setup: Setup<'a>,
    /// For each node, the update that writes its value; see [`update_targets`].
    targets: Vec<Option<NodeId>>,
    /// For each node, the reshape that reads its value; see [`reshaping_readers`].
    readers: Vec<Option<NodeId>>,
    placements: Vec<Placement>,
}

impl Propagation<'_> {
    /// The placement of a node whose inputs have theirs.
    fn place(&self, id: NodeId, node: &NodeData) -> Placement {
        let mesh = self.setup.mesh;
        match &node.op {
            NodeOp::Fill | NodeOp::Index(_) => Placement::on(self.fresh(id, node)),
            NodeOp::Cast if self.is_copy(node) => Placement::on(self.copied(id, node)),
            NodeOp::Elementwise(_) | NodeOp::Special(_) | NodeOp::Select | NodeOp::Cast => {
                Placement::on(self.elementwise(id, node))
            }
            NodeOp::Update(map) => {
                let old = self.sharding_of(node.inputs[0].source).cloned();
                let old = old.unwrap_or_else(|| Sharding::replicated(node.shape.len()));
                Placement { space: old.through(map), output: old, schedule: Schedule::Rule }
            }
            NodeOp::Reduce { monoid, axes } => reduce(self.through(&node.inputs[0]), *monoid, axes),
            NodeOp::Accumulate { monoid } => {
                let space = self.through(&node.inputs[0]);
                let schedule = partial(*monoid, space.axes.iter().flatten());
                Placement { space, output: Sharding::replicated(1), schedule }
            }
            NodeOp::Reshape => {
                let (from, dtype) = view_shape(self.graph, &node.inputs[0]);
                let (from, to) = ((&*from, dtype.size()), (&*node.shape, node.dtype.size()));
                let (space, output) = reshape(&self.through(&node.inputs[0]), from, to, mesh);
                Placement { space, output, schedule: Schedule::Rule }
            }
            NodeOp::Structured(op) => self.structured(op, node),
            NodeOp::Compress => {
                let (shape, _) = view_shape(self.graph, &node.inputs[0]);
                let space = leading(&self.through(&node.inputs[0]), &shape, mesh);
                compress(space, node.shape[0])
            }
            NodeOp::Reshard(target) => Placement::on((**target).clone()),
        }
    }

    fn sharding_of(&self, source: Source) -> Option<&Sharding> {
        match source {
            Source::Node(node) => Some(&self.placements[node.index()].output),
            Source::Leaf(leaf) => Some(&self.leaves[leaf.index()]),
            Source::Scalar(_) => None,
        }
    }

    /// The sharding of a view that an input reads.
    fn through(&self, input: &Input) -> Sharding {
        match (self.sharding_of(input.source), &input.map) {
            (Some(sharding), None) => sharding.clone(),
            (Some(sharding), Some(map)) => sharding.through(map),
            (None, _) => Sharding::replicated(self.graph.source(input.source).0.len()),
        }
    }

    /// The sharding of a value whose inputs suggest none.
    fn fresh(&self, id: NodeId, node: &NodeData) -> Sharding {
        let Setup { mesh, policy, .. } = self.setup;
        let sharding = policy.sharding(&node.shape, mesh);
        let Some(reader) = self.readers[id.index()] else { return sharding };
        // Cut where rows of both shapes begin, so that the reshape moves nothing.
        let to = &self.graph[reader];
        // The reshape may read another dtype with as many elements.
        let (_, read) = self.graph.source(to.inputs[0].source);
        let from = (&*node.shape, read.size());
        let cut = reshape(&sharding, from, (&*to.shape, to.dtype.size()), mesh).0;
        // If there are few rows, some devices would have no elements.
        if largest(&cut, &node.shape) * 4 <= largest(&sharding, &node.shape) * 5 {
            cut
        } else {
            sharding
        }
    }

    /// The sharding of an elementwise operation.
    fn elementwise(&self, id: NodeId, node: &NodeData) -> Sharding {
        let update = self.targets[id.index()].map(|update| &self.graph[update]);
        // An existing base decides the sharding of the value that is written to it.
        if let Some(NodeData { op: NodeOp::Update(map), inputs, .. }) = update
            && !matches!(inputs[0].source, Source::Node(base) if base >= id)
            && let Some(base) = self.sharding_of(inputs[0].source)
        {
            return base.through(map);
        }
        let known = |source| self.sharding_of(source).cloned();
        let fresh = || self.fresh(id, node);
        align(self.graph, &node.inputs, &node.shape, &known, self.setup.mesh, &fresh)
    }

    /// Whether a cast keeps the dtype. Other casts are often operands of one operation, and moving
    /// those would be a loss.
    fn is_copy(&self, node: &NodeData) -> bool {
        self.graph.source(node.inputs[0].source).1 == node.dtype
    }

    /// The sharding of a copy. A copy of a view that is split along the same axis as a new array,
    /// but whose blocks lie elsewhere (`a[::-1]`, `a[n // 2:]`), is split as a new array if that
    /// moves fewer bytes over two uses beside new arrays. Less than a quarter of a block is a halo,
    /// which is not worth a move.
    fn copied(&self, id: NodeId, node: &NodeData) -> Sharding {
        let Setup { mesh, policy, .. } = self.setup;
        let seen = self.elementwise(id, node);
        let input = &node.inputs[0];
        let (Some(map), Some(value)) = (&input.map, self.sharding_of(input.source)) else {
            return seen;
        };
        let standard = policy.sharding(&node.shape, mesh);
        let axes = |sharding: &Sharding| -> SmallVec<[bool; 4]> {
            sharding.axes.iter().map(Option::is_some).collect()
        };
        let is_written = self.targets[id.index()].is_some();
        if is_written || seen == standard || axes(&seen) != axes(&standard) {
            return seen;
        }
        let item = node.dtype.size();
        let same = AffineMap::identity(&node.shape);
        let Bytes(each) = read_price(&seen, &node.shape, item, &same, &standard, mesh);
        let base = self.graph.source(input.source).0;
        let Bytes(now) = read_price(value, base, item, map, &standard, mesh);
        let block = seen.largest_block(&node.shape) * item;
        if now < 2 * each && 4 * each >= block { standard } else { seen }
    }

    fn structured(&self, op: &Structured, node: &NodeData) -> Placement {
        let shapes: Vec<Shape> =
            node.inputs.iter().map(|input| view_shape(self.graph, input).0).collect();
        let inputs = node.inputs.iter().zip(&shapes);
        let operands: Vec<PlacedOperand<'_>> = inputs
            .map(|(input, shape)| PlacedOperand {
                sharding: self.through(input),
                shape,
                dtype: self.graph.source(input.source).1,
            })
            .collect();
        let lowering = self.setup.lowerings.of(op);
        lowering.place(op, &operands, &node.shape, self.setup.layout())
    }
}

/// The placement of a reduction, from the sharding of its input.
fn reduce(space: Sharding, monoid: Monoid, axes: &[u8]) -> Placement {
    let mut output = Sharding::replicated(0);
    let mut reduced: SmallVec<[&Split; 2]> = SmallVec::new();
    for (axis, split) in space.axes.iter().enumerate() {
        if axes.contains(&(axis as u8)) {
            reduced.extend(split);
        } else {
            output.axes.push(split.clone());
        }
    }
    let schedule = partial(monoid, reduced.into_iter());
    Placement { space, output, schedule }
}

/// The schedule of a value that is partial over the mesh axes of `splits`.
fn partial<'a>(monoid: Monoid, splits: impl Iterator<Item = &'a Split>) -> Schedule {
    let mesh_axes: SmallVec<[u8; 2]> =
        splits.flat_map(|split| split.mesh_axes.iter().copied()).collect();
    (!mesh_axes.is_empty()).then_some(Partial { monoid, mesh_axes }).into()
}

/// The placement of a selection of at most `most` elements. Its blocks follow from counts that are
/// not known yet; until then, the sharding is even.
fn compress(space: Sharding, most: usize) -> Placement {
    let output = match space.axes.iter().flatten().next() {
        None => Sharding::replicated(1),
        Some(split) => {
            let bounds = Bounds::even(most, split.bounds.parts());
            let split = Split { mesh_axes: split.mesh_axes.clone(), bounds };
            Sharding { axes: [Some(split)].into_iter().collect(), partial: None }
        }
    };
    Placement { space, output, schedule: Schedule::Rule }
}

/// The placement of a node on one device, which holds all of every value.
fn whole(graph: &Graph, node: &NodeData) -> Placement {
    let ndim = match &node.op {
        NodeOp::Reduce { .. } | NodeOp::Accumulate { .. } | NodeOp::Compress | NodeOp::Reshape => {
            view_shape(graph, &node.inputs[0]).0.len()
        }
        NodeOp::Update(map) => map.shape.len(),
        _ => node.shape.len(),
    };
    Placement {
        space: Sharding::replicated(ndim),
        output: Sharding::replicated(node.shape.len()),
        schedule: Schedule::Rule,
    }
}

/// The number of elements of the largest block.
fn largest(sharding: &Sharding, shape: &[usize]) -> usize {
    let extents = shape.iter().zip(&sharding.axes);
    extents
        .map(|(&extent, split)| split.as_ref().map_or(extent, |s| s.bounds.largest_block()))
        .product()
}

/// For each node, the first reshape of its whole value, or of the result of elementwise operations
/// with its shape.
fn reshaping_readers(graph: &Graph) -> Vec<Option<NodeId>> {
    let mut readers: Vec<Option<NodeId>> = vec![None; graph.nodes.len()];
    for (id, node) in graph.numbered().rev() {
        let reader = match &node.op {
            NodeOp::Reshape => Some(id),
            NodeOp::Elementwise(_) | NodeOp::Special(_) | NodeOp::Select | NodeOp::Cast => {
                readers[id.index()]
            }
            _ => None,
        };
        let Some(reader) = reader else { continue };
        for input in &node.inputs {
            if let (Source::Node(from), None) = (input.source, &input.map) {
                let is_alike = reader == id || graph[from].shape == node.shape;
                if is_alike {
                    readers[from.index()] = Some(reader);
                }
            }
        }
    }
    readers
}

pub(crate) fn view_shape(graph: &Graph, input: &Input) -> (phalanx_ops::Shape, phalanx_ops::DType) {
    let (shape, dtype) = graph.source(input.source);
    (
        input
            .map
            .as_ref()
            .map_or_else(|| shape.into(), |map: &std::sync::Arc<AffineMap>| map.shape.clone()),
        dtype,
    )
}

/// For each node, the update that writes its value, directly or after elementwise operations with
/// its shape.
fn update_targets(graph: &Graph) -> Vec<Option<NodeId>> {
    let mut targets: Vec<Option<NodeId>> = vec![None; graph.nodes.len()];
    for (id, node) in graph.numbered().rev() {
        let target = match &node.op {
            NodeOp::Update(_) => Some(id),
            NodeOp::Elementwise(_) | NodeOp::Special(_) | NodeOp::Select | NodeOp::Cast => {
                targets[id.index()]
            }
            _ => None,
        };
        let Some(target) = target else { continue };
        let values =
            if matches!(node.op, NodeOp::Update(_)) { &node.inputs[1..] } else { &node.inputs[..] };
        let NodeOp::Update(map) = &graph[target].op else {
            continue;
        };
        for input in values {
            if let (Source::Node(from), None) = (input.source, &input.map) {
                let known = &mut targets[from.index()];
                if graph[from].shape == map.shape && known.is_none() {
                    *known = Some(target);
                }
            }
        }
    }
    targets
}

/// The sharding of an elementwise operation: the input's sharding for which the other inputs move
/// the fewest bytes; among equals, the one of most inputs, then of the first. `fresh` if no input
/// is split or replicated whole.
fn align(
    graph: &Graph,
    inputs: &[Input],
    shape: &[usize],
    sharding_of: &dyn Fn(Source) -> Option<Sharding>,
    mesh: &Mesh,
    fresh: &dyn Fn() -> Sharding,
) -> Sharding {
    struct Read {
        value: Sharding,
        map: AffineMap,
        base: Shape,
        item: usize,
    }
    let mut reads: Vec<Read> = Vec::new();
    let mut candidates: Vec<(Sharding, usize)> = Vec::new();
    let mut replicated_whole = false;
    for input in inputs {
        let Some(value) = sharding_of(input.source).filter(|_| !is_free(graph, input.source))
        else {
            continue;
        };
        let (base, dtype) = graph.source(input.source);
        let map = graph.map_of(input);
        let seen = value.through(&map);
        if seen.is_replicated() {
            replicated_whole |= value.is_replicated() && size(base) >= size(shape);
        } else {
            match candidates.iter_mut().find(|(known, _)| *known == seen) {
                Some((_, votes)) => *votes += 1,
                None => candidates.push((seen, 1)),
            }
        }
        reads.push(Read { value, map, base: base.into(), item: dtype.size() });
    }
    if let [(only, _)] = candidates.as_slice() {
        return only.clone();
    }
    let mut best: Option<(Bytes, usize, Sharding)> = None;
    for (candidate, votes) in candidates {
        let price = reads
            .iter()
            .map(|read| read_price(&read.value, &read.base, read.item, &read.map, &candidate, mesh))
            .sum();
        if best.as_ref().is_none_or(|best| price < best.0 || (price == best.0 && votes > best.1)) {
            best = Some((price, votes, candidate));
        }
    }
    match best {
        Some((_, _, sharding)) => sharding,
        None if replicated_whole => Sharding::replicated(shape.len()),
        None => fresh(),
    }
}

/// Whether a source is computed wherever it is used, without any load.
fn is_free(graph: &Graph, source: Source) -> bool {
    match source {
        Source::Scalar(_) => true,
        Source::Leaf(_) => false,
        Source::Node(node) => matches!(graph[node].op, NodeOp::Fill | NodeOp::Index(_)),
    }
}

/// A sharding whose blocks are consecutive in C order: `sharding` itself, or an even one.
fn leading(sharding: &Sharding, shape: &[usize], mesh: &Mesh) -> Sharding {
    if sharding.is_replicated() {
        return Sharding::replicated(shape.len());
    }
    let first = shape.iter().position(|&extent| extent != 1).unwrap_or(0);
    let split: Vec<usize> =
        (0..shape.len()).filter(|&axis| sharding.axes[axis].is_some()).collect();
    match &sharding.axes[first] {
        Some(own) if split == [first] && own.bounds.is_ascending() => sharding.clone(),
        _ => Sharding::even(shape, first, mesh),
    }
}

/// The shardings before and after a reshape that make it move no byte, as near to the input's as
/// possible. `from` and `to` are shapes with the sizes of their elements in bytes.
fn reshape(
    input: &Sharding,
    (from, item): (&[usize], usize),
    (to, new_item): (&[usize], usize),
    mesh: &Mesh,
) -> (Sharding, Sharding) {
    let replicated = || (Sharding::replicated(from.len()), Sharding::replicated(to.len()));
    if input.is_replicated() || size(from) <= 1 {
        return replicated();
    }
    if let Some(kept) = with_other_items(input, (from, item), (to, new_item)) {
        return (input.clone(), kept);
    }
    let first_of = |shape: &[usize]| shape.iter().position(|&extent| extent != 1).unwrap_or(0);
    let (old, new) = (first_of(from), first_of(to));
    let (old_row, new_row) = (item * size(&from[old + 1..]), new_item * size(&to[new + 1..]));
    let before = leading(input, from, mesh);
    let Some(split) = &before.axes[old] else {
        return replicated();
    };
    let place = |shape: &[usize], axis: usize, bounds: Bounds| {
        let mut sharding = Sharding::replicated(shape.len());
        sharding.axes[axis] = Some(Split { mesh_axes: split.mesh_axes.clone(), bounds });
        sharding
    };
    if let Some(bounds) = split.bounds.scaled(old_row).divided(new_row) {
        return (before.clone(), place(to, new, bounds));
    }
    // Otherwise cut where rows of both shapes begin.
    let unit = lcm(old_row, new_row);
    let cuts = Bounds::even(item * size(from) / unit, split.bounds.parts());
    (place(from, old, cuts.scaled(unit / old_row)), place(to, new, cuts.scaled(unit / new_row)))
}

/// The sharding after a change of the element size that affects only the last axis, if blocks end
/// at boundaries of new elements.
fn with_other_items(
    input: &Sharding,
    (from, item): (&[usize], usize),
    (to, new_item): (&[usize], usize),
) -> Option<Sharding> {
    let ((&last, rows), (&new_last, new_rows)) = (from.split_last()?, to.split_last()?);
    if rows != new_rows || last * item != new_last * new_item {
        return None;
    }
    let mut output = input.clone();
    if let Some(split) = output.axes.last_mut()? {
        split.bounds = split.bounds.scaled(item).divided(new_item)?;
    }
    Some(output)
}

fn lcm(a: usize, b: usize) -> usize {
    a / greatest_common_divisor(a as u64, b as u64) as usize * b
}

#[cfg(test)]
mod tests;
