//! The elementwise loops, casts and dtype rules against NumPy.
//!
//! `python tests/conformance/elementwise.py DIRECTORY` writes what NumPy computes; these tests read
//! the directory named by the environment variable `PHALANX_CONFORMANCE_DATA` and do nothing but
//! say so where it is not set.

mod casts;
mod data;
mod distance;
mod gpu;
mod in_place;
mod integers;
mod loops;
mod rules;
