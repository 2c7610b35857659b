//! Sparse matrices in rows (CSR), split by rows.

mod csr;
mod gradients;

pub use csr::Csr;
pub use gradients::{CgOptions, Solution, cg, cg_from};
