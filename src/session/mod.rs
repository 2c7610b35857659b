//! Sessions: the start and the end of a program's work with Phalanx.
//!
//! `start` makes a session, `facts` reports about it, and `end` ends it. `registry` knows the
//! sessions of this process. `together` has what all ranks do together.

mod end;
mod facts;
mod registry;
mod start;
mod together;

use phalanx_graph::{MeshHandle, Site};
use phalanx_scheduler::Session as Scheduler;
use std::path::PathBuf;
use std::sync::Arc;

pub use facts::{DeviceMemory, ProcessFacts};
pub use registry::{check_process, rank, size};
pub use start::init;
pub use together::{agree, declare};

/// A program's work with Phalanx, from [`init`] until it is finished or dropped.
pub struct Session {
    scheduler: Arc<Scheduler>,
    mesh: MeshHandle,
    /// The call that made it.
    site: Site,
    /// A line about the library of matrices.
    blas: String,
    /// The file of its timeline.
    trace: Option<PathBuf>,
    /// Whether [`init`] started it.
    is_initial: bool,
}
