//! The distribution of an array: requested by names of axes, and shown as a picture.

mod named;
mod picture;
mod requested;

pub use named::{NamedSharding, NamedSplit, SplitAlong};
pub use picture::{Drawing, picture};
