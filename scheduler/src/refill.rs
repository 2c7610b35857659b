//! Refilling: the nodes of a plan with the numbers of another window of the same pattern.

use crate::fuse::Context;
use phalanx_distributed::{
    Expansion, Lowerings, OperandShardings, Origin, Phase, PhaseInput, PhaseSource, Placement,
    expansion, wanted_shardings,
};
use phalanx_graph::{Graph, Input, NodeData, NodeId, NodeOp, Source};
use phalanx_ops::{AffineMap, Scalar, Shape, Sharding};
use smallvec::SmallVec;
use std::sync::Arc;

/// The data from which the nodes of a refilled plan are derived.
pub(crate) struct Refill<'a> {
    window: &'a Graph,
    /// Empty on one device if no operation has phases: every value is whole there.
    placements: &'a [Placement],
    /// The phases of the window's nodes, in ascending order of nodes.
    expansions: Vec<(NodeId, Expansion)>,
    lowerings: Lowerings,
}

/// A node or phase of the window.
struct Recorded<'a> {
    op: &'a NodeOp,
    inputs: SmallVec<[Read; 2]>,
    shape: &'a Shape,
    dtype: phalanx_ops::DType,
}

/// An input of a node or phase: the view and its shape.
struct Read {
    map: Option<Arc<AffineMap>>,
    shape: Shape,
}

impl<'a> Refill<'a> {
    /// `expansions` are those of the plan. `None` if the window expands into other phases.
    pub fn new(
        window: &'a Graph,
        placements: &'a [Placement],
        expansions: &[(NodeId, Expansion)],
        lowerings: Lowerings,
    ) -> Option<Refill<'a>> {
        let again = |(node, old): &(NodeId, Expansion)| {
            let placement = &placements[node.index()];
            let new = expansion(window, &window[*node], placement, lowerings)?;
            new.is_like(old).then_some((*node, new))
        };
        let expansions = expansions.iter().map(again).collect::<Option<_>>()?;
        Some(Refill { window, placements, expansions, lowerings })
    }

    /// The numbers that the phases use, in the order in which they were made.
    pub fn constants(&self) -> impl Iterator<Item = Scalar> {
        self.expansions.iter().flat_map(|(_, expansion)| expansion.constants())
    }

    /// The phases, for the refilled plan.
    pub fn into_expansions(self) -> Arc<[(NodeId, Expansion)]> {
        self.expansions.into()
    }

    /// A node of the plan with the window's numbers.
    pub fn node(&self, node: &NodeData, origin: Origin) -> NodeData {
        let Recorded { op, mut inputs, shape, dtype } = self.recorded(origin);
        let input_of = |old: &Input, map: Option<Arc<AffineMap>>| Input {
            source: old.source,
            // No map: a copy replaces the view of the operand, or the operation reads the value as
            // it resides.
            map: if old.map.is_some() { map } else { None },
        };
        let site = self.window[origin.node].site;
        let value = node.node.clone();
        let Some(copied) = origin.copy else {
            let op = match &node.op {
                // The pattern fixes which operands it reads as they reside.
                NodeOp::Structured(_) => node.op.clone(),
                _ => op.clone(),
            };
            let read = node.inputs.iter().zip(inputs);
            let inputs = read.map(|(old, new)| input_of(old, new.map)).collect();
            return NodeData { op, inputs, shape: shape.clone(), dtype, site, node: value };
        };
        let wanted = self.wanted(origin).and_then(|mut all| all.swap_remove(copied.into()));
        let Read { map, shape } = inputs.swap_remove(copied.into());
        NodeData {
            op: wanted.map_or_else(|| node.op.clone(), |new| NodeOp::Reshard(Arc::new(new))),
            inputs: [input_of(&node.inputs[0], map)].into_iter().collect(),
            shape,
            dtype: node.dtype,
            site,
            node: value,
        }
    }

    /// The placement of a refilled node, on several devices.
    pub fn placement(&self, node: &NodeData, origin: Origin) -> Placement {
        match (&node.op, origin) {
            (NodeOp::Reshard(wanted), Origin { copy: Some(_), .. }) => {
                Placement::on((**wanted).clone())
            }
            (_, Origin { phase: Some(_), .. }) => self.phase(origin).placement.clone(),
            _ => self.placements[origin.node.index()].clone(),
        }
    }

    /// Whether the operands of a refilled node reside as the operation needs them. The pattern of
    /// the window does not say so where an operation derives shardings from extents: the rows of a
    /// matrix as which a vector is transformed are the blocks of one vector, and not of another.
    ///
    /// `context` is that of the refilled plan.
    pub fn is_served(
        &self,
        context: &Context<'_>,
        node: &NodeData,
        (origin, origins): (Origin, &[Origin]),
    ) -> bool {
        // A write needs no copy, wherever its operands reside.
        let is_free = origin.copy.is_some() || matches!(node.op, NodeOp::Update(_));
        let Some(wanted) = (!is_free).then(|| self.wanted(origin)).flatten() else { return true };
        let Recorded { op, inputs, .. } = self.recorded(origin);
        // A number resides everywhere.
        let resides = |source: Source, wanted: &Sharding| {
            context.sharding(source).is_none_or(|sharding| sharding == wanted)
        };
        wanted.iter().enumerate().all(|(number, wanted)| {
            let Some(wanted) = wanted else { return true };
            let source = node.inputs[number].source;
            let is_copy = |from: NodeId| origins[from.index()].copy.is_some();
            let view = inputs[number].map.as_ref();
            let view = view.filter(|_| !matches!(source, Source::Node(from) if is_copy(from)));
            match (view, op) {
                // The operation reads the value of which this is a view as it resides.
                (Some(view), NodeOp::Structured(op)) => {
                    let base = context.graph.source(source).0;
                    let read = self.lowerings.of(op).read_through(op, number, (view, base), wanted);
                    read.is_some_and(|(_, needed)| resides(source, &needed))
                }
                _ => resides(source, wanted),
            }
        })
    }

    fn phases(&self, node: NodeId) -> &[Phase] {
        let found = self.expansions.binary_search_by_key(&node, |(node, _)| *node);
        &self.expansions[found.expect("bug: a phase of an operation without phases")].1.phases
    }

    fn phase(&self, origin: Origin) -> &Phase {
        let number = origin.phase.expect("bug: no phase");
        &self.phases(origin.node)[number as usize]
    }

    fn recorded(&self, origin: Origin) -> Recorded<'_> {
        let node = &self.window[origin.node];
        if origin.phase.is_none() {
            let inputs = node.inputs.iter().map(|input| self.read(input)).collect();
            return Recorded { op: &node.op, inputs, shape: &node.shape, dtype: node.dtype };
        }
        let Phase { op, inputs, shape, dtype, .. } = self.phase(origin);
        let read = |input: &PhaseInput| {
            let whole = match input.source {
                PhaseSource::Operand(operand) => {
                    let operand = &node.inputs[usize::from(operand)];
                    match &input.map {
                        None => return self.read(operand),
                        Some(map) => {
                            let map = self.window.map_of(operand).then(map);
                            return Read { shape: map.shape.clone(), map: Some(Arc::new(map)) };
                        }
                    }
                }
                PhaseSource::Phase(from) => self.phases(origin.node)[from as usize].shape.clone(),
                PhaseSource::Constant(_) => Shape::new(),
            };
            let shape = input.map.as_ref().map_or(whole, |map| map.shape.clone());
            Read { map: input.map.clone().map(Arc::new), shape }
        };
        Recorded { op, inputs: inputs.iter().map(read).collect(), shape, dtype: *dtype }
    }

    /// An input of an operation of the window.
    fn read(&self, input: &Input) -> Read {
        let shape = match &input.map {
            Some(map) => map.shape.clone(),
            None => self.window.source(input.source).0.into(),
        };
        Read { map: input.map.clone(), shape }
    }

    /// The shardings that the inputs of a node or phase must have.
    fn wanted(&self, origin: Origin) -> Option<OperandShardings> {
        if origin.phase.is_some() {
            return Some(self.phase(origin).operands.clone());
        }
        let placement = self.placements.get(origin.node.index())?;
        let node = &self.window[origin.node];
        Some(wanted_shardings(self.window, node, placement, self.lowerings))
    }
}
