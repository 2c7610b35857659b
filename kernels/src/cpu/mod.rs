//! The CPU executor: cache-sized blocks over the scalar tree of the kernel, on all threads of the
//! device.
//!
//! `compile` lowers a kernel to steps over registers (`program`). A launch computes its geometry
//! (`prepare`) unless the thread has recently run one of the same shape (`recent`), divides its
//! points among threads (`drive`), and interprets the steps block by block (`worker`). A register
//! holds one element for each lane of the block, so that each step is one typed loop (`loops`) and
//! its dispatch is paid once a block. Steps read contiguous operands from their buffers and write
//! contiguous results to theirs, without a copy.
//!
//! Which points are lanes, how wide blocks are, and how many threads take part are decided for each
//! launch, and no result depends on them (`fold`, `table`).

mod block;
mod compile;
mod cost;
mod drive;
mod fold;
mod fused;
mod geometry;
mod half_tables;
mod instructions;
mod launch;
mod leaf;
pub mod loops;
mod lower;
mod lower_folds;
mod memory;
mod phases;
mod prepare;
mod program;
mod recent;
mod registers;
mod sequential;
mod split;
mod sums;
mod table;
mod threads;
mod touched;
mod transfer;
mod worker;

pub use compile::{Compiled, Tuning, compile};
pub(crate) use fold::identity;
#[doc(hidden)]
pub use instructions::{Level, force_instructions};
pub use launch::{BufferLaunch, launch};
pub use program::LaneChoice;
