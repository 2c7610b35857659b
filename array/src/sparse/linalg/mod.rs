//! Solvers for sparse matrices and other linear operators: SciPy's `sparse.linalg`.
//!
//! The solvers need only products with an operator (see [`LinearOperator`]). Vectors are global
//! arrays: products, inner products and updates are recorded operations, and a solver reads the few
//! numbers that decide about its next step, once an iteration where the method allows. Such a read
//! is Collective over the mesh, so every solver is. All processes read the same numbers and take
//! the same decisions.

mod augmented;
mod basis;
mod biconjugate;
mod bidiagonal;
mod conjugate;
mod dense;
mod direct;
mod entries;
mod exponential;
mod gmres;
mod krylov;
mod krylov_schur;
mod lanczos;
mod least_squares;
mod lobpcg;
mod lsmr;
mod lsqr;
mod minres;
mod multifrontal;
mod multigrid;
mod numbers;
mod one_norm;
mod operator;
mod options;
mod pipelined;
mod preconditioners;
mod problem;
mod quasi_minimal;
mod singular;

pub use augmented::{gcrotmk, lgmres};
pub use biconjugate::{bicg, bicgstab, cgs};
pub use bidiagonal::LeastSquaresOptions;
pub use conjugate::cg;
pub use direct::{ColumnOrder, Dropping, FactorOptions, Factorisation, Factorised, System};
pub use exponential::{expm_multiply, expm_multiply_range};
pub use gmres::gmres;
pub use krylov::{EigenOptions, Eigenpairs, Which};
pub use krylov_schur::eigs;
pub use lanczos::eigsh;
pub use lobpcg::{Lobpcg, LobpcgOptions, lobpcg};
pub use lsmr::{Lsmr, lsmr};
pub use lsqr::{Lsqr, lsqr};
pub use minres::minres;
pub use multifrontal::FrontReport;
pub use multigrid::{Multigrid, MultigridOptions};
pub use one_norm::{NormEstimate, norm, onenormest};
pub use operator::{Function, LinearOperator, SparseOperator};
pub use options::{Options, Solved};
pub use preconditioners::{BlockJacobi, Chebyshev, Jacobi};
pub use quasi_minimal::{qmr, tfqmr};
pub use singular::{SingularTriplets, svds};
