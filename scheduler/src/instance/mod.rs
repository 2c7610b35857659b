//! Instances: a finalised plan as one device runs it, with all boxes, offsets and messages.
//!
//! The `builder` visits the plan's steps; `exchanges` computes messages, `chunks` divides them and
//! the routines before them, `launches` computes the addresses of kernels, `parts` the boxes that
//! kernels run on and the copies of unwritten elements.

mod boxes;
mod builder;
mod chunks;
mod exchanges;
mod launches;
mod parts;
mod steps;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use builder::instantiate;
pub(crate) use chunks::chunks_of;
pub(crate) use steps::{
    At, BlockAt, CopyBox, InPlace, Instance, LocalStep, Memory, Packet, Routine, Together,
};
pub(crate) use verify::assert_sound;
