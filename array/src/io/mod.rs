//! Files: NumPy's `.npy` and `.npz`, read and written as host arrays.
//!
//! Reading never executes code (object arrays are errors) and never trusts a size larger than the
//! file. The result is always in C order and native byte order. Writing is atomic: the file appears
//! under its name complete, or not at all.
//!
//! Each process reads and writes the blocks of its own devices, so no process holds a whole split
//! array.

mod archive;
mod atomic;
mod checkpoint;
mod compressed;
mod error;
mod header;
mod leftovers;
mod load;
mod npy;
mod npz;
mod parts;
mod save;

pub use atomic::write_atomically;
pub use checkpoint::{Checkpoint, checkpoint, restore};
pub use error::{HeaderProblem, IoError};
pub use load::{Npz, load, load_npz};
pub use npy::{read_npy, write_npy};
pub use npz::{npz_names, read_npz, read_npz_member, write_npz};
pub use save::{save, savez, savez_compressed};

#[cfg(test)]
mod tests;
