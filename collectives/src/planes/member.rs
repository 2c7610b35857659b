//! The communicator of every world: it checks arguments, chooses between the planes of the host and
//! of the device by where slices reside, and divides both.

use super::device::{DevicePlane, NoDevices};
use super::host::HostGroup;
use crate::call::{Call, check_member};
use crate::order::Items;
use crate::{CollectiveError, Communicator, Message, Operation};
use phalanx_device::{Event, Slice};
use phalanx_ops::{DType, Monoid};
use std::sync::Arc;

/// One member of a group, with the group's plane for the memory of its device, if there is one.
pub(crate) struct Member<D> {
    host: Arc<HostGroup>,
    device: Option<D>,
}

impl Member<NoDevices> {
    /// A member whose slices reside on the host.
    pub(crate) fn on_host(host: Arc<HostGroup>) -> Arc<Member<NoDevices>> {
        Arc::new(Member { host, device: None })
    }
}

impl<D: DevicePlane> Member<D> {
    /// A member whose slices reside on the host or on its device.
    pub(crate) fn on_device(host: Arc<HostGroup>, device: D) -> Arc<Member<D>> {
        Arc::new(Member { host, device: Some(device) })
    }

    /// The device's plane, if it carries the memory of devices.
    fn device(&self) -> Option<&D> {
        self.device.as_ref().filter(|device| device.takes_device_memory())
    }

    /// Returns the result of a check. An error ends the world, unless it has ended.
    fn checked(&self, arguments: Result<(), CollectiveError>) -> Result<(), CollectiveError> {
        let fabric = &self.host.group.fabric;
        arguments.map_err(|error| match fabric.failure.check() {
            Err(known) => known,
            Ok(()) => fabric.fail(error),
        })
    }

    fn collective(&self, call: Call<'_>) -> Result<Event, CollectiveError> {
        self.checked(call.check(self.rank(), self.size()))?;
        match self.device().filter(|_| call.slice().buffer.remote().is_some()) {
            Some(device) => device.collective(call),
            None => self.host.collective(call),
        }
    }

    fn messages(
        &self,
        operation: Operation,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<Event, CollectiveError> {
        let mut all = sends.iter().chain(receives);
        let size = self.size();
        self.checked(all.clone().try_for_each(|message| check_member(message.peer, size)))?;
        match self.device().filter(|_| all.any(|one| one.data.buffer.remote().is_some())) {
            Some(device) => device.messages(operation, sends, receives),
            None => self.host.group.messages(operation, sends, receives),
        }
    }
}

impl<D: DevicePlane> Communicator for Member<D> {
    fn rank(&self) -> usize {
        self.host.group.rank
    }

    fn size(&self) -> usize {
        self.host.group.size()
    }

    fn plane(&self) -> &'static str {
        self.device.as_ref().and_then(D::name).unwrap_or_else(|| self.host.name())
    }

    fn takes_device_memory(&self) -> bool {
        self.device().is_some()
    }

    fn waits_in_device_work(&self) -> bool {
        self.device().is_some_and(D::waits_in_device_work)
    }

    fn prepare(&self) -> Result<(), CollectiveError> {
        self.device().map_or(Ok(()), D::prepare)
    }

    fn all_reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        tracing::trace!(target: "phalanx::path", file = file!());
        self.collective(Call::AllReduce { data, items: Items { dtype, monoid } })
    }

    fn reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        self.collective(Call::Reduce { data, items: Items { dtype, monoid }, root })
    }

    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError> {
        self.collective(Call::Broadcast { data, root })
    }

    fn all_gather_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        self.collective(Call::AllGather { send, receive, counts })
    }

    fn reduce_scatter_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        let items = Items { dtype, monoid };
        self.collective(Call::ReduceScatter { send, receive, counts, items })
    }

    fn all_to_all_v(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError> {
        self.collective(Call::AllToAll { send, send_counts, receive, receive_counts })
    }

    fn scatter_v(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let nothing = receive.slice(0, 0);
        self.collective(Call::Scatter { send: send.unwrap_or(&nothing), receive, counts, root })
    }

    fn gather_v(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError> {
        let nothing = send.slice(0, 0);
        self.collective(Call::Gather { send, receive: receive.unwrap_or(&nothing), counts, root })
    }

    fn send(&self, data: &Slice, to: usize) -> Result<Event, CollectiveError> {
        let message = Message { peer: to, data: data.clone(), rows: None };
        self.messages(Operation::Send, &[message], &[])
    }

    fn recv(&self, data: &Slice, from: usize) -> Result<Event, CollectiveError> {
        let message = Message { peer: from, data: data.clone(), rows: None };
        self.messages(Operation::Receive, &[], &[message])
    }

    fn send_recv(
        &self,
        send: &Slice,
        to: usize,
        receive: &Slice,
        from: usize,
    ) -> Result<Event, CollectiveError> {
        let outgoing = Message { peer: to, data: send.clone(), rows: None };
        let incoming = Message { peer: from, data: receive.clone(), rows: None };
        self.messages(Operation::SendReceive, &[outgoing], &[incoming])
    }

    fn exchange(&self, sends: &[Message], receives: &[Message]) -> Result<Event, CollectiveError> {
        self.messages(Operation::Exchange, sends, receives)
    }

    fn takes_rows(&self, peer: usize, bytes: usize, pitch: usize) -> bool {
        self.device().is_some_and(|device| device.takes_rows(peer, bytes, pitch))
    }

    fn barrier(&self) -> Result<(), CollectiveError> {
        self.host.barrier()
    }

    fn split(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Arc<dyn Communicator>>, CollectiveError> {
        let Some((host, members)) = self.host.divide(color, key)? else { return Ok(None) };
        let device = self.device.as_ref().map(|device| device.of_division(&host, &members));
        Ok(Some(Arc::new(Member { host, device })))
    }
}
