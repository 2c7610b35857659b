//! The routines of structured operations.

mod evaluate;
mod fft;
mod gather;
mod gpu;
mod gpu_libraries;
mod interpolation;
mod linalg;
mod products;
mod recurrence;
mod requests;
mod rule_truth;
mod scan;
mod search;
mod sort;
mod sparse;
mod sparse_rows;
mod trees;
mod value;
mod windows;
