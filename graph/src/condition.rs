//! A condition on data with the error that it stands for.

use crate::error::Error;
use crate::node::Held;

/// A recorded condition, and the error to raise if it holds.
pub(crate) struct Check {
    pub(crate) condition: Held,
    pub(crate) error: Error,
}
