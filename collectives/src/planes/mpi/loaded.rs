//! A library whose functions are known: status codes become results, handles become bits.

use super::abi::{Constants, Handle};
use super::calls::{Bits, Calls, Envelope, Progress};
use super::find::Symbols;
use super::start::{Start, int, start};
use super::table::Table;
use crate::CollectiveError;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// Room for the status of any implementation (at most 32 bytes), aligned for all of them.
#[derive(Debug)]
#[repr(C, align(16))]
struct Status([u8; 64]);

/// A library whose handles are of type `H`.
#[derive(Debug)]
pub(super) struct Loaded<H> {
    table: Table<H>,
    constants: Constants<H>,
    /// Keeps the library open.
    symbols: Symbols,
}

impl<H: Handle> Loaded<H> {
    pub(super) fn shared(
        table: Table<H>,
        constants: Constants<H>,
        symbols: Symbols,
    ) -> Arc<dyn Calls> {
        Arc::new(Loaded { table, constants, symbols })
    }

    fn check(&self, call: &'static str, status: c_int) -> Result<(), CollectiveError> {
        if status == 0 { Ok(()) } else { Err(self.error(call, status)) }
    }

    fn error(&self, call: &'static str, status: c_int) -> CollectiveError {
        // The longest text of any implementation has 512 bytes.
        let mut text = [0u8; 4096];
        let mut len = 0;
        // SAFETY: there is room for the longest text, and the length is written to `len`.
        unsafe { (self.table.error_string)(status, text.as_mut_ptr().cast(), &mut len) };
        let len = usize::try_from(len).unwrap_or(0).min(text.len());
        let reason = String::from_utf8_lossy(&text[..len]).trim_matches('\0').trim().to_owned();
        CollectiveError::Mpi { call: call.to_owned(), reason }
    }

    fn flag(
        &self,
        call: &'static str,
        question: unsafe extern "C" fn(*mut c_int) -> c_int,
    ) -> Result<c_int, CollectiveError> {
        let mut answer = 0;
        // SAFETY: the answer is one integer.
        let status = unsafe { question(&mut answer) };
        self.check(call, status).map(|()| answer)
    }

    fn number(
        &self,
        call: &'static str,
        question: unsafe extern "C" fn(H, *mut c_int) -> c_int,
        communicator: Bits,
    ) -> Result<usize, CollectiveError> {
        let mut answer = 0;
        // SAFETY: the communicator belongs to this library, and the answer is one integer.
        let status = unsafe { question(H::from_bits(communicator.0), &mut answer) };
        self.check(call, status)?;
        usize::try_from(answer).map_err(|_| self.error(call, status))
    }

    fn class(&self, status: c_int) -> c_int {
        let mut class = status;
        // SAFETY: the answer is one integer.
        unsafe { (self.table.error_class)(status, &mut class) };
        class
    }

    fn count(&self, status: &Status) -> usize {
        let mut count = 0;
        // SAFETY: the status was written by this library.
        unsafe {
            let status = std::ptr::from_ref(status).cast::<c_void>();
            (self.table.get_count)(status, self.constants.byte, &mut count);
        }
        usize::try_from(count).unwrap_or(0)
    }
}

impl<H: Handle> Calls for Loaded<H> {
    fn initialized(&self) -> Result<bool, CollectiveError> {
        Ok(self.flag("MPI_Initialized", self.table.initialized)? != 0)
    }

    fn finalized(&self) -> Result<bool, CollectiveError> {
        Ok(self.flag("MPI_Finalized", self.table.finalized)? != 0)
    }

    fn init_thread(&self) -> Result<(), CollectiveError> {
        let (no_arguments, mut provided) = (std::ptr::null_mut(), 0);
        let required = self.constants.threads[3];
        // SAFETY: MPI takes null for the arguments of a program.
        let status = unsafe {
            (self.table.init_thread)(no_arguments, std::ptr::null_mut(), required, &mut provided)
        };
        self.check("MPI_Init_thread", status)
    }

    fn query_thread(&self) -> Result<usize, CollectiveError> {
        let provided = self.flag("MPI_Query_thread", self.table.query_thread)?;
        Ok(self.constants.threads.iter().rposition(|level| *level <= provided).unwrap_or(0))
    }

    fn is_thread_main(&self) -> Result<bool, CollectiveError> {
        Ok(self.flag("MPI_Is_thread_main", self.table.is_thread_main)? != 0)
    }

    fn finalize(&self) -> Result<(), CollectiveError> {
        // SAFETY: it has no arguments.
        let status = unsafe { (self.table.finalize)() };
        self.check("MPI_Finalize", status)
    }

    fn world(&self) -> Bits {
        Bits(self.constants.world.to_bits())
    }

    fn duplicate(&self, communicator: Bits) -> Result<Bits, CollectiveError> {
        let mut made = self.constants.world;
        // SAFETY: the communicator belongs to this library, and `made` is one handle.
        let status = unsafe { (self.table.comm_dup)(H::from_bits(communicator.0), &mut made) };
        self.check("MPI_Comm_dup", status)?;
        let made = Bits(made.to_bits());
        self.return_errors(made)?;
        Ok(made)
    }

    fn return_errors(&self, communicator: Bits) -> Result<(), CollectiveError> {
        let communicator = H::from_bits(communicator.0);
        // SAFETY: the communicator belongs to this library.
        let status =
            unsafe { (self.table.comm_set_errhandler)(communicator, self.constants.errors_return) };
        self.check("MPI_Comm_set_errhandler", status)
    }

    fn rank(&self, communicator: Bits) -> Result<usize, CollectiveError> {
        self.number("MPI_Comm_rank", self.table.comm_rank, communicator)
    }

    fn size(&self, communicator: Bits) -> Result<usize, CollectiveError> {
        self.number("MPI_Comm_size", self.table.comm_size, communicator)
    }

    fn split(
        &self,
        communicator: Bits,
        color: Option<usize>,
        key: usize,
    ) -> Result<Option<Bits>, CollectiveError> {
        let mut made = self.constants.world;
        let group = color.map_or(self.constants.undefined, int);
        let communicator = H::from_bits(communicator.0);
        // SAFETY: the communicator belongs to this library, and `made` is one handle.
        let status = unsafe { (self.table.comm_split)(communicator, group, int(key), &mut made) };
        self.check("MPI_Comm_split", status)?;
        Ok(color.map(|_| Bits(made.to_bits())))
    }

    fn free(&self, communicator: Bits) -> Result<(), CollectiveError> {
        let mut communicator = H::from_bits(communicator.0);
        // SAFETY: the communicator belongs to this library, and nothing is under way on it.
        let status = unsafe { (self.table.comm_free)(&mut communicator) };
        self.check("MPI_Comm_free", status)
    }

    unsafe fn start(&self, communicator: Bits, what: &Start) -> Result<Bits, CollectiveError> {
        let communicator = H::from_bits(communicator.0);
        let mut request = self.constants.no_request;
        // SAFETY: the communicator belongs to this library; the caller promises the addresses.
        let (call, status) =
            unsafe { start(&self.table, &self.constants, communicator, what, &mut request) };
        self.check(call, status).map(|()| Bits(request.to_bits()))
    }

    fn tag_limit(&self, communicator: Bits) -> Result<u64, CollectiveError> {
        let (mut limit, mut is_set) = (std::ptr::null::<c_int>(), 0);
        // SAFETY: the communicator belongs to this library; the value of an attribute is written as
        // an address.
        let status = unsafe {
            (self.table.comm_get_attr)(
                H::from_bits(communicator.0),
                self.constants.tag_limit,
                std::ptr::from_mut(&mut limit).cast(),
                &mut is_set,
            )
        };
        self.check("MPI_Comm_get_attr", status)?;
        // The standard guarantees at least this many.
        const LEAST: u64 = 32767;
        if is_set == 0 || limit.is_null() {
            return Ok(LEAST);
        }
        // SAFETY: the attribute's value is the address of an integer, which lives as long as the
        // library is initialised.
        Ok(u64::try_from(unsafe { *limit }).unwrap_or(LEAST))
    }

    fn broadcast(
        &self,
        communicator: Bits,
        bytes: &mut [u8],
        root: usize,
    ) -> Result<(), CollectiveError> {
        // SAFETY: the bytes are borrowed until the call is over.
        let status = unsafe {
            (self.table.bcast)(
                bytes.as_mut_ptr().cast(),
                int(bytes.len()),
                self.constants.byte,
                int(root),
                H::from_bits(communicator.0),
            )
        };
        self.check("MPI_Bcast", status)
    }

    unsafe fn send(
        &self,
        to: &Envelope,
        data: *const u8,
        len: usize,
    ) -> Result<Bits, CollectiveError> {
        let mut request = self.constants.no_request;
        let communicator = H::from_bits(to.communicator.0);
        // SAFETY: the caller's promise about the bytes; the communicator belongs to this library.
        let status = unsafe {
            (self.table.isend)(
                data.cast(),
                int(len),
                self.constants.byte,
                int(to.process),
                to.tag,
                communicator,
                &mut request,
            )
        };
        self.check("MPI_Isend", status).map(|()| Bits(request.to_bits()))
    }

    unsafe fn receive(
        &self,
        from: &Envelope,
        data: *mut u8,
        len: usize,
    ) -> Result<Bits, CollectiveError> {
        let mut request = self.constants.no_request;
        let communicator = H::from_bits(from.communicator.0);
        // SAFETY: as for `send`.
        let status = unsafe {
            (self.table.irecv)(
                data.cast(),
                int(len),
                self.constants.byte,
                int(from.process),
                from.tag,
                communicator,
                &mut request,
            )
        };
        self.check("MPI_Irecv", status).map(|()| Bits(request.to_bits()))
    }

    fn test(&self, request: &mut Bits) -> Progress {
        let mut handle = H::from_bits(request.0);
        let (mut is_done, mut answer) = (0, Status([0; 64]));
        // SAFETY: the request belongs to this library and is not over; there is room for any
        // status.
        let status = unsafe {
            (self.table.test)(&mut handle, &mut is_done, std::ptr::from_mut(&mut answer).cast())
        };
        *request = Bits(handle.to_bits());
        if status != 0 && self.class(status) == self.constants.truncated {
            return Progress::Truncated(self.count(&answer));
        }
        match self.check("MPI_Test", status) {
            Err(error) => Progress::Failed(error),
            Ok(()) if is_done == 0 => Progress::Pending,
            Ok(()) => Progress::Done(self.count(&answer)),
        }
    }

    fn probe(&self, from: &Envelope) -> Result<bool, CollectiveError> {
        let (process, communicator) = (int(from.process), H::from_bits(from.communicator.0));
        let (mut is_there, mut answer) = (0, Status([0; 64]));
        // SAFETY: the communicator belongs to this library; there is room for any status.
        let status = unsafe {
            let answer = std::ptr::from_mut(&mut answer).cast();
            (self.table.iprobe)(process, from.tag, communicator, &mut is_there, answer)
        };
        self.check("MPI_Iprobe", status).map(|()| is_there != 0)
    }

    fn cancel(&self, request: &mut Bits) {
        let mut handle = H::from_bits(request.0);
        // SAFETY: the request belongs to this library and is not over.
        unsafe { (self.table.cancel)(&mut handle) };
        *request = Bits(handle.to_bits());
    }

    fn takes_device_memory(&self) -> Option<bool> {
        type Query = unsafe extern "C" fn() -> c_int;
        let query = self.symbols.function::<Query>("MPIX_Query_cuda_support")?;
        // SAFETY: it has no arguments.
        Some(unsafe { query() } == 1)
    }

    fn version(&self) -> String {
        self.symbols.version().unwrap_or_default()
    }

    fn origin(&self) -> &str {
        &self.symbols.origin
    }
}
