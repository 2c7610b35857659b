//! Routines of structured operations that communicate while they run, and their table.

mod call;
mod read;
mod requests;
mod room;
mod route;
mod search;
mod table;
mod windows;
mod write;

pub use call::{CollectiveRoutine, RoutineCall};
pub(crate) use room::room;
pub use table::Routines;
