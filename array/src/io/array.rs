//! Files as arrays: every rank reads; rank 0 writes and tells the others how it went.

use super::{IoError, read_npy, read_npz_member, write_npy, write_npz};
use crate::array::Array;
use crate::creation::current_mesh;
use crate::error::{Error, Site};
use crate::host::HostArray;
use std::panic::Location;
use std::path::Path;

fn loaded(read: Result<HostArray, IoError>, site: Site) -> Result<Array, Error> {
    // A file that only some ranks can read is an error on all of them.
    let outcome =
        read.as_ref().map(|_| ()).map_err(|error| format!("{} [{}]", error, error.code()));
    let agreed = current_mesh(site)?.engine().agree(outcome, site);
    let host = read.map_err(|error| Error::failure(error, Some(site)))?;
    agreed?;
    Ok(Array::from_host_at(&host, site))
}

/// Reads a `.npy` file, which every rank must find under the same path. Collective over the mesh.
///
/// Errors: `IoError` on a rank that cannot read it, `PX032` on the others.
#[track_caller]
pub fn load(path: impl AsRef<Path>) -> Result<Array, Error> {
    loaded(read_npy(path.as_ref()), Location::caller())
}

/// Reads one array of a `.npz` file, which every rank must find under the same path. Collective
/// over the mesh.
///
/// Errors: as [`load`].
#[track_caller]
pub fn load_npz(path: impl AsRef<Path>, name: &str) -> Result<Array, Error> {
    loaded(read_npz_member(path.as_ref(), name), Location::caller())
}

/// Rank 0 writes; all ranks learn how it went, and rank 0 keeps the error with its fields.
fn written(write: impl FnOnce() -> Result<(), IoError>, site: Site) -> Result<(), Error> {
    let mesh = current_mesh(site)?;
    let result = if mesh.engine().process().0 == 0 { write() } else { Ok(()) };
    let outcome =
        result.as_ref().map(|_| ()).map_err(|error| format!("{} [{}]", error, error.code()));
    let agreed = mesh.engine().agree(outcome, site);
    result.map_err(|error| Error::failure(error, Some(site)))?;
    agreed
}

/// Writes an array to a `.npy` file, complete or not at all. Collective over the mesh; rank 0
/// writes.
///
/// Errors: those of the array, `IoError` on rank 0, `PX032` on the others.
#[track_caller]
pub fn save(path: impl AsRef<Path>, array: &Array) -> Result<(), Error> {
    let site = Location::caller();
    let host = array.to_host_at(site)?;
    written(|| write_npy(path.as_ref(), &host), site)
}

/// Writes arrays to a `.npz` file, complete or not at all. Collective over the mesh; rank 0 writes.
///
/// Errors: as [`save`].
#[track_caller]
pub fn savez(path: impl AsRef<Path>, arrays: &[(&str, &Array)]) -> Result<(), Error> {
    let site = Location::caller();
    let hosts: Vec<HostArray> =
        arrays.iter().map(|(_, array)| array.to_host_at(site)).collect::<Result<_, _>>()?;
    let named: Vec<(&str, &HostArray)> =
        arrays.iter().zip(&hosts).map(|((name, _), host)| (*name, host)).collect();
    written(|| write_npz(path.as_ref(), &named), site)
}
