//! Products of two matrices, and of stacks of matrices.

use crate::array::{Array, is_reproducible};
use crate::floating::is_on;
use crate::recording::{check_shape, record_product, stacked_product};
use phalanx_graph::{Error, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Monoid, Op, Shape};

/// The product of two matrices, in C order, computed in `dtype`.
pub(super) fn matrix_product(
    a: &Array,
    b: &Array,
    dtype: DType,
    site: Site,
) -> Result<Array, Error> {
    if a.shape()[1] != b.shape()[0] {
        let (left, right) = (a.shape().into(), b.shape().into());
        return Err(Error::op(OpError::ContractedSizes { operation: "matmul", left, right }, site));
    }
    let shape: Shape = smallvec::smallvec![a.shape()[0], b.shape()[1]];
    check_shape(&shape, dtype, site)?;
    if !dtype.is_inexact() || a.shape()[1] == 0 {
        // No library multiplies integer matrices, so a product and a sum are fused into one kernel.
        let product = within(site, || a.expand_dims(2) * b.expand_dims(0));
        return summed(&product, &[1], dtype, site);
    }
    let cast = |array: &Array| {
        if array.dtype() == dtype { array.clone() } else { array.astype_at(dtype, site) }
    };
    record_product(&cast(a), &cast(b), site)
}

/// The products of stacks of matrices whose leading axes are broadcast.
pub(super) fn batched_matmul(
    a: &Array,
    b: &Array,
    dtype: DType,
    site: Site,
) -> Result<Array, Error> {
    if dtype.is_inexact() && a.shape()[a.ndim() - 1] > 0 {
        let cast = |array: &Array| within(site, || array.converted(dtype, site).into_result());
        return stacked_product(&cast(a)?, &cast(b)?, site);
    }
    let product = within(site, || a.expand_dims(-1) * b.expand_dims(-3));
    summed(&product, &[-2], dtype, site)
}

/// The sum of the products of two vectors of equal length, in `dtype`, to which both are promoted.
pub(super) fn vector_product(
    a: &Array,
    b: &Array,
    dtype: DType,
    site: Site,
) -> Result<Array, Error> {
    match product_of_few(a, b, dtype, site)? {
        Some(product) => Ok(product),
        None => summed(&within(site, || a * b), &[0], dtype, site),
    }
}

/// The product of two short vectors whose dtype is also that of the sum, if it can be computed
/// without a plan.
fn product_of_few(a: &Array, b: &Array, dtype: DType, site: Site) -> Result<Option<Array>, Error> {
    let mesh = a.mesh_of_base()?;
    let is_own = dtype.is_inexact() || matches!(dtype, DType::I64 | DType::U64);
    let is_planned = is_on() || is_reproducible(mesh);
    if !is_own || is_planned || a.size() > mesh.most_at_once() {
        return Ok(None);
    }
    let Some(left) = a.plain_beside(b, dtype, site)? else { return Ok(None) };
    let Some(right) = b.plain_beside(a, dtype, site)? else { return Ok(None) };
    let operands = [left, right];
    let sum = mesh.engine().folded_at_once(Op::Multiply, &operands, a.shape(), dtype, Monoid::Add);
    Ok(sum.map(|sum| Array::from_element(mesh.clone(), sum)))
}

/// The sum of `product` over some axes, as a new array in C order and in `dtype`. Integers wrap,
/// and bools are combined by `or`.
pub(super) fn summed(
    product: &Array,
    axes: &[i64],
    dtype: DType,
    site: Site,
) -> Result<Array, Error> {
    product.ok()?;
    let sum = within(site, || {
        if dtype.kind() == Kind::Bool {
            return product.any(axes);
        }
        let sum = product.converted(dtype, site).sum(axes);
        if sum.dtype() == dtype { sum } else { sum.astype_at(dtype, site) }
    });
    sum.ok()?;
    // A product is in C order, whatever the order of its operands.
    Ok(if sum.base_view()?.is_whole() { sum } else { sum.copy_at(site) })
}
