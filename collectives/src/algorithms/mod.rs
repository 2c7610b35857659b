//! Collectives made of messages, for groups that span processes.
//!
//! Short data takes the fewest steps (recursive doubling, binomial trees, direct messages), long
//! data travels in pieces along a ring or a chain, so that each connection carries each byte as
//! rarely as possible. Where the group has MPI's own collectives, these move the data, and `native`
//! combines it.

mod conversation;
mod direct;
mod doubling;
mod native;
mod ring;
mod tree;

pub(crate) use conversation::Conversation;

pub(crate) use direct::{all_to_all, gather, scatter};
pub(crate) use doubling::barrier;
pub(crate) use ring::{all_gather, all_reduce, reduce, reduce_scatter};
pub(crate) use tree::broadcast;
