//! The families of binary interfaces and their recognition.

use super::handle::Address;
use super::{mpich, open_mpi, standard};
use crate::planes::mpi::calls::Calls;
use crate::planes::mpi::find::Symbols;
use crate::planes::mpi::loaded::Loaded;
use crate::planes::mpi::table::Table;
use std::ffi::c_int;
use std::sync::Arc;

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
            Abi::Linked => crate::planes::mpi::linked::open(),
        })
    }
}
