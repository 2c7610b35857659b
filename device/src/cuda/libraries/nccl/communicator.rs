//! Communicators of NCCL.
//!
//! Calls of a communicator block the host only while connections are made for the first time;
//! their work is in the order of the communicator's stream. Another thread may end a communicator
//! at any time (`NcclCommunicator::abort`). Its stream then continues, and its calls fail.

use super::connecting::Connecting;
use super::element::{NcclElement, NcclReduction};
use super::library::{IN_PROGRESS, INVALID_USAGE, Nccl, SUCCESS, Status, load, settled};
use crate::cuda::driver::{Context, CudaOptions};
use crate::cuda::streams::Stream;
use crate::{DeviceError, DevicePointer};
use cudarc::nccl::sys::{cudaStream_t, ncclComm_t, ncclUniqueId};
use std::ffi::c_int;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The pause between two checks of a wait.
const LOOK: Duration = Duration::from_millis(10);
/// How long calls in progress may take to return before the communicator is ended.
const PATIENCE: Duration = Duration::from_millis(100);
/// The longest wait for the end of a communicator, which may depend on other processes.
const FAREWELL: Duration = Duration::from_secs(5);

/// The id of a group, which one member makes and all members need to connect.
#[derive(Clone, Copy)]
pub struct NcclId(ncclUniqueId);

impl NcclId {
    /// The size in bytes.
    pub const BYTES: usize = size_of::<ncclUniqueId>();

    /// A new id.
    ///
    /// Errors: `DeviceError::Library`, `DeviceError::Cuda`.
    pub fn new(options: &CudaOptions) -> Result<NcclId, DeviceError> {
        let nccl = load(options)?;
        let mut id = ncclUniqueId { internal: [0; NcclId::BYTES] };
        // SAFETY: the pointer is valid.
        nccl.check("cuda", "ncclGetUniqueId", unsafe { (nccl.unique_id)(&raw mut id) })?;
        Ok(NcclId(id))
    }

    /// Its bytes, for the other members.
    pub fn bytes(&self) -> [u8; NcclId::BYTES] {
        self.0.internal.map(|byte| byte.cast_unsigned())
    }

    /// The id with these bytes.
    pub fn from_bytes(bytes: [u8; NcclId::BYTES]) -> NcclId {
        NcclId(ncclUniqueId { internal: bytes.map(|byte| byte.cast_signed()) })
    }
}

/// A handle that may move between threads.
struct Handle(ncclComm_t);

// SAFETY: a communicator may be used by any thread, one at a time but for its end and for asking
// about errors.
unsafe impl Send for Handle {}
// SAFETY: as for `Send`; calls that enqueue are made by one thread (`NcclCommunicator`).
unsafe impl Sync for Handle {}

/// One GPU of a group that communicates by NCCL. One thread at a time enqueues, in the same order
/// on all members; any thread may end it.
///
/// Addresses are of memory that the device can access. The memory may be reused by work that
/// follows in the stream.
pub struct NcclCommunicator {
    nccl: &'static Nccl,
    handle: Handle,
    stream: Arc<Stream>,
    /// Twice the number of calls in progress, plus one once it has ended.
    state: AtomicUsize,
}

const ENDED: usize = 1;
const CALL: usize = 2;

/// A call in progress.
struct Call<'a>(&'a AtomicUsize);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(CALL, Ordering::SeqCst);
    }
}

impl NcclCommunicator {
    /// Connects a GPU with the other members of a group, which call this with the same `id`.
    /// `is_wanted` is polled; once it returns false, this gives up and returns `None`. Work is
    /// enqueued in `stream`. Collective.
    ///
    /// Errors: `DeviceError::Library`; `DeviceError::Cuda` if NCCL refuses, as it does for two
    /// members on one GPU; `DeviceError::Threads`.
    pub fn new(
        stream: &Arc<Stream>,
        id: &NcclId,
        rank: usize,
        size: usize,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Option<NcclCommunicator>, DeviceError> {
        let context = stream.context().clone();
        let name = String::from(context.name());
        let nccl = load(context.options())?;
        let (sender, outcome) = channel();
        let (id, rank, size) = (id.0, rank as c_int, size as c_int);
        // The call waits for all members and cannot be ended, so a separate thread makes it. If a
        // member never connects, that thread is abandoned.
        let connect = move || {
            let _connecting = Connecting::new();
            context.enter();
            let mut handle: ncclComm_t = std::ptr::null_mut();
            // SAFETY: the pointer is valid, and the context of the member's GPU is current.
            let status = unsafe { (nccl.init)(&raw mut handle, size, id, rank) };
            let status = settled(nccl, handle, status);
            let connected =
                nccl.check(context.name(), "ncclCommInitRank", status).map(|()| Handle(handle));
            if let Err(unwanted) = sender.send(connected)
                && let Ok(Handle(handle)) = unwanted.0
            {
                // SAFETY: nothing else has the handle.
                let _ = unsafe { (nccl.abort)(handle) };
            }
        };
        let thread = std::thread::Builder::new().name(format!("{name} connects"));
        thread.spawn(connect).map_err(|error| DeviceError::Threads {
            device: name.clone(),
            reason: error.to_string(),
        })?;
        loop {
            match outcome.recv_timeout(LOOK) {
                Ok(connected) => {
                    let (stream, state) = (stream.clone(), AtomicUsize::new(0));
                    let handle = connected?;
                    return Ok(Some(NcclCommunicator { nccl, handle, stream, state }));
                }
                Err(RecvTimeoutError::Timeout) if is_wanted() => {}
                Err(_) => return Ok(None),
            }
        }
    }

    /// The context of the GPU.
    pub fn context(&self) -> &Arc<Context> {
        self.stream.context()
    }

    /// The stream that orders the enqueued work.
    pub fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }

    /// Registers a call, unless the communicator has ended.
    fn enter(&self, call: &'static str) -> Result<Call<'_>, DeviceError> {
        let before = self.state.fetch_add(CALL, Ordering::SeqCst);
        let entered = Call(&self.state);
        if before & ENDED == 0 {
            Ok(entered)
        } else {
            Err(DeviceError::Cuda {
                device: String::from(self.context().name()),
                call,
                name: format!("NCCL's error {INVALID_USAGE}"),
                text: String::from("the group has ended"),
            })
        }
    }

    fn call(
        &self,
        name: &'static str,
        call: impl FnOnce(&Nccl, ncclComm_t, cudaStream_t) -> Status,
    ) -> Result<(), DeviceError> {
        let _call = self.enter(name)?;
        let _kept = self.context().visit();
        let status = call(self.nccl, self.handle.0, self.stream.handle() as cudaStream_t);
        let status = settled(self.nccl, self.handle.0, status);
        self.nccl.check(self.context().name(), name, status)
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.state.load(Ordering::SeqCst) & ENDED != 0
    }

    /// The background error since it was connected, if there was one.
    pub fn failure(&self) -> Option<DeviceError> {
        let name = "ncclCommGetAsyncError";
        let _call = self.enter(name).ok()?;
        let mut status = SUCCESS;
        // SAFETY: the communicator lives as long as the call is noted, and the pointer is valid.
        let asked = unsafe { (self.nccl.async_error)(self.handle.0, &raw mut status) };
        let status = if asked == SUCCESS { status } else { asked };
        match status {
            SUCCESS | IN_PROGRESS => None,
            status => self.nccl.check(self.context().name(), name, status).err(),
        }
    }

    /// Ends it: its work in the stream ends with unspecified results, and its calls fail from now
    /// on. Does nothing if it has ended. May take a while.
    pub fn abort(&self) {
        if self.state.fetch_or(ENDED, Ordering::SeqCst) & ENDED != 0 {
            return;
        }
        // Calls in progress return by themselves, except those that connect to a missing member:
        // they return when the communicator ends.
        let deadline = Instant::now() + PATIENCE;
        while self.state.load(Ordering::SeqCst) >= CALL && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _kept = self.context().visit();
        // SAFETY: the communicator is ended once (`ENDED`), here or in `drop`.
        let status = unsafe { (self.nccl.abort)(self.handle.0) };
        // The error has no receiver: the caller already handles a worse one.
        let _ = self.nccl.check("cuda", "ncclCommAbort", status);
    }

    /// Starts all that `work` enqueues together, such as sends to and receives from several
    /// members.
    ///
    /// Errors: those of `work`; `DeviceError::Cuda`.
    pub fn grouped(
        &self,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        // SAFETY: groups are of the calling thread, and this one ends below.
        self.call("ncclGroupStart", |nccl, _, _| unsafe { (nccl.group_start)() })?;
        let enqueued = work();
        let _call = self.enter("ncclGroupEnd");
        let _kept = self.context().visit();
        // SAFETY: the thread has begun a group. It ends whatever has become of the communicator, or
        // later calls of the thread would be part of it.
        let status = unsafe { (self.nccl.group_end)() };
        let status = if self.has_ended() {
            INVALID_USAGE
        } else {
            settled(self.nccl, self.handle.0, status)
        };
        enqueued.and(self.nccl.check(self.context().name(), "ncclGroupEnd", status))
    }

    /// Enqueues the combination of the elements of all members.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// Both addresses are of `count` elements in the device's memory, disjoint or equal.
    pub unsafe fn all_reduce(
        &self,
        [from, to]: [DevicePointer; 2],
        count: usize,
        element: NcclElement,
        reduction: NcclReduction,
    ) -> Result<(), DeviceError> {
        let (element, reduction) = (element.of(), reduction.of());
        self.call("ncclAllReduce", |nccl, handle, stream| {
            let (from, to) = (from.as_ptr(), to.as_ptr());
            // SAFETY: the caller's promise; the communicator lives while the call is noted.
            unsafe { (nccl.all_reduce)(from, to, count, element, reduction, handle, stream) }
        })
    }

    /// Enqueues the combination of the elements of all members on one of them.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// As `all_reduce`; only `root` needs memory for the result.
    pub unsafe fn reduce(
        &self,
        [from, to]: [DevicePointer; 2],
        count: usize,
        element: NcclElement,
        reduction: NcclReduction,
        root: usize,
    ) -> Result<(), DeviceError> {
        let (element, reduction, root) = (element.of(), reduction.of(), root as c_int);
        self.call("ncclReduce", |nccl, handle, stream| {
            let (from, to) = (from.as_ptr(), to.as_ptr());
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.reduce)(from, to, count, element, reduction, root, handle, stream) }
        })
    }

    /// Enqueues a copy of bytes from one member to all.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// The address is of this many bytes in the device's memory.
    pub unsafe fn broadcast(
        &self,
        data: DevicePointer,
        bytes: usize,
        root: usize,
    ) -> Result<(), DeviceError> {
        let (element, root) = (NcclElement::U8.of(), root as c_int);
        self.call("ncclBroadcast", |nccl, handle, stream| {
            let (from, to) = (data.as_ptr(), data.as_ptr());
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.broadcast)(from, to, bytes, element, root, handle, stream) }
        })
    }

    /// Enqueues a gather of equally many bytes of each member on all.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// The addresses are of `bytes` bytes, and of `bytes` bytes for each member, in the device's
    /// memory. They are disjoint, or the first is the member's own part of the second.
    pub unsafe fn all_gather(
        &self,
        [from, to]: [DevicePointer; 2],
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let element = NcclElement::U8.of();
        self.call("ncclAllGather", |nccl, handle, stream| {
            let (from, to) = (from.as_ptr(), to.as_ptr());
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.all_gather)(from, to, bytes, element, handle, stream) }
        })
    }

    /// Enqueues the combination of the elements of all members; each member receives an equal part.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// The addresses are of `count` elements for each member, and of `count` elements, in the
    /// device's memory. They are disjoint, or the second is the member's own part of the first.
    pub unsafe fn reduce_scatter(
        &self,
        [from, to]: [DevicePointer; 2],
        count: usize,
        element: NcclElement,
        reduction: NcclReduction,
    ) -> Result<(), DeviceError> {
        let (element, reduction) = (element.of(), reduction.of());
        self.call("ncclReduceScatter", |nccl, handle, stream| {
            let (from, to) = (from.as_ptr(), to.as_ptr());
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.reduce_scatter)(from, to, count, element, reduction, handle, stream) }
        })
    }

    /// Enqueues a send of bytes to a member, which must receive as many.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// The address is of this many bytes in the device's memory.
    pub unsafe fn send(
        &self,
        from: DevicePointer,
        bytes: usize,
        peer: usize,
    ) -> Result<(), DeviceError> {
        let (element, peer) = (NcclElement::U8.of(), peer as c_int);
        self.call("ncclSend", |nccl, handle, stream| {
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.send)(from.as_ptr(), bytes, element, peer, handle, stream) }
        })
    }

    /// Enqueues a receive of bytes from a member, which must send as many.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// As `send`.
    pub unsafe fn receive(
        &self,
        to: DevicePointer,
        bytes: usize,
        peer: usize,
    ) -> Result<(), DeviceError> {
        let (element, peer) = (NcclElement::U8.of(), peer as c_int);
        self.call("ncclRecv", |nccl, handle, stream| {
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.receive)(to.as_ptr(), bytes, element, peer, handle, stream) }
        })
    }
}

impl Drop for NcclCommunicator {
    fn drop(&mut self) {
        if self.state.fetch_or(ENDED, Ordering::SeqCst) & ENDED != 0 {
            return;
        }
        let (nccl, stream) = (self.nccl, self.stream.clone());
        let handle = Handle(self.handle.0);
        let (sender, done) = channel::<()>();
        let end = move || {
            let _waiting = Connecting::new();
            let Handle(handle) = { handle };
            stream.context().enter();
            // SAFETY: nothing uses the communicator any more, and it ends once (`ENDED`).
            let _ = unsafe { (nccl.destroy)(handle) };
            drop(sender);
        };
        let thread = std::thread::Builder::new().name(String::from("a group of GPUs ends"));
        if thread.spawn(end).is_ok() {
            // A communicator that has not ended by then is left until the process ends.
            let _ = done.recv_timeout(FAREWELL);
        }
    }
}

impl fmt::Debug for NcclCommunicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NcclCommunicator({})", self.context().name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_bytes() {
        let mut bytes = [0; NcclId::BYTES];
        bytes[3] = 200;
        assert_eq!(NcclId::from_bytes(bytes).bytes(), bytes);
    }
}
