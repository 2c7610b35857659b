//! Bad input, missing ranks, killed ranks, short memory: an error with a code on every rank, and
//! nothing left behind.

pub mod damage;
pub mod input;
pub mod killing;
pub mod memory;
pub mod restart;
pub mod silence;
pub mod start_up;
