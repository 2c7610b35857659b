//! Legalising: equal operations become one, and operations that need their operands whole or in a
//! certain sharding get copies that have it.

use crate::lower::{matmul, operand_shardings};
use crate::propagate::{Placement, view_shape};
use crate::regions::{is_small_write, may_clash};
use phalanx_array::{Graph, Input, Node, NodeData, NodeOp, Site, Source};
use phalanx_ops::{AffineMap, DType, IndexBox, Shape, Sharding, Structured};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// What makes two operations equal.
type Computation = (NodeOp, SmallVec<[Input; 2]>, Shape, DType);

/// A legal graph.
pub struct Legal {
    /// The graph without operations that compute what an earlier one does, with a `Reshard` before
    /// every operand that does not lie as its operation needs it.
    pub graph: Graph,
    /// The placements of its nodes.
    pub placements: Vec<Placement>,
    /// For each node of the given graph, its position in this one.
    pub moved: Vec<u32>,
    /// For each node of this graph, what it comes from.
    pub origins: Vec<Origin>,
}

/// What a node of a legal graph comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A node of the given graph.
    Node(u32),
    /// The copy of an input of a node of the given graph.
    Copy {
        /// The node.
        node: u32,
        /// The number of the input.
        input: u8,
    },
    /// A part of a product in panels, whose numbers follow from no others.
    Panel,
}

/// Makes a graph legal.
pub fn legalise(graph: &Graph, placements: Vec<Placement>, leaves: &[Sharding]) -> Legal {
    let mut legal =
        Graph { nodes: Vec::new(), leaves: graph.leaves.clone(), scalars: graph.scalars.clone() };
    let mut placed: Vec<Placement> = Vec::new();
    let mut moved: Vec<u32> = Vec::with_capacity(graph.nodes.len());
    let mut origins: Vec<Origin> = Vec::with_capacity(graph.nodes.len());
    // Scalars are arguments and never compared, so only operations on arrays alone can be equal.
    let mut known: FxHashMap<Computation, u32> = FxHashMap::default();
    for (position, (node, placement)) in graph.nodes.iter().zip(placements).enumerate() {
        let mut node = node.clone();
        for input in &mut node.inputs {
            if let Source::Node(from) = &mut input.source {
                *from = moved[*from as usize];
            }
        }
        let key = (node.op.clone(), node.inputs.clone(), node.shape.clone(), node.dtype);
        match known.get(&key) {
            Some(&equal) if placed[equal as usize] == placement => {
                moved.push(equal);
                continue;
            }
            _ => known.insert(key.clone(), legal.nodes.len() as u32),
        };
        let wanted = wanted_shardings(&legal, &node, &placement);
        if let Some(panels) = panels_of(&legal, &placed, leaves, &node, &placement, &wanted) {
            multiply_panels(&mut legal, &mut placed, &node, &placement, (panels, &wanted));
            origins.resize(legal.nodes.len(), Origin::Panel);
            known.insert(key, legal.nodes.len() as u32 - 1);
            moved.push(legal.nodes.len() as u32 - 1);
            continue;
        }
        let clashes = reads_what_it_writes(&node);
        let site = node.site;
        for ((number, input), wanted) in node.inputs.iter_mut().enumerate().zip(wanted) {
            let (number, Some(wanted)) = (number as u8, wanted) else { continue };
            if matches!(node.op, NodeOp::Update(_)) && !clashes {
                continue;
            }
            let lies = |wanted: &Sharding| match input.source {
                Source::Node(from) => placed[from as usize].output == *wanted,
                Source::Leaf(leaf) => leaves[leaf as usize] == *wanted,
                Source::Scalar(_) => true,
            };
            // What is added to a product is read as it lies, and copied where it is a view.
            if let NodeOp::Structured(Structured::Matmul(matmul)) = &mut node.op
                && let Some(transposed) = matmul.transposed.get_mut(usize::from(number))
                && input.map.as_ref().is_some_and(|map| {
                    is_transposition(map, legal.source(input.source).0) && lies(&swapped(&wanted))
                })
            {
                *transposed = true;
                input.map = None;
                continue;
            }
            if !lies(&wanted) || input.map.is_some() {
                *input = insert_copy(&mut legal, &mut placed, input, wanted, site);
                origins.push(Origin::Copy { node: position as u32, input: number });
            }
        }
        if let Some(position) = known.get_mut(&key) {
            *position = legal.nodes.len() as u32;
        }
        moved.push(legal.nodes.len() as u32);
        legal.nodes.push(node);
        placed.push(placement);
        origins.push(Origin::Node(position as u32));
    }
    Legal { graph: legal, placements: placed, moved, origins }
}

/// Whether a view is that of all matrices of its base, transposed: products read these as they lie.
///
/// It is a matter of the map's pattern and of equal extents alone, so that windows of one pattern
/// agree on it.
fn is_transposition(map: &AffineMap, base: &[usize]) -> bool {
    let ndim = base.len();
    ndim >= 2 && {
        let mut axes: SmallVec<[usize; 4]> = (0..ndim).collect();
        axes.swap(ndim - 2, ndim - 1);
        *map == AffineMap::identity(base).transpose(&axes)
    }
}

/// The sharding with its last two axes exchanged.
fn swapped(sharding: &Sharding) -> Sharding {
    let (mut sharding, ndim) = (sharding.clone(), sharding.axes.len());
    sharding.axes.swap(ndim - 2, ndim - 1);
    sharding
}

/// For each input of an operation of a graph the sharding that it must have, if not any will do.
pub fn wanted_shardings(
    graph: &Graph,
    node: &NodeData,
    placement: &Placement,
) -> SmallVec<[Option<Sharding>; 3]> {
    let space = || Some(placement.space.clone());
    match &node.op {
        NodeOp::Reshape | NodeOp::Compress => node.inputs.iter().map(|_| space()).collect(),
        // The value, where it is copied first.
        NodeOp::Update(_) => [None, space()].into_iter().collect(),
        NodeOp::Structured(op) => {
            // Operands lie as their views say until the graph is legal: the schedules of products
            // (`lower/matmul.rs`) need not ask.
            assert!(
                !matches!(op, Structured::Matmul(matmul) if matmul.transposed != [false; 2]),
                "bug: a product that reads transposed operands is made legal again"
            );
            let shapes: SmallVec<[Shape; 3]> =
                node.inputs.iter().map(|input| view_shape(graph, input).0).collect();
            let shapes: SmallVec<[&[usize]; 3]> = shapes.iter().map(|shape| &**shape).collect();
            operand_shardings(op, &shapes, placement)
        }
        _ => node.inputs.iter().map(|_| None).collect(),
    }
}

/// The panels of a product that is not computed at once.
fn panels_of(
    graph: &Graph,
    placed: &[Placement],
    leaves: &[Sharding],
    node: &NodeData,
    placement: &Placement,
    wanted: &[Option<Sharding>],
) -> Option<Vec<Range<usize>>> {
    if !matches!(node.op, NodeOp::Structured(Structured::Matmul(_))) || placement.partial.is_some()
    {
        return None;
    }
    let [left, right] = node.inputs.as_slice() else { return None };
    let lies = |input: &Input| {
        let sharding = match input.source {
            Source::Node(from) => &placed[from as usize].output,
            Source::Leaf(leaf) => &leaves[leaf as usize],
            Source::Scalar(_) => return Sharding::replicated(node.shape.len()),
        };
        input.map.as_ref().map_or_else(|| sharding.clone(), |map| sharding.through(map))
    };
    let [Some(to_left), Some(to_right)] = wanted else { return None };
    let ((a, item), (b, _)) = (view_shape_of(graph, left), view_shape_of(graph, right));
    let panels =
        matmul::panels([(&lies(left), to_left, &a, item), (&lies(right), to_right, &b, item)]);
    (panels.len() > 1).then_some(panels)
}

fn view_shape_of(graph: &Graph, input: &Input) -> (Shape, usize) {
    let (shape, dtype) = view_shape(graph, input);
    (shape, dtype.size())
}

/// The products of the panels, each added to what came before.
fn multiply_panels(
    legal: &mut Graph,
    placed: &mut Vec<Placement>,
    node: &NodeData,
    placement: &Placement,
    (panels, wanted): (Vec<Range<usize>>, &[Option<Sharding>]),
) {
    let (ndim, last) = (node.shape.len(), panels.len() - 1);
    let mut sum: Option<Input> = None;
    for (number, panel) in panels.into_iter().enumerate() {
        let mut inputs: SmallVec<[Input; 2]> = SmallVec::new();
        for (operand, axis) in [(0, ndim - 1), (1, ndim - 2)] {
            let whole = &node.inputs[operand];
            let mut map = legal.map_of(whole);
            let mut cut = AffineMap::identity(&map.shape);
            cut.shape[axis] = panel.len();
            cut.axes[axis].start = panel.start as i64;
            map = map.then(&cut);
            let Some(wanted) = &wanted[operand] else {
                unreachable!("bug: operands of a product have a place")
            };
            let part = Input { source: whole.source, map: Some(Arc::new(map)) };
            inputs.push(insert_copy(legal, placed, &part, wanted.clone(), node.site));
        }
        inputs.extend(sum.take());
        let value = match number == last {
            true => node.node.clone(),
            false => Node::temporary(node.shape.clone(), node.dtype),
        };
        legal.nodes.push(NodeData { inputs, node: value, ..node.clone() });
        placed.push(placement.clone());
        sum = Some(Input { source: Source::Node(legal.nodes.len() as u32 - 1), map: None });
    }
}

/// Whether an update writes a small part of its base and its value is a view of the base that meets
/// it: then the value is copied first, which costs less than a copy of the base.
fn reads_what_it_writes(node: &NodeData) -> bool {
    let NodeOp::Update(target) = &node.op else { return false };
    let [old, value] = node.inputs.as_slice() else { return false };
    let Some(map) = &value.map else { return false };
    let whole: IndexBox = target.shape.iter().map(|&extent| 0..extent).collect();
    old.source == value.source
        && is_small_write(target, &node.shape)
        && may_clash((map, &whole), (target, &whole))
}

fn insert_copy(
    legal: &mut Graph,
    placed: &mut Vec<Placement>,
    input: &Input,
    wanted: Sharding,
    site: Site,
) -> Input {
    let (base, dtype) = legal.source(input.source);
    let shape =
        input.map.as_ref().map_or_else(|| base.into(), |map: &Arc<AffineMap>| map.shape.clone());
    let placement = Placement { space: wanted.clone(), output: wanted.clone(), partial: None };
    legal.nodes.push(NodeData {
        op: NodeOp::Reshard(Arc::new(wanted)),
        inputs: [input.clone()].into_iter().collect(),
        node: Node::temporary(shape.clone(), dtype),
        shape,
        dtype,
        site,
    });
    placed.push(placement);
    Input { source: Source::Node(legal.nodes.len() as u32 - 1), map: None }
}
