//! The place of this process among those that a launcher has started, from the launcher's
//! variables.
//!
//! `table` has the variables of each launcher, `find` reads them, `nodes` parses lists of hosts,
//! and `share` divides a host among its processes. Nothing here reads the environment:
//! `Config::from_env` passes a look-up.

mod find;
mod nodes;
mod share;
mod table;
#[cfg(test)]
mod tests;

pub use find::{LauncherFlaw, Placement};
pub use nodes::{node_list, tasks_per_node};
pub(crate) use share::{processors, share_of_gpus, threads_of};
pub use table::{LAUNCHERS, Launcher, Row};
