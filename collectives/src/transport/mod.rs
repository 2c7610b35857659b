//! Messages between the members of communicator groups, within a process and between processes.
//!
//! A message is matched by its channel (group, message lane, sender, receiver) and its position
//! among the channel's messages. Within one process it is one copy, made by the end that arrives
//! second. Between processes, short messages are sent at once, and the receiving process stores
//! them until they are claimed. Longer ones are announced, and their bytes travel once the receiver
//! is ready. Therefore a reader never waits for a receive, and the frames of a connection never
//! block each other. Memory for unexpected messages is limited (`credit`); beyond the limit, short
//! messages are announced too. Marks on every frame reveal damage (`seal`).

mod channel;
mod control;
mod credit;
mod doing;
mod fabric;
mod frame;
mod guard;
mod inside;
mod link;
mod mailbox;
mod pulse;
mod reader;
mod seal;
mod transfer;
mod tunnel;
mod waits;
mod watch;

pub(crate) use channel::{Channel, Lane};
pub(crate) use fabric::Fabric;
#[cfg(test)]
pub(crate) use frame::CONTROL_BYTES;
pub(crate) use frame::{abort, deserialize, serialize};
pub(crate) use guard::guarded;
pub use inside::Entered;
pub(crate) use link::Link;
pub(crate) use pulse::{beat, listen};
pub(crate) use reader::read;
pub(crate) use seal::{CODE_BYTES, MARK_BYTES, Seal};
pub(crate) use transfer::Transfer;
pub(crate) use tunnel::Tunnel;
#[cfg(test)]
pub(crate) use tunnel::pair;
pub(crate) use watch::watch;
