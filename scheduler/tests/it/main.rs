//! Integration tests of the scheduler, one binary.

mod parts;
mod positions;
mod prefix_sum;
mod ranks;
mod together;
mod vectors;
