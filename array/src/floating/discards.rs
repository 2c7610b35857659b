//! Casts that discard imaginary parts: NumPy's `ComplexWarning`.

use super::checks::send;
use crate::array::Argument;
use phalanx_graph::{Error, Site, is_nested};
use phalanx_ops::{DType, Weak};

/// NumPy's text.
const DISCARDED: &str = "Casting complex values to real discards the imaginary part";

/// Warns of a cast from complex to real elements that the program requested. A cast to bool keeps
/// the truth of complex elements. Calls by other functions of the library do not warn: a function
/// that casts inside of [`within`](phalanx_graph::within) warns before it.
///
/// Errors: that of the receiver of warnings, before anything is computed or written.
pub(crate) fn warn_discarded(from: DType, to: DType, site: Site) -> Result<(), Error> {
    if !from.is_complex() || to.is_complex() || to == DType::Bool || is_nested() {
        return Ok(());
    }
    send("ComplexWarning", DISCARDED, site)
}

/// As [`warn_discarded`], for an array that is written into elements of `to`. As in NumPy, the
/// assignment of a number does not warn.
pub(crate) fn warn_assigned(value: &Argument, to: DType, site: Site) -> Result<(), Error> {
    value.as_array().map_or(Ok(()), |array| warn_discarded(array.dtype(), to, site))
}

/// As [`warn_discarded`], for a value that fills a new array of `to`. As in NumPy, a number of 128
/// bits and a number without a dtype warn, and one of 64 bits does not.
pub(crate) fn warn_filled(value: &Argument, to: DType, site: Site) -> Result<(), Error> {
    match value {
        Argument::Array(array) => warn_discarded(array.dtype(), to, site),
        Argument::Scalar(scalar) if scalar.dtype() == DType::C64 => Ok(()),
        Argument::Scalar(scalar) => warn_discarded(scalar.dtype(), to, site),
        Argument::Weak(Weak::Complex(_)) => warn_discarded(DType::C128, to, site),
        Argument::Weak(_) => Ok(()),
    }
}
