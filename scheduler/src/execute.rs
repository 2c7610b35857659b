//! Execution: a device runs its instance of a plan step by step.

use crate::build::ScalarSource;
use crate::error::RunError;
use crate::gathering::{gather, wait};
use crate::ids::ExchangeId;
use crate::instance::{
    At, BlockAt, CopyBox, InPlace, LocalStep, Memory, Packet, Routine, Together,
};
use crate::job::{Job, JobMemory};
use crate::routines::{RoutineCall, Routines};
use crate::segments::{Segment, Turn};
use crate::timeline::{Recorder, Recording};
use phalanx_collectives::{Communicator, Message};
use phalanx_device::{Buffer, Captured, Device, Event, Slice, Strided, copy_slice, copy_strided};
use phalanx_graph::NodeId;
use phalanx_kernels::cpu::BufferLaunch;
use phalanx_kernels::structured::{self, Block};
use phalanx_ops::{Bounds, Bytes, DType, Mesh, Monoid, Scalar, Sharding, Split};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The exchanges in flight, each with the events of its chunks.
type Events = FxHashMap<ExchangeId, SmallVec<[Event; 1]>>;

/// A device with what it needs to run plans.
pub(crate) struct Worker {
    /// The number among this process's devices.
    pub local: usize,
    /// The number among the mesh's devices.
    pub device: usize,
    pub memory: Arc<dyn Device>,
    pub communicator: Arc<dyn Communicator>,
    pub mesh: Mesh,
    routines: Routines,
    /// Communicators over a subset of the mesh axes, made at first use; that is the same step on
    /// every device.
    groups: FxHashMap<SmallVec<[u8; 2]>, Arc<dyn Communicator>>,
    /// For each exchange in flight, the receiving host slices and the slices to copy them to.
    arriving: FxHashMap<ExchangeId, Vec<(Slice, Slice)>>,
    /// Whether communicators receive device memory directly, without a copy through the host.
    is_direct: bool,
    /// Notes the steps; `None` without a timeline, and while steps are captured.
    recorder: Option<Arc<Recorder>>,
}

impl Worker {
    pub fn new(
        local: usize,
        device: usize,
        memory: Arc<dyn Device>,
        communicator: Arc<dyn Communicator>,
        mesh: Mesh,
        routines: Routines,
    ) -> Worker {
        let (groups, arriving) = (FxHashMap::default(), FxHashMap::default());
        Worker {
            local,
            device,
            memory,
            communicator,
            mesh,
            routines,
            groups,
            arriving,
            is_direct: false,
            recorder: None,
        }
    }

    /// Lets the steps and messages be recorded.
    pub fn record(&mut self, recording: &Recording) {
        self.communicator = recording.observed(self.local, self.communicator.clone());
        self.recorder = Some(recording.recorder(self.local));
    }

    /// Runs a job on this device.
    pub fn run(&mut self, job: &Job) -> Result<(), RunError> {
        tracing::trace!(target: "phalanx::path", file = file!());
        let memory = &job.memory[self.local];
        // A run that may load library code must not do so while another device of this process
        // waits for this one. Such a run exchanges data through the host.
        let loads = job.loads && job.ready.is_alone(&self.mesh);
        self.is_direct = self.communicator.takes_device_memory() && !loads;
        if self.is_direct && job.ready.is_collective {
            self.communicator.prepare()?;
        }
        if let Some(recorder) = &self.recorder {
            recorder.begin(job.number);
        }
        let mut events = Events::default();
        let mut done = 0;
        for (number, segment) in job.ready.segments[self.local].iter().enumerate() {
            self.steps(job, memory, done..segment.steps.start, &mut events)?;
            self.segment(job, memory, number, &mut events)?;
            done = segment.steps.end;
        }
        let all = job.ready.instances[self.local].steps.len();
        self.steps(job, memory, done..all, &mut events)?;
        // A failure on a GPU after this check is reported to the next caller that reads from it.
        self.memory.failure().map_or(Ok(()), |failure| Err(RunError::Device(failure)))
    }

    /// Enqueues the steps of a segment.
    fn segment(
        &mut self,
        job: &Job,
        memory: &JobMemory,
        number: usize,
        events: &mut Events,
    ) -> Result<(), RunError> {
        let segment: &Segment = &job.ready.segments[self.local][number];
        let address = |at: Memory| {
            let buffer = memory.buffer(at);
            buffer.remote().map(|_| buffer.as_ptr() as u64)
        };
        let turn = segment.turn(address, &job.scalars);
        if let Turn::Launch(captured) = &turn {
            let _span = tracing::trace_span!("segment", steps = segment.steps.len()).entered();
            if self.launch(job, number, &**captured)? {
                return Ok(());
            }
            segment.lost();
        }
        let steps = segment.steps.clone();
        if let Turn::Capture = turn {
            let device = self.memory.clone();
            let mut outcome = Ok(());
            let recorder = self.recorder.take();
            let captured =
                device.capture(&mut || outcome = self.steps(job, memory, steps.clone(), events));
            self.recorder = recorder;
            let captured = captured.filter(|_| outcome.is_ok());
            segment.keep(captured.clone());
            if let Some(captured) = captured
                && self.launch(job, number, &*captured)?
            {
                return Ok(());
            }
        }
        self.steps(job, memory, steps, events)
    }

    /// Launches the captured steps of a segment; returns false if the device has no capture of
    /// them.
    fn launch(&self, job: &Job, segment: usize, captured: &dyn Captured) -> Result<bool, RunError> {
        let Some(recorder) = &self.recorder else { return Ok(captured.launch()?) };
        let given = Instant::now();
        let is_launched = captured.launch()?;
        if is_launched {
            recorder.step(&job.ready.graphs[self.local][segment], given)?;
        }
        Ok(is_launched)
    }

    fn steps(
        &mut self,
        job: &Job,
        memory: &JobMemory,
        range: Range<usize>,
        events: &mut Events,
    ) -> Result<(), RunError> {
        // A null device runs only launch steps, which may save the texts of kernels.
        let is_null = self.memory.is_null();
        for (number, step) in range.clone().zip(&job.ready.instances[self.local].steps[range]) {
            if is_null && !matches!(step, LocalStep::Launch { .. }) {
                continue;
            }
            let Some(recorder) = self.recorder.clone() else {
                self.step(job, memory, step, events)?;
                continue;
            };
            let given = Instant::now();
            self.step(job, memory, step, events)?;
            recorder.step(&job.ready.names[self.local][number], given)?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        job: &Job,
        memory: &JobMemory,
        step: &LocalStep,
        events: &mut Events,
    ) -> Result<(), RunError> {
        match step {
            LocalStep::Start { exchange, sends, receives } => {
                self.copy_packets(memory, sends);
                let _span =
                    tracing::trace_span!("collective", kind = "exchange", sends = sends.len())
                        .entered();
                if !(sends.is_empty() && receives.is_empty()) {
                    let event = self.exchange(memory, *exchange, sends, receives)?;
                    events.entry(*exchange).or_default().push(event);
                }
            }
            LocalStep::Wait { exchange, unpack } => {
                for event in events.remove(exchange).unwrap_or_default() {
                    wait(&event)?;
                }
                self.deliver(*exchange);
                self.copy_packets(memory, unpack);
            }
            LocalStep::Launch { kernel, extents, origins, accesses, guards, scalars } => {
                let _span = tracing::trace_span!("step", kernel, ?extents).entered();
                let arguments = BufferLaunch {
                    extents,
                    origins,
                    accesses: accesses
                        .iter()
                        .map(|at: &At| (memory.buffer(at.memory), at.offset, at.strides.as_slice()))
                        .collect(),
                    guards,
                    scalars: scalars.iter().map(|source| scalar(source, &job.scalars)).collect(),
                };
                job.ready.kernels[*kernel].launch(&arguments, &self.memory)?;
            }
            LocalStep::Zero { memory: target, bytes } => memory.buffer(*target).zero(0, bytes.0),
            LocalStep::Copy(copy) => memory.copy(copy),
            LocalStep::Combine { parts, together, dtype, monoid, mesh_axes } => {
                let _span =
                    tracing::trace_span!("collective", kind = "all_reduce", %monoid).entered();
                self.combine(memory, parts, *together, (*dtype, *monoid), mesh_axes)?;
            }
            LocalStep::Routine(routine) => {
                let _span = tracing::trace_span!("step", routine = routine.op.name()).entered();
                self.routine(job, memory, routine)?;
            }
            LocalStep::Compress { node, value, mask, to, count, item, is_split } => {
                let [value, mask, to] = [value, mask, to].map(|at| memory.buffer(*at));
                let kept = to.compress_from(value, mask, *count, *item, self.memory.pool())?;
                self.settle(job, *node, kept, *is_split)?;
            }
        }
        Ok(())
    }

    /// Runs the routine of a structured operation.
    fn routine(
        &mut self,
        job: &Job,
        memory: &JobMemory,
        routine: &Routine,
    ) -> Result<(), RunError> {
        let buffers: SmallVec<[Buffer; 3]> =
            routine.operands.iter().map(|at| memory.buffer_of(at)).collect();
        let operands: SmallVec<[Block<'_>; 3]> =
            routine.operands.iter().zip(&buffers).map(|(at, buffer)| at.on(buffer)).collect();
        let to = memory.buffer_of(&routine.to);
        let to = routine.to.on(&to);
        let Some(Together { mesh_axes, largest, room }) = &routine.together else {
            let scalars: SmallVec<[Scalar; 4]> =
                routine.scalars.iter().map(|scalar| job.scalars[scalar.index()]).collect();
            structured::run_on(&routine.op, &operands, &scalars, &to, &self.memory)?;
            return Ok(());
        };
        let room = room.iter().map(|&local| memory.buffer(Memory::Local(local)).whole());
        let room: Vec<Slice> = room.collect();
        let Some(together) = self.routines.of(&routine.op) else {
            let message = format!("{} has no routine that communicates", routine.op.name());
            return Err(RunError::Bug { message });
        };
        let group = self.group(mesh_axes)?;
        let takes_device_memory = self.is_direct && group.takes_device_memory();
        if takes_device_memory {
            group.prepare()?;
        }
        together.run(&RoutineCall {
            op: &routine.op,
            operands: &operands,
            to: &to,
            largest,
            room: &room,
            device: &self.memory,
            communicator: &*group,
            takes_device_memory,
        })
    }

    /// The rows of a packet, if the communicator takes them.
    fn in_place<'p>(&self, packet: &'p Packet) -> Option<&'p InPlace> {
        let takes = |rows: &&InPlace| {
            let Packet { peer, bytes, .. } = packet;
            self.is_direct && self.communicator.takes_rows(*peer, bytes.0, rows.rows.pitch)
        };
        packet.in_place.as_ref().filter(takes)
    }

    /// Runs the copies of the packets that the communicator does not take as rows.
    fn copy_packets(&self, memory: &JobMemory, packets: &[Packet]) {
        let apart = packets.iter().filter(|packet| self.in_place(packet).is_none());
        apart.filter_map(|packet| packet.copy.as_ref()).for_each(|copy| memory.copy(copy));
    }

    /// Starts an exchange. Data that the communicator cannot access is copied to the host first.
    fn exchange(
        &mut self,
        memory: &JobMemory,
        exchange: ExchangeId,
        sends: &[Packet],
        receives: &[Packet],
    ) -> Result<Event, RunError> {
        let mut arriving = Vec::new();
        let staged = |packet: &Packet, arriving: Option<&mut Vec<(Slice, Slice)>>| {
            if let Some(InPlace { memory: at, span, rows }) = self.in_place(packet) {
                let data = memory.buffer(*at).slice(span.start, span.len());
                return Message { peer: packet.peer, data, rows: Some(*rows) };
            }
            let message = memory.message(packet);
            if self.is_direct || message.data.buffer.remote().is_none() {
                return message;
            }
            let Message { peer, data, rows } = message;
            let mut bytes = vec![0; data.len];
            if arriving.is_none() {
                data.buffer.read(data.offset, &mut bytes);
            }
            let host = Buffer::from_vec(bytes).whole();
            if let Some(arriving) = arriving {
                arriving.push((host.clone(), data));
            }
            Message { peer, data: host, rows }
        };
        let sends: Vec<Message> = sends.iter().map(|packet| staged(packet, None)).collect();
        let receives: Vec<Message> =
            receives.iter().map(|packet| staged(packet, Some(&mut arriving))).collect();
        let event = self.communicator.exchange(&sends, &receives)?;
        if !arriving.is_empty() {
            self.arriving.entry(exchange).or_default().extend(arriving);
        }
        Ok(event)
    }

    /// Copies received data from the host to its target on the device.
    fn deliver(&mut self, exchange: ExchangeId) {
        for (host, target) in self.arriving.remove(&exchange).unwrap_or_default() {
            copy_slice(&host, &target);
        }
    }

    /// Combines a slice over the members of a communicator group, in place.
    fn all_reduce(
        &self,
        group: &dyn Communicator,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<(), RunError> {
        let is_direct = self.is_direct && group.takes_device_memory();
        if is_direct || data.buffer.remote().is_none() {
            return wait(&group.all_reduce(data, dtype, monoid)?);
        }
        let host = data.buffer.on_host();
        let staged = host.slice(data.offset, data.len);
        wait(&group.all_reduce(&staged, dtype, monoid)?)?;
        copy_slice(&staged, data);
        Ok(())
    }

    /// The communicator over the devices that differ from this one only on the given mesh axes. Its
    /// members are in the order of the blocks of an array's axis that these mesh axes split.
    fn group(&mut self, mesh_axes: &[u8]) -> Result<Arc<dyn Communicator>, RunError> {
        if mesh_axes.iter().copied().eq(0..self.mesh.ndim() as u8) {
            return Ok(self.communicator.clone());
        }
        if let Some(group) = self.groups.get(mesh_axes) {
            return Ok(group.clone());
        }
        let mut coordinates = self.mesh.coordinates(self.device);
        let mut part = 0;
        for &axis in mesh_axes {
            let axis = usize::from(axis);
            part = part * self.mesh.extent(axis) + coordinates[axis];
            coordinates[axis] = 0;
        }
        let color = self.mesh.device(&coordinates) as u32;
        let group = self.communicator.split(Some(color), part as u32)?;
        let Some(group) = group else { unreachable!("bug: a coloured member joins a group") };
        self.groups.insert(mesh_axes.into(), group.clone());
        Ok(group)
    }

    fn combine(
        &mut self,
        memory: &JobMemory,
        parts: &[(Memory, Bytes)],
        together: Option<Memory>,
        (dtype, monoid): (DType, Monoid),
        mesh_axes: &[u8],
    ) -> Result<(), RunError> {
        // A reduction does not depend on the order of the members. Ascending axes share one group.
        let mut ascending = SmallVec::<[u8; 2]>::from_slice(mesh_axes);
        ascending.sort_unstable();
        let group = self.group(&ascending)?;
        let Some(together) = together.map(|at| memory.buffer(at)) else {
            for (part, bytes) in parts.iter().filter(|part| part.1 > Bytes(0)) {
                let part = memory.buffer(*part).slice(0, bytes.0);
                self.all_reduce(&*group, &part, dtype, monoid)?;
            }
            return Ok(());
        };
        if together.is_empty() {
            return Ok(());
        }
        let move_all = |back: bool| {
            let mut offset = 0;
            for &(part, Bytes(bytes)) in parts {
                let (own, all) = (memory.buffer(part), together);
                let (from, to, at, into) =
                    if back { (all, own, offset, 0) } else { (own, all, 0, offset) };
                copy_slice(&from.slice(at, bytes), &to.slice(into, bytes));
                offset += bytes;
            }
        };
        move_all(false);
        self.all_reduce(&*group, &together.whole(), dtype, monoid)?;
        move_all(true);
        Ok(())
    }

    /// Gives a value its shape and sharding, once this run has found how many elements it has.
    fn settle(
        &mut self,
        job: &Job,
        node: NodeId,
        kept: usize,
        is_split: bool,
    ) -> Result<(), RunError> {
        let Some((_, shards)) = job.late.iter().find(|late| late.0 == node) else { return Ok(()) };
        if !is_split {
            shards.settle(Sharding::replicated(1), vec![kept]);
            return Ok(());
        }
        let sizes = gather(&*self.communicator, &[kept])?;
        let split = job.ready.placements[node.index()].space.axes.iter().flatten().next();
        let Some(split) = split else { unreachable!("bug: a split space has a split axis") };
        // One count for each block; devices with the same block have the same count.
        let mut blocks = vec![0; split.bounds.parts()];
        for (device, size) in sizes.iter().enumerate() {
            blocks[split.part(&self.mesh, &self.mesh.coordinates(device))] = *size;
        }
        let shape = vec![blocks.iter().sum()];
        let bounds = Bounds::explicit(&blocks);
        let split = Split { mesh_axes: split.mesh_axes.clone(), bounds };
        shards.settle(Sharding { axes: [Some(split)].into_iter().collect(), partial: None }, shape);
        Ok(())
    }
}

/// The value of a kernel's scalar, with the arguments of the job.
fn scalar(source: &ScalarSource, arguments: &[Scalar]) -> Scalar {
    match source {
        ScalarSource::Argument(argument) => arguments[argument.index()],
        ScalarSource::Number(number) => *number,
        ScalarSource::Points(_) | ScalarSource::IsFirst => {
            unreachable!("bug: the launch has given the number")
        }
    }
}

impl JobMemory {
    fn buffer(&self, memory: Memory) -> &Buffer {
        match memory {
            Memory::Slot(slot) => &self.slots[slot.index()],
            Memory::Leaf(leaf) => &self.leaves[leaf.index()],
            Memory::Local(local) => &self.locals[local.index()],
        }
    }

    /// The buffer that holds a block and nothing else.
    fn buffer_of(&self, at: &BlockAt) -> Buffer {
        let buffer = self.buffer(at.memory);
        match &at.part {
            Some(part) => buffer.part(part.clone()),
            None => buffer.clone(),
        }
    }

    fn copy(&self, copy: &CopyBox) {
        copy_strided(&self.at(&copy.from), &self.at(&copy.to), &copy.extents, copy.item);
    }

    fn at<'a>(&'a self, at: &'a At) -> Strided<'a> {
        Strided { buffer: self.buffer(at.memory), offset: at.offset, strides: &at.strides }
    }

    fn message(&self, packet: &Packet) -> Message {
        let data: Slice = self.buffer(packet.memory).slice(packet.offset.0, packet.bytes.0);
        Message { peer: packet.peer, data, rows: None }
    }
}
