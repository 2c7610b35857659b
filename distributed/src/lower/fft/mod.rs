//! Schedules of Fourier transforms.
//!
//! - *by rule*: every device transforms whole lines, so a split of the transformed axis moves to
//!   another one.
//! - *four steps*: a vector is transformed as a matrix, in two transforms of its axes with a
//!   product between them; the matrix is transposed among the devices before, between and after.
//!   Chosen for vectors, which have no other axis to split, on three or more devices; on two for
//!   long vectors.
//!
//! Source: D. H. Bailey, "FFTs in external or hierarchical memory" (1990).

mod four_steps;
mod transforms;

pub(crate) use transforms::Transforms;
