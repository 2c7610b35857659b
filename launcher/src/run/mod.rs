//! `phalanx run`: starts the processes of a world, passes their output on and sees that all of them
//! end.
//!
//! `world` prepares what they share (secret, address, variables), `token` keeps the secret, `rank`
//! starts one of them, `relay` marks its lines with its number, `log` keeps them, and `watch` waits
//! for all and ends them together.

mod command;
mod log;
mod outcome;
mod program;
mod rank;
mod relay;
mod token;
mod watch;
mod world;

pub use command::run;
pub use outcome::Outcome;
pub use rank::start_rank;
