//! Operations on sparse matrices in rows.

pub mod cpu;
pub mod cuda;
mod entries;
mod fronts;
mod fronts_cuda;
mod merge;
mod product;
mod product_rows_cuda;
mod rows;
mod rows_cuda;
mod sampled;
mod sampled_cuda;
mod semiring;
mod spgemm;
mod tiles_cuda;
mod value;
