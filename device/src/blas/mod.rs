//! The BLAS and LAPACK library of this machine, found at run time.
//!
//! `choice` is the user's choice. `search` looks for libraries in order, and `trial` loads each in
//! another process first. `names` and `routines` look up functions, `probe` checks their results,
//! and `threads` sets the number of threads around calls. `library` is what is found.

mod choice;
mod library;
mod names;
mod probe;
mod routines;
mod search;
mod threads;
mod trial;

pub use choice::BlasChoice;
pub use library::{Blas, BlasLibrary};
pub use routines::{Kind, Lapack, Products};
pub use search::{BlasSearch, PassedOver, find_blas};
pub use threads::Entered;
