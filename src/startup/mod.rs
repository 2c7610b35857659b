//! The start of a session in a process.
//!
//! `binding` binds the process to processors, `devices` opens its GPUs, and `blas` finds its
//! library of matrices. Processes of a launcher meet by `meeting`, and processes that can already
//! communicate by `introduction`; in both, `listening` makes the socket and the secret of process
//! 0. `world` then joins the world. `report` shows what all of this would do, and `error` has the
//! errors.

mod binding;
mod blas;
mod devices;
mod error;
mod introduction;
mod listening;
mod meeting;
mod report;
mod world;

pub(crate) use binding::bind;
pub use blas::blas;
pub(crate) use blas::{blas_facts, common_blas, own_blas};
pub(crate) use devices::{gpu, memory_limit, open_gpus};
pub use error::{InitError, InitFailure};
pub use report::{gpus, start_up};
pub(crate) use world::{DEVICES, common_limit, records, world};
