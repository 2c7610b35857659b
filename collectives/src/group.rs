//! One member's end of a communicator group: the list of members, and the messages to and from
//! them.

use crate::planes::mpi::{Native, Route};
use crate::transport::{Channel, Fabric, Lane, Transfer};
use crate::{CollectiveError, Message, Operation};
use phalanx_device::{Buffer, Event, Slice};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Scratch memory larger than this is freed after each collective.
pub(crate) const SCRATCH_BYTES: usize = 64 << 20;

/// One device's end of a group.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) fabric: Arc<Fabric>,
    /// The same on all members, and different from those of other groups.
    pub(crate) id: u64,
    pub(crate) rank: usize,
    /// The device of each member.
    pub(crate) members: Arc<[MemberDevice]>,
    /// A small number of the communicator group on which its members have agreed. No two groups of
    /// a device have the same number.
    number: u64,
    /// MPI's own collectives, if messages travel by MPI and each process has one member.
    native: OnceLock<Arc<Native>>,
    scratch: Mutex<Option<Buffer>>,
}

/// The device of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberDevice {
    pub(crate) process: usize,
    /// The number of the device within the process.
    pub(crate) device: usize,
}

type Posted = Result<Arc<Transfer>, CollectiveError>;

impl Group {
    pub(crate) fn new(
        fabric: Arc<Fabric>,
        (id, number): (u64, u64),
        rank: usize,
        members: Arc<[MemberDevice]>,
    ) -> Group {
        let (native, scratch) = (OnceLock::new(), Mutex::default());
        Group { fabric, id, rank, members, number, native, scratch }
    }

    /// The number of members.
    pub(crate) fn size(&self) -> usize {
        self.members.len()
    }

    /// Whether all members are in this process.
    pub(crate) fn is_local(&self) -> bool {
        self.members.iter().all(|member| member.process == self.fabric.rank)
    }

    /// Uses MPI's own collectives from now on, unless the communicator group is local. Collective.
    pub(crate) fn use_native(&self, native: Arc<Native>) {
        if !self.is_local() {
            let is_first = self.native.set(native).is_ok();
            assert!(is_first, "bug: a group with two communicators of MPI");
        }
    }

    /// MPI's own collectives, if the communicator group has them.
    pub(crate) fn native(&self) -> Option<&Native> {
        self.native.get().map(|native| &**native)
    }

    /// A buffer of at least `len` bytes. Later collectives use it again.
    pub(crate) fn scratch(&self, len: usize) -> Buffer {
        let mut kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            // A handle held by a transfer of an earlier collective means that its bytes are still
            // in use.
            Some(buffer) if buffer.len() >= len && buffer.is_unique() => buffer.clone(),
            _ => {
                let buffer = Buffer::from_vec(vec![0u8; len]);
                *kept = (len <= SCRATCH_BYTES).then(|| buffer.clone());
                buffer
            }
        }
    }

    pub(crate) fn post_send(&self, lane: Lane, to: usize, data: &Slice) -> Posted {
        let (channel, route) = self.channel(lane, self.rank, to);
        self.fabric.post_send(channel, route, self.members[to].process, data)
    }

    pub(crate) fn post_receive(&self, lane: Lane, from: usize, data: &Slice) -> Posted {
        let (channel, route) = self.channel(lane, from, self.rank);
        self.fabric.post_receive(channel, route, self.members[from].process, data)
    }

    fn channel(&self, lane: Lane, from: usize, to: usize) -> (Channel, Route) {
        let channel = Channel { group: self.id, lane, from: from as u32, to: to as u32 };
        let device = |member: usize| self.members[member].device;
        (channel, Route { group: self.number, from: device(from), to: device(to) })
    }

    /// Starts the messages of an operation and returns an event that watches them. An error ends
    /// the world.
    pub(crate) fn messages(
        &self,
        operation: Operation,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<Event, CollectiveError> {
        let lane = Lane::of(operation);
        let mut transfers = Vec::with_capacity(receives.len() + sends.len());
        let mut post = || {
            self.fabric.failure.check()?;
            for message in receives {
                transfers.push(self.post_receive(lane, message.peer, &message.data)?);
            }
            for message in sends {
                transfers.push(self.post_send(lane, message.peer, &message.data)?);
            }
            Ok(())
        };
        let outcome: Result<(), CollectiveError> = post();
        if let Err(error) = outcome {
            let error = self.fabric.fail(error);
            // The world has failed, so waiting cancels what was posted already.
            for transfer in &transfers {
                let _ = self.fabric.wait(transfer);
            }
            return Err(error);
        }
        if transfers.iter().all(|transfer| transfer.is_done()) {
            return Ok(Event::ready());
        }
        let bytes = transfers.iter().map(|transfer| transfer.len()).sum();
        Ok(Event::driven(Arc::new(self.fabric.completion(transfers, (operation, bytes)))))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.fabric.forget(self.id, self.rank);
    }
}
