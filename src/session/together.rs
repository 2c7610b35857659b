//! Actions that all ranks of the current mesh perform together.

use phalanx_graph::{Error, MeshHandle, call_site};

/// Shares the outcome of a local action with all ranks: an error of any rank is an error of all.
///
/// Collective over the mesh; every rank passes its own outcome. Errors: `PX032` with the rank and
/// its message.
#[track_caller]
pub fn agree(outcome: Result<(), String>) -> Result<(), Error> {
    let site = call_site();
    match MeshHandle::current() {
        Some(mesh) => mesh.together(site)?.agree(outcome, site),
        None => Err(Error::failure(phalanx_array::NotInitialised, Some(site))),
    }
}

/// Declares that these bytes are equal on all ranks, such as the name of a file that one rank is to
/// write. The next step that all ranks take together compares them. Local.
///
/// Errors: without a session; later `PX062` with the call sites, on all ranks, if the bytes differ.
#[track_caller]
pub fn declare(data: &[u8]) -> Result<(), Error> {
    let site = call_site();
    match MeshHandle::current() {
        Some(mesh) => {
            mesh.engine().declare(data, site);
            Ok(())
        }
        None => Err(Error::failure(phalanx_array::NotInitialised, Some(site))),
    }
}
