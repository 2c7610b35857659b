//! Arguments that name files, and writes of files by one process.

use super::arguments::Arguments;
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use phalanx::MeshHandle;
use pyo3::prelude::*;

/// The path of an object, with a suffix if it has none; `None` for an open file.
pub fn path_of(object: &Bound<'_, PyAny>, suffix: &str) -> PyResult<Option<String>> {
    if object.hasattr("write")? || object.hasattr("read")? {
        return Ok(None);
    }
    let path = object.py().import("os")?.getattr("fsdecode")?.call1((object,))?;
    let path: String = path.extract()?;
    Ok(Some(if path.ends_with(suffix) { path } else { path + suffix }))
}

/// Runs a write on the first process of the call's mesh. The others wait for it, and all must give
/// the same path. Collective.
pub fn on_first(
    a: &Arguments<'_, '_>,
    path: &str,
    write: impl FnOnce() -> PyResult<()>,
) -> PyResult<()> {
    let mesh = MeshHandle::current();
    let is_first = mesh.is_none_or(|mesh| mesh.engine().process().0 == 0);
    at_line(a.py(), || phalanx::declare(path.as_bytes()))
        .map_err(|error| raised(a.py(), &error))?;
    let done = if is_first { write() } else { Ok(()) };
    let outcome = done.as_ref().map(|_| ()).map_err(ToString::to_string);
    let agreed = phalanx::agree(outcome);
    done?;
    agreed.map_err(|error| raised(a.py(), &error))
}
