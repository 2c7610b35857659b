//! Reading and writing at positions on a GPU.

mod put;
mod take;

pub use put::put;
pub(in crate::structured) use take::gather_lines;
pub use take::{sources, take, take_along};
