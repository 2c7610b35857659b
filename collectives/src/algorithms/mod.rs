//! Collectives made of messages, for communicator groups that span processes.
//!
//! Short data takes the fewest rounds (recursive doubling, binomial trees, direct messages). Long
//! data travels in pieces along a ring or a chain, so that each connection carries each byte as
//! rarely as possible. A `Memory` knows where the data resides and how to combine it: host and GPU
//! data take the same routes and are combined in the same order. If the group has MPI's own
//! collectives, they move host data, and `native` combines it.

mod collective;
mod conversation;
mod direct;
mod doubling;
mod memory;
mod native;
mod parts;
mod ring;
mod tree;

pub(crate) use collective::collective;
pub(crate) use conversation::{Conversation, converse};
pub(crate) use doubling::barrier;
pub(crate) use memory::{HostMemory, Lower, Memory};
