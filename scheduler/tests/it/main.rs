//! Integration tests of the scheduler, one binary.

mod prefix_sum;
mod ranks;
mod together;
mod vectors;
