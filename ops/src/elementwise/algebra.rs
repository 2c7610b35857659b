//! The identities that let an operation run on partial values before they are combined.

use crate::monoid::Monoid;

/// How an operation commutes with the combination of partial values.
///
/// Below, `Σ` is a sum over shards, `max` is either order monoid, `M` is any monoid, and `c` is a
/// replicated value. The identities hold for a loop on its own dtypes. A cast before it is a
/// separate operation: a sum that wraps does not commute with a cast to a wider dtype. The
/// identities are exact on integers and bools. On floating point they hold up to the rounding of
/// another order of summation. The order identities are for real dtypes: complex numbers compare
/// lexicographically, which no complex function respects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Algebra {
    /// `f(Σ x, Σ y) = Σ f(x, y)`: all operands (one or two) are partial sums.
    Linear,
    /// `f(Σ x, c) = Σ f(x, c)` and `f(c, Σ y) = Σ f(c, y)`: one operand is a partial sum, the other
    /// is replicated.
    LinearInEach,
    /// `f(Σ x, c) = Σ f(x, c)`: the first operand is a partial sum, the second is replicated.
    LinearInFirst,
    /// `f(max x) = max f(x)`, and likewise for `min`: defined and rising on the whole line. NaN
    /// wins both combinations, and `f` maps it to NaN. (`sqrt` and `log` are excluded: they return
    /// NaN for numbers that `max` discards.)
    NonDecreasing,
    /// `f(max x) = min f(x)` and `f(min x) = max f(x)`: defined and falling on the whole line.
    NonIncreasing,
    /// `f(M x, M y) = M f(x, y)`, because the operation is the monoid itself and is commutative.
    /// All but `bitwise_xor` and `logaddexp` are idempotent, so also `f(M x, c) = M f(x, c)`.
    Combines(Monoid),
    /// No identity: partial operands must be combined first.
    Opaque,
}
