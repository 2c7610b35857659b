//! Lowering: from the kernel IR to a program, the executor steps that a worker interprets.

mod folds;
mod fused;
mod guards;
mod lowering;
mod phases;
mod products;
mod registers;
mod rows;
mod sums;
mod unread;

pub(super) use lowering::{lower, widen};
