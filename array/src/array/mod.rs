//! `Array`: a cell and a view of it, the arguments of operations, and the ways in which arrays
//! share elements.

mod argument;
pub(crate) mod deferral;
mod element;
mod flags;
mod handle;
mod lending;
mod lens;
mod observe;
mod sharing;
mod strided;
mod structured;
mod vectors;
mod write;

pub use argument::Argument;
pub use deferral::{DeferredErrors, deferred_errors, raise_deferred};
pub(crate) use deferral::{checks_matrices, is_deferring};
pub use flags::{Flags, Snapshot};
pub use handle::Array;
pub use lending::Loan;
pub use lens::complex;
pub use sharing::{may_share_memory, shares_memory};
pub(crate) use structured::{line, line_axis, record_structured, stacked_alike, stacked_product};
pub(crate) use write::form_operand;
