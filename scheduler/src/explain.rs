//! Explaining: a plan as text, with what each step reads, writes, sends and computes on the busiest device.

use crate::build::{Buffer, ScalarSource};
use crate::finalise::{FinalLaunch, FinalStep, Liveness, Place, finalise};
use crate::fuse::Unit;
use crate::plan::Plan;
use phalanx_array::{NodeOp, Source};
use phalanx_distributed::pieces_to;
use phalanx_kernels::ir::Expr;
use phalanx_ops::sharding::volume;
use phalanx_ops::{Mesh, Sharding};
use std::fmt::Write;

/// Devices of which the busiest is looked for; in larger meshes a few stand for all.
const MOST_VISITED: usize = 64;

/// Bytes with a binary unit.
pub(crate) fn bytes(count: usize) -> String {
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit < 4 {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{count} B"),
        _ => format!("{value:.1} {}", ["B", "KiB", "MiB", "GiB", "TiB"][unit]),
    }
}

fn count(of: u64) -> String {
    match of {
        0..1_000 => format!("{of} flop"),
        1_000..1_000_000 => format!("{:.1} kflop", of as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} Mflop", of as f64 / 1e6),
        _ => format!("{:.1} Gflop", of as f64 / 1e9),
    }
}

/// The plan as text.
pub(crate) fn text(plan: &Plan, liveness: &Liveness, mesh: &Mesh) -> String {
    let finished = finalise(plan, liveness);
    let explainer = Explainer { plan, mesh };
    let mut lines = String::new();
    let mut kernels = String::new();
    let (mut sent, mut launches) = (0, 0);
    for (number, step) in finished.steps.iter().enumerate() {
        let line = match step {
            FinalStep::Exchange(exchange) => {
                let (text, moved) = explainer.exchange(*exchange);
                sent += moved;
                format!("exchange    {text}")
            }
            FinalStep::Combine(nodes) => {
                let (text, moved) = explainer.combine(nodes);
                sent += moved;
                format!("collective  {text}")
            }
            FinalStep::Launch(launch) => {
                let text = explainer.launch(launch, launches, &finished.places);
                let _ = writeln!(kernels, "\nk{launches}: {}", launch.built.kernel.to_string().trim_end());
                explainer.scalars(launch, &mut kernels);
                launches += 1;
                format!("launch      {text}")
            }
            FinalStep::Matmul(node) => format!("library     {} = matmul", explainer.value(Source::Node(*node))),
            FinalStep::Compress(node) => {
                format!("library     {} = compress (length known afterwards)", explainer.value(Source::Node(*node)))
            }
        };
        let _ = writeln!(lines, "{number:<3}{line}");
    }
    let slots: usize = finished
        .slots
        .iter()
        .map(|nodes| nodes.iter().map(|&node| explainer.largest(Source::Node(node))).max().unwrap_or(0))
        .sum();
    let leaves: usize = (0..plan.leaves.len()).map(|leaf| explainer.largest(Source::Leaf(leaf as u32))).sum();
    format!(
        "plan  {mesh}  per device: inputs {}, slots {}, sent {}\n{lines}{kernels}",
        bytes(leaves),
        bytes(slots),
        bytes(sent)
    )
}

struct Explainer<'a> {
    plan: &'a Plan,
    mesh: &'a Mesh,
}

impl Explainer<'_> {
    fn sharding(&self, source: Source) -> Option<&Sharding> {
        match source {
            Source::Node(node) => Some(&self.plan.placements[node as usize].output),
            Source::Leaf(leaf) => Some(&self.plan.leaves[leaf as usize]),
            Source::Scalar(_) => None,
        }
    }

    fn largest(&self, source: Source) -> usize {
        let (shape, dtype) = self.plan.graph.source(source);
        self.sharding(source).map_or(0, |sharding| sharding.largest_block(shape) * dtype.size())
    }

    fn name(source: Source) -> String {
        match source {
            Source::Node(node) => format!("v{node}"),
            Source::Leaf(leaf) => format!("in{leaf}"),
            Source::Scalar(scalar) => format!("s{scalar}"),
        }
    }

    fn value(&self, source: Source) -> String {
        let (shape, dtype) = self.plan.graph.source(source);
        let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
        let sharding = self.sharding(source).map_or(String::new(), |s| format!(" @ {}", s.text(self.mesh)));
        format!("{} {dtype}[{}]{sharding}", Explainer::name(source), extents.join(","))
    }

    /// The devices that stand for all: all, or the ends, their neighbours and the middle.
    fn visited(&self) -> Vec<usize> {
        let devices = self.mesh.devices();
        if devices <= MOST_VISITED {
            return (0..devices).collect();
        }
        vec![0, 1, devices / 2, devices - 2, devices - 1]
    }

    fn exchange(&self, number: usize) -> (String, usize) {
        let exchange = &self.plan.exchanges[number];
        let (shape, dtype) = self.plan.graph.source(exchange.source);
        let Some(sharding) = self.sharding(exchange.source) else { return (String::new(), 0) };
        let (mut moved, mut kept) = (0, 0);
        for device in self.visited() {
            let need = exchange.need(self.mesh, &self.mesh.coordinates(device));
            let (_, transfers) = pieces_to(sharding, shape, self.mesh, device, &need);
            let received: usize = transfers.iter().map(|transfer| volume(&transfer.region) * dtype.size()).sum();
            moved = moved.max(received);
            kept = kept.max(volume(&need) * dtype.size() - received);
        }
        let kind = if moved == 0 {
            "nothing to move"
        } else if kept > moved {
            "halo"
        } else {
            "reshard"
        };
        (format!("{}  {kind}  received {}", self.value(exchange.source), bytes(moved)), moved)
    }

    fn combine(&self, nodes: &[u32]) -> (String, usize) {
        let Some((dtype, monoid)) = self.plan.combined_item(nodes[0]) else { return (String::new(), 0) };
        let total: usize = nodes
            .iter()
            .map(|&node| {
                let data = self.plan.node(node);
                self.plan.placements[node as usize].output.largest_block(&data.shape) * monoid.item_size(dtype)
            })
            .sum();
        let values: Vec<String> = nodes.iter().map(|&node| Explainer::name(Source::Node(node))).collect();
        let axes = self.plan.placements[nodes[0] as usize].partial.as_ref().map_or(String::new(), |partial| {
            let names: Vec<&str> = partial.mesh_axes.iter().map(|&axis| self.mesh.name(axis as usize)).collect();
            names.join(", ")
        });
        (format!("all_reduce({}, {monoid}) over {axes}  sent {}", values.join(", "), bytes(total)), total)
    }

    fn launch(&self, launch: &FinalLaunch, number: usize, places: &[Option<Place>]) -> String {
        let Unit::Group(group) = &self.plan.units[launch.unit] else { return String::new() };
        let extents: Vec<usize> = group.axes.iter().map(|axis| axis.extent).collect();
        let points = group.space().largest_block(&extents);
        let operations: u32 = launch
            .built
            .kernel
            .values
            .iter()
            .map(|value| match &value.expr {
                Expr::Op { op, .. } => op.flops(),
                Expr::Select { .. } | Expr::Folded => 1,
                _ => 0,
            })
            .sum();
        let (mut read, mut wrote) = (0, 0);
        let mut inputs: Vec<Source> = Vec::new();
        let mut outputs: Vec<String> = Vec::new();
        for access in &launch.built.accesses {
            match access.buffer {
                Buffer::Input(source) => {
                    if !inputs.contains(&source) {
                        inputs.push(source);
                        read += self.largest(source);
                    }
                }
                Buffer::Output(node) => {
                    let data = self.plan.node(node);
                    let is_update = matches!(data.op, NodeOp::Update(_));
                    wrote += if is_update { points * data.dtype.size() } else { self.largest(Source::Node(node)) };
                    let place = places[node as usize];
                    let in_place = inputs.iter().any(|&input| match input {
                        Source::Node(from) => places[from as usize] == place,
                        Source::Leaf(leaf) => place == Some(Place::Leaf(leaf)),
                        Source::Scalar(_) => false,
                    });
                    let kind = match &data.op {
                        NodeOp::Reduce { monoid, .. } => format!(" = reduce[{monoid}]"),
                        NodeOp::Accumulate { monoid } => format!(" = accumulate[{monoid}]"),
                        NodeOp::Update(_) if in_place => String::from(" = update in place"),
                        NodeOp::Update(_) => String::from(" = update"),
                        _ if in_place => String::from(" in place"),
                        _ => String::new(),
                    };
                    let partial = match &self.plan.placements[node as usize].partial {
                        Some(partial) => format!(" partial({})", partial.monoid),
                        None => String::new(),
                    };
                    outputs.push(format!("{}{partial}{kind}", self.value(Source::Node(node))));
                }
                Buffer::OutputIndex(_) => {}
            }
        }
        let waits = self.plan.exchanges.iter().any(|exchange| exchange.is_for(launch.unit));
        let parts = if waits { "  interior + rim" } else { "" };
        let inputs: Vec<String> = inputs.iter().map(|&input| Explainer::name(input)).collect();
        format!(
            "k{number}({}) -> {}{parts}  read {}  wrote {}  {}",
            inputs.join(", "),
            outputs.join("; "),
            bytes(read),
            bytes(wrote),
            count(u64::from(operations) * points as u64)
        )
    }

    /// What the scalar parameters of a kernel stand for, where they are numbers of the plan.
    fn scalars(&self, launch: &FinalLaunch, text: &mut String) {
        for (number, source) in launch.built.scalars.iter().enumerate() {
            if let ScalarSource::Number(value) = source {
                let _ = writeln!(text, "  s{number} = {value}");
            }
        }
    }
}
