//! Fusion: which operations run in one kernel.
//!
//! Nodes are visited in program order. Each joins a *group*, the nodes of one kernel: the newest
//! group with its iteration space that gets all operands by loads of earlier values or as values at
//! the same index, otherwise a new group. A value that a consumer loads at another index is stored
//! in memory, unless it is cheap to compute again. The node's group then absorbs earlier groups
//! with its space whose values the node loads at its own index, so operands computed apart meet in
//! one kernel.
//!
//! A group's axes have *levels*. Level 0 is the grid; a reduction moves the axes that it removes
//! one level in, so reductions nest, unless the inner loop is long and its result costs little to
//! store (`Context::keeps_loops_outermost`). A consumer of the result joins outside the loop, or in
//! a second loop over the same axes. A partial result ends its group, because it must be combined
//! across devices first. If such a loop reads beyond the device's block, it is cut there, and the
//! launches of its parts combine their results one after the other.
//!
//! Fusion is a deterministic function of the graph and the placements.

mod context;
mod group;
mod place;
mod reads;
#[cfg(test)]
mod tests;

pub(crate) use context::{Context, selection};
pub(crate) use group::{Group, GroupAxis, Load, Member, Reference, Unit, compose, folds_many};
pub(crate) use place::{Fused, fuse};
pub(crate) use reads::{loads_of, overwritten, reads_of};
