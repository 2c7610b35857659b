//! Sessions: the engine of one mesh: plans are looked up or made, memory is reserved, and the lane
//! of each device runs them.

mod data;
mod evaluate;
mod lane;
mod memory;
mod options;
mod session;

pub use options::{Counters, SessionOptions};
pub use session::Session;
