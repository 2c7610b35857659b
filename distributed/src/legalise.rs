//! Legalising: equal operations become one, operations that take several steps become their phases,
//! and operations that need their operands whole or in a certain sharding get copies that have it.

use crate::lower::{Call, Expansion, Lowerings, OperandShardings, Phase, PhaseInput, PhaseSource};
use crate::placement::Placement;
use crate::propagate::view_shape;
use crate::regions::{is_small_write, may_clash};
use phalanx_array::{Graph, Input, Node, NodeData, NodeOp, Site, Source};
use phalanx_ops::structured::Operand;
use phalanx_ops::{AffineMap, DType, IndexBox, Shape, Sharding, Structured};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// What makes two operations equal.
type Computation = (NodeOp, SmallVec<[Input; 2]>, Shape, DType);

/// A legal graph.
pub struct Legal {
    /// The graph without operations that compute what an earlier one does, with a `Reshard` before
    /// every operand that does not reside as its operation needs it. The numbers of phases are
    /// scalars behind those of the given graph.
    pub graph: Graph,
    /// The placements of its nodes.
    pub placements: Vec<Placement>,
    /// For each node of the given graph, its position in this one.
    pub moved: Vec<u32>,
    /// For each node of this graph, what it comes from.
    pub origins: Vec<Origin>,
    /// The phases of those nodes of the given graph that take several, ascending.
    pub expansions: Vec<(u32, Expansion)>,
}

/// What a node of a legal graph comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// A node of the given graph.
    pub node: u32,
    /// One phase of it, where it takes several.
    pub phase: Option<u32>,
    /// The copy of this input of the node or phase, where it is that.
    pub copy: Option<u8>,
}

/// Makes a graph legal.
pub fn legalise(
    graph: &Graph,
    placements: Vec<Placement>,
    leaves: &[Sharding],
    lowerings: Lowerings,
) -> Legal {
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
    };
    // Scalars are arguments and never compared, so only operations on arrays alone can be equal.
    let mut known: FxHashMap<Computation, u32> = FxHashMap::default();
    for (position, (node, placement)) in graph.nodes.iter().zip(placements).enumerate() {
        let mut node = node.clone();
        for input in &mut node.inputs {
            if let Source::Node(from) = &mut input.source {
                *from = legaliser.legal.moved[*from as usize];
            }
        }
        let key = (node.op.clone(), node.inputs.clone(), node.shape.clone(), node.dtype);
        if let Some(&equal) = known.get(&key)
            && legaliser.legal.placements[equal as usize] == placement
        {
            legaliser.legal.moved.push(equal);
            continue;
        }
        let at = legaliser.node(position as u32, node, placement);
        known.insert(key, at);
        legaliser.legal.moved.push(at);
    }
    legaliser.legal
}

/// A legal graph in the making.
struct Legaliser<'a> {
    legal: Legal,
    leaves: &'a [Sharding],
    lowerings: Lowerings,
}

impl Legaliser<'_> {
    /// Adds a node of the given graph, whose inputs are those of the legal one. Returns the
    /// position of its value.
    fn node(&mut self, position: u32, node: NodeData, placement: Placement) -> u32 {
        let origin = Origin { node: position, phase: None, copy: None };
        let Some(expansion) = expansion(&self.legal.graph, &node, &placement, self.lowerings)
        else {
            let wanted = wanted_shardings(&self.legal.graph, &node, &placement, self.lowerings);
            return self.add(node, placement, wanted, origin);
        };
        let last = expansion.phases.len() - 1;
        let mut values: Vec<u32> = Vec::new();
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
                        source: Source::Scalar(legal.scalars.len() as u32 - 1),
                        map: input.map.clone().map(Arc::new),
                    }
                }
            };
            let Phase { op, inputs, operands, shape, dtype, placement } = phase.clone();
            let inputs = inputs.iter().map(|input| read(input, &mut self.legal.graph));
            let inputs = inputs.collect();
            let value = match number == last {
                true => node.node.clone(),
                false => Node::temporary(shape.clone(), dtype),
            };
            let data = NodeData { op, inputs, shape, dtype, site: node.site, node: value };
            values.push(self.add(data, placement, operands, origin));
        }
        self.legal.expansions.push((position, expansion));
        values[last]
    }

    /// Adds a node whose inputs must have these shardings, with copies of those that have not.
    fn add(
        &mut self,
        mut node: NodeData,
        placement: Placement,
        wanted: OperandShardings,
        origin: Origin,
    ) -> u32 {
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

    /// Whether all of a value has this sharding.
    fn resides(&self, source: Source, wanted: &Sharding) -> bool {
        match source {
            Source::Node(from) => self.legal.placements[from as usize].output == *wanted,
            Source::Leaf(leaf) => self.leaves[leaf as usize] == *wanted,
            Source::Scalar(_) => true,
        }
    }

    /// A copy of what an input shows, with this sharding.
    fn copy(&mut self, input: Input, wanted: Sharding, site: Site, origin: Origin) -> Input {
        let (shape, dtype) = view_shape(&self.legal.graph, &input);
        let node = NodeData {
            op: NodeOp::Reshard(Arc::new(wanted.clone())),
            inputs: [input].into_iter().collect(),
            node: Node::temporary(shape.clone(), dtype),
            shape,
            dtype,
            site,
        };
        Input { source: Source::Node(self.push(node, Placement::on(wanted), origin)), map: None }
    }

    fn push(&mut self, node: NodeData, placement: Placement, origin: Origin) -> u32 {
        self.legal.graph.nodes.push(node);
        self.legal.placements.push(placement);
        self.legal.origins.push(origin);
        self.legal.graph.nodes.len() as u32 - 1
    }
}

/// A view of what an input shows.
fn through(graph: &Graph, input: &Input, view: Option<&AffineMap>) -> Input {
    let Some(view) = view else { return input.clone() };
    Input { source: input.source, map: Some(Arc::new(graph.map_of(input).then(view))) }
}

/// For each input of an operation of a graph the sharding that it must have, if not any will do.
pub fn wanted_shardings(
    graph: &Graph,
    node: &NodeData,
    placement: &Placement,
    lowerings: Lowerings,
) -> OperandShardings {
    let space = || Some(placement.space.clone());
    match &node.op {
        NodeOp::Reshape | NodeOp::Compress => node.inputs.iter().map(|_| space()).collect(),
        // The value, where it is copied first.
        NodeOp::Update(_) => [None, space()].into_iter().collect(),
        NodeOp::Structured(op) => {
            with_call(graph, node, op, |call| lowerings.of(op).operands(call, placement))
        }
        _ => node.inputs.iter().map(|_| None).collect(),
    }
}

/// The phases of a node of a graph, where it takes several.
pub fn expansion(
    graph: &Graph,
    node: &NodeData,
    placement: &Placement,
    lowerings: Lowerings,
) -> Option<Expansion> {
    let NodeOp::Structured(op) = &node.op else { return None };
    with_call(graph, node, op, |call| lowerings.of(op).expand(call, placement))
}

/// Calls with the shapes and dtypes that a structured operation of a graph reads and gives.
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
