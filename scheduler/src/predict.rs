//! Predictions: the time of a plan on a device, from measured prices.
//!
//! A device has two clocks, one of its work and one of its messages, and the steps advance them in
//! order. An exchange takes time of the messages alone, until a step waits for it. Steps that all
//! devices compute together (all-reduces, routines that communicate) advance both.

use crate::cost::{Cost, OnDevice, operations_of_number, real_size};
use crate::finalise::{Final, FinalStep};
use crate::ids::ExchangeId;
use crate::instance::{CopyBox, Instance, LocalStep, Packet, Routine};
use phalanx_collectives::{Price, Prices};
use phalanx_graph::NodeId;
use phalanx_ops::structured::{Operand, Structured, Work};
use phalanx_ops::{Bytes, DType, Mesh};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The bytes that a pass over memory reads, and those that it writes, have prices of their own.
pub const READ: &str = "read";
/// See [`READ`].
pub const WRITE: &str = "write";
/// The bytes that a launch reads across the order of the memory, as in a transpose.
pub const STRIDED: &str = "strided";

/// A merge of two runs takes this part of the time of sorting them.
const MERGE: f64 = 0.25;
/// The messages in turn of a routine that communicates: counts, requests, answers.
const TURNS: f64 = 3.0;

/// The name of a price: of memory ([`READ`], [`WRITE`]) or of a kind of work.
pub fn price_name(on_gpu: bool, what: &str) -> String {
    format!("{}-{what}", if on_gpu { "gpu" } else { "cpu" })
}

/// The name of the price of a kind of work with numbers of a dtype.
///
/// Arithmetic, products, factorisations and spectra have a price for numbers of up to 4 bytes and
/// one for wider numbers.
pub fn work_price_name(on_gpu: bool, work: Work, dtype: DType) -> String {
    let bits = if real_size(dtype) > 4 { "f64" } else { "f32" };
    match work {
        Work::Arithmetic => price_name(on_gpu, &format!("arithmetic-{bits}")),
        Work::Product => price_name(on_gpu, &format!("product-{bits}")),
        Work::Factors => price_name(on_gpu, &format!("factors-{bits}")),
        Work::Spectrum => price_name(on_gpu, &format!("spectrum-{bits}")),
        Work::Pass => price_name(on_gpu, READ),
        Work::Transform => price_name(on_gpu, "transform"),
        Work::Sort | Work::Merge => price_name(on_gpu, "sort"),
        Work::SortPositions => price_name(on_gpu, "argsort"),
        Work::Select => price_name(on_gpu, "select"),
        Work::Scan => price_name(on_gpu, "scan"),
        Work::Positions => price_name(on_gpu, "positions"),
    }
}

/// What a structured operation does on a device.
#[derive(Clone, Copy, Debug)]
pub struct Amounts {
    /// The kind of work.
    pub work: Work,
    /// The dtype of the first operand.
    pub dtype: DType,
    /// Elements of the result.
    pub elements: f64,
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes that are read.
    pub read: f64,
    /// Bytes that are written.
    pub wrote: f64,
}

impl Amounts {
    /// The amounts of an operation on operands of these shapes and dtypes, with this result.
    pub fn of(op: &Structured, operands: &[Operand<'_>], to: Operand<'_>) -> Amounts {
        let shapes: SmallVec<[&[usize]; 3]> = operands.iter().map(|(shape, _)| *shape).collect();
        let bytes = |(shape, dtype): &Operand<'_>| product(shape) * dtype.size() as f64;
        let elements = product(to.0);
        let each = op.flops_of_element(&shapes) * operations_of_number(to.1);
        Amounts {
            work: op.work(),
            dtype: operands.first().map_or(to.1, |(_, dtype)| *dtype),
            elements,
            flops: elements * each as f64,
            read: operands.iter().map(bytes).sum(),
            wrote: bytes(&to),
        }
    }

    /// The name of the price.
    pub fn price_name(&self, on_gpu: bool) -> String {
        work_price_name(on_gpu, self.work, self.dtype)
    }

    /// The amount of work in the unit of its price.
    ///
    /// # Units
    ///
    /// Floating-point operations for arithmetic, products, factorisations and spectra; those with
    /// numbers of 4 bytes for transforms; elements for positions; bytes for the others.
    pub fn amount(&self) -> f64 {
        let each = self.flops / self.elements.max(1.0);
        match self.work {
            Work::Arithmetic | Work::Product | Work::Factors | Work::Spectrum => self.flops,
            Work::Transform => self.flops * real_size(self.dtype) as f64 / 4.0,
            Work::Positions => self.elements * each.max(1.0),
            Work::Merge => MERGE * each * (self.read + self.wrote) / 2.0,
            Work::Sort | Work::SortPositions | Work::Select => (self.read + self.wrote) / 2.0,
            Work::Pass | Work::Scan => self.read + self.wrote,
        }
    }
}

/// The prices that apply to a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pricing<'a> {
    pub prices: &'a Prices,
    pub on_gpu: bool,
    /// The name of the price of messages.
    pub plane: &'a str,
    /// The number of devices that share the processor of a process.
    pub sharing: usize,
}

/// A price that a prediction needs and that was not measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unmeasured(pub String);

/// The predicted times of a plan on a device, in seconds.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Predicted {
    /// From the first step to the end of the last.
    pub total: f64,
    /// The time of messages, whether they run beside work or not.
    pub messages: f64,
    /// The time in which the device only waits for messages.
    pub waited: f64,
    /// The time of each step.
    pub steps: Vec<f64>,
}

impl Predicted {
    /// The plan's times on its slowest device, and the largest time of each step.
    pub fn max(self, other: Predicted) -> Predicted {
        let larger = |(a, b): (f64, f64)| a.max(b);
        let steps: Vec<f64> =
            self.steps.iter().copied().zip(other.steps.iter().copied()).map(larger).collect();
        let slowest = if other.total > self.total { other } else { self };
        Predicted { steps, ..slowest }
    }
}

/// Predicts the time of a plan on the slowest of some devices.
pub(crate) fn predict(
    pricing: Pricing<'_>,
    finished: &Final,
    mesh: &Mesh,
    devices: &[OnDevice],
) -> Result<Predicted, Unmeasured> {
    let of_device = |OnDevice { instance, costs }: &OnDevice| {
        predict_on(pricing, finished, mesh, instance, &costs.steps)
    };
    let each = devices.iter().map(of_device).collect::<Result<Vec<_>, _>>()?;
    Ok(each.into_iter().reduce(Predicted::max).unwrap_or_default())
}

/// Predicts the time of a plan on the device of an instance. `costs` are those of its steps.
fn predict_on(
    pricing: Pricing<'_>,
    finished: &Final,
    mesh: &Mesh,
    instance: &Instance,
    costs: &[Cost],
) -> Result<Predicted, Unmeasured> {
    let predicted = Predicted { steps: vec![0.0; costs.len()], ..Predicted::default() };
    let mut clocks = Clocks {
        pricing,
        mesh,
        costs,
        predicted,
        work: 0.0,
        messages: 0.0,
        arrivals: FxHashMap::default(),
        positions: Positions::of(finished),
        boxes: boxes(instance),
        before: 0.0,
    };
    instance.steps.iter().try_for_each(|step| clocks.step(step))?;
    clocks.predicted.total = clocks.work.max(clocks.messages);
    Ok(clocks.predicted)
}

/// The points of each kernel's boxes together.
fn boxes(instance: &Instance) -> FxHashMap<usize, f64> {
    let mut points = FxHashMap::default();
    for step in &instance.steps {
        if let LocalStep::Launch { kernel, extents, .. } = step {
            *points.entry(*kernel).or_default() += product(extents);
        }
    }
    points
}

fn product(extents: &[usize]) -> f64 {
    extents.iter().map(|&extent| extent as f64).product()
}

/// Where the steps of a device are among those of the plan.
struct Positions {
    launches: Vec<usize>,
    combines: Vec<usize>,
    exchanges: FxHashMap<ExchangeId, usize>,
    nodes: FxHashMap<NodeId, usize>,
}

impl Positions {
    fn of(finished: &Final) -> Positions {
        let mut positions = Positions {
            launches: Vec::new(),
            combines: Vec::new(),
            exchanges: FxHashMap::default(),
            nodes: FxHashMap::default(),
        };
        for (at, step) in finished.steps.iter().enumerate() {
            match step {
                FinalStep::Launch(_) => positions.launches.push(at),
                FinalStep::Combine(_) => positions.combines.push(at),
                FinalStep::Exchange(exchange) => {
                    positions.exchanges.insert(*exchange, at);
                }
                FinalStep::Routine(node) | FinalStep::Compress(node) => {
                    positions.nodes.insert(*node, at);
                }
            }
        }
        positions.combines.reverse();
        positions
    }
}

/// The two clocks of a device, in seconds since the start of the plan.
struct Clocks<'a> {
    pricing: Pricing<'a>,
    mesh: &'a Mesh,
    costs: &'a [Cost],
    predicted: Predicted,
    work: f64,
    messages: f64,
    /// When the chunks of each exchange have arrived that have been started so far.
    arrivals: FxHashMap<ExchangeId, f64>,
    positions: Positions,
    boxes: FxHashMap<usize, f64>,
    /// The time of copies since the last step of the plan, which belong to the next.
    before: f64,
}

impl Clocks<'_> {
    fn step(&mut self, step: &LocalStep) -> Result<(), Unmeasured> {
        match step {
            LocalStep::Start { exchange, sends, receives } => {
                let at = self.positions.exchanges[exchange];
                let packed = self.copies(sends)?;
                self.works(at, packed);
                let bytes = |packets: &[Packet]| {
                    packets.iter().map(|packet| packet.bytes.0 as f64).sum::<f64>()
                };
                let bytes = bytes(sends).max(bytes(receives));
                if sends.is_empty() && receives.is_empty() {
                    return Ok(());
                }
                let seconds = self.message(bytes)?;
                self.messages = self.messages.max(self.work) + seconds;
                self.predicted.messages += seconds;
                self.predicted.steps[at] += seconds;
                self.arrivals.insert(*exchange, self.messages);
            }
            LocalStep::Wait { exchange, unpack } => {
                let at = self.positions.exchanges[exchange];
                let arrival = self.arrivals.get(exchange).copied().unwrap_or(0.0);
                self.waits(arrival);
                let unpacked = self.copies(unpack)?;
                self.works(at, unpacked);
            }
            LocalStep::Launch { kernel, extents, .. } => {
                let at = self.positions.launches[*kernel];
                let points = self.boxes[kernel];
                let part = if points > 0.0 { product(extents) / points } else { 0.0 };
                let seconds = self.launch(&self.costs[at], part)?;
                self.works(at, seconds);
            }
            LocalStep::Zero { bytes, .. } => self.before += self.pass(0.0, bytes.0 as f64)?,
            LocalStep::Copy(copy) => self.before += self.copy(copy)?,
            LocalStep::Combine { parts, mesh_axes, .. } => {
                let Some(at) = self.positions.combines.pop() else {
                    unreachable!("bug: a device combines more often than the plan")
                };
                let bytes: f64 = parts.iter().map(|(_, bytes)| bytes.0 as f64).sum();
                let members = self.members(mesh_axes);
                // Each member passes on all other members' parts, then all results.
                let moved = 2.0 * bytes * (members - 1.0) / members;
                let rounds = 2.0 * members.log2().ceil();
                let seconds = self.message(moved)? + (rounds - 1.0) * self.latency()?;
                self.together(at, 0.0, seconds);
            }
            LocalStep::Routine(routine) => {
                let at = self.positions.nodes[&routine.node];
                let work = self.routine(routine)?;
                let seconds = match routine.together {
                    Some(_) => {
                        self.message(self.costs[at].sent.0 as f64)?
                            + (TURNS - 1.0) * self.latency()?
                    }
                    None => 0.0,
                };
                self.together(at, work, seconds);
            }
            LocalStep::Compress { node, is_split, .. } => {
                let at = self.positions.nodes[node];
                let Cost { read, wrote, .. } = self.costs[at];
                let work = self.pass(read.0 as f64, wrote.0 as f64)?;
                let seconds = if *is_split { self.message(0.0)? } else { 0.0 };
                self.together(at, work, seconds);
            }
        }
        Ok(())
    }

    /// The device works for a step of the plan.
    fn works(&mut self, at: usize, seconds: f64) {
        let seconds = seconds + std::mem::take(&mut self.before);
        self.work += seconds;
        self.predicted.steps[at] += seconds;
    }

    /// The device waits until a time.
    fn waits(&mut self, until: f64) {
        self.predicted.waited += (until - self.work).max(0.0);
        self.work = self.work.max(until);
    }

    /// The device works, then takes part in messages for which it waits.
    fn together(&mut self, at: usize, work: f64, messages: f64) {
        self.works(at, work);
        if messages > 0.0 {
            self.messages = self.messages.max(self.work) + messages;
            self.predicted.messages += messages;
            self.predicted.steps[at] += messages;
            self.waits(self.messages);
        }
    }

    fn members(&self, mesh_axes: &[u8]) -> f64 {
        mesh_axes.iter().map(|&axis| self.mesh.extent(axis.into()) as f64).product()
    }

    fn price(&self, name: &str) -> Result<Price, Unmeasured> {
        self.pricing.prices.price(name).ok_or_else(|| Unmeasured(name.to_owned()))
    }

    /// The seconds of work that a device does at the rate of a price. Devices that share a
    /// processor share its rate.
    fn at_rate(&self, price: Price, amount: f64) -> f64 {
        amount * self.pricing.sharing as f64 / price.rate
    }

    fn message(&self, bytes: f64) -> Result<f64, Unmeasured> {
        let price = self.price(self.pricing.plane)?;
        Ok(price.latency + self.at_rate(price, bytes))
    }

    fn latency(&self) -> Result<f64, Unmeasured> {
        Ok(self.price(self.pricing.plane)?.latency)
    }

    /// A pass over memory, from its start to its end.
    fn pass(&self, read: f64, wrote: f64) -> Result<f64, Unmeasured> {
        let of = |what| self.price(&price_name(self.pricing.on_gpu, what));
        let (reading, writing) = (of(READ)?, of(WRITE)?);
        Ok(reading.latency + self.at_rate(reading, read) + self.at_rate(writing, wrote))
    }

    fn copy(&self, copy: &CopyBox) -> Result<f64, Unmeasured> {
        let bytes = product(&copy.extents) * copy.item as f64;
        self.pass(bytes, bytes)
    }

    /// The copies of messages that are put together before they are sent, or apart afterwards.
    fn copies(&self, packets: &[Packet]) -> Result<f64, Unmeasured> {
        let copied = packets.iter().filter(|packet| packet.in_place.is_none());
        copied.filter_map(|packet| packet.copy.as_ref()).map(|copy| self.copy(copy)).sum()
    }

    /// A part of a launch: its memory and its arithmetic, whichever takes longer.
    fn launch(&self, cost: &Cost, part: f64) -> Result<f64, Unmeasured> {
        let bytes = |of: Bytes| of.0 as f64 * part;
        let mut memory = self.pass(bytes(cost.ordered), bytes(cost.wrote))?;
        if cost.strided > Bytes(0) {
            let price = self.price(&price_name(self.pricing.on_gpu, STRIDED))?;
            memory += self.at_rate(price, bytes(cost.strided));
        }
        let dtype = if cost.is_wide { DType::F64 } else { DType::F32 };
        let name = work_price_name(self.pricing.on_gpu, Work::Arithmetic, dtype);
        let arithmetic = self.at_rate(self.price(&name)?, cost.flops as f64 * part);
        Ok(memory.max(arithmetic))
    }

    fn routine(&self, routine: &Routine) -> Result<f64, Unmeasured> {
        let operands: SmallVec<[Operand<'_>; 3]> =
            routine.operands.iter().map(|at| (&*at.shape, at.dtype)).collect();
        let to = &routine.to;
        if routine.op.passes_on() && routine.operands[0].memory == to.memory {
            return Ok(0.0);
        }
        let amounts = Amounts::of(&routine.op, &operands, (&to.shape, to.dtype));
        if amounts.work == Work::Pass {
            return self.pass(amounts.read, amounts.wrote);
        }
        let price = self.price(&amounts.price_name(self.pricing.on_gpu))?;
        Ok(price.latency + self.at_rate(price, amounts.amount()))
    }
}
