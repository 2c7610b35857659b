//! Messages between the members of communicator groups, within a process and between processes.
//!
//! A message is matched by its channel (group, message lane, sender, receiver) and its position
//! among the channel's messages. Within one process it is one copy, made by the end that arrives
//! second. Between processes, short messages are sent at once, and the receiving process stores
//! them until they are claimed. Longer ones are announced, and their bytes travel once the receiver
//! is ready. Therefore a reader never waits for a receive, and the frames of a connection never
//! block each other. Memory for unexpected messages is limited (`credit`); beyond the limit, short
//! messages are announced too. Marks on every frame reveal damage (`seal`).

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
