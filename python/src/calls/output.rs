//! The parameter `out`: the array into which a call writes its result.

use super::answer::Answer;
use super::arguments::Arguments;
use crate::interpreter::errors::raised;
use phalanx::{Array, Axes};
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
