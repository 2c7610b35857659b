//! Arrays that a call is to write its result into: the parameter `out`.

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::errors::{raised, type_error, value_error};
use phalanx::{Array, Casting};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

impl Arguments<'_, '_> {
    /// The answer of an operation that has written `out` itself, if that is given: `out`.
    pub fn reduced(&self, result: Array) -> PyResult<Answer> {
        let Some(out) = self.given("out") else { return Ok(Answer::Array(result)) };
        result.ok().map_err(|error| raised(self.py(), &error))?;
        Ok(Answer::Object(match out.cast::<PyTuple>() {
            Ok(tuple) => tuple.get_item(0)?.unbind(),
            Err(_) => out.clone().unbind(),
        }))
    }

    /// Writes a result into `out`, if that is given, which is then the answer.
    pub fn written(&self, result: Array) -> PyResult<Answer> {
        self.written_by(result, Casting::SameKind)
    }

    /// As [`Arguments::written`], by another rule of what can be cast.
    pub fn written_by(&self, result: Array, casting: Casting) -> PyResult<Answer> {
        let Some(out) = self.out()? else { return Ok(Answer::Array(result)) };
        result.ok().map_err(|error| raised(self.py(), &error))?;
        if out.shape() != result.shape() {
            return Err(value_error(format!(
                "{}(): out has shape {:?}, and the result {:?}",
                self.name(),
                out.shape(),
                result.shape()
            )));
        }
        if !phalanx::can_cast(result.dtype(), out.dtype(), casting) {
            return Err(type_error(format!(
                "Cannot cast {}() output from {} to {} with this casting rule",
                self.name(),
                result.dtype().numpy_name(),
                out.dtype().numpy_name()
            )));
        }
        out.try_assign(&result).map_err(|error| raised(self.py(), &error))?;
        self.reduced(out)
    }
}
