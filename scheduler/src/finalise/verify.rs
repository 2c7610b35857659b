//! The verifier of finalised plans. Debug builds and tests verify each one.
//!
//! It replays the steps and records the value that each place holds. It does not use the last uses
//! by which places were assigned, so it finds a last use that is wrong.

use super::finished::{Final, FinalLaunch, FinalStep, Liveness, Place, routines_at_end};
use super::kept::partly_written;
use super::overwrite::may_overwrite;
use crate::build::Buffer;
use crate::fuse::{Unit, overwritten};
use crate::ids::ExchangeId;
use crate::plan::{Plan, Step};
use phalanx_graph::{LeafId, NodeId, NodeOp, Source};
use rustc_hash::FxHashMap;

/// A rule that a finalised plan breaks.
#[derive(PartialEq, Debug, thiserror::Error)]
pub(super) enum FinalDefect {
    #[error("step {step} is not the next needed step of the plan")]
    Order { step: usize },
    #[error("{step:?} is left out, though every rank runs it")]
    LeftOut { step: Step },
    #[error("{value:?} has no place")]
    Nowhere { value: Source },
    #[error("{value:?} is read from {place:?}, which holds {held:?}")]
    Lost { value: Source, place: Place, held: Option<Source> },
    #[error("node {node} overwrites leaf {leaf}, which is needed after the plan")]
    Kept { node: NodeId, leaf: LeafId },
    #[error("node {node} overwrites a value before exchange {exchange} has sent it")]
    Sent { node: NodeId, exchange: ExchangeId },
    #[error("node {node} overwrites a value that its own step reads elsewhere or later")]
    Overwrites { node: NodeId },
    #[error("node {node} may overwrite a value only while accesses stay apart, which is not noted")]
    Unchecked { node: NodeId },
    #[error("the unwritten elements of node {node} are neither in place nor copied")]
    Unwritten { node: NodeId },
    #[error("node {node} is live, but its place holds another value after the last step")]
    Dropped { node: NodeId },
}

type Verified = Result<(), FinalDefect>;

impl Final {
    /// Panics (`bug:`) if the plan breaks a rule.
    pub fn assert_sound(&self, plan: &Plan, liveness: &Liveness) {
        if let Err(defect) = self.verify(plan, liveness) {
            panic!("bug: a finalised plan that breaks a rule: {defect}");
        }
    }

    /// Finds the first broken rule. The steps are the plan's in order, and no collective is left
    /// out. A step finds each value that it reads in its place. It overwrites neither a leaf that
    /// is needed after the plan, nor a value that it still reads or that an exchange sends. After
    /// the last step each live value is in its place.
    pub(super) fn verify(&self, plan: &Plan, liveness: &Liveness) -> Verified {
        self.verify_order(plan)?;
        let leaves = (0..plan.leaves.len()).map(LeafId::new);
        let held = leaves.map(|leaf| (Place::Leaf(leaf), Source::Leaf(leaf))).collect();
        let mut replay = Replay { plan, finished: self, liveness, held, sending: Vec::new() };
        let mut arrivals = self.arrivals().peekable();
        for (position, step) in self.steps.iter().enumerate() {
            while let Some((_, node)) = arrivals.next_if(|(first, _)| *first == position) {
                replay.write(node)?;
            }
            replay.step(position, step)?;
        }
        let live = liveness.nodes.iter().enumerate().filter(|(_, live)| **live);
        let mut live = live.map(|(node, _)| NodeId::new(node));
        let dropped = live.find(|&node| replay.read(Source::Node(node)).is_err());
        dropped.map_or(Ok(()), |node| Err(FinalDefect::Dropped { node }))
    }

    /// The nodes in whose memory messages arrive, each with the step before which they may.
    fn arrivals(&self) -> impl Iterator<Item = (usize, NodeId)> {
        self.steps.iter().enumerate().filter_map(|(position, step)| match step {
            FinalStep::Exchange(id) => {
                let routines = routines_at_end(&self.steps[..position]).count();
                Some((position - routines, self.landings[id.index()]?))
            }
            _ => None,
        })
    }

    fn verify_order(&self, plan: &Plan) -> Verified {
        let mut steps = self.steps.iter().enumerate().peekable();
        for step in &plan.steps {
            let is_kept = steps.next_if(|(_, next)| runs(plan, next, step)).is_some();
            if !is_kept && runs_always(plan, step) {
                return Err(FinalDefect::LeftOut { step: step.clone() });
            }
        }
        steps.next().map_or(Ok(()), |(step, _)| Err(FinalDefect::Order { step }))
    }
}

/// Whether a final step runs this step of the plan.
fn runs(plan: &Plan, finished: &FinalStep, step: &Step) -> bool {
    match (finished, step) {
        (FinalStep::Combine(own), Step::Combine(nodes)) => own == nodes,
        (FinalStep::Exchange(own), Step::Exchange(exchange)) => own == exchange,
        (FinalStep::Launch(launch), Step::Unit(unit)) => launch.unit == *unit,
        (FinalStep::Routine(own) | FinalStep::Compress(own), Step::Unit(unit)) => {
            let unit = &plan.units[unit.index()];
            matches!(unit, Unit::Routine(node) | Unit::Compress(node) if node == own)
        }
        _ => false,
    }
}

/// Whether devices communicate in a step, so that every rank runs it, or it has effects beside its
/// value.
fn runs_always(plan: &Plan, step: &Step) -> bool {
    let Step::Unit(unit) = step else { return true };
    match plan.units[unit.index()] {
        Unit::Routine(node) => {
            plan.placements[node.index()].together().is_some() || plan.has_effects(node)
        }
        Unit::Compress(node) => !plan.placements[node.index()].space.is_replicated(),
        Unit::Group(_) | Unit::Reshape(_) => false,
    }
}

/// The effect of the steps so far.
struct Replay<'a> {
    plan: &'a Plan,
    finished: &'a Final,
    liveness: &'a Liveness,
    /// The value in each place; a reshape is its input.
    held: FxHashMap<Place, Source>,
    /// The exchanges that have started and that no unit has waited for.
    sending: Vec<ExchangeId>,
}

impl Replay<'_> {
    fn step(&mut self, position: usize, step: &FinalStep) -> Verified {
        match step {
            FinalStep::Combine(nodes) => {
                nodes.iter().try_for_each(|&node| self.read(Source::Node(node)))
            }
            FinalStep::Exchange(id) => {
                let exchange = &self.plan.exchanges[id.index()];
                let is_consumer = |step: &FinalStep| step.waits_for(exchange, self.plan);
                let later = &self.finished.steps[position..];
                self.sending.extend(later.iter().any(is_consumer).then_some(*id));
                self.read(exchange.source)
            }
            FinalStep::Launch(launch) => {
                self.wait(step);
                self.launch(launch)
            }
            FinalStep::Routine(node) => {
                self.wait(step);
                self.operation(*node)
            }
            FinalStep::Compress(node) => self.operation(*node),
        }
    }

    /// The wait of a step for the exchanges that serve it.
    fn wait(&mut self, step: &FinalStep) {
        let plan = self.plan;
        self.sending.retain(|id| !step.waits_for(&plan.exchanges[id.index()], plan));
    }

    /// A routine or a selection. It may overwrite one operand, which the operation names.
    fn operation(&mut self, node: NodeId) -> Verified {
        let data = self.plan.node(node);
        let place = self.place(Source::Node(node))?;
        data.inputs.iter().try_for_each(|input| self.read(input.source))?;
        let sources = data.inputs.iter().map(|input| input.source);
        let shared: Vec<Source> =
            sources.filter(|&source| self.place(source) == Ok(place)).collect();
        let is_named = |source| overwritten(data) == Some(source) && self.is_alike(source, node);
        match shared[..] {
            [] => self.write(node),
            [source] if is_named(source) => self.write(node),
            _ => Err(FinalDefect::Overwrites { node }),
        }
    }

    /// A kernel: the zeros and copies that prepare it, its reads, and its outputs in the order of
    /// their accesses.
    fn launch(&mut self, launch: &FinalLaunch) -> Verified {
        launch.tables.iter().try_for_each(|&node| self.write(node))?;
        for copy in &*launch.copies {
            self.read(copy.source)?;
            if self.place(copy.source)? != copy.from {
                return Err(FinalDefect::Unwritten { node: copy.node });
            }
            self.write(copy.node)?;
        }
        let mut outputs: Vec<NodeId> = Vec::new();
        for access in &launch.built.accesses {
            match access.buffer {
                Buffer::Input(source) => self.read(source)?,
                Buffer::Output(node) if !outputs.contains(&node) => outputs.push(node),
                Buffer::Output(_) | Buffer::OutputPart(..) => {}
            }
        }
        let mut outputs = outputs.iter().enumerate().map(|(at, &node)| (node, &outputs[..at]));
        outputs.try_for_each(|(node, before)| self.output(launch, node, before))
    }

    /// An output of a kernel, after the outputs `before` it.
    fn output(&mut self, launch: &FinalLaunch, node: NodeId, before: &[NodeId]) -> Verified {
        let Some(group) = self.plan.group(launch.unit) else {
            unreachable!("bug: only groups are launched")
        };
        let place = self.place(Source::Node(node))?;
        let is_copied = launch.copies.iter().any(|copy| copy.node == node);
        if let Some(old) = partly_written(self.plan, group, node).filter(|_| !is_copied) {
            self.read(old)?;
            if self.place(old)? != place || !self.is_alike(old, node) {
                return Err(FinalDefect::Unwritten { node });
            }
        }
        // For a buffer in the same memory, whether its layout is the node's.
        let shares = |buffer: &Buffer| {
            let source = match *buffer {
                Buffer::Input(source) => source,
                Buffer::Output(other) if before.contains(&other) => Source::Node(other),
                Buffer::Output(_) | Buffer::OutputPart(..) => return None,
            };
            (self.place(source) == Ok(place)).then(|| self.is_alike(source, node))
        };
        if self.finished.lands(node) {
            self.read(Source::Node(node))?;
        }
        if launch.built.accesses.iter().any(|access| shares(&access.buffer).is_some()) {
            let apart = may_overwrite(&launch.built, group, node, shares);
            let apart = apart.ok_or(FinalDefect::Overwrites { node })?;
            if !apart.iter().all(|pair| launch.apart.contains(pair)) {
                return Err(FinalDefect::Unchecked { node });
            }
        }
        self.write(node)
    }

    fn place(&self, value: Source) -> Result<Place, FinalDefect> {
        self.finished.place_of(value).ok_or(FinalDefect::Nowhere { value })
    }

    /// Whether a value has the layout of a node.
    fn is_alike(&self, value: Source, node: NodeId) -> bool {
        self.plan.layout(value) == self.plan.layout(Source::Node(node))
    }

    /// Checks that a value is in its place.
    fn read(&self, value: Source) -> Verified {
        if matches!(value, Source::Scalar(_)) {
            return Ok(());
        }
        let mut stored = value;
        while let Source::Node(node) = stored
            && self.plan.node(node).op == NodeOp::Reshape
        {
            stored = self.plan.node(node).inputs[0].source;
        }
        let place = self.place(value)?;
        let held = self.held.get(&place).copied();
        if held == Some(stored) { Ok(()) } else { Err(FinalDefect::Lost { value, place, held }) }
    }

    /// Puts the value of a node into its place.
    fn write(&mut self, node: NodeId) -> Verified {
        let place = self.place(Source::Node(node))?;
        let value = |id: &ExchangeId| self.plan.exchanges[id.index()].source;
        if let Some(&exchange) = self.sending.iter().find(|id| self.place(value(id)) == Ok(place)) {
            return Err(FinalDefect::Sent { node, exchange });
        }
        self.held.insert(place, Source::Node(node));
        match place {
            Place::Leaf(leaf) if !self.liveness.donated[leaf.index()] => {
                Err(FinalDefect::Kept { node, leaf })
            }
            Place::Leaf(_) | Place::Slot(_) => Ok(()),
        }
    }
}
