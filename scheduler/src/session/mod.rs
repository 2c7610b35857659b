//! Sessions: the engine of one mesh: plans are looked up or made, memory is reserved, and the lane
//! of each device runs them.

mod apart;
mod data;
mod engine;
mod evaluate;
mod foreign;
mod joined;
mod lane;
mod live;
mod memory;
mod options;

pub use engine::Session;
pub use options::{Counters, SessionOptions};
