//! Reading and writing at positions on a GPU.

mod put;
mod take;

pub use put::{put, put_routines};
pub(in crate::structured) use take::{gather_lines, of_elements};
pub use take::{sources, take, take_along, take_along_routines, take_routines};
