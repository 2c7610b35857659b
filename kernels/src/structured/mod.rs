//! Library routines: structured operations, one folder each.

mod block;
mod combining;
pub mod fft;
pub mod gather;
pub mod grouped;
mod interpolation;
mod labels;
pub mod launch;
pub mod linalg;
mod lines;
pub mod matmul;
mod nearest;
mod neighbourhood;
mod number;
mod recurrence;
pub mod requests;
mod run;
pub mod scan;
pub mod search;
pub mod sort;
mod sources;
pub mod sparse;
mod tasks;
pub mod transpose;
mod trees;
mod workspace;

pub use block::{Block, Plain};
pub use run::{missing, run, run_on};
pub use sources::cuda_sources;
pub use workspace::workspace;
