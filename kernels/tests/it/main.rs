//! Integration tests of the kernels, one binary.

mod device_functions;
mod elementwise;
mod executor;
mod matmul;
mod structured;
