//! `phalanx run`: starts the processes of a world, relays their output and ensures that all end.
//!
//! `command` is the sequence of a run. `program` finds the program, `world` prepares what the
//! processes share (secret, address, variables), `token` keeps the secret, and `hosts` assigns
//! ranks to hosts. `rank` starts a process, on another host by `ssh`; `start_rank` is what that
//! process does first. `relay` passes on its lines, which `lines` marks with its number, and `log`
//! saves them. `watch` waits for all processes and ends them together, by the rules of `course`.
//! `dry_run` only prints the commands.

mod command;
mod course;
mod dry_run;
mod hosts;
mod lines;
mod log;
mod outcome;
mod program;
mod rank;
mod relay;
mod ssh;
mod start_rank;
mod token;
mod watch;
mod world;

pub use command::run;
pub use hosts::Hosts;
pub use outcome::Outcome;
pub use start_rank::start_rank;
