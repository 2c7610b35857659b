//! The canonical order in which the points of a loop are combined.
//!
//! Floating-point combination is not associative, so the order is part of the result. It is a
//! function of the number of points alone. For points `k = 0..n`, in C order of the loop's axes:
//!
//! 1. A *leaf* is 256 consecutive points. Inside it, point `k` belongs to virtual lane `k % 32`,
//!    and each virtual lane combines its points in order (at most 8 of them).
//! 2. The virtual lanes of a leaf are combined by halving: `l` with `l + 16`, then `l + 8`,
//!    `l + 4`, `l + 2`, `l + 1`, wherever the right-hand lane holds something; the lower lane is
//!    always the left operand.
//! 3. Leaves are combined as by a binary counter: equal powers of two pairwise, and the remaining
//!    ones from right to left.
//!
//! The first point of a virtual lane starts it, so no identity enters a fold over at least one
//! point. Error grows with the logarithm of `n`, as in NumPy's pairwise summation, with shorter
//! sequential runs. Half-precision folds accumulate in f32 and are rounded once, at the end.
//!
//! The same tree is walked in two ways. A `BlockFold` combines whole lane blocks, one point of a
//! sequential loop at a time; it visits virtual lanes in the order in which the halving needs them,
//! so six accumulators suffice for 32 virtual lanes. A `LaneFold` combines the SIMD lanes of lane
//! blocks with each other, 32 at a time. If a `BlockFold` only reads memory, its loop folds the
//! points of a virtual lane at once (`RowFold`), or the halving of up to 16 virtual lanes of one
//! point each, or the whole loop by leaves, for one SIMD lane
//! after the other (`LineFold`). Monoids whose result does not depend on the order
//! (integers, truth values, and pairs with an index, which break ties by index) use any order.

use phalanx_ops::{DType, Monoid};

/// Points in a leaf.
pub(in crate::cpu) const LEAF: usize = 256;
/// Virtual lanes in a leaf.
pub(in crate::cpu) const LANES: usize = 32;
/// Accumulators that the halving of one leaf needs when virtual lanes are visited depth first.
const DEPTH: usize = 6;

/// Whether the result can depend on the order of combination.
pub(in crate::cpu) fn is_ordered(monoid: Monoid, dtype: DType) -> bool {
    dtype.is_inexact() && !monoid.is_compound()
}

/// How many accumulators a `BlockFold` over `count` points needs.
pub(in crate::cpu) fn accumulators(count: usize, ordered: bool, natural: bool) -> usize {
    if !ordered {
        return 1;
    }
    let leaves = count.div_ceil(LEAF).max(1);
    let levels = (usize::BITS - leaves.leading_zeros()) as usize;
    levels + if natural { LANES } else { DEPTH }
}
