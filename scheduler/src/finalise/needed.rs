//! Which steps must run: a step does if a live value, a later step that runs, or a collective needs
//! it.

use super::finished::{Final, Liveness};
use super::kept::{Kept, Uses, partly_written};
use super::places::assign;
use crate::build::{Buffer, build};
use crate::fuse::Unit;
use crate::plan::{Plan, Step};
use phalanx_graph::{NodeId, Source};
use std::collections::BTreeSet;

/// Finalises a plan.
pub(crate) fn finalise(plan: &Plan, liveness: &Liveness) -> Final {
    tracing::trace!(target: "phalanx::path", file = file!());
    let kept = needed(plan, liveness);
    let last_use = uses(plan, liveness, &kept);
    let finished = assign(plan, kept, last_use);
    if cfg!(debug_assertions) {
        finished.assert_sound(plan, liveness);
    }
    finished
}

/// The needed steps.
fn needed(plan: &Plan, liveness: &Liveness) -> Vec<Kept> {
    let context = plan.context();
    let nodes = (0..plan.graph.nodes.len()).map(NodeId::new);
    let mut wanted: BTreeSet<NodeId> = nodes.filter(|node| liveness.nodes[node.index()]).collect();
    let mut kept: Vec<Kept> = Vec::new();
    for step in plan.steps.iter().rev() {
        let step = match step {
            Step::Combine(_) | Step::Exchange(_) => Kept::Step(step.clone()),
            Step::Unit(position) => match &plan.units[position.index()] {
                Unit::Group(group) => {
                    let members = group.members.iter().map(|member| member.node);
                    let stored: BTreeSet<NodeId> =
                        members.filter(|node| wanted.contains(node)).collect();
                    if stored.is_empty() {
                        continue;
                    }
                    let built = build(&context, group, &stored);
                    wanted.extend(built.reloaded.iter());
                    Kept::Launch(Box::new(built), *position)
                }
                Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => {
                    // A routine that communicates runs on every rank, also where no unit needs its
                    // value.
                    let is_together = plan.placements[node.index()].together().is_some();
                    if !wanted.contains(node) && !is_together && !plan.has_effects(*node) {
                        continue;
                    }
                    Kept::Step(step.clone())
                }
            },
        };
        for source in reads(plan, &step) {
            if let Source::Node(node) = source {
                wanted.insert(node);
            }
        }
        kept.push(step);
    }
    kept.reverse();
    kept
}

/// For each value, the last of the needed steps that reads it.
fn uses(plan: &Plan, liveness: &Liveness, kept: &[Kept]) -> Uses {
    let last = |is_needed_afterwards: bool| if is_needed_afterwards { usize::MAX } else { 0 };
    let mut uses = Uses {
        nodes: liveness.nodes.iter().map(|&is_live| last(is_live)).collect(),
        leaves: liveness.donated.iter().map(|&is_donated| last(!is_donated)).collect(),
    };
    for (position, step) in kept.iter().enumerate() {
        reads(plan, step).into_iter().for_each(|source| uses.read(source, position));
        // A sent value must stay unchanged until the unit that waits for the exchange; a kernel may
        // read only what has arrived.
        if let Kept::Launch(_, unit) = step {
            let served = plan.exchanges.iter().filter(|exchange| exchange.is_for(*unit));
            served.for_each(|exchange| uses.read(exchange.source, position));
        }
    }
    uses
}

/// The values that a step reads. A kernel also reads old values of partial updates.
fn reads(plan: &Plan, step: &Kept) -> Vec<Source> {
    match step {
        Kept::Step(Step::Combine(nodes)) => nodes.iter().copied().map(Source::Node).collect(),
        Kept::Step(Step::Exchange(exchange)) => vec![plan.exchanges[exchange.index()].source],
        Kept::Step(Step::Unit(unit)) => match &plan.units[unit.index()] {
            Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => {
                plan.node(*node).inputs.iter().map(|input| input.source).collect()
            }
            Unit::Group(_) => unreachable!("bug: groups are kept as launches"),
        },
        Kept::Launch(built, unit) => {
            let Some(group) = plan.group(*unit) else {
                unreachable!("bug: only groups are launched")
            };
            let mut sources = Vec::new();
            for access in &built.accesses {
                match &access.buffer {
                    Buffer::Input(source) => sources.push(*source),
                    Buffer::Output(node) => sources.extend(partly_written(plan, group, *node)),
                    Buffer::OutputPart(..) => {}
                }
            }
            sources
        }
    }
}
