//! Random numbers, based on counters of the global index: the same seed gives the same numbers on
//! any mesh.
//!
//! Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3" (SC 2011), generator Philox4x32-10: `Op::Philox`. Element `i` of the `k`-th draw is a
//! function of the seed, of `i` and of the earlier draws, and fuses into the operation that uses
//! it. The numbers differ from those of NumPy's generators, except for generators of a [`Stream`].
//!
//! Functions of a [`Generator`] are Local (record nodes) unless their documentation says
//! Collective. The parameters of distributions are NumPy's, in NumPy's order; each is a number or
//! an array. The [`Size`] follows them.

mod choice;
mod continuous;
mod counts;
mod discrete;
mod gamma;
mod generator;
mod integers;
mod parameters;
mod proposals;
mod seeds;
mod streams;

pub use choice::{ChoiceOptions, Population};
pub use generator::{Generator, State, fresh_seed, generator, seeded, streamed};
pub use integers::IntegerOptions;
pub use parameters::Size;
pub use seeds::{seed_of_bytes, seed_of_words};
pub use streams::Stream;
