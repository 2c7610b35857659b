//! Sorting of keys in vector registers.
//!
//! Long runs of keys are split by a pivot, as in quicksort: the keys of a register that are below
//! the pivot are compressed to one array, the others to another. Short runs are sorted in registers
//! by a network, and two runs are merged a register at a time. Equal keys are identical, so
//! stability does not matter.
//!
//! Sources: "A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512 on Intel Skylake"
//! (Bramas, 2017), with two arrays in place of one, so that no branch depends on the keys;
//! "Sorting networks and their applications" (Batcher, 1968).

#[cfg(target_arch = "x86_64")]
mod avx512;
mod keys;
#[cfg(target_arch = "x86_64")]
mod network;
mod quicksort;
mod registers;

pub(in crate::structured) use keys::Key;
pub(super) use quicksort::{is_shared, merge, sort, sort_beside};
