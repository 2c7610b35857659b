//! Small operations that run when they are recorded, without a plan: on a process that is alone,
//! with one CPU device, if all operands are computed.
//!
//! A plan costs microseconds, and more if its numbers are new. That is more than the work on a few
//! elements, and a program of small operations often reads each result, so that nothing can be
//! fused. The results have the bits of a plan's (`kernels/src/cpu/small.rs`).

use super::Session;
use crate::shards::{Shards, Storage};
use phalanx_device::Buffer;
use phalanx_graph::{AtOnce, Node, NodeOp, Operand};
use phalanx_kernels::cpu::small::{self, Element, SmallOp, Target, View};
use phalanx_kernels::structured::{self, Block};
use phalanx_ops::shape::size;
use phalanx_ops::{AffineMap, DType, Monoid, Op, Scalar, Shape, Sharding, Structured};
use smallvec::SmallVec;
use std::sync::Arc;

/// A computed operand.
enum Given<'a> {
    Scalar(Scalar),
    Value { shards: &'a Shards, seen: Seen<'a> },
}

/// The elements of a value that an operand shows.
struct Seen<'a> {
    shape: &'a [usize],
    offset: isize,
    strides: SmallVec<[isize; 4]>,
    /// The view of the value; `None` for all elements in their order.
    map: Option<&'a AffineMap>,
}

impl Session {
    /// See `Engine::at_once`.
    pub(super) fn run_at_once(
        &self,
        op: &NodeOp,
        operands: &[Operand],
        shape: &[usize],
        dtype: DType,
    ) -> Option<AtOnce> {
        let most = self.options.limits.at_once;
        if most == 0 || size(shape) > most || !self.is_usable() {
            return None;
        }
        let mut given = SmallVec::<[Given<'_>; 3]>::new();
        for operand in operands {
            given.push(given_now(operand)?);
        }
        // A reduction reads its operand once, whatever computed it.
        let is_reduction = matches!(op, NodeOp::Reduce { .. });
        let most_read =
            if is_reduction { most * (small::MOST_POINTS / small::MOST_ELEMENTS) } else { most };
        let is_few = |given: &Given<'_>| match given {
            Given::Scalar(_) => true,
            Given::Value { seen, .. } => size(seen.shape) <= most_read,
        };
        // The elements that are taken are few; those that they are taken from need not be.
        let takes = match op {
            NodeOp::Structured(op) => op.flops_of_element(&shapes_of(&given)?) == 0,
            _ => false,
        };
        if !given.iter().skip(usize::from(takes)).all(is_few) {
            return None;
        }
        if shape.is_empty() && !matches!(op, NodeOp::Structured(_) | NodeOp::Update(_)) {
            let mut element = Element::default();
            let to = &mut Target::Element(&mut element);
            let is_done = self.compute_into(op, &given, shape, dtype, to);
            return is_done.then(|| AtOnce::Element(element.scalar(dtype)));
        }
        let bytes = size(shape) * dtype.size();
        let buffer = self.devices[0].clone().allocate(bytes).ok()?;
        let to = &mut Target::Buffer(&buffer);
        self.compute_into(op, &given, shape, dtype, to).then(|| {
            let sharding = Sharding::replicated(shape.len());
            let storage = Storage::of_one(buffer);
            AtOnce::Value(Arc::new(Shards::new(dtype, shape, sharding, storage, None)))
        })
    }

    /// See `Engine::store_at_once`.
    pub(super) fn store_now(
        &self,
        node: &Node,
        map: Option<&AffineMap>,
        op: Option<Op>,
        operand: &Operand,
    ) -> bool {
        let most = self.options.limits.at_once;
        let Some(Ok(value)) = node.result() else { return false };
        let shards = Shards::of(value);
        let seen = seen(map, shards);
        let is_few = most > 0 && size(seen.shape) <= most;
        if !is_few || !self.is_usable() || !self.is_free(shards) {
            return false;
        }
        let Some(given) = given_now(operand) else { return false };
        let to = View { buffer: &shards.buffers()[0], offset: seen.offset, strides: &seen.strides };
        match op {
            Some(op) => small::apply(op, &to, shards.dtype, &given.operand(), seen.shape),
            None => {
                small::store(&given.operand().0, seen.shape, &to, shards.dtype);
                true
            }
        }
    }

    /// See `Engine::folded_at_once`.
    pub(super) fn fold_now(
        &self,
        op: Op,
        operands: &[Operand],
        shape: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Option<Scalar> {
        if size(shape) > self.options.limits.at_once || !self.is_usable() {
            return None;
        }
        let mut given = SmallVec::<[Given<'_>; 2]>::new();
        for operand in operands {
            given.push(given_now(operand)?);
        }
        let mut operands = SmallVec::<[_; 2]>::new();
        given.iter().for_each(|given| operands.push(given.operand()));
        small::folded(op, &operands, shape, dtype, monoid)
    }

    /// Whether the memory of a value may be written: no plan in flight and no other value uses it.
    /// The caller holds a lock, so this does not wait for the thread that evaluates a window.
    pub(super) fn is_free(&self, shards: &Shards) -> bool {
        shards.is_computed() && shards.is_sole_owner() && !self.flies()
    }

    /// Whether this process has the session, and the session has not ended.
    pub(super) fn is_usable(&self) -> bool {
        self.world.is_own() && !self.world.is_aborted()
    }

    /// Computes an operation into a new buffer. False if a plan has to.
    fn compute_into(
        &self,
        op: &NodeOp,
        given: &[Given<'_>],
        shape: &[usize],
        dtype: DType,
        to: &mut Target<'_>,
    ) -> bool {
        let small = match op {
            NodeOp::Elementwise(op) => SmallOp::Elementwise(*op),
            NodeOp::Special(function) => SmallOp::Special(*function),
            NodeOp::Select => SmallOp::Select,
            NodeOp::Fill | NodeOp::Cast => SmallOp::Cast,
            NodeOp::Index(axis) => SmallOp::Index(*axis),
            NodeOp::Reduce { monoid, axes } => SmallOp::Reduce(*monoid, axes),
            NodeOp::Reshape => {
                let [Given::Value { shards, seen }] = given else { return false };
                let as_it_was = [(seen.view(shards), shards.dtype)];
                return small::run(SmallOp::Cast, &as_it_was, seen.shape, to, shards.dtype);
            }
            NodeOp::Update(map) => {
                let [Given::Value { shards: old, seen }, value] = given else { return false };
                let as_it_was = [(seen.view(old), dtype)];
                small::run(SmallOp::Cast, &as_it_was, shape, to, dtype);
                let strides = contiguous(shape, dtype.size());
                let (offset, strides) = strided(map, &strides);
                let Target::Buffer(buffer) = *to else { return false };
                let view = View { buffer, offset, strides: &strides };
                small::store(&value.operand().0, &map.shape, &view, dtype);
                return true;
            }
            NodeOp::Structured(op) => {
                let Target::Buffer(to) = *to else { return false };
                return self.run_routine(op, given, shape, dtype, to);
            }
            NodeOp::Accumulate { .. } | NodeOp::Compress | NodeOp::Reshard(_) => return false,
        };
        let extents = match (op, given) {
            (NodeOp::Reduce { .. }, [Given::Value { seen, .. }]) => seen.shape,
            _ => shape,
        };
        let mut operands = SmallVec::<[_; 3]>::new();
        given.iter().for_each(|given| operands.push(given.operand()));
        small::run(small, &operands, extents, to, dtype)
    }

    /// Runs the routine of a structured operation on whole values; parts are copied first.
    fn run_routine(
        &self,
        op: &Structured,
        given: &[Given<'_>],
        shape: &[usize],
        dtype: DType,
        to: &Buffer,
    ) -> bool {
        // A plan in flight may have all threads of the device, which some routines use.
        if self.flies() {
            return false;
        }
        let mut op = *op;
        let mut buffers = SmallVec::<[(Buffer, &[usize], DType); 3]>::new();
        for (at, given) in given.iter().enumerate() {
            let Given::Value { shards, seen } = given else { return false };
            let mut shape = seen.shape;
            // As in a plan, an operation that can read through a view does so: it may change bits.
            let wanted = Sharding::replicated(shape.len());
            let through = seen.map.and_then(|map| {
                let lowering = self.options.lowerings.of(&op);
                lowering.read_through(&op, at, (map, shards.shape()), &wanted)
            });
            let buffer = if let Some((reading, _)) = through {
                (op, shape) = (reading, shards.shape());
                shards.buffers()[0].clone()
            } else if seen.map.is_none() {
                shards.buffers()[0].clone()
            } else {
                if size(seen.shape) > small::MOST_ELEMENTS {
                    return false;
                }
                let bytes = size(seen.shape) * shards.dtype.size();
                let Ok(copy) = self.devices[0].clone().allocate(bytes) else { return false };
                let view = [(seen.view(shards), shards.dtype)];
                let to = &mut Target::Buffer(&copy);
                small::run(SmallOp::Cast, &view, seen.shape, to, shards.dtype);
                copy
            };
            buffers.push((buffer, shape, shards.dtype));
        }
        let longest = buffers.iter().map(|it| it.1.len()).max().unwrap_or(0).max(shape.len());
        let origin = Shape::from_elem(0, longest);
        let blocks: SmallVec<[Block<'_>; 3]> = buffers
            .iter()
            .map(|(buffer, shape, dtype)| Block {
                buffer,
                dtype: *dtype,
                shape,
                origin: &origin[..shape.len()],
            })
            .collect();
        let to = Block { buffer: to, dtype, shape, origin: &origin[..shape.len()] };
        structured::run_on(&op, &blocks, &[], &to, &self.devices[0]).is_ok()
    }
}

impl Given<'_> {
    /// The elements and their dtype.
    fn operand(&self) -> (small::Operand<'_>, DType) {
        match self {
            Given::Scalar(scalar) => (small::Operand::Scalar(*scalar), scalar.dtype()),
            Given::Value { shards, seen } => (seen.view(shards), shards.dtype),
        }
    }
}

impl Seen<'_> {
    fn view<'a>(&'a self, shards: &'a Shards) -> small::Operand<'a> {
        let (buffer, offset) = (&shards.buffers()[0], self.offset);
        small::Operand::View(View { buffer, offset, strides: &self.strides })
    }
}

/// The shapes of operands; `None` if one is a scalar.
fn shapes_of<'a>(given: &'a [Given<'_>]) -> Option<SmallVec<[&'a [usize]; 3]>> {
    let shape = |given: &'a Given<'_>| match given {
        Given::Scalar(_) => None,
        Given::Value { seen, .. } => Some(seen.shape),
    };
    given.iter().map(shape).collect()
}

/// An operand, if it is computed.
fn given_now(operand: &Operand) -> Option<Given<'_>> {
    let (node, map) = match operand {
        Operand::Scalar(scalar) => return Some(Given::Scalar(*scalar)),
        Operand::Value { node, map } => (node, map),
    };
    // Any map of an element repeats it.
    if let Some(element) = node.element() {
        return Some(Given::Scalar(element));
    }
    let Some(Ok(value)) = node.result() else { return None };
    let shards = Shards::of(value);
    let is_here = shards.is_computed();
    is_here.then(|| Given::Value { shards, seen: seen(map.as_deref(), shards) })
}

/// The elements of a value that a map shows.
fn seen<'a>(map: Option<&'a AffineMap>, shards: &'a Shards) -> Seen<'a> {
    let whole = contiguous(shards.shape(), shards.dtype.size());
    match map {
        None => Seen { shape: shards.shape(), offset: 0, strides: whole, map: None },
        Some(map) => {
            let (offset, strides) = strided(map, &whole);
            Seen { shape: &map.shape, offset, strides, map: Some(map) }
        }
    }
}

/// The strides of elements of `item` bytes in C order.
fn contiguous(extents: &[usize], item: usize) -> SmallVec<[isize; 4]> {
    let mut strides = SmallVec::from_elem(item as isize, extents.len());
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis] as isize;
    }
    strides
}

/// The offset and the strides of a view of memory with the strides `whole`.
fn strided(map: &AffineMap, whole: &[isize]) -> (isize, SmallVec<[isize; 4]>) {
    let mut offset = 0;
    let mut strides = SmallVec::from_elem(0, map.shape.len());
    for (axis, &stride) in map.axes.iter().zip(whole) {
        offset += axis.start as isize * stride;
        if let Some(to) = axis.axis {
            strides[usize::from(to)] += axis.step as isize * stride;
        }
    }
    (offset, strides)
}
