//! Products of matrices.

use crate::array::Array;
use crate::elementwise::check_shape;
use crate::error::{Error, call_site, within};
use crate::graph::NodeOp;
use crate::operand::Argument;
use phalanx_ops::error::OpError;
use phalanx_ops::{Shape, promote};

/// The matrix product of two matrices.
///
/// Shapes `(m, k), (k, n) -> (m, n)`; dtype `promote(a, b)`, floating point or complex (integers
/// and bools are summed in their own dtype). Sharding: rows of the left and columns of the right
/// stay split. Local (records a node). Errors: `OpError::ContractedSizes`, `OpError::Ndim`.
#[track_caller]
#[must_use]
pub fn matmul(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        a.ok()?;
        b.ok()?;
        for array in [a, b] {
            if array.ndim() != 2 {
                let error =
                    OpError::Ndim { operation: "matmul", expected: "2", ndim: array.ndim() };
                return Err(Error::op(error, site));
            }
        }
        if a.shape()[1] != b.shape()[0] {
            let error =
                OpError::ContractedSizes { left: a.shape().into(), right: b.shape().into() };
            return Err(Error::op(error, site));
        }
        let dtype = promote(a.dtype(), b.dtype());
        let shape: Shape = smallvec::smallvec![a.shape()[0], b.shape()[1]];
        check_shape(&shape, dtype, site)?;
        if !dtype.is_inexact() || a.shape()[1] == 0 {
            // No library multiplies integer matrices: a product and a sum, fused into one kernel.
            let sum = within(site, || (a.expand_dims(2) * b.expand_dims(0)).sum(1));
            let product = if sum.dtype() == dtype { sum } else { sum.astype_at(dtype, site) };
            // A product is in C order whatever its operands are in.
            return Ok(if product.base_view()?.is_whole() {
                product
            } else {
                product.copy_at(site)
            });
        }
        let mesh = crate::elementwise::mesh_of(&[Argument::Array(a.clone()), b.into()], site)?;
        let cast = |array: &Array| {
            if array.dtype() == dtype { array.clone() } else { array.astype_at(dtype, site) }
        };
        let operands = [cast(a).operand(site)?, cast(b).operand(site)?];
        let node = mesh.record(NodeOp::Matmul, &operands, shape, dtype, site)?;
        Ok(Array::from_node(mesh, node))
    })())
}
