//! Files: NumPy's `.npy` and `.npz`, and text.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::files::{on_first, path_of};
use crate::convert::dtypes::numpy;
use crate::convert::{self, on_host, record_dtypes};
use crate::functions;
use crate::interpreter::errors::{raised, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::records;
use crate::session;
use phalanx::Array;
use phalanx::io::Npz;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

functions! { FUNCTIONS, a =>
    "load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding='ASCII', *, \
     max_header_size=10000)",
    "The array of a .npy file, or the arrays of a .npz file by their names.":
    loaded(a)?;

    "save(file, arr, allow_pickle=True)",
    "Writes an array to a .npy file.":
    {
        let array = a.array("arr")?;
        match path_of(a.object("file")?, ".npy")? {
            Some(path) => {
                let saved = phalanx::io::save(path, &array);
                saved.map_err(|error| raised(a.py(), &error))?;
            }
            None => {
                let host = convert::to_numpy(a.py(), convert::fetch(a.py(), &array)?)?;
                numpy(a.py())?.getattr("save")?.call1((a.object("file")?, host))?;
            }
        }
    };

    "savez(file, *args, allow_pickle=True, **kwds)",
    "Writes arrays to a .npz file.":
    {
        let arrays = named(a)?;
        match path_of(a.object("file")?, ".npz")? {
            Some(path) => {
                let saved = phalanx::io::savez(path, &borrowed(&arrays));
                saved.map_err(|error| raised(a.py(), &error))?;
            }
            None => by_numpy(a, "savez", &arrays)?,
        }
    };

    "savez_compressed(file, *args, allow_pickle=True, **kwds)",
    "Writes arrays to a compressed .npz file, through the memory of the host.":
    {
        let arrays = named(a)?;
        match path_of(a.object("file")?, ".npz")? {
            Some(path) => {
                let saved = phalanx::io::savez_compressed(path, &borrowed(&arrays));
                saved.map_err(|error| raised(a.py(), &error))?;
            }
            None => by_numpy(a, "savez_compressed", &arrays)?,
        }
    };

    "loadtxt(fname, dtype=float, comments='#', delimiter=None, converters=None, skiprows=0, \
     usecols=None, unpack=False, ndmin=0, encoding=None, max_rows=None, *, quotechar=None)",
    "The numbers of a text file.":
    brought(&a.by_numpy()?)?;

    "genfromtxt(fname, dtype=float, comments='#', delimiter=None, skip_header=0, \
     skip_footer=0, converters=None, missing_values=None, filling_values=None, usecols=None, \
     names=None, excludelist=None, deletechars=None, replace_space='_', autostrip=False, \
     case_sensitive=True, defaultfmt='f%i', unpack=None, usemask=False, loose=True, \
     invalid_raise=True, max_rows=None, encoding=None, *, ndmin=0)",
    "The numbers of a text file, with other values in place of missing ones.":
    brought(&a.by_numpy()?)?;

    "savetxt(fname, X, fmt='%.18e', delimiter=' ', newline='\\n', header='', footer='', \
     comments='# ', encoding=None)",
    "Writes numbers to a text file.":
    {
        // All processes fetch the elements; one writes them.
        let host = on_host(a.object("X")?)?;
        let path = path_of(a.object("fname")?, "")?;
        let write = || -> PyResult<()> {
            let keywords = PyDict::new(a.py());
            for name in a.signature().names().filter(|name| !matches!(*name, "fname" | "X")) {
                if let Some(value) = a.find(name) {
                    keywords.set_item(name, value)?;
                }
            }
            let save = numpy(a.py())?.getattr("savetxt")?;
            save.call((a.object("fname")?, &host), Some(&keywords))?;
            Ok(())
        };
        path.map_or_else(&write, |path| on_first(a, &path, write))?;
    };
}

functions! { METHODS, a =>
    "tofile(a, fid, /, sep='', format='%s')",
    "Writes the elements to a file, as bytes or as text.":
    {
        let host = on_host(a.object("a")?)?;
        let write = || -> PyResult<()> {
            let (sep, format) = (a.text_or("sep", "")?, a.text_or("format", "%s")?);
            host.call_method1("tofile", (a.object("fid")?, sep, format)).map(|_| ())
        };
        let path = path_of(a.object("fid")?, "")?;
        path.map_or_else(&write, |path| on_first(a, &path, write))?;
    };
}

fn loaded(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let py = a.py();
    let files = || py.import("phalanx._files")?.getattr("NpzFile");
    let Some(path) = path_of(a.object("file")?, "")? else {
        let found = numpy(py)?.getattr("load")?.call1((a.object("file")?,))?;
        return if found.hasattr("files")? {
            Ok(Answer::Object(files()?.call1(("object", found))?.unbind()))
        } else {
            brought(&found)
        };
    };
    let mut start = [0; 4];
    let opened =
        std::fs::File::open(&path).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    if opened.is_ok() && start.starts_with(b"PK") {
        let archive = Archive::open(py, &path)?;
        return Ok(Answer::Object(files()?.call1((path, archive))?.unbind()));
    }
    let array = phalanx::io::load(&path);
    records::loaded(py, array, &path, None)
}

/// An array that NumPy has read, or a list of several, as ours.
fn brought(found: &Bound<'_, PyAny>) -> PyResult<Answer> {
    if let Ok(columns) = found.cast::<PyList>() {
        let columns = columns.iter().map(|column| brought(&column));
        return Ok(Answer::List(columns.collect::<PyResult<_>>()?));
    }
    match record_dtypes::given(&found.getattr("dtype")?)? {
        Some(record) => {
            let records = convert::records::of_host(found, &record)?;
            Ok(Answer::Object(Ndarray::wrap_records(found.py(), records)?))
        }
        None => Ok(convert::array(found, None)?.into()),
    }
}

/// The arrays of `savez`, named as NumPy names them.
fn named(a: &Arguments<'_, '_>) -> PyResult<Vec<(String, Array)>> {
    let mut arrays: Vec<(String, Array)> = Vec::new();
    if let Some(keywords) = a.given("kwds") {
        for (name, value) in keywords.cast::<PyDict>()?.iter() {
            arrays.push((name.extract()?, convert::array(&value, None)?));
        }
    }
    for (place, array) in a.arrays("args")?.into_iter().enumerate() {
        let name = format!("arr_{place}");
        if arrays.iter().any(|(other, _)| *other == name) {
            return Err(value_error(
                Mistake::Together,
                format!("Cannot use un-named variables and keyword {name}"),
            ));
        }
        arrays.push((name, array));
    }
    Ok(arrays)
}

/// The arrays in the form of the functions in Rust.
fn borrowed(arrays: &[(String, Array)]) -> Vec<(&str, &Array)> {
    arrays.iter().map(|(name, array)| (name.as_str(), array)).collect()
}

/// Writes arrays to an open file by a function of NumPy's.
fn by_numpy(a: &Arguments<'_, '_>, function: &str, arrays: &[(String, Array)]) -> PyResult<()> {
    let py = a.py();
    let hosts = PyDict::new(py);
    for (name, array) in arrays {
        hosts.set_item(name, convert::to_numpy(py, convert::fetch(py, array)?)?)?;
    }
    numpy(py)?.getattr(function)?.call((a.object("file")?,), Some(&hosts)).map(|_| ())
}

/// A .npz file that is open.
#[pyclass(name = "_Npz", frozen)]
pub struct Archive {
    npz: Npz,
    path: String,
}

impl Archive {
    fn open(py: Python<'_>, path: &str) -> PyResult<Archive> {
        session::ensure(py)?;
        let npz = at_line(py, || Npz::open(path)).map_err(|error| raised(py, &error))?;
        Ok(Archive { npz, path: path.to_owned() })
    }
}

#[pymethods]
impl Archive {
    /// The names of the arrays.
    #[getter]
    fn files(&self) -> Vec<String> {
        self.npz.names().to_vec()
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let array = at_line(py, || self.npz.load(name));
        records::loaded(py, array, &self.path, Some(name))?.into_python(py)
    }
}
