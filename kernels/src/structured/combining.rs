//! Which operations combine elements of a dtype.

use phalanx_ops::{DType, Op};

/// Whether an operation maps two elements of a dtype to one of the same dtype.
pub(super) fn has_loop(op: Op, dtype: DType) -> bool {
    op.signatures()
        .iter()
        .any(|signature| signature.inputs() == [dtype, dtype] && signature.output == dtype)
}
