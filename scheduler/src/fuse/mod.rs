//! Fusion: which operations run in one kernel.
//!
//! Nodes are visited in program order and each joins a *group*, a kernel to be: the newest one with
//! its iteration space to which all its operands are loads of earlier values or values at the very
//! same index, else a new one. A value that a consumer loads at another index is materialised,
//! unless it is free or cheap to compute again. The group that a node has found or made absorbs
//! earlier ones with its space whose values the node loads at its own index, so that operands that
//! were computed apart meet in one kernel. A group's axes lie on *levels*: level 0 is the
//! grid; a reduction moves the axes it removes one level in, so reductions nest, and what uses the
//! result joins outside the loop, or in a second loop over the same axes. A value with a partial
//! result ends its group, for it has to be combined across devices first.
//!
//! Deterministic: a function of the graph and the placements alone.

mod context;
mod group;
mod place;

pub(crate) use context::{Context, selection};
pub(crate) use group::{Group, GroupAxis, Load, Member, Reference, Unit, compose};
pub(crate) use place::{Fused, fuse, stays_inside};
