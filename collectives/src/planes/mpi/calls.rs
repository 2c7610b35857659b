//! The calls of the library: one Rust function for each, without the type of its handles.

use super::start::Start;
use crate::CollectiveError;
use std::ffi::c_int;
use std::fmt;

/// A handle of the library. Its type depends on the implementation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bits(pub(super) u64);

/// The result of testing a request.
#[derive(Clone, Debug)]
pub(super) enum Progress {
    /// The request is not complete.
    Pending,
    /// The request is complete; a receive got this many bytes (undefined for a send).
    Done(usize),
    /// The message is longer than the receive's memory.
    Truncated(usize),
    /// The library reported an error.
    Failed(CollectiveError),
}

/// The calls of the library, independent of its type of handles.
///
/// MPI's rules for the order and the threads of calls apply: `Mpi` and `Engine` observe them.
pub(super) trait Calls: fmt::Debug + Send + Sync {
    /// Whether `init_thread` has been called in this process.
    fn initialized(&self) -> Result<bool, CollectiveError>;
    /// Whether `finalize` has been called in this process.
    fn finalized(&self) -> Result<bool, CollectiveError>;
    /// Initialises the library and requests the highest level of threads.
    fn init_thread(&self) -> Result<(), CollectiveError>;
    /// The provided level of threads, from 0 for one thread to 3 for any.
    fn query_thread(&self) -> Result<usize, CollectiveError>;
    /// Whether this thread is the one that initialised the library.
    fn is_thread_main(&self) -> Result<bool, CollectiveError>;
    /// Ends the use of the library. Collective.
    fn finalize(&self) -> Result<(), CollectiveError>;
    /// The communicator of all processes.
    fn world(&self) -> Bits;
    /// A communicator of the same processes that returns its errors. Collective.
    fn duplicate(&self, communicator: Bits) -> Result<Bits, CollectiveError>;
    /// Lets calls on a communicator return their errors. Local.
    fn return_errors(&self, communicator: Bits) -> Result<(), CollectiveError>;
    /// The rank of this process.
    fn rank(&self, communicator: Bits) -> Result<usize, CollectiveError>;
    /// The number of processes.
    fn size(&self, communicator: Bits) -> Result<usize, CollectiveError>;
    /// The largest tag.
    fn tag_limit(&self, communicator: Bits) -> Result<u64, CollectiveError>;
    /// Copies the bytes of `root` to all. Collective.
    fn broadcast(
        &self,
        communicator: Bits,
        bytes: &mut [u8],
        root: usize,
    ) -> Result<(), CollectiveError>;
    /// Starts a send of at most 2³¹ − 1 bytes.
    ///
    /// # Safety
    /// The bytes are valid and not written until the request is over.
    unsafe fn send(
        &self,
        to: &Envelope,
        data: *const u8,
        len: usize,
    ) -> Result<Bits, CollectiveError>;
    /// Starts a receive of at most 2³¹ − 1 bytes.
    ///
    /// # Safety
    /// The bytes are valid and not touched until the request is over.
    unsafe fn receive(
        &self,
        from: &Envelope,
        data: *mut u8,
        len: usize,
    ) -> Result<Bits, CollectiveError>;
    /// Makes a communicator for the processes that pass the same colour, in the order of their
    /// keys; none for processes that pass no colour. Collective.
    fn split(
        &self,
        communicator: Bits,
        color: Option<usize>,
        key: usize,
    ) -> Result<Option<Bits>, CollectiveError>;
    /// Frees a communicator. Collective; local in the known implementations.
    fn free(&self, communicator: Bits) -> Result<(), CollectiveError>;
    /// Starts a collective. Collective.
    ///
    /// # Safety
    /// All addresses are valid, and their memory is left alone until the request is over.
    unsafe fn start(&self, communicator: Bits, start: &Start) -> Result<Bits, CollectiveError>;
    /// Tests whether a request is complete. A complete request is freed.
    fn test(&self, request: &mut Bits) -> Progress;
    /// Lets the library check for a message, which also advances its other work.
    fn probe(&self, from: &Envelope) -> Result<bool, CollectiveError>;
    /// Cancels a receive without a message. The request must still be tested until it is complete.
    fn cancel(&self, request: &mut Bits);
    /// Whether the library states that it accepts GPU addresses; `None` if it cannot report that.
    fn takes_device_memory(&self) -> Option<bool>;
    /// The library's own version text.
    fn version(&self) -> String;
    /// Where the library was found.
    fn origin(&self) -> &str;
}

/// The other end of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope {
    pub(super) communicator: Bits,
    pub(super) process: usize,
    pub(super) tag: c_int,
}
