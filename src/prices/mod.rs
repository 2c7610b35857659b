//! The costs of messages and of work on the program's machines: measured on request, kept in a
//! file, and read by process 0 of a session.

mod measure;
mod planes;
mod round_trip;
mod work;

pub use measure::{Measured, measure};
pub use phalanx_collectives::{Price, Prices};
pub use work::Outcome;
