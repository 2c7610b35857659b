//! Open MPI: handles are addresses of exported structures (`mpi.h`, `OMPI_PREDEFINED_GLOBAL`).

use super::handle::{Address, Constants};
use crate::planes::mpi::find::Symbols;

pub(super) fn constants(symbols: &Symbols) -> Result<Constants<Address>, String> {
    let address = |name| symbols.address(name).map(Address);
    Ok(Constants {
        world: address("ompi_mpi_comm_world")?,
        byte: address("ompi_mpi_byte")?,
        no_request: address("ompi_request_null")?,
        errors_return: address("ompi_mpi_errors_return")?,
        undefined: -32766,
        in_place: 1,
        // The first value in the enumeration of predefined attributes.
        tag_limit: 0,
        threads: [0, 1, 2, 3],
        truncated: 15,
    })
}
