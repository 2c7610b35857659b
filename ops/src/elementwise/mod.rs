//! The elementwise table, with one row for each operation, and NumPy's choice of an operation's
//! loop.

mod algebra;
mod combined;
mod op;
mod resolve;
mod row;
mod special;
mod table;

pub use algebra::Algebra;
pub use op::{MULTI_OUTPUT, MultiOutput};
pub use resolve::{Arg, Signature};
pub use row::Row;
pub use special::Special;
pub use table::Op;
