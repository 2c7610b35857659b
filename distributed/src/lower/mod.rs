//! Lowering of structured operations: where their operands have to lie and where results do.

pub(crate) mod matmul;
mod place;

pub(crate) use place::{Lying, operand_shardings, place};
