//! The folds of the SIMD lanes of lane blocks, in the canonical order.

use crate::cpu::folds::{
    BestLoop, Combine, Counter, Indices, Item, LANES, LEAF, LeafLoop, MOST_BYTES,
};
use crate::cpu::loops::Loop;
use crate::cpu::program::LaneFold;

/// The running state of a `LaneFold` over consecutive points, which begin at a leaf boundary.
#[derive(Debug)]
pub(in crate::cpu) struct LaneState {
    code: Combine,
    leaf: Option<LeafLoop>,
    best: Option<BestLoop>,
    size: usize,
    /// The size of the values, which may be narrower than the accumulated elements.
    value_size: usize,
    /// Computes what is folded of values and factors, for points that do not fill a leaf.
    term: Option<Loop>,
    ordered: bool,
    /// Accumulated elements: 32 virtual lanes of the current leaf, or the elements of a whole lane
    /// block. Without an order, points whose fold has a leaf loop are counted as leaves at once.
    values: Vec<[u64; 2]>,
    /// The output of `combine_lanes`: combining into other memory is faster than in place.
    spare: Vec<[u64; 2]>,
    /// The output of `term`.
    terms: Vec<[u64; 2]>,
    indices: Vec<i64>,
    /// If ordered, the points of the current leaf so far; else the elements of `values` in use.
    filled: usize,
    leaves: Counter,
}

impl LaneState {
    /// A state that takes lane blocks of at most `width` SIMD lanes.
    pub fn new(fold: &LaneFold, width: usize) -> LaneState {
        let in_leaves = fold.ordered || fold.leaf.is_some();
        let capacity = if in_leaves { LANES } else { width };
        LaneState {
            code: fold.code,
            leaf: fold.leaf,
            best: fold.best,
            size: fold.size,
            value_size: fold.value_size,
            term: fold.factor.map(|factor| factor.term),
            ordered: fold.ordered,
            values: vec![[0; 2]; (capacity * fold.size).div_ceil(16)],
            spare: vec![[0; 2]; (capacity * fold.size).div_ceil(16)],
            terms: vec![[0; 2]; if fold.factor.is_some() { LANES } else { 0 }],
            indices: vec![0; if fold.index.is_some() { capacity } else { 0 }],
            filled: 0,
            leaves: Counter::default(),
        }
    }

    fn value(&mut self, at: usize) -> *mut u8 {
        self.values.as_mut_ptr().cast::<u8>().wrapping_add(at * self.size)
    }

    fn index(&mut self, at: usize) -> *mut u8 {
        self.indices.as_mut_ptr().wrapping_add(at).cast()
    }

    /// Combines the next `count` points, each computed of its value and its factor if the fold
    /// has factors; `last` states that no points follow.
    ///
    /// # Safety
    /// `values` holds `count` elements, and so do `factors` if the fold has any. `indices` holds as
    /// many indices if the fold carries an index, in memory unless it has a loop for many pairs.
    #[inline]
    pub unsafe fn push(
        &mut self,
        [values, factors]: [*const u8; 2],
        indices: Indices,
        count: usize,
        last: bool,
    ) {
        if !self.ordered {
            return match self.leaf {
                // SAFETY: the caller's promise.
                Some(leaf) => unsafe {
                    let sizes = [self.value_size, self.size];
                    self.leaves.push_points(leaf, self.code, sizes, [values; 2], count);
                },
                // SAFETY: the caller's promise.
                None => unsafe { self.push_unordered(values, indices, count) },
            };
        }
        let mut done = 0;
        while done < count {
            if let Some(leaf) = self.leaf
                && self.filled == 0
                && (last || count - done >= LEAF)
            {
                let whole = (count - done) / LEAF * LEAF;
                let points = if last { count - done } else { whole };
                // SAFETY: so many of the caller's elements are left.
                unsafe {
                    let inputs =
                        [values, factors].map(|input| input.wrapping_add(done * self.size));
                    self.leaves.push_points(leaf, self.code, [self.size; 2], inputs, points);
                }
                done += points;
                continue;
            }
            let lane = self.filled % LANES;
            let run = (LANES - lane).min(count - done);
            // SAFETY: `run` elements from `done` on are the caller's, and the virtual lanes
            // `lane..lane + run` exist.
            unsafe {
                let mut source = values.add(done * self.size);
                if let Some(term) = self.term {
                    let factors = factors.add(done * self.size);
                    let terms = self.terms.as_mut_ptr().cast();
                    term(&[source, factors], terms, run);
                    source = terms.cast_const();
                }
                if self.filled < LANES {
                    std::ptr::copy_nonoverlapping(source, self.value(lane), run * self.size);
                } else if run == LANES {
                    self.combine_lanes(source, LANES);
                } else {
                    let (left, index) = (self.value(lane), self.index(0));
                    self.code.run(left, index, source, std::ptr::null(), run);
                }
            }
            self.filled += run;
            done += run;
            if self.filled == LEAF {
                self.close_leaf();
            }
        }
    }

    /// Combines the first `count` elements with `right`; elements beyond them are lost.
    ///
    /// # Safety
    /// `right` holds `count` elements and does not overlap the spare lanes.
    unsafe fn combine_lanes(&mut self, right: *const u8, count: usize) {
        let Combine::Single(code) = self.code else { panic!("bug: a fold of pairs has an order") };
        let output = self.spare.as_mut_ptr().cast();
        // SAFETY: both sets hold 32 virtual lanes; the caller vouches for `right`.
        unsafe { code(&[self.value(0), right], output, count) };
        std::mem::swap(&mut self.values, &mut self.spare);
    }

    unsafe fn push_unordered(&mut self, values: *const u8, indices: Indices, count: usize) {
        if self.filled == count && matches!(self.code, Combine::Single(_)) {
            // SAFETY: the caller's promise.
            return unsafe { self.combine_lanes(values, count) };
        }
        if let Some(best) = self.best {
            // SAFETY: the caller's promise.
            return unsafe { self.push_best(best, values, indices, count) };
        }
        let Indices::Each(indices) = indices else { panic!("bug: indices without a best loop") };
        let indices = indices.cast::<u8>();
        let shared = self.filled.min(count);
        let (left, left_index) = (self.value(0), self.index(0));
        // SAFETY: the caller's promise; a state holds as many elements as the widest lane block.
        unsafe {
            self.code.run(left, left_index, values, indices, shared);
            let rest = count - shared;
            let source = values.add(shared * self.size);
            std::ptr::copy_nonoverlapping(source, self.value(shared), rest * self.size);
            if !self.indices.is_empty() {
                std::ptr::copy_nonoverlapping(
                    indices.add(8 * shared),
                    self.index(shared),
                    8 * rest,
                );
            }
        }
        self.filled = self.filled.max(count);
    }

    /// Combines pairs into the only one of the state.
    ///
    /// # Safety
    /// The pointers hold `count` values and as many indices.
    unsafe fn push_best(
        &mut self,
        best: BestLoop,
        values: *const u8,
        indices: Indices,
        count: usize,
    ) {
        if count > 0 {
            let (value, index) = (self.value(0), self.index(0));
            // SAFETY: the caller's promise; the state holds at least one pair, of its own memory.
            unsafe { best(values, indices, value, index.cast(), count, self.filled == 0) };
            self.filled = 1;
        }
    }

    /// Combines the virtual lanes of the current leaf by halving and adds the result to the
    /// counter.
    fn close_leaf(&mut self) {
        let mut lanes = self.filled.min(LANES);
        let mut half = LANES / 2;
        while half > 0 {
            if lanes == 2 * half {
                let right = self.value(half);
                // SAFETY: the upper half of the virtual lanes is not part of the spare lanes.
                unsafe { self.combine_lanes(right, half) };
                lanes = half;
            } else if lanes > half {
                let (left, right, index) = (self.value(0), self.value(half), self.index(0));
                // SAFETY: `0..half` and `half..lanes` are distinct virtual lanes of the state.
                unsafe { self.code.run(left, index, right, index, lanes - half) };
                lanes = half;
            }
            half /= 2;
        }
        self.filled = 0;
        let item = self.item();
        self.leaves.push(item, self.code);
    }

    /// The first accumulated item. The bytes after its element are undefined.
    fn item(&self) -> Item {
        let mut value = [0; MOST_BYTES];
        if let Some([low, high]) = self.values.first() {
            value[..8].copy_from_slice(&low.to_ne_bytes());
            value[8..16].copy_from_slice(&high.to_ne_bytes());
        }
        let index = self.indices.first().copied().unwrap_or(0);
        Item { value, index }
    }

    /// The combination of all points pushed since the last call.
    pub fn finish(&mut self) -> Option<Item> {
        if self.ordered || self.leaf.is_some() {
            if self.filled > 0 {
                self.close_leaf();
            }
            return self.leaves.finish(self.code);
        }
        if self.filled == 0 {
            return None;
        }
        while self.filled > 1 {
            let half = self.filled.div_ceil(2);
            let (left, right) = (self.value(0), self.value(half));
            let (left_index, right_index) = (self.index(0), self.index(half));
            // SAFETY: the two halves are distinct elements of the state.
            unsafe { self.code.run(left, left_index, right, right_index, self.filled - half) };
            self.filled = half;
        }
        self.filled = 0;
        Some(self.item())
    }
}
