//! Structured arrays: elements of several fields, kept as bytes.
//!
//! A [`Record`] says which fields an element has. [`Records`] are an array of bytes with one more
//! axis, the last, along which the bytes of an element lie. A field is a view of some of these
//! bytes; no kernel knows of records. See `docs/decisions/0019-structured-dtypes.md`.

mod assign;
mod compare;
mod handle;
mod join;
mod record;
mod view;

pub use assign::RecordValue;
pub use handle::{Records, Shown};
pub use record::{Field, Form, Record};
