//! `Array`: a cell and a view of it.

mod handle;
mod observe;
mod write;

pub use handle::Array;
pub(crate) use write::form_operand;
