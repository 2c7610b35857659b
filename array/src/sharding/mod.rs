//! The distribution of an array: requested by names of axes, and shown as a picture.

mod named;
mod picture;

pub use named::{NamedSharding, NamedSplit, SplitAlong};
pub(crate) use picture::check;
pub use picture::{Drawing, picture};
