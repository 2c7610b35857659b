//! Integration tests of the kernels, one binary.

mod elementwise;
mod executor;
mod matmul;
mod structured;
