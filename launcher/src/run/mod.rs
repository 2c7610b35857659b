//! `phalanx run`: starts the processes of a world, relays their output and ensures that all end.
//!
//! `world` prepares what they share (secret, address, variables), `token` keeps the secret, `hosts`
//! assigns ranks to hosts, `rank` starts a process, `remote` starts one on another host, `relay`
//! marks its lines with its number, `log` saves them, and `watch` waits for all processes and ends
//! them together.

mod command;
mod hosts;
mod log;
mod outcome;
mod program;
mod rank;
mod relay;
mod remote;
mod token;
mod watch;
mod world;

pub use command::run;
pub use hosts::Hosts;
pub use outcome::Outcome;
pub use rank::start_rank;
