//! Which operations combine elements of a dtype, and in which orders a GPU may combine them.

use phalanx_ops::{DType, Op};

/// Whether an operation maps two elements of a dtype to one of the same dtype.
pub(super) fn has_loop(op: Op, dtype: DType) -> bool {
    op.signatures()
        .iter()
        .any(|signature| signature.inputs() == [dtype, dtype] && signature.output == dtype)
}

/// Whether elements may be combined in another order than from left to right: if that changes at
/// most the rounding of wide numbers. Half types lose too much precision.
pub(super) fn is_free(op: Op, dtype: DType) -> bool {
    let is_exact = matches!(op, Op::Maximum | Op::Minimum | Op::Fmax | Op::Fmin);
    op.is_associative() && (is_exact || !matches!(dtype, DType::F16 | DType::BF16))
}
