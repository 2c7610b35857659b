//! Who this process is among those that a launcher has started, as the launcher's variables tell.
//!
//! `table` has the variables of each launcher, `find` reads them, `own` reads ours, `nodes` reads
//! lists of hosts.
//! Nothing here reads the environment itself: `Config::from_env` gives a look-up.

mod find;
mod nodes;
mod own;
mod table;
#[cfg(test)]
mod tests;

pub use find::{LauncherFlaw, Placement};
pub use nodes::{node_list, tasks_per_node};
pub(crate) use own::own_placement;
pub use table::{LAUNCHERS, Launcher, Row};
