//! The mesh on which an operation is recorded.

use crate::array::Argument;
use crate::array::Array;
use phalanx_graph::{Error, Failure, MeshHandle, Site, in_place_of, within};
use phalanx_ops::DType;

/// The error of a call before a mesh exists.
#[derive(Debug, thiserror::Error)]
#[error("no mesh: Phalanx has not been initialised")]
pub struct NotInitialised;

impl Failure for NotInitialised {
    fn code(&self) -> &'static str {
        "PX030"
    }
    fn hint(&self) -> &'static str {
        "call phalanx::init before making arrays"
    }
}

/// The mesh on which the calling thread makes arrays. Errors: [`NotInitialised`].
pub(crate) fn current_mesh(site: Site) -> Result<MeshHandle, Error> {
    MeshHandle::current().ok_or_else(|| Error::failure(NotInitialised, Some(site)))
}

/// Runs `body` on the mesh of `array`. Its calls count as the call at `site`.
pub(crate) fn on_mesh_of(
    array: &Array,
    site: Site,
    body: impl FnOnce() -> Result<Array, Error>,
) -> Array {
    on_own_mesh(array, || within(site, body))
}

/// As [`on_mesh_of`], for a function whose operations report their floating-point errors in NumPy.
pub(crate) fn in_place_on_mesh_of(
    array: &Array,
    site: Site,
    body: impl FnOnce() -> Result<Array, Error>,
) -> Array {
    on_own_mesh(array, || in_place_of(site, body))
}

fn on_own_mesh(array: &Array, body: impl FnOnce() -> Result<Array, Error>) -> Array {
    Array::catch(array.mesh().and_then(|mesh| mesh.enter(body)))
}

/// The mesh of all arrays among the arguments. Errors: `OpError::Meshes`.
pub(crate) fn mesh_of(arguments: &[Argument], site: Site) -> Result<MeshHandle, Error> {
    let arrays = arguments.iter().filter_map(|argument| match argument {
        Argument::Array(array) => Some(array),
        Argument::Scalar(_) | Argument::Weak(_) => None,
    });
    mesh_of_arrays(arrays, site)
}

/// The mesh of all arrays, or the current mesh if there are none.
pub(crate) fn mesh_of_arrays<'a>(
    arrays: impl Iterator<Item = &'a Array>,
    site: Site,
) -> Result<MeshHandle, Error> {
    check_meshes(arrays, site)?.map_or_else(|| current_mesh(site), |mesh| Ok(mesh.clone()))
}

/// The mesh of all arrays, if there are any. Errors: `OpError::Meshes`.
pub(crate) fn check_meshes<'a>(
    arrays: impl Iterator<Item = &'a Array>,
    site: Site,
) -> Result<Option<&'a MeshHandle>, Error> {
    let mut found: Option<&MeshHandle> = None;
    for array in arrays {
        let mesh = array.mesh_of_base()?;
        match found {
            Some(first) if !first.same(mesh) => {
                return Err(Error::op(first.differing(mesh), site));
            }
            _ => found = Some(mesh),
        }
    }
    Ok(found)
}

/// Refuses a shape that an array of this dtype cannot have.
pub(crate) fn check_shape(shape: &[usize], dtype: DType, site: Site) -> Result<(), Error> {
    phalanx_ops::shape::check(shape, dtype.size()).map_err(|error| Error::op(error, site))
}
