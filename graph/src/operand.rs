//! Operands of operations: values that are read through a map, and scalars.

use crate::graph::Held;
use phalanx_ops::{AffineMap, DType, Scalar};
use std::sync::Arc;

/// An input of an operation that is being recorded.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A value that is read through a map; `None` is the whole value.
    Value {
        /// The value.
        node: Held,
        /// The view of the value.
        map: Option<Arc<AffineMap>>,
    },
    /// A run-time scalar.
    Scalar(Scalar),
}

impl Operand {
    /// The dtype of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        match self {
            Operand::Value { node, .. } => node.dtype(),
            Operand::Scalar(scalar) => scalar.dtype(),
        }
    }
}
