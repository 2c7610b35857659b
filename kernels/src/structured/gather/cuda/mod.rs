//! Reading and writing at positions on a GPU.

mod put;
mod take;

pub use put::{put, put_routines, put_sources};
pub(in crate::structured) use take::{gather_lines, of_elements};
pub use take::{take, take_along, take_along_routines, take_routines, take_sources};
