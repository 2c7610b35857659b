//! The timeline of a session as a file and as a table (`PHALANX_TRACE`).
//!
//! The scheduler records (`phalanx_scheduler::Timeline`). `output` writes what it has recorded:
//! `file` the spans of all ranks for a viewer, and `table` their sums.

mod file;
mod measure;
mod output;
mod table;

pub(crate) use output::{check, write};
