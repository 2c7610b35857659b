//! Printing of arrays: the text is NumPy's `str`, at its default print options.

mod digits;
mod elements;
mod float;
mod layout;
mod show;

pub use show::print;
