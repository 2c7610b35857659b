//! The library that the program is linked with, by the crate `mpi` (cargo feature `mpi`).
//!
//! The crate compiles against the `mpi.h` of the site, so implementations with an unknown binary
//! interface work too. It fills the same table as an opened library.

use super::abi::{Address, Constants, Handle};
use super::calls::Calls;
use super::find::Symbols;
use super::loaded::Loaded;
use super::table::Table;
use ::mpi::ffi;
use std::ffi::c_int;
use std::sync::Arc;

/// The functions of the library.
pub(super) fn open() -> Arc<dyn Calls> {
    match size_of::<ffi::MPI_Comm>() {
        4 => load::<c_int>(),
        _ => load::<Address>(),
    }
}

fn load<H: Handle>() -> Arc<dyn Calls> {
    // SAFETY: in `mpi.h` all handles are numbers, or all are addresses; the caller has chosen `H`
    // by their size.
    let table = unsafe { Table::<H>::linked() };
    Loaded::shared(table, constants(), Symbols::of_program())
}

fn constants<H: Handle>() -> Constants<H> {
    // SAFETY: these are constants, initialised when the program is loaded.
    unsafe {
        Constants {
            world: handle(ffi::RSMPI_COMM_WORLD),
            byte: handle(ffi::RSMPI_UINT8_T),
            no_request: handle(ffi::RSMPI_REQUEST_NULL),
            errors_return: handle(ffi::RSMPI_ERRORS_RETURN),
            undefined: ffi::RSMPI_UNDEFINED,
            // The crate lacks this constant. MPICH's family represents handles as numbers; those
            // with addresses, Open MPI's and the standard's interface, agree.
            in_place: if size_of::<H>() == 4 { -1 } else { 1 },
            tag_limit: ffi::MPI_TAG_UB as c_int,
            threads: [
                ffi::RSMPI_THREAD_SINGLE,
                ffi::RSMPI_THREAD_FUNNELED,
                ffi::RSMPI_THREAD_SERIALIZED,
                ffi::RSMPI_THREAD_MULTIPLE,
            ],
            truncated: ffi::MPI_ERR_TRUNCATE as c_int,
        }
    }
}

/// A handle of `mpi.h` as `H`.
fn handle<T: Copy, H: Handle>(given: T) -> H {
    assert_eq!(size_of::<T>(), size_of::<H>(), "bug: handles of several sizes");
    // SAFETY: a handle is a number or an address, and `H` is the one of this size.
    unsafe { std::mem::transmute_copy(&given) }
}
