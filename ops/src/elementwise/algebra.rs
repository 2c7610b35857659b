//! What an operation does to values that are still partial: the identities that let it run before
//! they are combined.

use crate::monoid::Monoid;

/// How an operation commutes with the combination of partial values.
///
/// Below, `Σ` is a sum over shards, `max` stands for either order monoid, `M` for any monoid and
/// `c` for a value that is replicated. The identities are those of a loop, on values of its own
/// dtypes: a cast in front of it is an operation for itself, and a sum that wraps does not commute
/// with a cast to a wider dtype. They hold exactly on integers and bools, and on floating point up
/// to the rounding that a different order of summation causes anyway. The order identities are
/// meant for real dtypes: complex numbers compare lexicographically, which no complex function
/// respects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Algebra {
    /// `f(Σ x, Σ y) = Σ f(x, y)`: all operands partial sums, or the only one.
    Linear,
    /// `f(Σ x, c) = Σ f(x, c)` and `f(c, Σ y) = Σ f(c, y)`: one operand a partial sum, the other
    /// replicated.
    LinearInEach,
    /// `f(Σ x, c) = Σ f(x, c)`: the first operand a partial sum, the second replicated.
    LinearInFirst,
    /// `f(max x) = max f(x)`, for `min` likewise: defined and rising on the whole line. NaN, which
    /// wins both combinations, goes to NaN. (`sqrt` or `log` do not belong here: they make NaN of
    /// numbers that `max` discards.)
    NonDecreasing,
    /// `f(max x) = min f(x)` and `f(min x) = max f(x)`: defined and falling on the whole line.
    NonIncreasing,
    /// `f(M x, M y) = M f(x, y)` since the operation is the monoid itself and exchanges its
    /// operands. All but `bitwise_xor` and `logaddexp` are idempotent, so `f(M x, c) = M f(x, c)`
    /// as well.
    Combines(Monoid),
    /// No identity: partial operands are combined first.
    Opaque,
}
