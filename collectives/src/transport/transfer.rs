//! One end of one message: the bytes to send, or the memory that receives.

use crate::failure::Failure;
use crate::wait::Sleepers;
use phalanx_device::{DeviceError, Slice, copy_settled};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

const WAITING: u8 = 0;
/// A thread reads or writes the bytes now; never for longer than one copy.
const CLAIMED: u8 = 1;
const DONE: u8 = 2;
const CANCELLED: u8 = 3;

/// A posted send or receive.
///
/// Its bytes may be touched only through a claim. The owner of the slice leaves them alone until
/// the transfer is done or cancelled (the contract of `Communicator`), and a cancelled transfer
/// cannot be claimed, so no thread touches the bytes after an error has been returned to the owner.
#[derive(Debug)]
pub(crate) struct Transfer {
    data: Slice,
    /// The process at the other end.
    pub(super) process: usize,
    state: AtomicU8,
    /// When it was done.
    ended: OnceLock<Instant>,
    sleepers: Sleepers,
    /// Whether MPI's engine moves the bytes. Then no thread claims them.
    is_by_engine: bool,
}

/// The exclusive right to touch the bytes of a transfer.
pub(super) struct Claim<'a>(&'a Transfer);

impl Transfer {
    pub(super) fn new(data: Slice, process: usize) -> Arc<Transfer> {
        Transfer::posted(data, process, false)
    }

    /// A transfer whose bytes MPI's engine moves.
    pub(super) fn by_engine(data: Slice, process: usize) -> Arc<Transfer> {
        Transfer::posted(data, process, true)
    }

    fn posted(data: Slice, process: usize, is_by_engine: bool) -> Arc<Transfer> {
        let (state, ended) = (AtomicU8::new(WAITING), OnceLock::new());
        let sleepers = Sleepers::default();
        Arc::new(Transfer { data, process, state, ended, sleepers, is_by_engine })
    }

    /// The process at the other end.
    pub(crate) fn process(&self) -> usize {
        self.process
    }

    /// The address and the number of the bytes.
    pub(crate) fn place(&self) -> (*mut u8, usize) {
        (self.data.as_ptr(), self.data.len)
    }

    /// Ends a transfer whose bytes MPI has moved.
    pub(crate) fn end(&self) {
        let _ = self.ended.set(Instant::now());
        let ended = self.state.compare_exchange(WAITING, DONE, Ordering::SeqCst, Ordering::SeqCst);
        if ended.is_ok() {
            self.sleepers.wake();
        }
    }

    /// The length of the message in bytes.
    pub(crate) fn len(&self) -> usize {
        self.data.len
    }

    /// The right to touch the bytes, unless the transfer was cancelled.
    pub(super) fn claim(&self) -> Option<Claim<'_>> {
        let free =
            self.state.compare_exchange(WAITING, CLAIMED, Ordering::SeqCst, Ordering::SeqCst);
        free.is_ok().then_some(Claim(self))
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state.load(Ordering::SeqCst) == DONE
    }

    /// When the transfer was done.
    pub(super) fn ended(&self) -> Option<Instant> {
        self.ended.get().copied()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.state.load(Ordering::SeqCst) == CANCELLED
    }

    /// Whether MPI's engine moves the bytes.
    pub(super) fn is_by_engine(&self) -> bool {
        self.is_by_engine
    }

    /// Sleeps until the end of the transfer or of the world.
    pub(super) fn sleep(&self, failure: &Failure) {
        self.sleepers.wait_until(|| self.is_done() || failure.is_set());
    }

    /// Cancels the transfer, unless it is done. Returns whether it was cancelled.
    pub(super) fn cancel(&self) -> bool {
        loop {
            let cancelled =
                self.state.compare_exchange(WAITING, CANCELLED, Ordering::SeqCst, Ordering::SeqCst);
            match cancelled {
                Ok(_) | Err(CANCELLED) => return true,
                Err(DONE) => return false,
                Err(_) => std::thread::yield_now(),
            }
        }
    }
}

impl Claim<'_> {
    /// The bytes, for reading.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: condition 2 of `Buffer`: the owner leaves the bytes alone while the transfer
        // lives, and the claim excludes every other access through the transfer.
        unsafe { self.0.data.bytes() }
    }

    /// The bytes of a range, for writing.
    pub(super) fn bytes_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        // SAFETY: as for `bytes`; `&mut self` excludes a second reference.
        unsafe { &mut self.0.data.bytes_mut()[range] }
    }

    /// Copies a whole message whose two ends have the same length. The ends may overlap when a
    /// member sends to itself.
    ///
    /// Errors: those of GPUs, in whose memory both ends may reside.
    pub(super) fn copy_from(&mut self, source: &Claim<'_>) -> Result<(), DeviceError> {
        copy_settled(&source.0.data, &self.0.data)
    }

    /// Ends the transfer and wakes the threads that wait for it.
    pub(super) fn finish(self) {
        let transfer = self.0;
        std::mem::forget(self);
        let _ = transfer.ended.set(Instant::now());
        transfer.state.store(DONE, Ordering::SeqCst);
        transfer.sleepers.wake();
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.state.store(WAITING, Ordering::SeqCst);
    }
}
