//! The use of the interpreter by every call: its line of Python, its exceptions, its waits, and its
//! blocks of `with` statements.

pub mod blocks;
pub mod errors;
pub mod mistakes;
pub mod site;
pub mod spelling;
pub mod waiting;
