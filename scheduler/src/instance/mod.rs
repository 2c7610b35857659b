//! Instances: a finalised plan as one device runs it, with every box, offset and message worked
//! out.
//!
//! The `builder` walks the plan's steps; `exchanges` works out what is sent and received,
//! `launches` where kernels read and write, `parts` the boxes that they run on and what they leave
//! unwritten.

mod boxes;
mod builder;
mod exchanges;
mod launches;
mod parts;
mod steps;

pub(crate) use builder::instantiate;
pub(crate) use steps::{At, BlockAt, CopyBox, Instance, LocalStep, Memory, Packet};
