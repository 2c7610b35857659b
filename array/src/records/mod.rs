//! Structured arrays: elements with several fields, stored as bytes.
//!
//! A [`Record`] defines the fields of an element. [`Records`] are an array of bytes with one more
//! axis, the last one, along which the bytes of an element are stored. A field is a view of some of
//! these bytes, so kernels need no support for records. See
//! `docs/decisions/0019-structured-dtypes.md`.

mod assign;
mod compare;
mod handle;
mod join;
mod record;
mod view;

pub use assign::RecordValue;
pub use handle::{Records, Shown};
pub use record::{Field, Form, Record};
