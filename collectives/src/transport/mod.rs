//! Messages between the members of groups, wherever the members are.
//!
//! A message is matched by its channel (group, lane, sender, receiver) and its position among the
//! channel's messages. Between members of one process it is one copy, made by whoever comes second.
//! Between processes, short messages are sent at once and kept by the receiving process until they
//! are asked for; longer ones are announced, and their bytes travel once the receiver has said
//! where to put them. So a reader never waits for a receive, and the frames of one connection never
//! block each other. Memory for unexpected messages has a limit (`credit`), beyond which short ones
//! are announced too. Every frame shows that it came as it was sent (`seal`).

mod credit;
mod doing;
mod fabric;
mod frame;
mod guard;
mod link;
mod mailbox;
mod pulse;
mod reader;
mod seal;
mod transfer;
mod watch;

pub(crate) use fabric::Fabric;
#[cfg(test)]
pub(crate) use frame::CONTROL_BYTES;
pub(crate) use frame::{Lane, abort, deserialize, serialize};
pub(crate) use guard::guarded;
pub(crate) use link::Link;
pub(crate) use mailbox::Channel;
pub use pulse::Entered;
pub(crate) use pulse::{beat, listen};
pub(crate) use reader::read;
pub(crate) use seal::{CODE_BYTES, MARK_BYTES, Seal};
pub(crate) use transfer::{Exchange, Transfer};
pub(crate) use watch::watch;
