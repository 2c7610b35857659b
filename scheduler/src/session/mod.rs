//! Sessions: the engine of one mesh. It looks up or makes plans, reserves memory, and sends plans
//! to the lane of each device.

mod apart;
mod at_once;
mod copies;
mod data;
mod elements;
mod engine;
mod evaluate;
mod flights;
mod foreign;
mod joined;
mod lane;
mod launch;
mod live;
mod memory;
mod moved;
mod options;
mod state;

pub use options::{Counters, SessionOptions};
pub use state::Session;
