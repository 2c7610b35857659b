//! Reading and writing at positions on a GPU.

mod put;
mod take;

pub use put::put;
pub(in crate::structured) use take::gather_lines;
pub use take::{take, take_along};

/// The texts of reading and of writing, with elements of every size.
pub fn sources() -> Vec<String> {
    let mut sources = take::sources();
    sources.extend(put::sources());
    sources
}
