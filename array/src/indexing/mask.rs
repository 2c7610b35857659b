//! Masks: selecting and writing where a mask holds.

use crate::array::Array;
use crate::engine::Cause;
use crate::error::{Error, Site, call_site, within};
use crate::graph::{Node, NodeOp};
use crate::operand::Argument;
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Scalar, Shape};

impl Array {
    /// The elements at which `mask` holds, in C order, NumPy's `a[mask]` with a mask of the same
    /// shape.
    ///
    /// Shapes `(s), (s) -> (number of true)`. Collective over the mesh: the length depends on data,
    /// so the window closes. Every device keeps what it selects of its own block, so that no
    /// element moves unless the array is split in an order other than C's. Errors: `OpError::Mask`
    /// for a mask that is not bool, `OpError::Broadcast` for another shape.
    #[track_caller]
    #[must_use]
    pub fn compress(&self, mask: &Array) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            mask.ok()?;
            if mask.dtype() != DType::Bool {
                let (argument, dtype) = (String::from("the mask of compress"), mask.dtype());
                return Err(Error::op(OpError::Mask { argument, dtype }, site));
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
        let site = call_site();
        if let Err(error) = self.try_assign_where(mask, value.into(), site) {
            self.poison(error);
        }
    }

    /// As [`Array::assign_where`], but an error is returned and leaves the array as it was.
    pub(super) fn try_assign_where(
        &self,
        mask: &Array,
        value: Argument,
        site: Site,
    ) -> Result<(), Error> {
        let dtype = self.dtype();
        let value = match value {
            Argument::Weak(weak) => Argument::Scalar(
                Scalar::assigned(dtype, weak).map_err(|error| Error::op(error, site))?,
            ),
            Argument::Scalar(scalar) => Argument::Scalar(scalar.cast(dtype)),
            // What stays does not go by way of the dtype of what is written.
            Argument::Array(array) => Argument::Array(array.converted(dtype, site)),
        };
        within(site, || {
            // Bytes that are seen as bools stay as they are where nothing is written.
            if self.base_view().is_ok_and(|view| view.is_truth) {
                let bytes = self.view(DType::U8);
                let value = match value {
                    Argument::Array(array) => Argument::Array(array.converted(DType::U8, site)),
                    Argument::Scalar(scalar) => Argument::Scalar(scalar.cast(DType::U8)),
                    weak => weak,
                };
                return bytes.try_assign(crate::math::select(mask, value, &bytes));
            }
            self.try_assign(crate::math::select(mask, value, self))
        })
    }
}
