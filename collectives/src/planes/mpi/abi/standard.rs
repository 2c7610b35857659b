//! The binary interface of the MPI 5.0 standard: handles are addresses, and predefined handles have
//! small fixed values (chapter "Application Binary Interface").

use super::handle::{Address, Constants, Handle};
use crate::planes::mpi::find::Symbols;
use std::ffi::c_int;

pub(super) fn constants() -> Constants<Address> {
    Constants {
        world: Address::from_bits(0x101),
        byte: Address::from_bits(0x247),
        no_request: Address::from_bits(0x180),
        errors_return: Address::from_bits(0x143),
        undefined: -32766,
        in_place: 1,
        tag_limit: 501,
        threads: [0, 1024, 2048, 4096],
        truncated: 15,
    }
}

/// Whether a library reports the standard's interface. One that has the function but not the
/// interface answers −1.
pub(super) fn is_spoken(symbols: &Symbols) -> bool {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    let Some(question) = symbols.function::<Version>("MPI_Abi_get_version") else {
        return false;
    };
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: the function's type is that of the standard, which lets it be called at any time.
    let status = unsafe { question(&mut major, &mut minor) };
    status == 0 && major >= 1
}
