//! Structured arrays in files, which are read and written through the host.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::files::{on_first, path_of};
use crate::convert::dtypes::numpy;
use crate::convert::on_host;
use crate::convert::record_dtypes::given;
use crate::convert::records::{of_host, records_of};
use crate::objects::ndarray::Ndarray;
use phalanx::{Array, Error};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `save`, `savez` and `savez_compressed`, if a structured array is among the arguments.
pub fn saved(a: &Arguments<'_, '_>) -> PyResult<Option<Answer>> {
    let py = a.py();
    let is_of_records = |object: &Bound<'_, PyAny>| records_of(object).is_some();
    let (suffix, arguments, keywords) = match a.name() {
        "save" => {
            let array = a.object("arr")?;
            if !is_of_records(array) {
                return Ok(None);
            }
            (".npy", vec![on_host(array)?], PyDict::new(py))
        }
        _ => {
            let rest: Vec<_> = match a.given("args") {
                Some(rest) => rest.try_iter()?.collect::<PyResult<_>>()?,
                None => Vec::new(),
            };
            let named = a.given("kwds").map(|named| named.cast::<PyDict>()).transpose()?;
            let is_named = named.is_some_and(|all| all.iter().any(|(_, one)| is_of_records(&one)));
            if !is_named && !rest.iter().any(is_of_records) {
                return Ok(None);
            }
            let keywords = PyDict::new(py);
            for (name, value) in named.iter().flat_map(|named| named.iter()) {
                keywords.set_item(name, on_host(&value)?)?;
            }
            let rest = rest.iter().map(on_host).collect::<PyResult<Vec<_>>>()?;
            (".npz", rest, keywords)
        }
    };
    let function = numpy(py)?.getattr(a.name())?;
    let write = |file: &Bound<'_, PyAny>| -> PyResult<()> {
        let all: Vec<_> = std::iter::once(file.clone()).chain(arguments.iter().cloned()).collect();
        let all = pyo3::types::PyTuple::new(py, all)?;
        function.call(all, Some(&keywords)).map(drop)
    };
    match path_of(a.object("file")?, suffix)? {
        None => write(a.object("file")?)?,
        // The file is renamed once it is complete.
        Some(path) => on_first(a, &path, || {
            let temporary = py.import("tempfile")?.getattr("NamedTemporaryFile")?;
            let options = PyDict::new(py);
            options.set_item("delete", false)?;
            options.set_item("prefix", format!(".phalanx-{}-", std::process::id()))?;
            options.set_item("suffix", ".tmp")?;
            let os = py.import("os")?;
            let folder = os.getattr("path")?.call_method1("dirname", (&path,))?;
            options.set_item(
                "dir",
                if folder.is_truthy()? { folder } else { ".".into_pyobject(py)?.into_any() },
            )?;
            let file = temporary.call((), Some(&options))?;
            let name = file.getattr("name")?;
            let done = write(&file).and_then(|()| {
                file.call_method0("close")?;
                os.getattr("replace")?.call1((&name, &path)).map(drop)
            });
            if done.is_err() {
                let _ = file.call_method0("close");
                let _ = os.getattr("remove")?.call1((&name,));
            }
            done
        })?,
    }
    Ok(Some(Answer::Nothing))
}

/// The array of a file. An array of an unsupported dtype is read by NumPy, as a structured array.
pub fn loaded(
    py: Python<'_>,
    array: Result<Array, Error>,
    path: &str,
    name: Option<&str>,
) -> PyResult<Answer> {
    const UNSUPPORTED: &str = "PX086";
    if !array.as_ref().is_err_and(|error| error.code() == UNSUPPORTED) {
        return Ok(array.into());
    }
    let read = || -> PyResult<Option<Answer>> {
        let mut found = numpy(py)?.getattr("load")?.call1((path,))?;
        if let Some(name) = name {
            found = found.get_item(name)?;
        }
        let Some(record) = given(&found.getattr("dtype")?)? else { return Ok(None) };
        let records = of_host(&found, &record)?;
        Ok(Some(Answer::Object(Ndarray::wrap_records(py, records)?)))
    };
    // If NumPy cannot read it either, the first error is reported.
    Ok(read().ok().flatten().unwrap_or_else(|| array.into()))
}
