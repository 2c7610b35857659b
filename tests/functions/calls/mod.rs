//! The calls in Rust of the functions of NumPy and SciPy: a module for each topic.

#[macro_use]
mod table;

pub mod averages;
pub mod conversions;
pub mod creation;
pub mod differences;
pub mod dtypes;
pub mod elementary;
pub mod fft;
pub mod indexing;
pub mod linalg;
pub mod manipulation;
pub mod nan_reductions;
pub mod operators;
pub mod order_statistics;
pub mod polynomials;
pub mod products;
pub mod random;
pub mod reduction_options;
pub mod reduction_outputs;
pub mod reductions;
pub mod scans;
pub mod scipy;
pub mod selection;
pub mod sorting;
pub mod statistics;
pub mod ufunc_methods;
pub mod ufuncs;

pub use table::Call;
