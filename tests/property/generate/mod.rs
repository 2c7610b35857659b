//! Random programs: instructions are drawn until the reference finds them applicable.

mod choices;
mod instructions;
mod patterns;
mod writer;

pub use writer::case;
