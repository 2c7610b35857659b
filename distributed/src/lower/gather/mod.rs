//! Reading and writing at positions of a split axis.
//!
//! The devices send each other requests instead of the axis: positions go to the devices that own
//! them, and elements come back, or the new elements go with the positions. Each position is sent
//! once and each element once, so the axis is not gathered. If the axis has fewer bytes than the
//! requests, or other axes can be split, the rule decides as for other operations.

mod reads;
mod requests;
mod writes;

pub(super) use reads::Reads;
pub(super) use requests::{COST, exchanged, owned};
pub(super) use writes::Writes;
