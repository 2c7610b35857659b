//! The warning about large arrays that are copied to the host because another library asks for
//! them.

use super::lifetime;
use crate::interpreter::errors::runtime_warning;
use crate::interpreter::site::here;
use phalanx::Array;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of the session that has had its warning.
static WARNED: AtomicUsize = AtomicUsize::new(0);

/// Warns, once in a session, if an array that is copied for another library is large. An error if
/// the program has made warnings errors.
pub fn warn(py: Python<'_>, array: &Array) -> PyResult<()> {
    let bytes = array.size() * array.dtype().size();
    let (limit, session) = (lifetime::warned_from(), lifetime::number());
    if bytes < limit || WARNED.load(Ordering::Relaxed) == session {
        return Ok(());
    }
    let text = format!(
        "another library requested the elements of an array, which copies {bytes} bytes to the \
         host of each process; call x.get() once to copy them without this warning, which is given \
         once for each session (PHALANX_IMPLICIT_COPY={limit})"
    );
    runtime_warning(py, &text, here(py))?;
    WARNED.store(session, Ordering::Relaxed);
    Ok(())
}
