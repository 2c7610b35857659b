//! What differs between implementations: how handles are written, and which ones are given.

mod mpich;
mod open_mpi;
mod standard;

use super::calls::{Calls, Loaded};
use super::find::Symbols;
use super::table::Table;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// The handles and constants of one implementation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants<H> {
    pub(super) world: H,
    pub(super) byte: H,
    pub(super) no_request: H,
    pub(super) errors_return: H,
    /// The key of the largest tag.
    pub(super) tag_limit: c_int,
    /// The levels of threads, the least first.
    pub(super) threads: [c_int; 4],
    /// The class of the error of a message that is longer than its place.
    pub(super) truncated: c_int,
}

/// How an implementation writes a handle: a number, or an address.
pub(super) trait Handle: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// As bits, without the type.
    fn to_bits(self) -> u64;
    /// The handle of bits that `to_bits` gave.
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

/// A handle that is an address, or a small number in the place of one.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct Address(pub(super) *mut c_void);

// SAFETY: the address is never followed here; it is handed back to the library it came from.
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

/// The families of binary interfaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abi {
    /// Open MPI: handles are the addresses of what the library exports.
    OpenMpi,
    /// MPICH, Intel MPI, MVAPICH and Cray MPICH: handles are numbers.
    Mpich,
    /// The interface that MPI 5.0 fixes.
    Standard,
}

impl Abi {
    /// The name in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Abi::OpenMpi => "Open MPI",
            Abi::Mpich => "MPICH",
            Abi::Standard => "MPI 5.0",
        }
    }

    /// The interface of a library, by what it exports and answers; what is wrong if it is none.
    pub(super) fn of(symbols: &Symbols) -> Result<Abi, String> {
        if symbols.has("ompi_mpi_comm_world") {
            return Ok(Abi::OpenMpi);
        }
        if standard::is_spoken(symbols) {
            return Ok(Abi::Standard);
        }
        if mpich::is_spoken(symbols) {
            return Ok(Abi::Mpich);
        }
        let version = symbols.version().unwrap_or_else(|| String::from("it tells no version"));
        Err(format!("its binary interface is not known ({version})"))
    }

    /// The functions of a library of this interface.
    pub(super) fn load(self, symbols: Symbols) -> Result<Arc<dyn Calls>, String> {
        Ok(match self {
            Abi::OpenMpi => {
                let constants = open_mpi::constants(&symbols)?;
                Loaded::new(Table::<Address>::load(&symbols)?, constants, symbols)
            }
            Abi::Mpich => Loaded::new(Table::<c_int>::load(&symbols)?, mpich::CONSTANTS, symbols),
            Abi::Standard => {
                Loaded::new(Table::<Address>::load(&symbols)?, standard::constants(), symbols)
            }
        })
    }
}
