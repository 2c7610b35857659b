//! The arrays in memory, so that an error of memory can name the largest.

use crate::error::LargeArray;
use crate::shards::Storage;
use phalanx_graph::Site;
use phalanx_ops::{DType, Shape};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The most arrays that a message names.
const NAMED: usize = 8;

/// The arrays that this process holds blocks of, and where they were made.
#[derive(Default)]
pub(super) struct LiveArrays(Mutex<Made>);

#[derive(Default)]
struct Made {
    /// By the address of the storage, which stays unique while the entry exists. A write in place
    /// makes a new array with the same storage; only the last one lives.
    arrays: FxHashMap<usize, (Weak<Storage>, DType, Shape, Site)>,
    /// The number of entries at which dropped arrays are removed.
    sweep_at: usize,
}

impl LiveArrays {
    /// Notes an array that was made just now.
    pub fn note(&self, storage: &Arc<Storage>, dtype: DType, shape: &[usize], site: Site) {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if made.arrays.len() >= made.sweep_at {
            made.arrays.retain(|_, array| array.0.strong_count() > 0);
            made.sweep_at = 2 * made.arrays.len() + 64;
        }
        let array = (Arc::downgrade(storage), dtype, Shape::from_slice(shape), site);
        made.arrays.insert(Arc::as_ptr(storage).addr(), array);
    }

    /// The largest arrays, the largest first.
    pub fn largest(&self) -> Vec<LargeArray> {
        let made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let live = made.arrays.values().filter_map(|(storage, dtype, shape, site)| {
            let bytes = storage.upgrade()?.bytes();
            Some(LargeArray { bytes, dtype: *dtype, shape: shape.to_vec(), site: *site })
        });
        let mut largest: Vec<LargeArray> = live.filter(|array| array.bytes > 0).collect();
        // The map's order is arbitrary, so sort.
        largest.sort_by(|a, b| {
            b.bytes.cmp(&a.bytes).then_with(|| a.site.to_string().cmp(&b.site.to_string()))
        });
        largest.truncate(NAMED);
        largest
    }
}
