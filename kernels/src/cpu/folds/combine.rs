//! The combination of two operands of a fold, and of a sequence of them in the canonical order.

use super::binned;
use super::leaf::{BATCH, LeafLoop};
use super::order::LEAF;
use crate::cpu::loops::{self, ArgLoop, Loop};
use phalanx_ops::{DType, Monoid};
use smallvec::SmallVec;

/// How two operands are combined.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Combine {
    /// Elements.
    Single(Loop),
    /// Elements and their indices.
    Pair(ArgLoop),
}

/// Bytes of the largest accumulator.
pub(in crate::cpu) const MOST_BYTES: usize = binned::ITEM;

/// One combined item.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(in crate::cpu) struct Item {
    pub value: [u8; MOST_BYTES],
    pub index: i64,
}

impl Combine {
    /// The combination by a monoid; `None` if it has no loop for the dtype.
    pub fn of(monoid: Monoid, dtype: DType) -> Option<Combine> {
        match monoid {
            Monoid::ArgMin | Monoid::ArgMax => loops::arg_combine(monoid, dtype).map(Combine::Pair),
            Monoid::Binned => Some(Combine::Single(binned::MERGE)),
            _ => loops::combine(monoid, dtype).map(Combine::Single),
        }
    }

    /// `left[i] = left[i] (x) right[i]` for `count` elements and, for pairs, their indices.
    ///
    /// # Safety
    /// The pointers are aligned and valid for `count` elements, and the left ones do not overlap
    /// the right ones; the index pointers only matter for pairs.
    #[inline]
    pub unsafe fn run(
        self,
        left: *mut u8,
        left_index: *mut u8,
        right: *const u8,
        right_index: *const u8,
        count: usize,
    ) {
        match self {
            // SAFETY: the caller's promise; the output equals the first input exactly.
            Combine::Single(code) => unsafe { code(&[left.cast_const(), right], left, count) },
            // SAFETY: the caller's promise.
            Combine::Pair(code) => unsafe {
                code(right, right_index.cast(), left, left_index.cast(), count);
            },
        }
    }

    fn items(self, left: &mut Item, right: &Item) {
        let index: *mut i64 = &mut left.index;
        // SAFETY: an item holds one aligned element and one index.
        unsafe {
            self.run(
                left.value.as_mut_ptr(),
                index.cast(),
                right.value.as_ptr(),
                (&raw const right.index).cast(),
                1,
            );
        }
    }
}

/// Combines items like a binary counter: aligned powers of two, then the rest from right to left.
#[derive(Debug, Default)]
pub(in crate::cpu) struct Counter {
    stack: SmallVec<[Item; 4]>,
    count: usize,
}

impl Counter {
    /// Adds the next item.
    #[inline]
    pub fn push(&mut self, item: Item, code: Combine) {
        self.stack.push(item);
        let mut carry = self.count;
        while carry & 1 == 1 {
            self.merge(code);
            carry >>= 1;
        }
        self.count += 1;
    }

    /// Adds the combination of the next `BATCH` items; the items so far are whole batches.
    #[inline]
    fn push_batch(&mut self, item: Item, code: Combine) {
        self.stack.push(item);
        let mut carry = self.count / BATCH;
        while carry & 1 == 1 {
            self.merge(code);
            carry >>= 1;
        }
        self.count += BATCH;
    }

    /// Folds the next points, which begin at a leaf boundary; points follow only if the last leaf
    /// is whole.
    ///
    /// # Safety
    /// There are `count` points in each of the inputs that `leaf` reads, aligned, of the dtype that
    /// it reads. The first size is that of a point, the second that of a result, which `code`
    /// combines.
    pub unsafe fn push_points(
        &mut self,
        leaf: LeafLoop,
        code: Combine,
        [point, size]: [usize; 2],
        points: [*const u8; 2],
        count: usize,
    ) {
        let mut results = [[0u64; MOST_BYTES / 8]; BATCH + 1];
        let mut done = 0;
        while done < count {
            let room = (BATCH - self.count % BATCH) * LEAF;
            let now = room.min(count - done);
            // SAFETY: the caller's points; results have at most `MOST_BYTES` bytes.
            unsafe {
                let points = points.map(|points| points.wrapping_add(done * point));
                leaf(points, results.as_mut_ptr().cast(), now);
            }
            done += now;
            let results = results.as_ptr().cast::<u8>();
            let item = |at: usize| {
                // SAFETY: the leaf loop wrote this element; the bytes after it do not matter.
                let value = unsafe { results.add(at * size).cast::<[u8; MOST_BYTES]>().read() };
                Item { value, index: 0 }
            };
            if now == BATCH * LEAF {
                self.push_batch(item(0), code);
            } else {
                (0..now.div_ceil(LEAF)).for_each(|at| self.push(item(at), code));
            }
        }
    }

    /// The combination of all items.
    #[inline]
    pub fn finish(&mut self, code: Combine) -> Option<Item> {
        while self.stack.len() > 1 {
            self.merge(code);
        }
        self.count = 0;
        self.stack.pop()
    }

    fn merge(&mut self, code: Combine) {
        let right = self.stack.pop().expect("bug: a merge needs two items");
        let left = self.stack.last_mut().expect("bug: a merge needs two items");
        code.items(left, &right);
    }
}
