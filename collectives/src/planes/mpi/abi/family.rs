//! The families of binary interfaces and their recognition.

use super::{mpich, open_mpi, standard};
use crate::planes::mpi::calls::{Calls, Loaded};
use crate::planes::mpi::find::Symbols;
use crate::planes::mpi::table::Table;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

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

/// The families of binary interfaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abi {
    /// Open MPI: handles are addresses of symbols that the library exports.
    OpenMpi,
    /// MPICH, Intel MPI, MVAPICH and Cray MPICH: handles are numbers.
    Mpich,
    /// The interface that MPI 5.0 standardises.
    Standard,
    /// The interface of the library with which the program was built.
    #[cfg(feature = "mpi")]
    Linked,
}

impl Abi {
    /// The name in messages.
    pub(in crate::planes::mpi) const fn name(self) -> &'static str {
        match self {
            Abi::OpenMpi => "Open MPI",
            Abi::Mpich => "MPICH",
            Abi::Standard => "MPI 5.0",
            #[cfg(feature = "mpi")]
            Abi::Linked => "its mpi.h",
        }
    }

    /// The interface of a library, recognised by its exports and answers, or what is wrong.
    pub(in crate::planes::mpi) fn of(symbols: &Symbols) -> Result<Abi, String> {
        if symbols.has("ompi_mpi_comm_world") {
            return Ok(Abi::OpenMpi);
        }
        if standard::is_spoken(symbols) {
            return Ok(Abi::Standard);
        }
        if mpich::is_spoken(symbols) {
            return Ok(Abi::Mpich);
        }
        let version = symbols.version().unwrap_or_else(|| String::from("it reports no version"));
        Err(format!("its binary interface is not known ({version})"))
    }

    /// The functions of a library of this interface.
    pub(in crate::planes::mpi) fn load(self, symbols: Symbols) -> Result<Arc<dyn Calls>, String> {
        Ok(match self {
            Abi::OpenMpi => {
                let constants = open_mpi::constants(&symbols)?;
                Loaded::shared(Table::<Address>::load(&symbols)?, constants, symbols)
            }
            Abi::Mpich => {
                Loaded::shared(Table::<c_int>::load(&symbols)?, mpich::CONSTANTS, symbols)
            }
            Abi::Standard => {
                Loaded::shared(Table::<Address>::load(&symbols)?, standard::constants(), symbols)
            }
            #[cfg(feature = "mpi")]
            Abi::Linked => {
                return crate::planes::mpi::linked::open()
                    .map(|(calls, _)| calls)
                    .ok_or_else(|| format!("{} is not linked", symbols.origin));
            }
        })
    }
}
