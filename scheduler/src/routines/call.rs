//! The call of a routine that communicates while it runs.

use crate::error::RunError;
use crate::gathering::wait;
use phalanx_collectives::{Communicator, Message};
use phalanx_device::{Buffer, Device, Event, Slice, copy_slice};
use phalanx_kernels::Missing;
use phalanx_kernels::structured::Block;
use phalanx_ops::{Shape, Structured};
use std::sync::Arc;

/// The operands of a routine: the blocks of one device, and its communicator.
pub struct RoutineCall<'a> {
    /// The operation.
    pub op: &'a Structured,
    /// The blocks of the operands.
    pub operands: &'a [Block<'a>],
    /// The block of the result; it may be empty.
    pub to: &'a Block<'a>,
    /// For each operand, extents that no block of it on any device exceeds.
    pub largest: &'a [Shape],
    /// Memory of the device that the plan has reserved for the routine; none for routines from
    /// outside of this crate.
    pub room: &'a [Slice],
    /// The device that holds the blocks.
    pub device: &'a Arc<dyn Device>,
    /// The devices that run the routine together, in the order of the mesh.
    pub communicator: &'a dyn Communicator,
    /// Whether the communicator may get the memory of the device in this run. If not, the routine
    /// copies what it sends and receives through the host.
    pub takes_device_memory: bool,
}

/// Messages under way.
pub struct Underway {
    event: Event,
    /// What arrives in the host's memory, and where it belongs.
    arriving: Vec<(Slice, Slice)>,
}

impl Underway {
    /// Waits for the messages. Errors: those of the communicator.
    pub fn wait(self) -> Result<(), RunError> {
        wait(&self.event)?;
        self.arriving.iter().for_each(|(from, to)| copy_slice(from, to));
        Ok(())
    }
}

impl RoutineCall<'_> {
    /// Sends and receives messages in the device's memory. Empty ones are left out. Do not touch
    /// the memory before the wait for them. Errors: those of the communicator.
    pub fn start(
        &self,
        mut sends: Vec<Message>,
        mut receives: Vec<Message>,
    ) -> Result<Underway, RunError> {
        sends.retain(|message| message.data.len > 0);
        receives.retain(|message| message.data.len > 0);
        let mut arriving = Vec::new();
        let is_staged =
            |message: &Message| !self.takes_device_memory && message.data.buffer.remote().is_some();
        for message in sends.iter_mut().filter(|message| is_staged(message)) {
            let host = Buffer::from_vec(vec![0u8; message.data.len]).whole();
            copy_slice(&message.data, &host);
            message.data = host;
        }
        for message in receives.iter_mut().filter(|message| is_staged(message)) {
            let host = Buffer::from_vec(vec![0u8; message.data.len]).whole();
            arriving.push((host.clone(), std::mem::replace(&mut message.data, host)));
        }
        let event = self.communicator.exchange(&sends, &receives)?;
        Ok(Underway { event, arriving })
    }

    /// Sends and receives messages as [`start`](RoutineCall::start), and waits for them.
    pub fn exchange(&self, sends: Vec<Message>, receives: Vec<Message>) -> Result<(), RunError> {
        self.start(sends, receives)?.wait()
    }
}

/// The routine of an operation whose placement has the schedule
/// [`Together`](phalanx_distributed::Schedule::Together).
pub trait CollectiveRoutine: Sync {
    /// Computes the block of the result on one device. All members of the communicator run it, each
    /// on a thread of its own, and must call the same collectives in the same order. All of them
    /// run it also if some process has dropped the value.
    ///
    /// The block of the result may be the memory of an operand that nobody needs afterwards, on
    /// some devices only. On a GPU it must not allocate or load code while another device of the
    /// process may wait for it: only the memory of `room`, and the code of `missing`, are there
    /// before it runs.
    ///
    /// Collective over the communicator. Errors: those of the communicator and of the device.
    fn run(&self, call: &RoutineCall<'_>) -> Result<(), RunError>;

    /// The code that the device must load before the routine runs. The operands have their largest
    /// extents beside them, as in [`RoutineCall`]; the memory of the blocks does not matter.
    fn missing(
        &self,
        op: &Structured,
        operands: (&[Block<'_>], &[Shape]),
        to: &Block<'_>,
        device: &Arc<dyn Device>,
    ) -> Vec<Missing<'static>> {
        let _ = (op, operands, to, device);
        Vec::new()
    }
}
