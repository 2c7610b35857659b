//! Finalising: what of a plan has to run given what the program can still observe, and where its
//! values lie in memory.
//!
//! Local to a process. May drop stores and launches that no live value and no collective needs, and
//! choose slots; never adds, drops, resizes or reorders a collective.

mod needed;
mod overwrite;
mod places;

pub(crate) use needed::{Final, FinalCopy, FinalLaunch, FinalStep, Liveness, Place, finalise};
