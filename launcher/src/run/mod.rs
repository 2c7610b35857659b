//! `phalanx run`: starts the processes of a world, passes their output on and sees that all of them
//! end.
//!
//! `world` prepares what they share (secret, address, variables), `token` keeps the secret, `rank`
//! starts one of them, `hosts` says where each is, `remote` starts those of other hosts, `relay`
//! marks its lines with its number, `log` keeps them, and `watch` waits for all and ends them
//! together.

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
