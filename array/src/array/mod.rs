//! `Array`: a cell and a view of it, the arguments of operations, and the ways in which arrays
//! share elements.

mod argument;
mod assign;
mod capture;
mod cell;
pub(crate) mod deferral;
mod element;
mod flags;
mod form;
mod handle;
mod known;
mod lending;
mod lens;
mod loans;
mod observe;
mod operand;
mod output;
mod places;
mod reproducible;
mod sharing;
mod strided;
mod vectors;
mod write;

pub use argument::Argument;
pub(crate) use argument::dtype_of_number;
pub(crate) use assign::{
    assigned_number, cast_scalar, real_number, without_leading, wrapped_number,
};
pub use capture::{CapturedGraph, begin_capture, end_capture};
pub use deferral::{DeferredErrors, deferred_errors, raise_deferred};
pub(crate) use deferral::{checks_matrices, is_deferring};
pub use flags::{Flags, Snapshot};
pub(crate) use form::form_operand;
pub use handle::Array;
pub use known::KnownElement;
pub use lending::Loan;
pub use output::check_casting;
pub(crate) use output::check_casting_at;
pub(crate) use reproducible::is_reproducible;
pub use reproducible::{Reproducible, reproducible};
pub use sharing::{may_share_memory, shares_memory};
pub use strided::strides_without_gaps;
