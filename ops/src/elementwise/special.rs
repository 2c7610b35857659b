//! Special functions: elementwise operations of real numbers that no row of the table has.

use std::fmt;

/// A special function of one to seven operands, which have the dtype of the result, `f32` or `f64`.
/// It is computed in `f64` and rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Special {
    /// SciPy's name; the crate `special` has the function.
    pub name: &'static str,
}

impl Special {
    /// The cost of one element, in additions: rational approximations have tens of terms, series
    /// more.
    pub const fn flops(self) -> u32 {
        100
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
