//! Requests: positions of a split axis, ordered by the devices that own them.

mod cpu;
mod cuda;
mod deal;
mod run;
mod stretch;

pub use cuda::sources;
pub use deal::{Dealt, Purpose, Requests};
