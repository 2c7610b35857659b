//! The executor against a slow and simple evaluator of the IR, bit for bit.

mod again;
mod case;
mod cuda;
mod cuda_texts;
mod gaps;
mod golden;
mod guards;
mod half_tables;
mod instructions;
mod levels;
mod memory;
mod random;
mod reference;
mod text;

pub use cuda::device;
