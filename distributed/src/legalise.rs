//! Legalising: merges equal operations, replaces operations of several steps by their phases, and
//! adds copies of operands that an operation needs in another sharding.

use crate::lower::{Call, Expansion, Lowerings, Phase, PhaseInput, PhaseSource};
use crate::placement::{OperandShardings, Placement};
use crate::propagate::view_shape;
use crate::regions::{is_small_write, may_clash};
use phalanx_graph::{Graph, Input, Node, NodeData, NodeId, NodeOp, ScalarId, Site, Source};
use phalanx_ops::structured::Operand;
use phalanx_ops::{AffineMap, DType, IndexBox, Shape, Sharding, Structured};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// The key under which two operations are equal.
type Computation = (NodeOp, SmallVec<[Input; 2]>, Shape, DType);

/// A legal graph.
pub struct Legal {
    /// The graph without repeated operations, with a `Reshard` before every operand that does not
    /// reside as its operation needs it. The numbers of phases follow the scalars of the given
    /// graph.
    pub graph: Graph,
    /// The placements of its nodes.
    pub placements: Vec<Placement>,
    /// For each node of the given graph, the node of this one.
    pub moved: Vec<NodeId>,
    /// For each node of this graph, its origin in the given graph.
    pub origins: Vec<Origin>,
    /// The nodes of the given graph that take several phases, in ascending order, with the phases.
    pub expansions: Vec<(NodeId, Expansion)>,
}

/// The origin of a node of a legal graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// A node of the given graph.
    pub node: NodeId,
    /// The phase of that node, if it takes several.
    pub phase: Option<u32>,
    /// The input of the node or phase that is copied, if the new node is a copy.
    pub copy: Option<u8>,
}

/// Makes a graph legal.
pub fn legalise(
    graph: &Graph,
    placements: Vec<Placement>,
    leaves: &[Sharding],
    lowerings: Lowerings,
) -> Legal {
    tracing::trace!(target: "phalanx::path", file = file!());
    let mut legaliser = Legaliser {
        legal: Legal {
            graph: Graph {
                nodes: Vec::new(),
                leaves: graph.leaves.clone(),
                scalars: graph.scalars.clone(),
            },
            placements: Vec::new(),
            moved: Vec::with_capacity(graph.nodes.len()),
            origins: Vec::with_capacity(graph.nodes.len()),
            expansions: Vec::new(),
        },
        leaves,
        lowerings,
        copies: Vec::new(),
    };
    // Scalars are arguments: they compare by number, never by value.
    let mut known: FxHashMap<Computation, NodeId> = FxHashMap::default();
    for ((given, node), placement) in graph.numbered().zip(placements) {
        let mut node = node.clone();
        for input in &mut node.inputs {
            if let Source::Node(from) = &mut input.source {
                *from = legaliser.legal.moved[from.index()];
            }
        }
        let is_apart = matches!(&node.op, NodeOp::Structured(op) if op.is_apart());
        let key = (node.op.clone(), node.inputs.clone(), node.shape.clone(), node.dtype);
        if let Some(&equal) = known.get(&key).filter(|_| !is_apart)
            && legaliser.legal.placements[equal.index()] == placement
        {
            legaliser.legal.moved.push(equal);
            continue;
        }
        let at = legaliser.node(given, node, placement);
        known.insert(key, at);
        legaliser.legal.moved.push(at);
    }
    legaliser.legal
}

/// The state of legalising, with the nodes so far.
struct Legaliser<'a> {
    legal: Legal,
    leaves: &'a [Sharding],
    lowerings: Lowerings,
    /// The copies that the phases of the current operation have read so far: the input, its
    /// sharding and the copy.
    copies: Vec<(Input, Sharding, Input)>,
}

impl Legaliser<'_> {
    /// Adds the node `given` of the given graph, whose inputs in `node` are of the legal graph.
    /// Returns the node of its value.
    fn node(&mut self, given: NodeId, node: NodeData, placement: Placement) -> NodeId {
        let origin = Origin { node: given, phase: None, copy: None };
        self.copies.clear();
        let Some(expansion) = expansion(&self.legal.graph, &node, &placement, self.lowerings)
        else {
            let wanted = wanted_shardings(&self.legal.graph, &node, &placement, self.lowerings);
            return self.add(node, placement, wanted, origin);
        };
        let last = expansion.phases.len() - 1;
        let mut values: Vec<NodeId> = Vec::new();
        for (number, phase) in expansion.phases.iter().enumerate() {
            let origin = Origin { phase: Some(number as u32), ..origin };
            let read = |input: &PhaseInput, legal: &mut Graph| match input.source {
                PhaseSource::Operand(operand) => {
                    through(legal, &node.inputs[usize::from(operand)], input.map.as_ref())
                }
                PhaseSource::Phase(phase) => Input {
                    source: Source::Node(values[phase as usize]),
                    map: input.map.clone().map(Arc::new),
                },
                PhaseSource::Constant(number) => {
                    legal.scalars.push(number);
                    Input {
                        source: Source::Scalar(ScalarId::new(legal.scalars.len() - 1)),
                        map: input.map.clone().map(Arc::new),
                    }
                }
            };
            let Phase { op, inputs, operands, shape, dtype, placement } = phase.clone();
            let inputs = inputs.iter().map(|input| read(input, &mut self.legal.graph));
            let inputs = inputs.collect();
            let value = if number == last {
                node.node.clone()
            } else {
                Node::temporary(shape.clone(), dtype)
            };
            let data = NodeData { op, inputs, shape, dtype, site: node.site, node: value };
            values.push(self.add(data, placement, operands, origin));
        }
        self.legal.expansions.push((given, expansion));
        values[last]
    }

    /// Adds a node with these shardings of its inputs, and copies of inputs that reside otherwise.
    fn add(
        &mut self,
        mut node: NodeData,
        placement: Placement,
        wanted: OperandShardings,
        origin: Origin,
    ) -> NodeId {
        let clashes = reads_what_it_writes(&node);
        for (number, wanted) in wanted.into_iter().enumerate() {
            let Some(wanted) = wanted else { continue };
            if matches!(node.op, NodeOp::Update(_)) && !clashes {
                continue;
            }
            let input = node.inputs[number].clone();
            if let NodeOp::Structured(op) = node.op
                && let Some(view) = &input.map
                && let base = self.legal.graph.source(input.source).0
                && let lowering = self.lowerings.of(&op)
                && let Some((reading, needed)) =
                    lowering.read_through(&op, number, (view, base), &wanted)
                && self.resides(input.source, &needed)
            {
                node.op = NodeOp::Structured(reading);
                node.inputs[number].map = None;
                continue;
            }
            if !self.resides(input.source, &wanted) || input.map.is_some() {
                let origin = Origin { copy: Some(number as u8), ..origin };
                node.inputs[number] = self.copy(input, wanted, node.site, origin);
            }
        }
        self.push(node, placement, origin)
    }

    /// Whether a value has this sharding.
    fn resides(&self, source: Source, wanted: &Sharding) -> bool {
        match source {
            Source::Node(from) => self.legal.placements[from.index()].output == *wanted,
            Source::Leaf(leaf) => self.leaves[leaf.index()] == *wanted,
            Source::Scalar(_) => true,
        }
    }

    /// A copy of the view that an input reads, with this sharding.
    fn copy(&mut self, input: Input, wanted: Sharding, site: Site, origin: Origin) -> Input {
        let is_same =
            |(from, sharding, _): &&(Input, Sharding, Input)| *from == input && *sharding == wanted;
        if let Some((_, _, copy)) = self.copies.iter().find(is_same) {
            return copy.clone();
        }
        let (shape, dtype) = view_shape(&self.legal.graph, &input);
        let (from, sharding) = (input.clone(), wanted.clone());
        let node = NodeData {
            op: NodeOp::Reshard(Arc::new(wanted.clone())),
            inputs: [input].into_iter().collect(),
            node: Node::temporary(shape.clone(), dtype),
            shape,
            dtype,
            site,
        };
        let copy = self.push(node, Placement::on(wanted), origin);
        let copy = Input { source: Source::Node(copy), map: None };
        self.copies.push((from, sharding, copy.clone()));
        copy
    }

    fn push(&mut self, node: NodeData, placement: Placement, origin: Origin) -> NodeId {
        self.legal.placements.push(placement);
        self.legal.origins.push(origin);
        self.legal.graph.push(node)
    }
}

/// A view of the view that an input reads.
fn through(graph: &Graph, input: &Input, view: Option<&AffineMap>) -> Input {
    let Some(view) = view else { return input.clone() };
    Input { source: input.source, map: Some(Arc::new(graph.map_of(input).then(view))) }
}

/// For each input of an operation, the sharding that it must have; `None` if any will do.
pub fn wanted_shardings(
    graph: &Graph,
    node: &NodeData,
    placement: &Placement,
    lowerings: Lowerings,
) -> OperandShardings {
    let space = || Some(placement.space.clone());
    match &node.op {
        NodeOp::Reshape | NodeOp::Compress => node.inputs.iter().map(|_| space()).collect(),
        // The sharding of the value if it must be copied first.
        NodeOp::Update(_) => [None, space()].into_iter().collect(),
        NodeOp::Structured(op) => {
            with_call(graph, node, op, |call| lowerings.of(op).operands(call, placement))
        }
        _ => node.inputs.iter().map(|_| None).collect(),
    }
}

/// The phases of a node; `None` if one step computes it.
pub fn expansion(
    graph: &Graph,
    node: &NodeData,
    placement: &Placement,
    lowerings: Lowerings,
) -> Option<Expansion> {
    let NodeOp::Structured(op) = &node.op else { return None };
    with_call(graph, node, op, |call| lowerings.of(op).expand(call, placement))
}

/// Calls `then` with the shapes and dtypes of a structured operation's operands and result.
fn with_call<T>(
    graph: &Graph,
    node: &NodeData,
    op: &Structured,
    then: impl FnOnce(Call<'_>) -> T,
) -> T {
    let shapes: SmallVec<[(Shape, DType); 3]> =
        node.inputs.iter().map(|input| view_shape(graph, input)).collect();
    let operands: SmallVec<[Operand<'_>; 3]> =
        shapes.iter().map(|(shape, dtype)| (&**shape, *dtype)).collect();
    then(Call { op, operands: &operands, result: (&node.shape, node.dtype) })
}

/// Whether an update writes a small part of its base and reads an overlapping view of the base:
/// copying the value first costs less than copying the base.
fn reads_what_it_writes(node: &NodeData) -> bool {
    let NodeOp::Update(target) = &node.op else { return false };
    let [old, value] = node.inputs.as_slice() else { return false };
    let Some(map) = &value.map else { return false };
    let whole: IndexBox = target.shape.iter().map(|&extent| 0..extent).collect();
    old.source == value.source
        && is_small_write(target, &node.shape)
        && may_clash((map, &whole), (target, &whole))
}
