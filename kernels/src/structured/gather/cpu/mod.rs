//! Reading and writing at positions on the CPU. Elements that are only moved are handled as bytes.

mod mixed;
mod put;
mod take;

pub use put::put;
pub use take::{take, take_along};
