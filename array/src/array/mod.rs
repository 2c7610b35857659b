//! `Array`: a cell and a view of it.

mod element;
mod flags;
mod handle;
mod observe;
mod write;

pub use flags::{Flags, Snapshot};
pub use handle::Array;
pub(crate) use write::form_operand;
