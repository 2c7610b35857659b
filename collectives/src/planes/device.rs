//! The interface of a plane for the memory of devices.

use super::host::HostGroup;
use crate::call::Call;
use crate::{CollectiveError, Message, Operation};
use phalanx_device::Event;
use std::sync::Arc;

/// A group's plane for slices in the memory of one member's device. The member has checked all
/// arguments, and gives slices on the host to the `HostGroup`.
///
/// Errors of all methods: the error that ended the world.
pub(crate) trait DevicePlane: Send + Sync + Sized + 'static {
    /// The plane's name, if it is not that of the host's plane.
    fn name(&self) -> Option<&'static str>;
    /// Whether the plane carries the memory of devices in this group. If not, it gets no call.
    fn takes_device_memory(&self) -> bool;
    /// As `Communicator::waits_in_device_work`.
    fn waits_in_device_work(&self) -> bool;
    /// As `Communicator::prepare`.
    fn prepare(&self) -> Result<(), CollectiveError>;
    /// As `Communicator::takes_rows`.
    fn takes_rows(&self, peer: usize, bytes: usize, pitch: usize) -> bool {
        let _ = (peer, bytes, pitch);
        false
    }
    /// Performs a collective on slices in the device's memory.
    fn collective(&self, call: Call<'_>) -> Result<Event, CollectiveError>;
    /// Starts the messages of an operation, at least one of which resides in the device's memory.
    fn messages(
        &self,
        operation: Operation,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<Event, CollectiveError>;
    /// The plane of a new group of these members.
    fn of_division(&self, host: &Arc<HostGroup>, members: &[usize]) -> Self;
}

/// The plane of groups that have none for the memory of devices.
pub(crate) enum NoDevices {}

impl DevicePlane for NoDevices {
    fn name(&self) -> Option<&'static str> {
        match *self {}
    }

    fn takes_device_memory(&self) -> bool {
        match *self {}
    }

    fn waits_in_device_work(&self) -> bool {
        match *self {}
    }

    fn prepare(&self) -> Result<(), CollectiveError> {
        match *self {}
    }

    fn collective(&self, _call: Call<'_>) -> Result<Event, CollectiveError> {
        match *self {}
    }

    fn messages(
        &self,
        _operation: Operation,
        _sends: &[Message],
        _receives: &[Message],
    ) -> Result<Event, CollectiveError> {
        match *self {}
    }

    fn of_division(&self, _host: &Arc<HostGroup>, _members: &[usize]) -> NoDevices {
        match *self {}
    }
}
