//! The common interface of MPICH, Intel MPI, MVAPICH and Cray MPICH: handles are numbers of 32 bits
//! (`mpi.h` of MPICH).

use super::handle::Constants;
use crate::planes::mpi::find::Symbols;
use std::ffi::c_int;

pub(super) const CONSTANTS: Constants<c_int> = Constants {
    world: 0x4400_0000,
    byte: 0x4c00_010d,
    no_request: 0x2c00_0000,
    errors_return: 0x5400_0001,
    undefined: -32766,
    in_place: -1,
    tag_limit: 0x6440_0001,
    threads: [0, 1, 2, 3],
    truncated: 14,
};

/// The names by which the family's version texts are recognised.
const NAMES: [&str; 4] = ["MPICH", "Intel", "MVAPICH", "CRAY"];

/// Whether a library that has neither of the other interfaces is of this family.
pub(super) fn is_spoken(symbols: &Symbols) -> bool {
    let named = |version: String| {
        let version = version.to_ascii_uppercase();
        NAMES.iter().any(|name| version.contains(&name.to_ascii_uppercase()))
    };
    symbols.has("MPI_Init_thread") && symbols.version().is_some_and(named)
}
