//! The costs of messages on the program's machines: measured on request, kept in a file, and read
//! by process 0 of a session.

mod measure;
mod planes;
mod round_trip;

pub use measure::{Measured, Outcome, measure};
pub use phalanx_collectives::{Price, Prices};
