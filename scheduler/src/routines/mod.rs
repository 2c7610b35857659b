//! Routines of structured operations that communicate while they run, and their table.

mod call;
mod route;
mod table;

pub use call::{CollectiveRoutine, RoutineCall};
pub use table::Routines;
