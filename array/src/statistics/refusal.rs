//! Refusals of arguments.

use crate::error::{Error, Site};
use phalanx_ops::error::OpError;

/// The error of an argument whose value is not allowed.
pub(crate) fn wrong(
    operation: &'static str,
    argument: &'static str,
    value: String,
    site: Site,
) -> Error {
    Error::op(OpError::Argument { operation, argument, value }, site)
}
