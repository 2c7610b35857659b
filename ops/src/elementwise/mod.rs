//! The elementwise table: one row an operation, and the choice of an operation's loop as NumPy
//! makes it.

mod algebra;
mod op;
mod resolve;
mod row;
mod table;

pub use algebra::Algebra;
pub use op::{MULTI_OUTPUT, MultiOutput};
pub(crate) use resolve::holds;
pub use resolve::{Arg, Signature};
pub use row::Row;
pub use table::Op;
