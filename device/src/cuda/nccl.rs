//! NCCL: communication between GPUs of one or several processes.
//!
//! Our own search opens the library, which is mostly named `libnccl.so.2` and resides in pip's
//! package. Calls of a communicator block the host only while connections are made for the first
//! time; their work is in the order of the communicator's stream. Another thread may end a
//! communicator at any time (`NcclCommunicator::abort`). Its stream then continues, and its calls
//! fail.

use super::device::CudaDevice;
use super::driver::check;
use super::library::{CudaOptions, Library, find};
use super::stream::Stream;
use crate::{Device, DeviceError};
use cudarc::driver::sys as driver;
use cudarc::nccl::sys::{cudaStream_t, ncclComm_t, ncclDataType_t, ncclRedOp_t, ncclUniqueId};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The oldest version whose functions behave as needed here.
const OLDEST: c_int = 21800;
/// The pause between two checks of a wait.
const LOOK: Duration = Duration::from_millis(10);
/// How long calls in progress may take to return before the communicator is ended.
const PATIENCE: Duration = Duration::from_millis(100);
/// The longest wait for the end of a communicator, which may depend on other processes.
const FAREWELL: Duration = Duration::from_secs(5);

/// The status of calls: `ncclResult_t`, which has more values in later versions.
type Status = c_uint;
const SUCCESS: Status = 0;
const INVALID_USAGE: Status = 5;
const IN_PROGRESS: Status = 7;

macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions of the library that we use.
        struct Nccl {
            $($field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Nccl {
            /// # Safety
            /// The library is NCCL of version 2, whose functions have these types in all versions.
            unsafe fn of(library: &libloading::Library) -> Result<Nccl, libloading::Error> {
                // SAFETY: the caller's promise.
                unsafe {
                    Ok(Nccl {
                        $($field: *library.get(concat!($name, "\0").as_bytes())?,)*
                    })
                }
            }
        }
    };
}

type Source = *const c_void;
type Target = *mut c_void;

functions! {
    version = "ncclGetVersion": fn(*mut c_int) -> Status;
    unique_id = "ncclGetUniqueId": fn(*mut ncclUniqueId) -> Status;
    init = "ncclCommInitRank": fn(*mut ncclComm_t, c_int, ncclUniqueId, c_int) -> Status;
    destroy = "ncclCommDestroy": fn(ncclComm_t) -> Status;
    abort = "ncclCommAbort": fn(ncclComm_t) -> Status;
    async_error = "ncclCommGetAsyncError": fn(ncclComm_t, *mut Status) -> Status;
    error_string = "ncclGetErrorString": fn(Status) -> *const c_char;
    last_error = "ncclGetLastError": fn(ncclComm_t) -> *const c_char;
    group_start = "ncclGroupStart": fn() -> Status;
    group_end = "ncclGroupEnd": fn() -> Status;
    all_reduce = "ncclAllReduce":
        fn(Source, Target, usize, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) -> Status;
    reduce = "ncclReduce":
        fn(Source, Target, usize, ncclDataType_t, ncclRedOp_t, c_int, ncclComm_t, cudaStream_t)
            -> Status;
    broadcast = "ncclBroadcast":
        fn(Source, Target, usize, ncclDataType_t, c_int, ncclComm_t, cudaStream_t) -> Status;
    all_gather = "ncclAllGather":
        fn(Source, Target, usize, ncclDataType_t, ncclComm_t, cudaStream_t) -> Status;
    reduce_scatter = "ncclReduceScatter":
        fn(Source, Target, usize, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) -> Status;
    send = "ncclSend": fn(Source, usize, ncclDataType_t, c_int, ncclComm_t, cudaStream_t) -> Status;
    receive = "ncclRecv":
        fn(Target, usize, ncclDataType_t, c_int, ncclComm_t, cudaStream_t) -> Status;
}

unsafe extern "C" {
    // Of the C library: `setenv` sets a variable that NCCL reads; the others end the process.
    fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int;
    #[cfg(target_env = "gnu")]
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    #[cfg(target_env = "gnu")]
    fn fflush(file: *mut c_void) -> c_int;
    #[cfg(target_env = "gnu")]
    fn _exit(status: c_int) -> !;
}

/// The number of threads that wait for other members to connect or disconnect; these waits cannot
/// be ended.
static CONNECTING: AtomicUsize = AtomicUsize::new(0);

/// A thread that waits for other members.
struct Connecting;

impl Connecting {
    fn new() -> Connecting {
        #[cfg(target_env = "gnu")]
        {
            static END: std::sync::Once = std::sync::Once::new();
            // SAFETY: the function has the type that the C library wants, and uses no argument.
            END.call_once(|| unsafe { _ = on_exit(end_of_process, std::ptr::null_mut()) });
        }
        CONNECTING.fetch_add(1, Ordering::SeqCst);
        Connecting
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        CONNECTING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Called with the exit status when the process exits. If threads still wait inside NCCL, the
/// process ends without running the library's destructors, which would crash.
#[cfg(target_env = "gnu")]
extern "C" fn end_of_process(status: c_int, _: *mut c_void) {
    if CONNECTING.load(Ordering::SeqCst) > 0 {
        // SAFETY: the first writes what the C library's files hold; the second takes any status.
        unsafe {
            fflush(std::ptr::null_mut());
            _exit(status)
        }
    }
}

fn load(options: &CudaOptions) -> Result<&'static Nccl, DeviceError> {
    static LOADED: OnceLock<Result<Nccl, DeviceError>> = OnceLock::new();
    let found = find(Library::Nccl, options)?;
    let open = || {
        // Multicast over NVLink is off unless the program's environment enables it: it is shared by
        // the whole machine, and a failure there affects other programs.
        // SAFETY: both texts are terminated. It is the first thing that the process does with the
        // library, before it starts threads of its own; a variable that is there stays.
        unsafe { setenv(c"NCCL_NVLS_ENABLE".as_ptr(), c"0".as_ptr(), 0) };
        // SAFETY: the file is NCCL, which is loaded already, and stays for the life of the process.
        let nccl = unsafe {
            libloading::Library::new(&found.path).and_then(|library| {
                let nccl = Nccl::of(&library);
                std::mem::forget(library);
                nccl
            })
        };
        nccl.map_err(|error| refused("open", "NCCL", error.to_string()))
    };
    let nccl = LOADED.get_or_init(open).as_ref().map_err(Clone::clone)?;
    let version = version_of(nccl)?;
    if version < OLDEST {
        let text = format!("version {} is needed", written(OLDEST));
        return Err(refused("ncclGetVersion", &written(version), text));
    }
    Ok(nccl)
}

fn refused(call: &'static str, name: &str, text: String) -> DeviceError {
    DeviceError::Cuda { device: String::from("cuda"), call, name: String::from(name), text }
}

fn version_of(nccl: &Nccl) -> Result<c_int, DeviceError> {
    let mut version = 0;
    // SAFETY: the pointer is valid.
    let status = unsafe { (nccl.version)(&raw mut version) };
    nccl.check("cuda", "ncclGetVersion", status)?;
    Ok(version)
}

fn written(version: c_int) -> String {
    format!("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)
}

/// The version of NCCL, such as `2.28.9`.
///
/// Errors: `DeviceError::Library` if it is not found; `DeviceError::Cuda` if it is too old or
/// fails.
pub fn nccl_version(options: &CudaOptions) -> Result<String, DeviceError> {
    version_of(load(options)?).map(written)
}

impl Nccl {
    fn check(&self, device: &str, call: &'static str, status: Status) -> Result<(), DeviceError> {
        if status == SUCCESS {
            return Ok(());
        }
        let text = |text: *const c_char| match text.is_null() {
            true => String::new(),
            // SAFETY: the library gives terminated texts, which the next call may change.
            false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        };
        // SAFETY: any number may be asked about; no communicator is needed for the last error.
        let (name, more) = unsafe {
            (text((self.error_string)(status)), text((self.last_error)(std::ptr::null_mut())))
        };
        let name = format!("NCCL's error {status} ({name})");
        Err(DeviceError::Cuda { device: String::from(device), call, name, text: more })
    }
}

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

/// Elements that NCCL combines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names of dtypes")]
pub enum NcclElement {
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    BF16,
    F32,
    F64,
}

impl NcclElement {
    /// The bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            NcclElement::I8 | NcclElement::U8 => 1,
            NcclElement::F16 | NcclElement::BF16 => 2,
            NcclElement::I32 | NcclElement::U32 | NcclElement::F32 => 4,
            NcclElement::I64 | NcclElement::U64 | NcclElement::F64 => 8,
        }
    }

    const fn of(self) -> ncclDataType_t {
        match self {
            NcclElement::I8 => ncclDataType_t::ncclInt8,
            NcclElement::U8 => ncclDataType_t::ncclUint8,
            NcclElement::I32 => ncclDataType_t::ncclInt32,
            NcclElement::U32 => ncclDataType_t::ncclUint32,
            NcclElement::I64 => ncclDataType_t::ncclInt64,
            NcclElement::U64 => ncclDataType_t::ncclUint64,
            NcclElement::F16 => ncclDataType_t::ncclFloat16,
            NcclElement::BF16 => ncclDataType_t::ncclBfloat16,
            NcclElement::F32 => ncclDataType_t::ncclFloat32,
            NcclElement::F64 => ncclDataType_t::ncclFloat64,
        }
    }
}

/// How NCCL combines elements. `Min` and `Max` of floats differ from NumPy's if one is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NcclReduction {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl NcclReduction {
    const fn of(self) -> ncclRedOp_t {
        match self {
            NcclReduction::Sum => ncclRedOp_t::ncclSum,
            NcclReduction::Product => ncclRedOp_t::ncclProd,
            NcclReduction::Min => ncclRedOp_t::ncclMin,
            NcclReduction::Max => ncclRedOp_t::ncclMax,
        }
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
    /// `goes_on` is polled; once it returns false, this gives up and returns `None`. Work is
    /// enqueued in `stream`. Collective.
    ///
    /// Errors: `DeviceError::Library`; `DeviceError::Cuda` if NCCL refuses, as it does for two
    /// members on one GPU; `DeviceError::Threads`.
    pub fn new(
        stream: &Arc<Stream>,
        id: &NcclId,
        rank: usize,
        size: usize,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<NcclCommunicator>, DeviceError> {
        let device = stream.device().clone();
        let name = device.name();
        let nccl = load(device.options())?;
        let (sender, outcome) = channel();
        let (id, rank, size) = (id.0, rank as c_int, size as c_int);
        // The call waits for all members and cannot be ended, so a separate thread makes it. If a
        // member never connects, that thread is abandoned.
        let connect = move || {
            let _connecting = Connecting::new();
            device.enter();
            let mut handle: ncclComm_t = std::ptr::null_mut();
            // SAFETY: the pointer is valid, and the context of the member's GPU is current.
            let status = unsafe { (nccl.init)(&raw mut handle, size, id, rank) };
            let status = settled(nccl, handle, status);
            let connected =
                nccl.check(&device.name(), "ncclCommInitRank", status).map(|()| Handle(handle));
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
                Err(RecvTimeoutError::Timeout) if goes_on() => {}
                Err(_) => return Ok(None),
            }
        }
    }

    /// The device.
    pub fn device(&self) -> &Arc<CudaDevice> {
        self.stream.device()
    }

    /// The stream that orders the enqueued work.
    pub fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }

    /// Registers a call, unless the communicator has ended.
    fn enter(&self, call: &'static str) -> Result<Call<'_>, DeviceError> {
        let before = self.state.fetch_add(CALL, Ordering::SeqCst);
        let entered = Call(&self.state);
        match before & ENDED == 0 {
            true => Ok(entered),
            false => Err(DeviceError::Cuda {
                device: self.device().name(),
                call,
                name: format!("NCCL's error {INVALID_USAGE}"),
                text: String::from("the group has ended"),
            }),
        }
    }

    fn call(
        &self,
        name: &'static str,
        call: impl FnOnce(&Nccl, ncclComm_t, cudaStream_t) -> Status,
    ) -> Result<(), DeviceError> {
        let _call = self.enter(name)?;
        let _kept = self.device().visit();
        let status = call(self.nccl, self.handle.0, self.stream.handle() as cudaStream_t);
        let status = settled(self.nccl, self.handle.0, status);
        self.nccl.check(&self.device().name(), name, status)
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
            status => self.nccl.check(&self.device().name(), name, status).err(),
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
        let _kept = self.device().visit();
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
        let _kept = self.device().visit();
        // SAFETY: the thread has begun a group. It ends whatever has become of the communicator, or
        // later calls of the thread would be part of it.
        let status = unsafe { (self.nccl.group_end)() };
        let status = match self.has_ended() {
            true => INVALID_USAGE,
            false => settled(self.nccl, self.handle.0, status),
        };
        enqueued.and(self.nccl.check(&self.device().name(), "ncclGroupEnd", status))
    }

    /// Enqueues the combination of the elements of all members.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// Both addresses are of `count` elements in the device's memory, disjoint or equal.
    pub unsafe fn all_reduce(
        &self,
        [from, to]: [u64; 2],
        count: usize,
        element: NcclElement,
        reduction: NcclReduction,
    ) -> Result<(), DeviceError> {
        let (element, reduction) = (element.of(), reduction.of());
        self.call("ncclAllReduce", |nccl, handle, stream| {
            let (from, to) = (from as Source, to as Target);
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
        [from, to]: [u64; 2],
        count: usize,
        element: NcclElement,
        reduction: NcclReduction,
        root: usize,
    ) -> Result<(), DeviceError> {
        let (element, reduction, root) = (element.of(), reduction.of(), root as c_int);
        self.call("ncclReduce", |nccl, handle, stream| {
            let (from, to) = (from as Source, to as Target);
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
        data: u64,
        bytes: usize,
        root: usize,
    ) -> Result<(), DeviceError> {
        let (element, root) = (NcclElement::U8.of(), root as c_int);
        self.call("ncclBroadcast", |nccl, handle, stream| {
            let (from, to) = (data as Source, data as Target);
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
    pub unsafe fn all_gather(&self, [from, to]: [u64; 2], bytes: usize) -> Result<(), DeviceError> {
        let element = NcclElement::U8.of();
        self.call("ncclAllGather", |nccl, handle, stream| {
            let (from, to) = (from as Source, to as Target);
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
        [from, to]: [u64; 2],
        count: usize,
        element: NcclElement,
        reduction: NcclReduction,
    ) -> Result<(), DeviceError> {
        let (element, reduction) = (element.of(), reduction.of());
        self.call("ncclReduceScatter", |nccl, handle, stream| {
            let (from, to) = (from as Source, to as Target);
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
    pub unsafe fn send(&self, from: u64, bytes: usize, peer: usize) -> Result<(), DeviceError> {
        let (element, peer) = (NcclElement::U8.of(), peer as c_int);
        self.call("ncclSend", |nccl, handle, stream| {
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.send)(from as Source, bytes, element, peer, handle, stream) }
        })
    }

    /// Enqueues a receive of bytes from a member, which must send as many.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// As `send`.
    pub unsafe fn receive(&self, to: u64, bytes: usize, peer: usize) -> Result<(), DeviceError> {
        let (element, peer) = (NcclElement::U8.of(), peer as c_int);
        self.call("ncclRecv", |nccl, handle, stream| {
            // SAFETY: as in `all_reduce`.
            unsafe { (nccl.receive)(to as Target, bytes, element, peer, handle, stream) }
        })
    }

    /// Enqueues a copy within the device's memory in the communicator's stream.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// Both addresses are of this many bytes in the device's memory, and do not overlap.
    pub unsafe fn copy(&self, [from, to]: [u64; 2], bytes: usize) -> Result<(), DeviceError> {
        let _kept = self.device().visit();
        let stream = self.stream.handle() as driver::CUstream;
        // SAFETY: the caller's promise; the stream lives.
        let copied = unsafe { driver::cuMemcpyDtoDAsync_v2(to, from, bytes, stream) };
        check(&self.device().name(), "cuMemcpyDtoDAsync", copied)
    }
}

/// Waits for the status of a call: the program's environment may make calls return early.
fn settled(nccl: &Nccl, handle: ncclComm_t, status: Status) -> Status {
    let mut status = status;
    while status == IN_PROGRESS && !handle.is_null() {
        std::thread::yield_now();
        // SAFETY: the communicator lives, and the pointer is valid.
        let asked = unsafe { (nccl.async_error)(handle, &raw mut status) };
        if asked != SUCCESS {
            return asked;
        }
    }
    status
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
            stream.device().enter();
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
        write!(f, "NcclCommunicator({})", self.device().name())
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

    #[test]
    fn a_missing_library_says_how_to_get_it() {
        if let Err(error) = nccl_version(&CudaOptions::default())
            && let DeviceError::Library { remedy, .. } = &error
        {
            assert!(remedy.contains("nvidia-nccl-cu13"), "{error}");
        }
    }

    #[test]
    fn versions_are_written_as_the_library_does() {
        assert_eq!(written(22809), "2.28.9");
    }
}
