//! The plane of a group whose members have GPUs and whose messages travel by MPI.
//!
//! Slices on the GPU use the algorithms of the host, so they are combined in the same order; the
//! GPU copies and combines them. MPI does not know the order of the device's work. Therefore a
//! message is posted when all earlier work is complete, and a thread that waits for it continues
//! when MPI has completed it. Between GPUs of one process a message is a copy.
//!
//! A library that accepts addresses of GPU memory receives them. For other libraries, data for
//! another process is copied to pinned memory (`staging`).

use super::pace::Pace;
use super::staging::{Pinned, Stager, stage};
use crate::algorithms::{self, Lower, Memory, converse};
use crate::call::Call;
use crate::chunks::part_of;
use crate::group::Group;
use crate::order::Items;
use crate::planes::nccl::{Combination, Kernel};
use crate::planes::{DevicePlane, HostGroup};
use crate::transport::Fabric;
use crate::{CollectiveError, Message, Operation};
use phalanx_device::cuda::{CudaDevice, Event as Point, Stream};
use phalanx_device::{Buffer, Device, DeviceError, Event, Slice, copy_slice};
use std::cell::Cell;
use std::sync::Arc;

/// Waits until the device has completed all of its work.
///
/// Errors: the error that ended the world.
pub(super) fn settle(gpu: &Arc<CudaDevice>, fabric: &Fabric) -> Result<(), CollectiveError> {
    let fail = |error: DeviceError| fabric.fail_of_device(&error);
    let point = Point::new(gpu.context(), false, false).map_err(fail)?;
    point.record(&Stream::of_work(gpu.context())).map_err(fail)?;
    let mut pace = Pace::default();
    while !point.is_done().map_err(fail)? {
        fabric.failure.check()?;
        pace.pause();
    }
    Ok(())
}

/// The memory of a GPU: copies and combinations are work of the device.
struct GpuMemory<'a> {
    plane: &'a MpiPlane,
    /// Whether the device may have work that touches slices of the collective; at first it may,
    /// from the caller.
    has_work: Cell<bool>,
}

impl GpuMemory<'_> {
    fn gpu(&self) -> &Arc<CudaDevice> {
        &self.plane.gpu
    }

    fn fabric(&self) -> &Fabric {
        &self.plane.host.group.fabric
    }
}

impl Memory for GpuMemory<'_> {
    fn is_on_host(&self) -> bool {
        false
    }

    fn settle(&self) -> Result<(), CollectiveError> {
        if self.has_work.replace(false) { settle(self.gpu(), self.fabric()) } else { Ok(()) }
    }

    fn outgoing(&self, data: &Slice, to: usize) -> Result<Slice, CollectiveError> {
        self.settle()?;
        if !self.plane.is_staged_with(to) {
            return Ok(data.clone());
        }
        let copy = self.plane.outgoing(data.len);
        self.copy(data, &copy)?;
        // The copy is complete: the host waits for what it reads.
        self.has_work.set(false);
        Ok(copy)
    }

    fn incoming(&self, place: &Slice, from: usize) -> Result<Slice, CollectiveError> {
        if self.plane.is_staged_with(from) {
            Ok(self.plane.incoming(place.len))
        } else {
            self.settle().map(|()| place.clone())
        }
    }

    /// Memory of the device's pool, which reuses it in the order of the device's work.
    fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError> {
        // Earlier work that uses this memory may be incomplete.
        self.has_work.set(true);
        let scratch = self.gpu().clone().allocate(len);
        scratch.map_err(|error| self.fabric().fail_of_device(&error))
    }

    fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError> {
        if source.len == 0 || source.as_ptr() == target.as_ptr() {
            return Ok(());
        }
        self.has_work.set(true);
        copy_slice(source, target);
        Ok(())
    }

    fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError> {
        assert_eq!(accumulator.len, incoming.len, "bug: items of different lengths are combined");
        let function = Kernel::Combine(items.dtype, items.monoid).load(self.gpu());
        let function = function.map_err(|error| self.fabric().fail_of_device(&error))?;
        let places = [accumulator, incoming].map(|slice| slice.as_ptr() as u64);
        let [first, second] = match lower {
            Lower::Accumulator => places,
            Lower::Incoming => [places[1], places[0]],
        };
        let combination = Combination {
            from: first,
            to: places[0],
            items: (accumulator.len / items.size()) as u64,
            stride: second.wrapping_sub(first),
            members: 2,
        };
        self.has_work.set(true);
        // SAFETY: both slices reside in this device's memory, are whole items of the function's
        // kind, and no message touches them; memory returns to the pool behind this work.
        let launched =
            unsafe { combination.launch(function, &Stream::of_work(self.gpu().context())) };
        launched.map_err(|error| self.fabric().fail_of_device(&error))
    }
}

/// One device's side of a communicator group of GPUs whose messages travel by MPI.
pub(crate) struct MpiPlane {
    host: Arc<HostGroup>,
    gpu: Arc<CudaDevice>,
    /// Whether MPI receives addresses of the GPU's memory.
    is_direct: bool,
    /// The pinned memory of the GPU's messages in all communicator groups: for sends and for
    /// receives.
    pinned: Arc<[Pinned; 2]>,
}

impl MpiPlane {
    pub(crate) fn new(host: Arc<HostGroup>, gpu: Arc<CudaDevice>, is_direct: bool) -> MpiPlane {
        MpiPlane { host, gpu, is_direct, pinned: Arc::default() }
    }

    /// Whether messages to and from a member travel through host memory. Both ends agree.
    fn is_staged_with(&self, peer: usize) -> bool {
        let group = &self.host.group;
        !self.is_direct && group.members[peer].process != group.fabric.rank
    }

    /// Performs an all-to-all as an exchange, which cuts long parts into chunks.
    fn all_to_all_in_chunks(
        &self,
        [send, receive]: [&Slice; 2],
        send_counts: &[usize],
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        let parts = |whole: &Slice, counts: &[usize]| -> Vec<Message> {
            let part = |peer| {
                let range = part_of(counts, peer);
                Message { peer, data: whole.slice(range.start, range.len()), rows: None }
            };
            (0..counts.len()).filter(|peer| counts[*peer] > 0).map(part).collect()
        };
        let (sends, receives) = (parts(send, send_counts), parts(receive, receive_counts));
        if sends.is_empty() && receives.is_empty() {
            return Ok(Event::ready());
        }
        self.messages(Operation::AllToAll, &sends, &receives)
    }
}

impl Stager for MpiPlane {
    fn group(&self) -> &Group {
        &self.host.group
    }

    fn is_staged(&self, message: &Message) -> bool {
        message.data.buffer.remote().is_some() && self.is_staged_with(message.peer)
    }

    fn outgoing(&self, len: usize) -> Slice {
        self.pinned[0].far_slice(&self.gpu, len)
    }

    fn incoming(&self, len: usize) -> Slice {
        self.pinned[1].far_slice(&self.gpu, len)
    }
}

impl DevicePlane for MpiPlane {
    fn name(&self) -> Option<&'static str> {
        None
    }

    fn takes_device_memory(&self) -> bool {
        true
    }

    fn waits_in_device_work(&self) -> bool {
        false
    }

    fn prepare(&self) -> Result<(), CollectiveError> {
        Ok(())
    }

    fn collective(&self, call: Call<'_>) -> Result<Event, CollectiveError> {
        if let (Call::AllToAll { send, send_counts, receive, receive_counts }, false) =
            (call, self.is_direct)
        {
            return self.all_to_all_in_chunks([send, receive], send_counts, receive_counts);
        }
        let group = &self.host.group;
        let _begun = group.fabric.doings.under.begin(call.operation(), call.bytes());
        let memory = GpuMemory { plane: self, has_work: Cell::new(true) };
        let run = || {
            group.fabric.failure.check()?;
            if group.size() > 1 {
                return converse(group, &memory, |own| algorithms::collective(own, call));
            }
            // A group of one member only copies.
            call.ends().map_or(Ok(()), |[source, target]| memory.copy(source, target))
        };
        // Device work that is still running precedes the device's later work.
        run().map(|()| Event::ready()).map_err(|error| group.fabric.fail(error))
    }

    /// Starts the messages without waiting for them, after the device's work.
    fn messages(
        &self,
        operation: Operation,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<Event, CollectiveError> {
        settle(&self.gpu, &self.host.group.fabric)?;
        if sends.iter().chain(receives).any(|message| self.is_staged(message)) {
            return stage(self, operation, sends, receives);
        }
        self.host.group.messages(operation, sends, receives)
    }

    fn of_division(&self, host: &Arc<HostGroup>, _members: &[usize]) -> MpiPlane {
        let (gpu, is_direct, pinned) = (self.gpu.clone(), self.is_direct, self.pinned.clone());
        MpiPlane { host: host.clone(), gpu, is_direct, pinned }
    }
}
