//! Sparse matrices in rows (CSR), split by rows.

mod combine;
mod construct;
pub mod csgraph;
mod csr;
mod fronts;
pub mod linalg;
mod needs;
mod order;
mod products;
mod sampled;
mod split;
mod sums;

pub use csr::Csr;
pub use phalanx_ops::structured::Semiring;
