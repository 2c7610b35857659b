//! The handles and constants of an implementation.

use std::ffi::{c_int, c_void};

/// The handles and constants of one implementation.
#[derive(Clone, Copy, Debug)]
pub(in crate::planes::mpi) struct Constants<H> {
    pub(in crate::planes::mpi) world: H,
    pub(in crate::planes::mpi) byte: H,
    pub(in crate::planes::mpi) no_request: H,
    pub(in crate::planes::mpi) errors_return: H,
    /// The colour of processes that join no communicator of a split.
    pub(in crate::planes::mpi) undefined: c_int,
    /// The address that means that a process's own part is in place already.
    pub(in crate::planes::mpi) in_place: isize,
    /// The key of the attribute with the largest tag.
    pub(in crate::planes::mpi) tag_limit: c_int,
    /// The levels of threads, lowest first.
    pub(in crate::planes::mpi) threads: [c_int; 4],
    /// The error class of a message that is longer than the receive's memory.
    pub(in crate::planes::mpi) truncated: c_int,
}

/// The representation of a handle: a number or an address.
pub(in crate::planes::mpi) trait Handle:
    Copy + std::fmt::Debug + Send + Sync + 'static
{
    /// The handle as bits without a type.
    fn to_bits(self) -> u64;
    /// The handle of bits from `to_bits`.
    fn from_bits(bits: u64) -> Self;
}

impl Handle for c_int {
    fn to_bits(self) -> u64 {
        u64::from(self.cast_unsigned())
    }

    fn from_bits(bits: u64) -> c_int {
        (bits as u32).cast_signed()
    }
}

/// A handle that is an address, or a small number instead of one.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(in crate::planes::mpi) struct Address(pub(in crate::planes::mpi) *mut c_void);

// SAFETY: the address is never followed here; it is returned to the library that made it.
unsafe impl Send for Address {}
// SAFETY: as for `Send`.
unsafe impl Sync for Address {}

impl Handle for Address {
    fn to_bits(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    fn from_bits(bits: u64) -> Address {
        Address(std::ptr::with_exposed_provenance_mut(bits as usize))
    }
}
