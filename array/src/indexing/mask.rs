//! Masks: reading and writing of the elements that a mask selects.

use crate::array::{Argument, Array, assigned_number, cast_scalar};
use crate::floating::warn_assigned;
use crate::math::select;
use phalanx_graph::{Cause, Error, Node, NodeOp, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Shape};

impl Array {
    /// The elements at which `mask` is true, in C order: NumPy's `a[mask]` with a mask of the same
    /// shape.
    ///
    /// Shapes `(s), (s) -> (number of true)`. Collective over the mesh: the length depends on data,
    /// so the window closes. Every device keeps the elements that it selects of its own block.
    /// Elements move only if the array is split in an order other than C order. Errors:
    /// `OpError::Mask` for a mask that is not bool, `OpError::Broadcast` for another shape.
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
                crate::recording::mesh_of(&[Argument::Array(self.clone()), mask.into()], site)?;
            let operands = [self.operand(site)?, mask.operand(site)?];
            // The recorded extent is an upper bound; the result has the true extent.
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

    /// Writes `value` (a scalar, or an array of the shape of this array) where `mask` is true:
    /// `a[mask] = value`. Local. Errors: as for [`Array::assign`].
    #[track_caller]
    pub fn assign_where(&self, mask: &Array, value: impl Into<Argument>) {
        let site = call_site();
        if let Err(error) = self.try_assign_where(mask, value.into(), site) {
            self.poison(error);
        }
    }

    /// As [`Array::assign_where`], but an error is returned and leaves the array unchanged.
    pub(super) fn try_assign_where(
        &self,
        mask: &Array,
        value: Argument,
        site: Site,
    ) -> Result<(), Error> {
        let dtype = self.dtype();
        warn_assigned(&value, dtype, site)?;
        let value = match value {
            Argument::Weak(weak) => Argument::Scalar(assigned_number(dtype, weak, site)?),
            Argument::Scalar(scalar) => Argument::Scalar(cast_scalar(dtype, scalar, site)?),
            // The value is cast first, so that elements that are not written pass through no other
            // dtype.
            Argument::Array(array) => Argument::Array(array.converted(dtype, site)),
        };
        within(site, || {
            // Bytes viewed as bools must not change where nothing is written.
            if self.base_view().is_ok_and(|view| view.is_truth) {
                let bytes = self.view(DType::U8);
                let value = match value {
                    Argument::Array(array) => Argument::Array(array.converted(DType::U8, site)),
                    Argument::Scalar(scalar) => Argument::Scalar(scalar.cast(DType::U8)),
                    weak => weak,
                };
                let new = || select(mask, value.clone(), &bytes).into_result();
                return bytes.rewrite(new, site);
            }
            self.rewrite(|| select(mask, value.clone(), self).into_result(), site)
        })
    }
}
