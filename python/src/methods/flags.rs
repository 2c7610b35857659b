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
        true
    }

    #[getter]
    fn writebackifcopy(&self) -> bool {
        false
    }

    #[getter]
    fn behaved(&self) -> bool {
        self.flags.writeable
    }

    #[getter]
    fn carray(&self) -> bool {
        self.flags.writeable && self.flags.c_contiguous
    }

    #[getter]
    fn farray(&self) -> bool {
        self.flags.writeable && self.fnc()
    }

    #[getter]
    fn fnc(&self) -> bool {
        self.flags.f_contiguous && !self.flags.c_contiguous
    }

    #[getter]
    fn forc(&self) -> bool {
        self.flags.f_contiguous || self.flags.c_contiguous
    }

    #[getter]
    fn num(&self) -> i64 {
        let flags = [
            (self.flags.c_contiguous, 0x1),
            (self.flags.f_contiguous, 0x2),
            (self.flags.owns_data, 0x4),
            (true, 0x100),
            (self.flags.writeable, 0x400),
        ];
        flags.iter().filter(|(holds, _)| *holds).map(|(_, bit)| bit).sum()
    }

    fn __getitem__(&self, name: &str) -> PyResult<bool> {
        Ok(match name {
            "C" | "C_CONTIGUOUS" | "CONTIGUOUS" => self.flags.c_contiguous,
            "F" | "F_CONTIGUOUS" | "FORTRAN" => self.flags.f_contiguous,
            "O" | "OWNDATA" => self.flags.owns_data,
            "W" | "WRITEABLE" => self.flags.writeable,
            "A" | "ALIGNED" => true,
            "X" | "WRITEBACKIFCOPY" => false,
            "B" | "BEHAVED" => self.behaved(),
            "CA" | "CARRAY" => self.carray(),
            "FA" | "FARRAY" => self.farray(),
            "FNC" => self.fnc(),
            "FORC" => self.forc(),
            _ => return Err(refused::<PyKeyError>(Mistake::Choice, "Unknown flag")),
        })
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
