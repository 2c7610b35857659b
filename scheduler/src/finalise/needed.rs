//! Which steps must run: a step does if a live value, a later step that runs, or a collective needs
//! it.

use super::finished::{Final, Liveness};
use super::kept::{Kept, Uses, partly_written};
use super::places::assign;
use crate::build::{Buffer, Built, build};
use crate::fuse::{Group, Unit};
use crate::plan::{Plan, Step};
use phalanx_graph::{NodeId, Source};
use std::collections::BTreeSet;

/// Finalises a plan.
pub(crate) fn finalise(plan: &Plan, liveness: &Liveness) -> Final {
    tracing::trace!(target: "phalanx::path", file = file!());
    let (kept, last_use) = needed(plan, liveness);
    assign(plan, kept, last_use)
}

/// The needed steps, and for each value the last of them that reads it (`usize::MAX` if it outlives
/// the plan).
fn needed(plan: &Plan, liveness: &Liveness) -> (Vec<Kept>, Uses) {
    let context = plan.context();
    let nodes = (0..plan.graph.nodes.len()).map(NodeId::new);
    let mut wanted: BTreeSet<NodeId> = nodes.filter(|node| liveness.nodes[node.index()]).collect();
    let mut kept: Vec<Kept> = Vec::new();
    for step in plan.steps.iter().rev() {
        match step {
            Step::Combine(nodes) => {
                wanted.extend(nodes);
                kept.push(Kept::Step(step.clone()));
            }
            Step::Exchange(exchange) => {
                if let Source::Node(node) = plan.exchanges[exchange.index()].source {
                    wanted.insert(node);
                }
                kept.push(Kept::Step(step.clone()));
            }
            Step::Unit(position) => match &plan.units[position.index()] {
                Unit::Group(group) => {
                    let stored: BTreeSet<NodeId> = group
                        .members
                        .iter()
                        .map(|member| member.node)
                        .filter(|node| wanted.contains(node))
                        .collect();
                    if stored.is_empty() {
                        continue;
                    }
                    let built = build(&context, group, &stored);
                    wanted.extend(built.reloaded.iter());
                    for read in reads(plan, group, &built) {
                        if let Source::Node(node) = read {
                            wanted.insert(node);
                        }
                    }
                    kept.push(Kept::Launch(Box::new(built), *position));
                }
                Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => {
                    // A routine that communicates runs on every rank, also where no unit needs its
                    // value.
                    let is_together = plan.placements[node.index()].together().is_some();
                    if wanted.contains(node) || is_together {
                        for input in &plan.node(*node).inputs {
                            if let Source::Node(from) = input.source {
                                wanted.insert(from);
                            }
                        }
                        kept.push(Kept::Step(step.clone()));
                    }
                }
            },
        }
    }
    kept.reverse();
    let mut uses = Uses {
        nodes: liveness.nodes.iter().map(|&live| if live { usize::MAX } else { 0 }).collect(),
        leaves: liveness
            .donated
            .iter()
            .map(|&donated| if donated { 0 } else { usize::MAX })
            .collect(),
    };
    for (position, step) in kept.iter().enumerate() {
        match step {
            Kept::Step(Step::Combine(nodes)) => {
                nodes.iter().for_each(|&node| uses.read(Source::Node(node), position));
            }
            // A sent value must stay unchanged until the unit that waits for the exchange. That
            // unit reads it, or is found below through the exchange.
            Kept::Step(Step::Exchange(exchange)) => {
                uses.read(plan.exchanges[exchange.index()].source, position)
            }
            Kept::Step(Step::Unit(unit)) => match &plan.units[unit.index()] {
                Unit::Reshape(node) | Unit::Routine(node) | Unit::Compress(node) => {
                    plan.node(*node)
                        .inputs
                        .iter()
                        .for_each(|input| uses.read(input.source, position));
                }
                Unit::Group(_) => unreachable!("bug: groups are kept as launches"),
            },
            Kept::Launch(built, unit) => {
                let Some(group) = plan.group(*unit) else {
                    unreachable!("bug: only groups are launched")
                };
                reads(plan, group, built)
                    .into_iter()
                    .for_each(|source| uses.read(source, position));
                for exchange in plan.exchanges.iter().filter(|exchange| exchange.is_for(*unit)) {
                    uses.read(exchange.source, position);
                }
            }
        }
    }
    (kept, uses)
}

/// The values that a built kernel reads, including old values of partial updates.
fn reads(plan: &Plan, group: &Group, built: &Built) -> Vec<Source> {
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
