//! Kernels: the words of their texts, the compiler with its cache on disk, loaded machine code and
//! launches, and the kernels that copy.

mod cache;
mod compiler;
mod copies;
mod function;
mod words;

pub use compiler::{Compiler, Image, save_source};
pub use copies::copy_source;
pub(super) use copies::{Selection, copy_box, copy_kernels};
pub(super) use function::load_known;
pub use function::{Coming, Function, FunctionAttribute, GridSize, Module};
pub use words::{BINNED, Definitions, WORDS, with_words};
