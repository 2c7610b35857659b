//! The names of a device's steps.

use super::track::Kind;
use crate::build::Buffer;
use crate::cost::costs_on;
use crate::explain::value_name;
use crate::finalise::{Final, FinalStep};
use crate::instance::{Instance, LocalStep};
use crate::plan::Plan;
use phalanx_graph::Source;
use phalanx_ops::Mesh;
use std::sync::Arc;

/// What a step is called.
#[derive(Clone, Debug)]
pub(crate) struct StepName {
    pub kind: Kind,
    pub name: Arc<str>,
    /// The bytes that it reads and writes.
    pub bytes: u64,
}

impl StepName {
    /// The name of steps that a device receives as a whole.
    pub fn of_graph(steps: &[StepName]) -> StepName {
        let names: Vec<&str> = steps.iter().map(|step| &*step.name).collect();
        let bytes = steps.iter().map(|step| step.bytes).sum();
        StepName { kind: Kind::Graph, name: names.join("; ").into(), bytes }
    }
}

/// The names of the steps of a device.
pub(crate) fn names(
    plan: &Plan,
    finished: &Final,
    instance: &Instance,
    mesh: &Mesh,
    device: usize,
) -> Vec<StepName> {
    let costs = costs_on(plan, finished, mesh, device, instance);
    let steps = finished.steps.iter().zip(&costs.steps);
    // The values that each launch stores, and the bytes that all of its boxes read and write.
    let launches: Vec<(String, u64, usize)> = steps
        .filter_map(|(step, cost)| match step {
            FinalStep::Launch(launch) => {
                let mut stored = Vec::new();
                for access in &launch.built.accesses {
                    if let Buffer::Output(node) = access.buffer {
                        let name = value_name(plan, Source::Node(node));
                        if !stored.contains(&name) {
                            stored.push(name);
                        }
                    }
                }
                Some((stored.join(", "), (cost.read + cost.wrote).0 as u64, cost.boxes.max(1)))
            }
            _ => None,
        })
        .collect();
    let named = |step: &LocalStep| {
        let of_exchange = |exchange: &crate::ids::ExchangeId| {
            value_name(plan, plan.exchanges[exchange.index()].source)
        };
        let (kind, name, bytes) = match step {
            LocalStep::Start { exchange, .. } => {
                (Kind::Collective, format!("send {}", of_exchange(exchange)), 0)
            }
            LocalStep::Wait { exchange, .. } => {
                (Kind::Wait, format!("wait for {}", of_exchange(exchange)), 0)
            }
            LocalStep::Launch { kernel, .. } => {
                let (name, bytes, boxes) = &launches[*kernel];
                (Kind::Launch, name.clone(), bytes / *boxes as u64)
            }
            LocalStep::Zero { bytes, .. } => (Kind::Copy, String::from("zero"), bytes.0 as u64),
            LocalStep::Copy(copy) => {
                let bytes = copy.extents.iter().product::<usize>() * copy.item;
                (Kind::Copy, String::from("copy"), 2 * bytes as u64)
            }
            LocalStep::Combine { parts, monoid, .. } => {
                let bytes: u64 = parts.iter().map(|part| part.1.0 as u64).sum();
                (Kind::Collective, format!("combine by {}", monoid.name()), bytes)
            }
            LocalStep::Routine(routine) => {
                let blocks = routine.operands.iter().chain([&routine.to]);
                let bytes = blocks.map(|block| block.bytes() as u64).sum();
                let together = routine.together.is_some();
                let kind = if together { Kind::Collective } else { Kind::Library };
                (kind, String::from(routine.op.name()), bytes)
            }
            LocalStep::Compress { count, item, .. } => {
                (Kind::Collective, String::from("compress"), (count * item) as u64)
            }
        };
        StepName { kind, name: name.into(), bytes }
    };
    instance.steps.iter().map(named).collect()
}
