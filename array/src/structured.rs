//! Recording of structured operations.

use crate::array::Array;
use crate::elementwise::{check_shape, mesh_of};
use crate::error::{Error, Site, within};
use crate::graph::NodeOp;
use crate::operand::Argument;
use phalanx_ops::{DType, Structured};
use smallvec::SmallVec;

/// Records a structured operation on operands that were checked.
pub(crate) fn record_structured(
    op: Structured,
    operands: &[&Array],
    site: Site,
) -> Result<Array, Error> {
    let arguments: SmallVec<[Argument; 3]> =
        operands.iter().map(|&operand| operand.into()).collect();
    let mesh = mesh_of(&arguments, site)?;
    let kinds: SmallVec<[(&[usize], DType); 3]> =
        operands.iter().map(|operand| (operand.shape(), operand.dtype())).collect();
    let (shape, dtype) = op.result(&kinds);
    check_shape(&shape, dtype, site)?;
    let inputs = operands.iter().map(|operand| operand.operand(site));
    let inputs = inputs.collect::<Result<SmallVec<[_; 3]>, Error>>()?;
    let node = mesh.record(NodeOp::Structured(op), &inputs, shape, dtype, site)?;
    Ok(Array::from_node(mesh, node))
}

/// The products of stacks of matrices of one floating-point or complex dtype, with broadcasting of
/// the axes before the last two.
pub(crate) fn stacked_product(a: &Array, b: &Array, site: Site) -> Result<Array, Error> {
    let (a_stack, b_stack) = (&a.shape()[..a.ndim() - 2], &b.shape()[..b.ndim() - 2]);
    let stack =
        phalanx_ops::shape::broadcast(a_stack, b_stack).map_err(|error| Error::op(error, site))?;
    let with = |array: &Array| {
        let mut shape = stack.to_vec();
        shape.extend(&array.shape()[array.ndim() - 2..]);
        within(site, || array.broadcast_to(shape.as_slice()).ok().cloned())
    };
    record_structured(Structured::Matmul, &[&with(a)?, &with(b)?], site)
}
