//! From windows to running work: fusion, plans, memory, and execution on the devices of a mesh.
//!
//! A closed window becomes a *plan* (`plan`: shardings, fused groups, collectives), which is
//! *finalised* for what the program can still observe (`finalise`), *instantiated* for each local
//! device (`instance`) and *executed* by its worker (`execute`). Plans and kernels are cached by
//! structure.
#![forbid(unsafe_code)]

mod alias;
mod build;
mod cache;
mod cost;
mod digest;
mod error;
mod execute;
mod explain;
mod finalise;
mod fuse;
mod gathering;
mod halo;
mod identity;
mod ids;
mod instance;
mod job;
mod moves;
mod outcome;
mod plan;
pub mod planning;
pub mod predict;
mod processes;
mod ready;
mod recorded;
mod refill;
mod routines;
#[cfg(test)]
mod samples;
mod segments;
mod session;
mod shards;
mod timeline;
mod verify;

pub use error::{LargeArray, RunError};
pub use routines::{CollectiveRoutine, RoutineCall, Routines};
pub use session::{Counters, Session, SessionOptions};
pub use timeline::{Kind, Span, Timeline, Track};
