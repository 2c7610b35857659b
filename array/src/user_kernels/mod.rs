//! Kernels of the user's own: texts in C++ that compute elements, as CuPy's `ElementwiseKernel`,
//! and combinations of elements, as its `ReductionKernel`.
//!
//! A text is parsed once. Each call interprets it over whole arrays: `x * y + 1` records a product
//! and a sum, with the types that C++ gives them, and `if` records a selection. So a kernel of the
//! user's runs on every device, on shards of any sharding, and takes part in fusion.

mod arithmetic;
mod compositions;
mod constants;
mod dpx;
mod elementwise;
mod expressions;
mod functions;
mod halves;
mod integers;
mod intrinsics;
mod packed;
mod parameters;
mod parse;
mod places;
mod pointers;
mod reduction;
mod run;
mod stop;
mod syntax;
mod tokens;
mod types;
mod ufunc;
mod values;

pub use elementwise::ElementwiseKernel;
pub use parameters::{Parameter, ParameterType};
pub use reduction::{ReductionCall, ReductionKernel};
pub use ufunc::UserUfunc;
