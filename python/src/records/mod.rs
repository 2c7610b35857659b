//! Structured arrays in Python: their items, and the functions that take them.

mod files;
mod functions;
mod items;

pub use files::loaded;
pub use functions::{called, may_take};
pub use items::{compared, item, set_item, written};
