//! The memory layout of arrays: `ndarray.flags`.

use crate::interpreter::errors::{raised, refused, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::Flags;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

/// The flags of an array, as they are when they are read.
#[pyclass(name = "flagsobj", module = "phalanx", frozen)]
pub struct FlagsObject {
    /// The array.
    pub owner: Py<Ndarray>,
}

fn word(truth: bool) -> &'static str {
    if truth { "True" } else { "False" }
}

impl FlagsObject {
    fn flags(&self, py: Python<'_>) -> PyResult<Flags> {
        self.owner.get().layout(py)
    }

    fn named(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        let flag = self.flags(py)?.named(name);
        Ok(flag.unwrap_or_else(|| panic!("bug: there is no flag {name}")))
    }
}

#[pymethods]
impl FlagsObject {
    #[getter]
    fn c_contiguous(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "C_CONTIGUOUS")
    }

    #[getter]
    fn contiguous(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "CONTIGUOUS")
    }

    #[getter]
    fn f_contiguous(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "F_CONTIGUOUS")
    }

    #[getter]
    fn fortran(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "FORTRAN")
    }

    #[getter]
    fn owndata(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "OWNDATA")
    }

    #[getter]
    fn writeable(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "WRITEABLE")
    }

    /// Whether writes through this object are allowed. An object whose array could be written when
    /// it was made may allow them again; views keep the flag that they were made with.
    #[setter]
    fn set_writeable(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let writeable = value.is_truthy()?;
        let owner = self.owner.get();
        if writeable == self.named(py, "WRITEABLE")? {
            return Ok(());
        }
        if owner.records.is_some() || !owner.array.first().is_writeable() {
            let text = "cannot set WRITEABLE flag of this array";
            return Err(value_error(Mistake::Fixed, text));
        }
        let array = owner.array.with_writes(writeable);
        owner.array.set(array.map_err(|error| raised(py, &error))?);
        Ok(())
    }

    #[getter]
    fn aligned(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "ALIGNED")
    }

    #[getter]
    fn writebackifcopy(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "WRITEBACKIFCOPY")
    }

    #[getter]
    fn behaved(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "BEHAVED")
    }

    #[getter]
    fn carray(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "CARRAY")
    }

    #[getter]
    fn farray(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "FARRAY")
    }

    #[getter]
    fn fnc(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "FNC")
    }

    #[getter]
    fn forc(&self, py: Python<'_>) -> PyResult<bool> {
        self.named(py, "FORC")
    }

    #[getter]
    fn num(&self, py: Python<'_>) -> PyResult<i64> {
        Ok(self.flags(py)?.bits())
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        let unknown = || refused::<PyKeyError>(Mistake::Choice, "Unknown flag");
        self.flags(py)?.named(name).ok_or_else(unknown)
    }

    fn __setitem__(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match name {
            "W" | "WRITEABLE" => self.set_writeable(py, value),
            _ => Err(refused::<PyKeyError>(Mistake::Choice, "Unknown flag")),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        match other.cast::<FlagsObject>() {
            Ok(other) => Ok(self.flags(py)? == other.get().flags(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let flags = self.flags(py)?;
        Ok(format!(
            "  C_CONTIGUOUS : {}\n  F_CONTIGUOUS : {}\n  OWNDATA : {}\n  WRITEABLE : {}\n  \
             ALIGNED : True\n  WRITEBACKIFCOPY : False\n",
            word(flags.c_contiguous),
            word(flags.f_contiguous),
            word(flags.owns_data),
            word(flags.writeable)
        ))
    }
}
