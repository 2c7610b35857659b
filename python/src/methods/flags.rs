//! The memory layout of arrays: `ndarray.flags`.

use crate::interpreter::errors::{refused, value_error};
use crate::interpreter::mistakes::Mistake;
use phalanx::Flags;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

/// The flags of an array.
#[pyclass(name = "flagsobj", module = "phalanx", frozen)]
pub struct FlagsObject {
    /// The flags.
    pub flags: Flags,
}

fn word(truth: bool) -> &'static str {
    if truth { "True" } else { "False" }
}

impl FlagsObject {
    fn named(&self, name: &str) -> bool {
        self.flags.named(name).unwrap_or_else(|| panic!("bug: there is no flag {name}"))
    }
}

#[pymethods]
impl FlagsObject {
    #[getter]
    fn c_contiguous(&self) -> bool {
        self.flags.c_contiguous
    }

    #[getter]
    fn contiguous(&self) -> bool {
        self.flags.c_contiguous
    }

    #[getter]
    fn f_contiguous(&self) -> bool {
        self.flags.f_contiguous
    }

    #[getter]
    fn fortran(&self) -> bool {
        self.flags.f_contiguous
    }

    #[getter]
    fn owndata(&self) -> bool {
        self.flags.owns_data
    }

    #[getter]
    fn writeable(&self) -> bool {
        self.flags.writeable
    }

    #[setter]
    fn set_writeable(&self, writeable: bool) -> PyResult<()> {
        if writeable == self.flags.writeable {
            return Ok(());
        }
        Err(value_error(
            Mistake::Fixed,
            "cannot set WRITEABLE flag: use broadcast_to for a read-only view",
        ))
    }

    #[getter]
    fn aligned(&self) -> bool {
        self.named("ALIGNED")
    }

    #[getter]
    fn writebackifcopy(&self) -> bool {
        self.named("WRITEBACKIFCOPY")
    }

    #[getter]
    fn behaved(&self) -> bool {
        self.named("BEHAVED")
    }

    #[getter]
    fn carray(&self) -> bool {
        self.named("CARRAY")
    }

    #[getter]
    fn farray(&self) -> bool {
        self.named("FARRAY")
    }

    #[getter]
    fn fnc(&self) -> bool {
        self.named("FNC")
    }

    #[getter]
    fn forc(&self) -> bool {
        self.named("FORC")
    }

    #[getter]
    fn num(&self) -> i64 {
        self.flags.bits()
    }

    fn __getitem__(&self, name: &str) -> PyResult<bool> {
        let unknown = || refused::<PyKeyError>(Mistake::Choice, "Unknown flag");
        self.flags.named(name).ok_or_else(unknown)
    }

    fn __setitem__(&self, name: &str, value: bool) -> PyResult<()> {
        match name {
            "W" | "WRITEABLE" => self.set_writeable(value),
            _ => Err(refused::<PyKeyError>(Mistake::Choice, "Unknown flag")),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<FlagsObject>().is_ok_and(|other| other.get().flags == self.flags)
    }

    fn __repr__(&self) -> String {
        format!(
            "  C_CONTIGUOUS : {}\n  F_CONTIGUOUS : {}\n  OWNDATA : {}\n  WRITEABLE : {}\n  \
             ALIGNED : True\n  WRITEBACKIFCOPY : False\n",
            word(self.flags.c_contiguous),
            word(self.flags.f_contiguous),
            word(self.flags.owns_data),
            word(self.flags.writeable)
        )
    }
}
