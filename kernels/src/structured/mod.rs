//! Library routines: operations with a structure of their own, one folder each.

pub mod matmul;
