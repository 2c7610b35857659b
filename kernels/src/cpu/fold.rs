//! Folds: the canonical order in which the points of a loop are combined.
//!
//! Floating-point combination is not associative, so the order is part of the result. It is a
//! function of the number of points alone. For points `k = 0..n`, in C order of the loop's axes:
//!
//! 1. A *leaf* is 256 consecutive points. Inside it, point `k` belongs to virtual lane `k % 32`,
//!    and each lane combines its points in order (at most 8 of them).
//! 2. The lanes of a leaf are combined by halving: lane `l` with `l + 16`, then `l + 8`, `l + 4`,
//!    `l + 2`, `l + 1`, wherever the right-hand lane holds something; the lower lane is always the
//!    left operand.
//! 3. Leaves are combined as by a binary counter: equal powers of two pairwise, and the remaining
//!    ones from right to left.
//!
//! The first point of a lane starts it, so no identity enters a fold over at least one point. Error
//! grows with the logarithm of `n`, as in NumPy's pairwise summation, with shorter sequential runs.
//! Half-precision folds accumulate in f32 and are rounded once, at the end.
//!
//! The same tree is walked in two ways. A `BlockFold` combines whole blocks, one point of a
//! sequential loop at a time; it visits lanes in the order in which the halving needs them, so six
//! accumulators suffice for 32 lanes. A `LaneFold` combines the lanes of blocks with each other, 32
//! at a time. Monoids whose result does not depend on the order (integers, truth values, and pairs
//! with an index, which break ties by index) use any order.

use super::leaf::LeafLoop;
use super::loops::{ArgLoop, Loop};
use super::program::{RegisterId, Width};
use num_complex::Complex64;
use phalanx_ops::{DType, Kind, Monoid, Scalar, Weak};

/// Points in a leaf.
pub(super) const LEAF: usize = 256;
/// Virtual lanes in a leaf.
pub(super) const LANES: usize = 32;
/// Accumulators that the halving of one leaf needs when lanes are visited depth first.
pub(super) const DEPTH: usize = 6;

/// Leaves that are folded before their results are combined, so that loads run ahead.
const BATCH: usize = 16;

/// How two operands are combined.
#[derive(Clone, Copy, Debug)]
pub(super) enum Combine {
    /// Elements.
    Single(Loop),
    /// Elements and their indices.
    Pair(ArgLoop),
}

/// A fold over the points of a sequential loop.
#[derive(Debug)]
pub(super) struct BlockFold {
    pub number: usize,
    pub code: Combine,
    pub value: RegisterId,
    pub index: Option<RegisterId>,
    pub output: RegisterId,
    pub index_output: Option<RegisterId>,
    pub width: Width,
    pub size: usize,
    pub ordered: bool,
    /// Whether the value is loaded directly and its memory is unchanged at the next point.
    pub loaded: bool,
    pub identity: [u8; 16],
}

/// A fold over the lanes of a phase.
#[derive(Debug)]
pub(super) struct LaneFold {
    pub code: Combine,
    /// The fold of a whole leaf, where there is a faster way.
    pub leaf: Option<LeafLoop>,
    pub value: RegisterId,
    pub index: Option<RegisterId>,
    pub output: RegisterId,
    pub index_output: Option<RegisterId>,
    pub size: usize,
    pub ordered: bool,
    pub identity: [u8; 16],
}

/// Whether the result can depend on the order of combination.
pub(super) fn is_ordered(monoid: Monoid, dtype: DType) -> bool {
    dtype.is_inexact() && !monoid.is_compound()
}

/// The bytes of the result of a fold over no points: combining them with the folds of other devices
/// changes nothing.
pub(crate) fn identity(monoid: Monoid, dtype: DType) -> [u8; 16] {
    let weak = match monoid {
        Monoid::Multiply => Weak::Int(1),
        Monoid::All => Weak::Bool(true),
        Monoid::LogAddExp => Weak::Float(f64::NEG_INFINITY),
        Monoid::BitAnd if dtype.kind() == Kind::Bool => Weak::Bool(true),
        Monoid::BitAnd => Weak::Int(-1),
        Monoid::Min | Monoid::ArgMin => bounds(dtype).1,
        Monoid::Max | Monoid::ArgMax => bounds(dtype).0,
        Monoid::Add | Monoid::Any | Monoid::BitOr | Monoid::BitXor | Monoid::Moments => {
            Weak::Int(0)
        }
    };
    let mut bytes = [0; 16];
    let scalar = Scalar::from_weak(dtype, weak);
    bytes[..dtype.size()].copy_from_slice(scalar.bytes());
    bytes
}

/// The smallest and the largest element of a dtype.
fn bounds(dtype: DType) -> (Weak, Weak) {
    let bits = 8 * dtype.size() as u32;
    let infinity = f64::INFINITY;
    match dtype.kind() {
        Kind::Bool => (Weak::Bool(false), Weak::Bool(true)),
        Kind::Unsigned => (Weak::Int(0), Weak::Int((1 << bits) - 1)),
        Kind::Signed => (Weak::Int(-(1 << (bits - 1))), Weak::Int((1 << (bits - 1)) - 1)),
        Kind::Float => (Weak::Float(-infinity), Weak::Float(infinity)),
        Kind::Complex => {
            let corner = |part| Weak::Complex(Complex64::new(part, part));
            (corner(-infinity), corner(infinity))
        }
    }
}

/// One combined item.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct Item {
    pub value: [u8; 16],
    pub index: i64,
}

impl Combine {
    /// `left[i] = left[i] (x) right[i]` for `count` elements and, for pairs, their indices.
    ///
    /// # Safety
    /// The pointers are aligned and valid for `count` elements, and the left ones do not overlap
    /// the right ones; the index pointers only matter for pairs.
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
pub(super) struct Counter {
    stack: Vec<Item>,
    count: usize,
}

impl Counter {
    /// Adds the next item.
    pub fn push(&mut self, item: Item, code: Combine) {
        self.stack.push(item);
        let mut carry = self.count;
        while carry & 1 == 1 {
            self.merge(code);
            carry >>= 1;
        }
        self.count += 1;
    }

    /// The combination of all items.
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

/// The running state of a `LaneFold` over consecutive points, which begin at a leaf boundary.
#[derive(Debug)]
pub(super) struct LaneState {
    code: Combine,
    leaf: Option<LeafLoop>,
    size: usize,
    ordered: bool,
    /// Accumulated elements: 32 lanes of the current leaf, or the elements of a whole block.
    values: Vec<[u64; 2]>,
    /// The output of `combine_lanes`: combining into other memory is faster than in place.
    spare: Vec<[u64; 2]>,
    indices: Vec<i64>,
    /// If ordered, the points of the current leaf so far; else the elements of `values` in use.
    filled: usize,
    leaves: Counter,
}

impl LaneState {
    /// A state that takes blocks of at most `width` lanes.
    pub fn new(fold: &LaneFold, width: usize) -> LaneState {
        let capacity = if fold.ordered { LANES } else { width };
        LaneState {
            code: fold.code,
            leaf: fold.leaf,
            size: fold.size,
            ordered: fold.ordered,
            values: vec![[0; 2]; (capacity * fold.size).div_ceil(16)],
            spare: vec![[0; 2]; (capacity * fold.size).div_ceil(16)],
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

    /// Combines the next `count` points; `last` states that no points follow.
    ///
    /// # Safety
    /// `values` holds `count` elements, and `indices` as many indices if the fold carries an index.
    pub unsafe fn push(&mut self, values: *const u8, indices: *const u8, count: usize, last: bool) {
        if !self.ordered {
            // SAFETY: the caller's promise.
            return unsafe { self.push_unordered(values, indices, count) };
        }
        let mut done = 0;
        while done < count {
            if let Some(leaf) = self.leaf
                && self.filled == 0
                && (last || count - done >= LEAF)
            {
                let whole = (count - done) / LEAF * LEAF;
                let points = if last { count - done } else { whole }.min(BATCH * LEAF);
                // SAFETY: so many of the caller's elements are left.
                unsafe { self.push_leaves(leaf, values.add(done * self.size), points) };
                done += points;
                continue;
            }
            let lane = self.filled % LANES;
            let run = (LANES - lane).min(count - done);
            // SAFETY: `run` elements from `done` on are the caller's, and lanes `lane..lane + run`
            // exist.
            unsafe {
                let source = values.add(done * self.size);
                if self.filled < LANES {
                    std::ptr::copy_nonoverlapping(source, self.value(lane), run * self.size);
                } else if run == LANES {
                    self.combine_lanes(source, LANES);
                } else {
                    let (left, index) = (self.value(lane), self.index(0));
                    self.code.run(left, index, source, indices, run);
                }
            }
            self.filled += run;
            done += run;
            if self.filled == LEAF {
                self.close_leaf();
            }
        }
    }

    /// Combines whole leaves, at most `BATCH` of them; only the last of a fold may be shorter.
    ///
    /// # Safety
    /// `values` holds that many points.
    unsafe fn push_leaves(&mut self, leaf: LeafLoop, values: *const u8, points: usize) {
        let mut results = [[0u64; 2]; BATCH + 1];
        // SAFETY: the caller's promise; elements have at most 16 bytes.
        unsafe { leaf(values, results.as_mut_ptr().cast(), points) };
        let results = results.as_ptr().cast::<u8>();
        for at in 0..points.div_ceil(LEAF) {
            // SAFETY: the leaf loop wrote this element; the bytes after it do not matter.
            let value = unsafe { results.add(at * self.size).cast::<[u8; 16]>().read() };
            let item = Item { value, index: 0 };
            self.leaves.push(item, self.code);
        }
    }

    /// Combines the first `count` elements with `right`; elements beyond them are lost.
    ///
    /// # Safety
    /// `right` holds `count` elements and does not overlap the spare lanes.
    unsafe fn combine_lanes(&mut self, right: *const u8, count: usize) {
        let Combine::Single(code) = self.code else { panic!("bug: a fold of pairs has an order") };
        let output = self.spare.as_mut_ptr().cast();
        // SAFETY: both sets hold 32 lanes; the caller vouches for `right`.
        unsafe { code(&[self.value(0), right], output, count) };
        std::mem::swap(&mut self.values, &mut self.spare);
    }

    unsafe fn push_unordered(&mut self, values: *const u8, indices: *const u8, count: usize) {
        if self.filled == count && matches!(self.code, Combine::Single(_)) {
            // SAFETY: the caller's promise.
            return unsafe { self.combine_lanes(values, count) };
        }
        let shared = self.filled.min(count);
        let (left, left_index) = (self.value(0), self.index(0));
        // SAFETY: the caller's promise; a state holds as many elements as the widest block.
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

    /// Combines the lanes of the current leaf by halving and adds the result to the counter.
    fn close_leaf(&mut self) {
        let mut lanes = self.filled.min(LANES);
        let mut half = LANES / 2;
        while half > 0 {
            if lanes == 2 * half {
                let right = self.value(half);
                // SAFETY: the upper half of the lanes is not part of the spare lanes.
                unsafe { self.combine_lanes(right, half) };
                lanes = half;
            } else if lanes > half {
                let (left, right, index) = (self.value(0), self.value(half), self.index(0));
                // SAFETY: lanes `0..half` and `half..lanes` are distinct lanes of the state.
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
        let mut value = [0; 16];
        if let Some([low, high]) = self.values.first() {
            value[..8].copy_from_slice(&low.to_ne_bytes());
            value[8..].copy_from_slice(&high.to_ne_bytes());
        }
        let index = self.indices.first().copied().unwrap_or(0);
        Item { value, index }
    }

    /// The combination of all points pushed since the last call.
    pub fn finish(&mut self) -> Option<Item> {
        if self.ordered {
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

/// How many accumulators a `BlockFold` over `count` points needs.
pub(super) fn accumulators(count: usize, ordered: bool, natural: bool) -> usize {
    if !ordered {
        return 1;
    }
    let leaves = count.div_ceil(LEAF).max(1);
    let levels = (usize::BITS - leaves.leading_zeros()) as usize;
    levels + if natural { LANES } else { DEPTH }
}
