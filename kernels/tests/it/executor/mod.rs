//! The executor against a slow evaluator of the IR that is obviously right, bit for bit.

mod case;
mod golden;
mod random;
mod reference;
mod text;
