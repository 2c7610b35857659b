//! The division of a launch among threads: of its SIMD lanes, of its loops, and of its tables.

mod drive;
mod split;
mod tables;
mod threads;

pub(super) use drive::{Division, run};
pub(super) use tables::{has_ordered_whole_table, needs_single_lanes};
pub(super) use threads::Threads;
