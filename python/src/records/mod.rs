//! Structured arrays in Python: their dtypes, their elements, and the functions that take them.

mod dtypes;
mod files;
mod functions;
mod objects;
mod values;

pub use dtypes::{given, to_python};
pub use files::loaded;
pub use functions::{called, may_take};
pub use objects::{compared, item, set_item, written};
pub use values::{host, of_host};
