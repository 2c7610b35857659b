//! The text of a variant.

mod ahead;
mod argument;
mod folds;
mod statements;
mod writer;

pub(super) use argument::{Field, fields};
pub(super) use folds::bytes_of_partials;
pub use writer::{source, source_of_many};
