//! Where values reside: default shardings, propagation through the operations of a window, and the
//! boxes that devices exchange.
//!
//! Everything here is a pure function of the graph, the mesh and the policy, and independent of
//! kernels and memory.
#![forbid(unsafe_code)]

mod exchange;
mod legalise;
mod lower;
mod placement;
mod policy;
mod price;
mod propagate;
mod regions;
#[cfg(test)]
mod samples;
mod setup;

pub use exchange::{Transfer, pieces_from, pieces_to};
pub use legalise::{Legal, Origin, expansion, legalise, wanted_shardings};
pub use lower::{
    Call, Cuts, Expansion, Lowering, Lowerings, Phase, PhaseInput, PhaseSource, PlacedOperand,
    Samples,
};
pub use placement::{OperandShardings, Placement, Schedule};
pub use policy::{Layout, Policy};
pub use price::read_price;
pub use propagate::propagate;
pub use regions::{
    are_apart, image, is_aligned, is_small_write, may_clash, misaligned_axes, preimage_range,
};
pub use setup::Setup;
