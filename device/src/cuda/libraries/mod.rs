//! Libraries: matrix products, Fourier transforms and factorisations on one GPU, and communication
//! between GPUs. Each makes its handle at first use and keeps it behind its own lock.

mod blas;
mod fft;
mod handle;
mod nccl;
mod outcome;
mod solver;

pub use blas::{Blas, MatrixElement, Product};
pub use fft::{Fft, Fourier, FourierLines};
pub use handle::{HandleKind, LibraryHandle};
pub use nccl::{NcclCommunicator, NcclElement, NcclId, NcclReduction, nccl_version};
pub use solver::{Matrices, SingularParts, Solver, Triangle};
