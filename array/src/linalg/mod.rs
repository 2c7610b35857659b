//! Factorisations, norms and functions computed from them: NumPy's `linalg`.
//!
//! The matrices are the last two axes. A stack of matrices is split among devices; a single matrix
//! is gathered, and every device computes the same result. The plan shows this. Integers are
//! computed in f64. `OpError::Dtype` refuses matrices of f16, as NumPy does.

mod eigen;
mod factor;
mod householder;
mod matrices;
mod norms;
mod panels;
mod singular;
mod solve;
mod standard;
mod tensor;

pub use crate::array::deferral::{check_matrices, checks_matrices};
pub use crate::products::{matmul, matrix_power, multi_dot, tensordot, vecdot};
pub use eigen::*;
pub use factor::*;
pub use householder::qr_raw;
pub(crate) use matrices::decomposed;
pub use norms::*;
pub use panels::factored_panel;
pub use singular::*;
pub use solve::*;
pub use standard::*;
pub use tensor::*;
