//! The environment variables that Phalanx knows.
//!
//! Parsing, the list of `phalanx info`, `docs/environment.md` and the warning about unknown names
//! all use the one `table`. `kinds` parses the form of each value, `values` has the types of
//! values, `names` finds the known name that an unknown one means, and `page` writes the
//! documentation.
//!
//! This module does not read the environment: `Config::from_env` does. It uses the standard library
//! and `Transport` alone, so that the developer commands can include it, and the file of that type,
//! without building the framework.

mod kinds;
mod names;
mod numbers;
mod page;
mod table;
mod values;

pub use kinds::*;
pub use names::{UnknownVariable, unknown};
pub use page::markdown;
pub use table::{Environment, Group, InvalidValue, PREFIX, VARIABLES, Variable};
pub use values::{Devices, LogLevel, MeetingWay, MemoryLimit};
