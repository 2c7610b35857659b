//! Factorisations of sparse matrices by one thread: `P A Q = L U`, complete or with few entries.
//!
//! Orders of columns, and the factorisation of matrices whose factors have many entries, come from
//! the `faer` crate. Its factors cannot be read, so the method by columns is ours, as are the
//! incomplete factorisations.

mod by_columns;
mod columns;
mod dissection;
mod factors;
mod fronts;
mod on_pattern;
mod options;
mod order;
mod scalar;
mod solver;
mod supernodal;

pub use columns::Columns;
pub use factors::{Factors, System};
pub use fronts::{Fronts, Link, Stack};
pub use options::{Dropping, Options, Unfactorised};
pub use order::ColumnOrder;
pub use scalar::Scalar;
pub use solver::{Factorise, Method, Solver};
