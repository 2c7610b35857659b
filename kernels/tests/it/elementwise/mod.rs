//! The elementwise loops, casts and dtype rules against NumPy.
//!
//! `python tests/conformance/elementwise.py DIRECTORY` writes NumPy's results; these tests read the
//! directory named by the environment variable `PHALANX_CONFORMANCE_DATA`. Without the variable
//! they are skipped and say so.

mod casts;
mod data;
mod distance;
mod gpu;
mod in_place;
mod integers;
mod loops;
mod rules;
