//! Indexing: what may stand in `s![…]`, and selection by masks.

use crate::array::Array;
use crate::engine::Cause;
use crate::error::{Error, call_site, within};
use crate::graph::{Node, NodeOp};
use crate::operand::Argument;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::{DType, Index, Scalar, Shape};
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// Something that may stand in [`s!`](crate::s).
pub trait IndexItem {
    /// The index item.
    fn into_index(self) -> Index;
}

/// Stands for all axes not named, in [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

/// Adds an axis of extent 1, in [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

impl IndexItem for Index {
    fn into_index(self) -> Index {
        self
    }
}
impl IndexItem for Ellipsis {
    fn into_index(self) -> Index {
        Index::Ellipsis
    }
}
impl IndexItem for NewAxis {
    fn into_index(self) -> Index {
        Index::NewAxis
    }
}
impl IndexItem for RangeFull {
    fn into_index(self) -> Index {
        Index::Range { start: None, stop: None, step: 1 }
    }
}

macro_rules! index_items {
    ($($type:ty),*) => {$(
        impl IndexItem for $type {
            fn into_index(self) -> Index { Index::At(saturating(self)) }
        }
        impl IndexItem for Range<$type> {
            fn into_index(self) -> Index {
                let (start, stop) = (Some(saturating(self.start)), Some(saturating(self.end)));
                Index::Range { start, stop, step: 1 }
            }
        }
        impl IndexItem for RangeFrom<$type> {
            fn into_index(self) -> Index {
                Index::Range { start: Some(saturating(self.start)), stop: None, step: 1 }
            }
        }
        impl IndexItem for RangeTo<$type> {
            fn into_index(self) -> Index {
                Index::Range { start: None, stop: Some(saturating(self.end)), step: 1 }
            }
        }
    )*};
}
index_items!(i32, i64, usize);

/// The slice `item` with another step.
pub fn with_step(item: impl IndexItem, step: i64) -> Index {
    match item.into_index() {
        Index::Range { start, stop, .. } => Index::Range { start, stop, step },
        other => other,
    }
}

impl Array {
    /// The elements at which `mask` holds, in C order, NumPy's `a[mask]` with a mask of the same
    /// shape.
    ///
    /// Shapes `(s), (s) -> (number of true)`. Collective over the mesh: the length depends on data,
    /// so the window closes. Every device keeps what it selects of its own block, so that no
    /// element moves unless the array is split in an order other than C's. Errors: `OpError::Dtype`
    /// for a mask that is not bool, `OpError::Broadcast` for another shape.
    #[track_caller]
    #[must_use]
    pub fn compress(&self, mask: &Array) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            mask.ok()?;
            if mask.dtype() != DType::Bool {
                let dtypes = vec![mask.dtype()];
                return Err(Error::op(OpError::Dtype { operation: "compress", dtypes }, site));
            }
            if mask.shape() != self.shape() {
                let error =
                    OpError::Broadcast { left: self.shape().into(), right: mask.shape().into() };
                return Err(Error::op(error, site));
            }
            let mesh =
                crate::elementwise::mesh_of(&[Argument::Array(self.clone()), mask.into()], site)?;
            let operands = [self.operand(site)?, mask.operand(site)?];
            // The recorded extent is the most there can be; the true one comes with the result.
            let shape: Shape = smallvec::smallvec![self.size()];
            let node = mesh.record(NodeOp::Compress, &operands, shape, self.dtype(), site)?;
            node.add_handle();
            mesh.close_for(&node, Cause::Data, site)?;
            let value = match node.result() {
                Some(result) => result.clone()?,
                None => unreachable!("bug: a closed window left a node without a result"),
            };
            mesh.engine().wait(&value)?;
            let shape: Shape = mesh.engine().extents(&value).into();
            let selected = Node::evaluated(shape, self.dtype(), value, site);
            selected.learn(node.interval());
            Ok(Array::from_node(mesh, selected))
        })())
    }

    /// Writes `value` (a scalar, or an array of this array's shape) where `mask` holds:
    /// `a[mask] = value`. Local. Errors as [`Array::assign`].
    #[track_caller]
    pub fn assign_where(&self, mask: &Array, value: impl Into<Argument>) {
        let (site, dtype) = (call_site(), self.dtype());
        let value = match value.into() {
            Argument::Weak(weak) => match Scalar::assigned(dtype, weak) {
                Ok(scalar) => Argument::Scalar(scalar),
                Err(error) => return self.poison(Error::op(error, site)),
            },
            Argument::Scalar(scalar) => Argument::Scalar(scalar.cast(dtype)),
            // What stays does not go by way of the dtype of what is written.
            Argument::Array(array) => Argument::Array(array.converted(dtype, site)),
        };
        within(site, || self.assign(crate::math::select(mask, value, self)));
    }
}
