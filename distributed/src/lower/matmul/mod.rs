//! Schedules of matrix products.
//!
//! - *by rule*: every device has the rows of the left and the columns of the right operand that its
//!   block of the product needs.
//! - *panels*: as by rule, but for one panel of the contracted axis at a time, so no device
//!   holds a whole operand; chosen if a device gathers much of an operand.
//! - *grid* (SUMMA on a mesh of two axes or more): operands and result are split by rows and
//!   columns, and each panel is gathered from all devices; chosen if that moves fewer bytes.
//! - *partial*: every device multiplies its part of the contracted axis, and a collective sums the
//!   products; chosen if that moves fewer bytes, as for a wide matrix times a tall one.
//!
//! Source: R. A. van de Geijn, J. Watts, "SUMMA: scalable universal matrix multiplication
//! algorithm" (1997).

mod grid;
mod panels;
mod place;
mod products;
mod transposed;

pub(crate) use products::Products;
