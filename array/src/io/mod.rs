//! Files: NumPy's `.npy` and `.npz`, read and written as host arrays.
//!
//! Reading never executes anything (object arrays are refused), never believes a size that the
//! file cannot hold, and always gives C order and native byte order. Writing is atomic: the file
//! appears under its name complete, or not at all.

mod array;
mod atomic;
mod error;
mod header;
mod npy;
mod npz;

pub use array::{load, load_npz, save, savez};
pub use atomic::write_atomically;
pub use error::{HeaderProblem, IoError};
pub use npy::{read_npy, write_npy};
pub use npz::{npz_names, read_npz, read_npz_member, write_npz};

#[cfg(test)]
mod tests;
