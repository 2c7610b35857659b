//! Integration tests of the kernels, one binary.

#[path = "../../../tests/absence.rs"]
mod absence;
mod copies;
mod device_functions;
mod due;
mod elementwise;
mod executor;
mod matmul;
mod structured;
