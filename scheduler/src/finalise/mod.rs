//! Finalising: selects the steps of a plan that must run for the values that the program can still
//! observe, and assigns memory to values.
//!
//! It is local to a process. It may drop stores and launches that no live value and no collective
//! needs, and choose slots. It never adds, drops, resizes or reorders a collective.

mod finished;
mod kept;
mod landing;
mod needed;
mod overwrite;
mod places;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use finished::{
    Final, FinalCopy, FinalLaunch, FinalStep, Liveness, Place, routines_at_end,
};
pub(crate) use needed::finalise;
