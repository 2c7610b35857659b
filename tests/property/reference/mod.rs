//! The reference evaluator: eager, one element at a time, with NumPy's views.

mod array;
mod elementwise;
mod layout;
mod machine;
mod order;
mod reduction;
mod value;

pub use array::{Plain, positions};
pub use machine::Reference;
pub use value::Value;
