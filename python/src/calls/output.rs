//! Answers that may be an object of the call: `out`, or an array that needs no copy.

use super::answer::Answer;
use super::arguments::Arguments;
use crate::interpreter::errors::raised;
use phalanx::{Array, Axes, Error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

impl Arguments<'_, '_> {
    /// The parameters `axis`, `keepdims` and `out` of a function that is no reduction.
    pub fn axes_and_out(&self) -> PyResult<Axes> {
        let axes = self.axes()?;
        Ok(match self.out()? {
            Some(out) => axes.out(&out),
            None => axes,
        })
    }

    /// The copy that a request needs; without one, the object of the parameter itself.
    pub fn copied(&self, name: &str, copy: Result<Option<Array>, Error>) -> PyResult<Answer> {
        let copy = copy.map_err(|error| raised(self.py(), &error))?;
        Ok(copy.map_or(Answer::Object(self.object(name)?.clone().unbind()), Answer::Array))
    }

    /// The answer of an operation that has already written to `out`: `out` itself if it is given,
    /// else the result.
    pub fn written_out(&self, result: Array) -> PyResult<Answer> {
        let Some(out) = self.given("out") else { return Ok(Answer::Array(result)) };
        result.ok().map_err(|error| raised(self.py(), &error))?;
        Ok(Answer::Object(match out.cast::<PyTuple>() {
            Ok(tuple) => tuple.get_item(0)?.unbind(),
            Err(_) => out.clone().unbind(),
        }))
    }
}
