//! NumPy's ufuncs: elementwise operations as objects, with the options of their calls and methods.

mod call;
mod loops;
mod methods;
mod names;

pub use call::UfuncOptions;
pub(crate) use loops::Asked;
pub use methods::{Ufunc, ufunc};
