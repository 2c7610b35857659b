//! The executor against a slow evaluator of the IR that is obviously right, bit for bit.

mod again;
mod case;
mod cuda;
mod cuda_texts;
mod golden;
mod half_tables;
mod levels;
mod memory;
mod random;
mod reference;
mod text;

pub use cuda::device;
