//! Products of vectors, of matrices, and of arrays with any number of axes.

mod chain;
mod checks;
mod einsum;
mod matmul;
mod matrices;
mod options;
mod subscripts;
mod tensordot;
mod vectors;

pub use chain::{matrix_power, multi_dot};
pub use einsum::{einsum, einsum_with};
pub use matmul::matmul;
pub use options::{Product, ProductOptions, product, product_dtype};
pub use subscripts::numbered_subscripts;
pub use tensordot::{ContractedAxes, dot, dot_into, inner, kron, tensordot};
pub(crate) use vectors::conjugated;
pub use vectors::{cross, matvec, outer, vdot, vecdot, vecmat};
