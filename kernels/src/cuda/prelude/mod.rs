//! The device functions of the CUDA text.
//!
//! A generated kernel calls one overloaded function for each operation, cast and combination:
//!
//! - `op_NAME(a, b)` for a row of the elementwise table, with exactly the signatures of the row;
//! - `cast_DTYPE(x)` for every source dtype, by the rules of the CPU's casts;
//! - `combine_MONOID(a, b)` and `identity_MONOID_DTYPE()` for the monoids of single elements;
//!   `combine_argmin(best, best_index, value, index)` and `combine_argmax`, and
//!   `combine_moments(count, mean, squares, count2, mean2, squares2)`, change their first operands;
//!   so does `combine_binned(all, other)`, with `binned_add` and `binned_value`.
//!
//! Types are named as dtypes are: `bool`, `i8` … `u64`, `f16`, `bf16` (`.bits`), `f32`, `f64`,
//! `c64`, `c128` (`.re`, `.im`), each with the alignment of its components.
//!
//! The text of a kernel has only the functions that the kernel uses: compiling a line costs time.
//! The types are among the words at the start of all texts (`phalanx_device::cuda::with_words`).
//! The text needs no header, and is compiled with `--fmad=false`, so that a user's product and sum
//! are never contracted; a function that needs a fused multiply-add calls `fma`.
//!
//! Operations on half types are computed in f32 and rounded, transcendental functions of `c64` in
//! `c128`, as on the CPU. A negative power of an integer gives 0, as on the CPU: the array layer
//! records a check of the exponents before the power.

mod assemble;
mod sections;
#[cfg(test)]
mod tests;

pub(super) use assemble::literal;
pub use assemble::{Uses, text};
