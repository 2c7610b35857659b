//! Integration tests of the scheduler, one binary.

mod prefix_sum;
mod together;
mod vectors;
