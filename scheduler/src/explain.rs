//! Explaining: the text of a plan. It lists the steps with their costs on the busiest device, then
//! the kernels.
//!
//! The text is a function of the plan alone. Values are named by their operation and position,
//! inputs `in0`, `in1` and so on. Equal kernels have one name and are printed once.

use crate::build::{Buffer, Built, ScalarSource};
use crate::cost::{Cost, Costs, busiest, examined, sharding};
use crate::finalise::{Final, FinalLaunch, FinalStep, Liveness, finalise};
use crate::fuse::Group;
use crate::ids::ExchangeId;
use crate::instance::{At, Instance, LocalStep, chunks_of};
use crate::plan::Plan;
use crate::predict::{Predicted, Pricing, Unmeasured, predict};
use phalanx_graph::{LeafId, NodeId, NodeOp, Source};
use phalanx_kernels::ir::AccessId;
use phalanx_kernels::{BUFFERS_APART, GpuLaunch, describe_on_gpu};
use phalanx_ops::sharding::volume;
use phalanx_ops::{AxisMap, Bytes, Mesh, Monoid};
use std::fmt::Write;

/// The assumed address of a buffer, as aligned as a pool's.
const BEGINNING: u64 = 1 << 40;
/// The number of scalars in a line.
const SCALARS_IN_A_LINE: usize = 8;

fn flops(of: u64) -> String {
    match of {
        0..1_000 => format!("{of} flop"),
        1_000..1_000_000 => format!("{:.1} kflop", of as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} Mflop", of as f64 / 1e6),
        _ => format!("{:.1} Gflop", of as f64 / 1e9),
    }
}

fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Where a plan would run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    /// Whether the text has the grid of each launch on the first GPU.
    pub on_gpu: bool,
    /// How devices reach each other's memory.
    pub plane: Option<&'a str>,
    /// The prices, if times are predicted.
    pub pricing: Option<Pricing<'a>>,
}

/// The text of a plan.
pub(crate) fn text(plan: &Plan, liveness: &Liveness, mesh: &Mesh, setting: Setting<'_>) -> String {
    let Setting { on_gpu, plane, pricing } = setting;
    let finished = finalise(plan, liveness);
    let devices = examined(plan, &finished, mesh);
    let costs = busiest(&devices);
    let predicted = pricing.map(|pricing| predict(pricing, &finished, mesh, &devices));
    let times = predicted.as_ref().and_then(|predicted| predicted.as_ref().ok());
    let explainer = Explainer { plan, mesh, finished: &finished };
    let (mut steps, mut details) = (String::new(), String::new());
    let mut kernels: Vec<String> = Vec::new();
    let mut launches = 0;
    for (number, (step, cost)) in finished.steps.iter().zip(&costs.steps).enumerate() {
        let (kind, what) = match step {
            FinalStep::Exchange(exchange) => ("exchange", explainer.exchange(*exchange, cost)),
            FinalStep::Combine(nodes) => ("all_reduce", explainer.combine(nodes)),
            FinalStep::Launch(launch) => {
                let kernel = launch.built.kernel.to_string();
                let known = kernels.iter().position(|known| *known == kernel);
                let name = known.unwrap_or(kernels.len());
                explainer.detail(launch, number, name, &mut details);
                if on_gpu {
                    on_first_gpu(&launch.built, launches, &devices[0].instance, &mut details);
                }
                launches += 1;
                if known.is_none() {
                    let _ = writeln!(details, "k{name}: {}", kernel.trim_end());
                    kernels.push(kernel);
                }
                ("launch", explainer.launch(launch, name, cost))
            }
            FinalStep::Routine(node) => ("library", explainer.library(*node)),
            FinalStep::Compress(node) => {
                ("library", explainer.library(*node) + ", one for each true element")
            }
        };
        // A step of no work, such as an exchange without messages on the busiest device.
        let time = times.map(|times| match times.steps[number] {
            0.0 => String::new(),
            seconds => time(seconds),
        });
        let time = time.map_or_else(String::new, |time| format!(" {time:>9}"));
        let _ = writeln!(steps, "{number:<4} {kind:<10} {}{time}  {what}", columns(cost));
    }
    explainer.summary(kernels.len(), plane)
        + &explainer.heads(&costs, liveness, predicted.as_ref())
        + &steps
        + &details
}

/// A time in three digits.
fn time(seconds: f64) -> String {
    let (number, unit) = match seconds {
        ..999.5e-6 => (seconds * 1e6, "µs"),
        ..0.9995 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    let digits = match number {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {unit}")
}

/// The line about the time of the whole plan.
fn total_time(predicted: &Result<Predicted, Unmeasured>) -> String {
    let Predicted { total, messages, waited, .. } = match predicted {
        Ok(predicted) => predicted,
        Err(Unmeasured(name)) => {
            return format!("no predicted time: `phalanx info --measure` has not measured {name}");
        }
    };
    let mut text = format!("predicted time {}", time(*total));
    if *messages > 0.0 {
        let hidden = 100.0 * (1.0 - waited / messages).max(0.0);
        let _ = write!(text, "; messages {}, {hidden:.0} % of it beside work", time(*messages));
    }
    text
}

/// The figures of a step; a zero is left blank.
fn columns(cost: &Cost) -> String {
    let size = |bytes: Bytes| if bytes == Bytes(0) { String::new() } else { bytes.to_string() };
    let computed = if cost.flops == 0 { String::new() } else { flops(cost.flops) };
    format!(
        "{:>10} {:>10} {:>10} {computed:>12}",
        size(cost.sent),
        size(cost.read),
        size(cost.wrote)
    )
}

struct Explainer<'a> {
    plan: &'a Plan,
    mesh: &'a Mesh,
    finished: &'a Final,
}

/// The name of an operation.
pub(crate) fn operation_name(op: &NodeOp) -> &'static str {
    match op {
        NodeOp::Fill => "fill",
        NodeOp::Index(_) => "index",
        NodeOp::Elementwise(op) => op.name(),
        NodeOp::Special(function) => function.name,
        NodeOp::Select => "select",
        NodeOp::Cast => "cast",
        NodeOp::Reduce { monoid: Monoid::Add, .. } => "sum",
        NodeOp::Reduce { monoid: Monoid::Multiply, .. } => "prod",
        NodeOp::Reduce { monoid, .. } => monoid.name(),
        NodeOp::Update(_) => "update",
        NodeOp::Reshape => "reshape",
        NodeOp::Accumulate { .. } => "table",
        NodeOp::Structured(op) => op.name(),
        NodeOp::Compress => "compress",
        NodeOp::Reshard(_) => "reshard",
    }
}

/// A short name of a value, from the operation that computes it.
pub(crate) fn value_name(plan: &Plan, source: Source) -> String {
    let node = match source {
        Source::Leaf(leaf) => return format!("in{leaf}"),
        Source::Scalar(scalar) => return format!("argument{scalar}"),
        Source::Node(node) => node,
    };
    let data = plan.node(node);
    let is_copy =
        matches!(data.op, NodeOp::Cast) && plan.graph.source(data.inputs[0].source).1 == data.dtype;
    let operation = if is_copy { "copy" } else { operation_name(&data.op) };
    format!("{operation}{node}")
}

impl Explainer<'_> {
    /// The first line: how many steps of each kind the plan has.
    fn summary(&self, kernels: usize, plane: Option<&str>) -> String {
        let (mut launches, mut libraries, mut exchanges, mut collectives) = (0, 0, 0, 0);
        for step in &self.finished.steps {
            *match step {
                FinalStep::Exchange(_) => &mut exchanges,
                FinalStep::Combine(_) => &mut collectives,
                FinalStep::Launch(_) => &mut launches,
                FinalStep::Routine(_) | FinalStep::Compress(_) => &mut libraries,
            } += 1;
        }
        let mut text =
            format!("plan on {}: {}", self.mesh, counted(launches, "launch", "launches"));
        if launches > kernels {
            let _ = write!(text, " of {}", counted(kernels, "kernel", "kernels"));
        }
        for (count, one, more) in [
            (libraries, "library call", "library calls"),
            (exchanges, "exchange", "exchanges"),
            (collectives, "all-reduce", "all-reduces"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {}", counted(count, one, more));
            }
        }
        if let Some(plane) = plane.filter(|_| exchanges + collectives > 0) {
            let _ = write!(text, ", by {plane}");
        }
        text
    }

    /// The figures of the whole plan, its inputs, and the heads of the columns of steps.
    fn heads(
        &self,
        costs: &Costs,
        liveness: &Liveness,
        predicted: Option<&Result<Predicted, Unmeasured>>,
    ) -> String {
        let Costs { inputs, peak, total, .. } = costs;
        let (sent, flops) = (total.sent, flops(total.flops));
        let mut text =
            format!("\nper device at most: inputs {inputs}, peak {peak}, sent {sent}, {flops}\n");
        if let Some(predicted) = predicted {
            let _ = writeln!(text, "{}", total_time(predicted));
        }
        text.push('\n');
        for leaf in (0..self.plan.leaves.len()).map(LeafId::new) {
            let donated = if liveness.donated[leaf.index()] { ", not used afterwards" } else { "" };
            let _ = writeln!(text, "{}{donated}", self.value(Source::Leaf(leaf)));
        }
        let break_line = if self.plan.leaves.is_empty() { "" } else { "\n" };
        let _ = writeln!(
            text,
            "{break_line}{:<4} {:<10} {:>10} {:>10} {:>10} {:>12}{}",
            "step",
            "",
            "sent",
            "read",
            "wrote",
            "computed",
            if matches!(predicted, Some(Ok(_))) {
                format!(" {:>9}", "time")
            } else {
                String::new()
            }
        );
        text
    }

    fn name(&self, source: Source) -> String {
        value_name(self.plan, source)
    }

    fn value(&self, source: Source) -> String {
        let (shape, dtype) = self.plan.graph.source(source);
        let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
        let placed = match sharding(self.plan, source) {
            Some(sharding) if !sharding.is_replicated() => {
                format!(" @ {}", sharding.text(self.mesh))
            }
            _ => String::new(),
        };
        format!("{}: {dtype}[{}]{placed}", self.name(source), extents.join(","))
    }

    fn mesh_axes(&self, axes: &[u8]) -> String {
        let names: Vec<&str> = axes.iter().map(|&axis| self.mesh.name(axis as usize)).collect();
        names.join(" and ")
    }

    fn exchange(&self, exchange: ExchangeId, cost: &Cost) -> String {
        let source = self.plan.exchanges[exchange.index()].source;
        let (shape, dtype) = self.plan.graph.source(source);
        let largest = sharding(self.plan, source)
            .map_or(0, |sharding| sharding.largest_block(shape))
            * dtype.size();
        let kind = match cost.sent {
            Bytes(0) => "nothing to move",
            Bytes(sent) if 2 * sent <= largest => "halo",
            _ if self.is_gather(exchange) => "gather",
            _ => "reshard",
        };
        let chunks = match chunks_of(self.plan, exchange, self.mesh) {
            1 => String::new(),
            chunks => format!(" in {chunks} chunks"),
        };
        let into = self.finished.landings[exchange.index()];
        let into = into
            .map_or_else(String::new, |node| format!(" into {}", self.name(Source::Node(node))));
        format!("{kind} of {}{into}{chunks}", self.name(source))
    }

    /// Whether every device needs the whole value, judged by three of them.
    fn is_gather(&self, exchange: ExchangeId) -> bool {
        let exchange = &self.plan.exchanges[exchange.index()];
        let all: usize = self.plan.graph.source(exchange.source).0.iter().product();
        let last = self.mesh.devices() - 1;
        [0, last / 2, last]
            .iter()
            .all(|&device| volume(&exchange.need(self.mesh, &self.mesh.coordinates(device))) == all)
    }

    fn combine(&self, nodes: &[NodeId]) -> String {
        let names: Vec<String> = nodes.iter().map(|&node| self.name(Source::Node(node))).collect();
        let monoid = self.plan.combined_item(nodes[0]).map_or("", |(_, monoid)| monoid.name());
        let partial = self.plan.placements[nodes[0].index()].partial();
        let axes = partial.map_or(String::new(), |partial| self.mesh_axes(&partial.mesh_axes));
        format!("{} by {monoid} over {axes}", names.join(", "))
    }

    fn library(&self, node: NodeId) -> String {
        let data = self.plan.node(node);
        let name = operation_name(&data.op);
        let is_transposed =
            |number| matches!(&data.op, NodeOp::Structured(op) if op.is_transposed(number));
        // The numbers of a kernel's call would say little.
        let values = data.inputs.iter().filter(|it| !matches!(it.source, Source::Scalar(_)));
        let named = values.enumerate().map(|(number, input)| {
            self.name(input.source) + if is_transposed(number) { ".T" } else { "" }
        });
        let inputs: Vec<String> = named.collect();
        let partial = self.partial(node);
        let together = self.plan.placements[node.index()].together();
        let together = together.map_or_else(String::new, |mesh_axes| {
            format!(", exchanged over {}", self.mesh_axes(mesh_axes))
        });
        let mut value = self.value(Source::Node(node));
        if let NodeOp::Structured(op) = &data.op
            && let Some(over) = op.overwrites().and_then(|operand| data.inputs.get(operand))
            && let over = over.source
            && self.finished.is_in_place(over, node)
        {
            let _ = write!(value, " in place of {}", self.name(over));
        }
        format!("{value}{partial} = {name}({}){together}", inputs.join(", "))
    }

    /// The name of a buffer's part of the items that a node's shards hold until they are combined.
    fn part(&self, buffer: Buffer) -> &'static str {
        let (node, part) = match buffer {
            Buffer::Input(_) => return "",
            Buffer::Output(node) => (node, 0),
            Buffer::OutputPart(node, part) => (node, part),
        };
        match (self.plan.packed_item(node), part) {
            (Some((_, Monoid::ArgMin | Monoid::ArgMax)), 1) => ", index",
            (Some((_, Monoid::Moments)), 0) => ", count",
            (Some((_, Monoid::Moments)), 1) => ", mean",
            (Some((_, Monoid::Moments)), 2) => ", rest",
            (Some((_, Monoid::Moments)), _) => ", squares",
            (Some((_, Monoid::Binned)), 0) => ", window",
            (Some((_, Monoid::Binned)), 1) => ", high",
            (Some((_, Monoid::Binned)), 2) => ", middle",
            (Some((_, Monoid::Binned)), 3) => ", low",
            _ => "",
        }
    }

    /// The mesh axes over which the shards of a node have yet to be combined.
    fn partial(&self, node: NodeId) -> String {
        let partial = self.plan.placements[node.index()].partial();
        partial.map_or(String::new(), |partial| {
            format!(" partial over {}", self.mesh_axes(&partial.mesh_axes))
        })
    }

    fn launch(&self, launch: &FinalLaunch, name: usize, cost: &Cost) -> String {
        let mut inputs: Vec<Source> = Vec::new();
        let mut outputs: Vec<NodeId> = Vec::new();
        for access in &launch.built.accesses {
            match access.buffer {
                Buffer::Input(source) if !inputs.contains(&source) => inputs.push(source),
                Buffer::Output(node) if !outputs.contains(&node) => outputs.push(node),
                _ => {}
            }
        }
        let outputs: Vec<String> =
            outputs.iter().map(|&node| self.output(launch, node, &inputs)).collect();
        let inputs: Vec<String> = inputs.iter().map(|&input| self.name(input)).collect();
        let boxes = match (cost.boxes, cost.rims) {
            (0 | 1, _) => String::new(),
            (boxes, 0) => format!(" in {boxes} boxes"),
            (_, rims) => format!(" in an interior and {}", counted(rims, "rim", "rims")),
        };
        format!("{} = k{name}({}){boxes}", outputs.join("; "), inputs.join(", "))
    }

    /// A value that a launch stores, and the memory that it overwrites.
    fn output(&self, launch: &FinalLaunch, node: NodeId, inputs: &[Source]) -> String {
        let mut text = self.value(Source::Node(node));
        text += &self.partial(node);
        let data = self.plan.node(node);
        let old = matches!(data.op, NodeOp::Update(_)).then(|| data.inputs[0].source);
        let over = old
            .into_iter()
            .chain(inputs.iter().copied())
            .find(|&input| self.finished.is_in_place(input, node));
        if let Some(copy) = launch.copies.iter().find(|copy| copy.node == node) {
            let _ = write!(text, " over a copy of {}", self.name(copy.source));
        } else if let Some(over) = over {
            let _ = write!(text, " in place of {}", self.name(over));
        }
        text
    }

    /// The meaning of the names in a kernel's text for one launch.
    fn detail(&self, launch: &FinalLaunch, number: usize, name: usize, text: &mut String) {
        let Some(group) = self.plan.group(launch.unit) else { return };
        let built = &launch.built;
        let outputs = built.accesses.iter().filter_map(|access| match access.buffer {
            Buffer::Output(node) => Some(node),
            _ => None,
        });
        let site = outputs.max().map_or(String::new(), |node| {
            let site = self.plan.node(node).site;
            format!(", for {site}")
        });
        let _ = writeln!(text, "\nstep {number}: k{name}{site}");
        let axes: Vec<String> =
            (0..built.axes.len()).map(|axis| self.axis(group, axis, built.axes[axis])).collect();
        if !axes.is_empty() {
            let _ = writeln!(text, "  {}", axes.join(", "));
        }
        for (id, access) in built.kernel.access_ids().zip(&built.accesses) {
            let (value, part) = match access.buffer {
                Buffer::Input(source) => (self.name(source), ""),
                Buffer::Output(node) | Buffer::OutputPart(node, _) => {
                    (self.name(Source::Node(node)), self.part(access.buffer))
                }
            };
            let indices: Vec<String> =
                access.map.axes.iter().map(|map| index(built, id, map)).collect();
            let _ = writeln!(text, "  .{id} = {value}[{}]{part}", indices.join(", "));
        }
        let scalars: Vec<String> = built
            .scalars
            .iter()
            .enumerate()
            .map(|(number, source)| match source {
                ScalarSource::Argument(argument) => {
                    format!("s{number} = {}", self.plan.graph.scalars[argument.index()])
                }
                ScalarSource::Number(value) => format!("s{number} = {value}"),
                ScalarSource::Points(level) => {
                    format!("s{number} = points of {}", points(group, built, *level))
                }
                ScalarSource::IsFirst => format!("s{number} = is the first launch"),
            })
            .collect();
        for line in scalars.chunks(SCALARS_IN_A_LINE) {
            let _ = writeln!(text, "  {}", line.join(", "));
        }
        for (number, guard) in built.guards.iter().enumerate() {
            let bounded =
                guard.iter().zip(&group.axes).filter(|(range, axis)| **range != (0..axis.extent));
            let ranges: Vec<String> = bounded
                .zip(&built.kernel.guards[number])
                .map(|((range, _), axis)| format!("i{axis} in {}..{}", range.start, range.end))
                .collect();
            let _ = writeln!(text, "  g{number}: {}", ranges.join(", "));
        }
    }

    fn axis(&self, group: &Group, kernel_axis: usize, axis: u8) -> String {
        let axis = &group.axes[axis as usize];
        let over =
            axis.split.as_ref().map(|split| format!(" over {}", self.mesh_axes(&split.mesh_axes)));
        format!("i{kernel_axis} < {}{}", axis.extent, over.unwrap_or_default())
    }
}

/// The axes of the first loop at a level.
fn points(group: &Group, built: &Built, level: usize) -> String {
    let of_axis = |axis: usize| built.axes.iter().position(|&own| own as usize == axis);
    let axes = (0..group.axes.len()).filter(|&axis| group.axes[axis].level == level);
    let names: Vec<String> = axes.filter_map(of_axis).map(|axis| format!("i{axis}")).collect();
    names.join(" x ")
}

/// The grids of launch number `at` on the first device, if its buffers are as aligned as those of a
/// pool.
fn on_first_gpu(built: &Built, at: usize, instance: &Instance, text: &mut String) {
    for step in &instance.steps {
        let LocalStep::Launch { kernel, extents, origins, accesses, guards, .. } = step else {
            continue;
        };
        if *kernel != at {
            continue;
        }
        let strides: Vec<&[isize]> = accesses.iter().map(|access| &*access.strides).collect();
        let start = |access: &At| {
            let memory = (At::first_in_memory(accesses, access) as u64) << BUFFERS_APART;
            (BEGINNING + memory).wrapping_add_signed(access.offset as i64)
        };
        let launch = GpuLaunch {
            extents,
            origins,
            strides: &strides,
            guards,
            addresses: &accesses.iter().map(start).collect::<Vec<_>>(),
        };
        let points: Vec<String> = extents.iter().map(usize::to_string).collect();
        let how = describe_on_gpu(&built.kernel, &launch);
        let _ = writeln!(text, "  gpu 0, {}: {how}", points.join(" x "));
    }
}

/// An index of an access along one axis of its value.
fn index(built: &Built, access: AccessId, map: &AxisMap) -> String {
    let axes = &built.kernel[access].axes;
    let axis = axes.iter().find(|axis| map.axis == Some(built.axes[axis.index()]));
    let (Some(axis), true) = (axis, map.step != 0) else { return map.start.to_string() };
    let scaled = match map.step.abs() {
        1 => format!("i{axis}"),
        step => format!("{step}*i{axis}"),
    };
    match (map.step > 0, map.start) {
        (true, 0) => scaled,
        (true, start) if start > 0 => format!("{scaled}+{start}"),
        (true, start) => format!("{scaled}{start}"),
        (false, start) => format!("{start}-{scaled}"),
    }
}
