//! Random numbers: counter-based, by global index, so that the same seed gives the same numbers on
//! any mesh.
//!
//! Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3" (SC 2011), generator Philox4x32-10: `Op::Philox`. Element `i` of the `k`-th number
//! drawn is a function of the seed, `i` and what was drawn before, and fuses into whatever uses it.
//! The numbers are not those of NumPy's generators, but for generators of a [`Stream`].
//!
//! Functions of a [`Generator`] record nodes (Local) but where they say otherwise. Distributions
//! have NumPy's parameters in NumPy's order, which are numbers or arrays, and then the [`Size`].

mod choice;
mod continuous;
mod counts;
mod discrete;
mod gamma;
mod generator;
mod integers;
mod parameters;
mod proposals;
mod streams;

pub use choice::{ChoiceOptions, Population};
pub use generator::{Generator, State, fresh_seed, generator, seeded, streamed};
pub use integers::IntegerOptions;
pub use parameters::Size;
pub use streams::Stream;
