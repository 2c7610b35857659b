//! The shape of a launch: which axes are merged, and which threads compute which points.

mod choice;
mod facts;
mod geometry;
mod moments;
mod neighbours;
mod outline;

pub(super) use facts::{folds_in_any_order, has_binned, has_ordered_tables, is_ordered};
pub use geometry::Geometry;
pub(super) use geometry::LINE;
pub(super) use moments::{Moments, Pair};
pub use outline::Shape;
