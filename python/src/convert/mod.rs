//! Conversion of objects of Python to arrays, and of arrays to objects of Python.

mod arrays;
pub mod dlpack;
pub mod dtypes;
mod foreign;
mod host;
pub mod host_buffer;
mod ndarray;
mod numbers;
pub mod record_dtypes;
pub mod records;

pub use arrays::{
    argument, array, as_array, is_converting, is_sequence, on_gpu, operand, operands,
    to_host_array, to_local_shard, upload,
};
pub use host::{fetch, to_numpy, to_numpy_view};
pub use ndarray::on_host;
pub use numbers::{is_element, is_element_of_numpy, known, weak, weak_number};
