//! Printing of arrays as NumPy's `str` and `repr` at the default print options.

mod corners;
mod digits;
mod elements;
mod float;
mod layout;
mod numbers;
mod show;

pub use layout::Summary;
pub use numbers::{
    array_repr, array_str, array2string, base_repr, binary_repr, format_float_positional,
    format_float_scientific, repr_around,
};
pub use show::{host_array_str, print};
