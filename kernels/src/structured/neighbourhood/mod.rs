//! Windows around each element: sums, extrema and ranks.

pub(super) mod cpu;
pub(super) mod cuda;
mod element;
mod extremum;
mod geometry;
mod rank;
mod rows;
mod sum;
