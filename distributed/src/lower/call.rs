//! The planner's description of an operation for a lowering.

use crate::price::read_price;
use phalanx_ops::structured::Operand;
use phalanx_ops::{AffineMap, Bytes, DType, Mesh, Sharding, Structured};
use smallvec::SmallVec;

/// An operand and where it resides.
#[derive(Clone, Debug)]
pub struct PlacedOperand<'a> {
    /// The sharding, seen through the view that the operation reads.
    pub sharding: Sharding,
    /// The shape of that view.
    pub shape: &'a [usize],
    /// The dtype of the elements.
    pub dtype: DType,
}

impl PlacedOperand<'_> {
    /// The bytes that a device receives if the operand must have another sharding.
    pub(crate) fn moved(&self, wanted: &Sharding, mesh: &Mesh) -> Bytes {
        let map = AffineMap::identity(self.shape);
        read_price(&self.sharding, self.shape, self.dtype.size(), &map, wanted, mesh)
    }
}

/// A structured operation with the shapes and dtypes of its operands and of its result.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The operation, as it was recorded.
    pub op: &'a Structured,
    /// The operands, through the views that the operation reads.
    pub operands: &'a [Operand<'a>],
    /// The result.
    pub result: Operand<'a>,
}

impl<'a> Call<'a> {
    /// The shapes of the operands.
    pub fn shapes(&self) -> SmallVec<[&'a [usize]; 3]> {
        self.operands.iter().map(|(shape, _)| *shape).collect()
    }
}
