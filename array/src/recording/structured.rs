//! Recording of structured operations.

use super::mesh::{check_shape, mesh_of_arrays};
use super::order::{OrderRule, in_order};
use crate::array::{Array, is_reproducible};
use crate::manipulation::common_shape;
use phalanx_graph::{Error, NodeOp, Site, within};
use phalanx_ops::structured::{Matmul, Take};
use phalanx_ops::{DType, Structured};
use smallvec::SmallVec;

/// Records a structured operation on checked operands.
pub(crate) fn record_structured(
    op: Structured,
    operands: &[&Array],
    site: Site,
) -> Result<Array, Error> {
    record_with_order(op, operands, None, site)
}

/// Records an operation along an axis of an array, with the axes of operand and result in the order
/// of a rule, as in NumPy: `copy_order` for sorts, `memory_order` for accumulations. Lines are read
/// where they are. `op` is the operation along an axis of the operand, and its result has as many
/// axes.
pub(crate) fn record_along(
    array: &Array,
    axis: usize,
    rule: OrderRule,
    op: impl FnOnce(u8) -> Structured,
    site: Site,
) -> Result<Array, Error> {
    let Some(order) = rule(&[array.into()], array.shape())? else {
        return record_structured(op(axis as u8), &[array], site);
    };
    let axes: SmallVec<[i64; 4]> = order.iter().map(|&axis| axis as i64).collect();
    let own = within(site, || array.transpose(&axes).into_result())?;
    let place = order.iter().position(|&one| one == axis);
    let place = place.expect("bug: an order has every axis");
    record_with_order(op(place as u8), &[&own], Some(&order), site)
}

fn record_with_order(
    op: Structured,
    operands: &[&Array],
    order: Option<&[usize]>,
    site: Site,
) -> Result<Array, Error> {
    let mesh = mesh_of_arrays(operands.iter().copied(), site)?;
    let kinds: SmallVec<[(&[usize], DType); 3]> =
        operands.iter().map(|operand| (operand.shape(), operand.dtype())).collect();
    let (shape, dtype) = op.result(&kinds);
    check_shape(&shape, dtype, site)?;
    let inputs = operands.iter().map(|operand| operand.operand(site));
    let inputs = inputs.collect::<Result<SmallVec<[_; 3]>, Error>>()?;
    let node = mesh.record(NodeOp::Structured(op), &inputs, shape, dtype, site)?;
    in_order(mesh, node, order)
}

/// The elements at positions (`i64`) of the first axis, on any device.
pub(crate) fn taken(source: &Array, positions: &Array, site: Site) -> Result<Array, Error> {
    record_structured(Structured::Take(Take { axis: 0 }), &[source, positions], site)
}

/// The products of stacks of matrices of one floating-point or complex dtype. The axes before the
/// last two broadcast.
pub(crate) fn stacked_product(a: &Array, b: &Array, site: Site) -> Result<Array, Error> {
    let [a, b] = stacked_alike(a, b, site)?;
    record_product(&a, &b, site)
}

/// The products of two equally long stacks of matrices. In reproducible mode, the terms of an
/// element are added in order, or by a sum for which the order does not matter.
pub(crate) fn record_product(a: &Array, b: &Array, site: Site) -> Result<Array, Error> {
    if !is_reproducible(&mesh_of_arrays([a, b].into_iter(), site)?) {
        return record_structured(Structured::Matmul(Matmul::default()), &[a, b], site);
    }
    let (ndim, dtype) = (a.ndim(), a.dtype());
    let [m, k, n] = [a.shape()[ndim - 2], a.shape()[ndim - 1], b.shape()[ndim - 1]];
    // Each product or panel of halves would be rounded.
    let wide = if dtype.size() == 2 { DType::F32 } else { dtype };
    let [a, b] = [a, b].map(|operand| operand.converted(wide, site));
    if m.min(n) == 1 || (m * n <= FEW_SUMS && k >= MANY_TERMS) {
        // The contracted axis may be split.
        let products = within(site, || a.expand_dims(-1) * b.expand_dims(-3));
        let sums = within(site, || products.sum(-2).into_result())?.converted(dtype, site);
        return Ok(if sums.base_view()?.is_whole() { sums } else { sums.copy_at(site) });
    }
    let product = Structured::Matmul(Matmul { in_order: true, ..Matmul::default() });
    Ok(record_structured(product, &[&a, &b], site)?.converted(dtype, site))
}

/// In reproducible mode, products of up to this many elements, each of at least so many terms, are
/// sums over products.
const FEW_SUMS: usize = 256;
const MANY_TERMS: usize = 1024;

/// Both stacks, with the axes before the last two broadcast.
pub(crate) fn stacked_alike(a: &Array, b: &Array, site: Site) -> Result<[Array; 2], Error> {
    let stack = common_shape([a, b].map(|array| &array.shape()[..array.ndim() - 2]), site)?;
    let with = |array: &Array| {
        let mut shape = stack.clone();
        shape.extend_from_slice(&array.shape()[array.ndim() - 2..]);
        within(site, || array.broadcast_to(shape.as_slice()).into_result())
    };
    Ok([with(a)?, with(b)?])
}

/// The array and the axis along which an operation works; without an axis, all elements in C order.
pub(crate) fn line(array: &Array, axis: Option<i64>, site: Site) -> Result<(Array, usize), Error> {
    array.ok()?;
    match axis {
        Some(axis) => Ok((array.clone(), array.axis(axis, site)?)),
        None => Ok((within(site, || array.reshape([-1]).into_result())?, 0)),
    }
}

/// The axis along which an operation works. For a 0-d array, the axes 0 and -1 count as none,
/// because NumPy takes it for a vector of one element.
pub(crate) fn line_axis(array: &Array, axis: Option<i64>) -> Option<i64> {
    axis.filter(|axis| array.ndim() > 0 || !(-1..1).contains(axis))
}
