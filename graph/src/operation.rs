//! The operations of nodes.

use phalanx_ops::{AffineMap, Monoid, Op, Sharding, Special, Structured};
use smallvec::SmallVec;
use std::sync::Arc;

/// The operation of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NodeOp {
    /// Every element is the scalar input.
    Fill,
    /// The index along an axis (`i64`).
    Index(u8),
    /// An elementwise operation; inputs have the dtypes of one of its signatures.
    Elementwise(Op),
    /// A special function; the inputs have the node's dtype.
    Special(Special),
    /// `condition ? a : b` of inputs (condition, a, b).
    Select,
    /// The input converted to the node's dtype; a copy if the dtypes are equal.
    Cast,
    /// A reduction over the given axes of the input, which ascend. `ArgMin` and `ArgMax` give the
    /// index (`i64`) in C order over those axes; `Moments` gives the sum of squares about the mean.
    Reduce {
        /// The reduction.
        monoid: Monoid,
        /// The axes that are removed.
        axes: SmallVec<[u8; 4]>,
    },
    /// Inputs (old, value): elements that the map reaches are those of `value`, all others those of
    /// `old`. The shape of the map's view is that of `value`.
    Update(Arc<AffineMap>),
    /// The same bytes in C order, with another shape or dtype.
    Reshape,
    /// Inputs (position, value): a vector whose element `p` combines all values at position `p`.
    /// Positions outside of the vector are ignored.
    Accumulate {
        /// The reduction that combines values.
        monoid: Monoid,
    },
    /// A structured operation; its inputs are those that `Structured` defines.
    Structured(Structured),
    /// Inputs (value, mask): the elements of `value`, in C order, for which `mask` holds. The
    /// length is known after the evaluation.
    Compress,
    /// The input with another sharding.
    Reshard(Arc<Sharding>),
}
