//! Schedules of matrix products.
//!
//! - *by rule*: every device has the rows of the left and the columns of the right that its block
//!   of the product needs.
//! - *panels* (SUMMA): as by rule, but a panel of the contracted axis at a time, so that no device
//!   holds a whole operand; chosen where what is gathered is large.
//! - *partial*: every device multiplies its part of the contracted axis, and the products are
//!   summed; chosen where that moves fewer bytes, as for a wide matrix times a tall one.
//!
//! Source: R. A. van de Geijn, J. Watts, "SUMMA: scalable universal matrix multiplication
//! algorithm" (1997).

mod panels;
mod place;
mod products;
mod transposed;

pub(crate) use products::Products;
