//! The matrix product with NumPy's rules for any number of axes.

use super::checks::{check, of_matmul};
use crate::array::Array;
use crate::manipulation::{common_shape, sound};
use crate::products::matrices::{batched_matmul, matrix_product, summed, vector_product};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::size;
use phalanx_ops::{Shape, promote};

/// The matrix product `a @ b` of matrices, or of stacks of matrices whose leading axes are
/// broadcast. Either operand may be a vector.
///
/// Shapes `(…, m, k), (…, k, n) -> (…, m, n)`. A vector is a row on the left and a column on the
/// right, and the result does not have its axis. Dtype: `promote(a, b)`; integers and bools are
/// summed in their own dtype. Sharding: rows of the left and columns of the right stay split. Local
/// (records nodes). Errors: `OpError::ContractedSizes`, `OpError::Ndim` for a 0-d array,
/// `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn matmul(a: &Array, b: &Array) -> Array {
    let site = call_site();
    let result = Array::catch(try_matmul(a, b, site));
    check("matmul", || of_matmul(a, b), &result, site);
    result
}

pub(super) fn try_matmul(a: &Array, b: &Array, site: Site) -> Result<Array, Error> {
    sound([a, b])?;
    if a.ndim() == 0 || b.ndim() == 0 {
        let error = OpError::Ndim { operation: "matmul", expected: "1 or more", ndim: 0 };
        return Err(Error::op(error, site));
    }
    let (left, right) = (a.shape(), b.shape());
    let contracted = (left[left.len() - 1], right[right.len().saturating_sub(2)]);
    if contracted.0 != contracted.1 {
        let (left, right) = (left.into(), right.into());
        let operation = "matmul";
        return Err(Error::op(OpError::ContractedSizes { operation, left, right }, site));
    }
    let dtype = promote(a.dtype(), b.dtype());
    match (left.len(), right.len()) {
        (2, 2) => matrix_product(a, b, dtype, site),
        (1, 1) => vector_product(a, b, dtype, site),
        (1, _) => summed(&within(site, || a.expand_dims(1) * b), &[-2], dtype, site),
        (_, 1) => summed(&within(site, || a * b), &[-1], dtype, site),
        (m, n) => {
            let (left, rows) = left.split_at(m - 2);
            let (right, columns) = right.split_at(n - 2);
            // The error has the whole shapes of the operands, not only their leading axes.
            let whole = || OpError::Broadcast { left: a.shape().into(), right: b.shape().into() };
            let common = common_shape([left, right], site);
            let mut shape: Shape = common.map_err(|_| Error::op(whole(), site))?;
            shape.extend([rows[0], columns[1]]);
            crate::recording::check_shape(&shape, dtype, site)?;
            if size(right) == 1 && right.len() <= left.len() && dtype.is_inexact() {
                // All matrices on the left are multiplied by one matrix, so their rows form one
                // tall matrix.
                let tall = [size(left) * rows[0], rows[1]];
                let tall = within(site, || a.reshape(tall));
                let one = within(site, || b.reshape([columns[0], columns[1]]));
                sound([&tall, &one])?;
                return matrix_product(&tall, &one, dtype, site)?.reformed(&shape, site);
            }
            batched_matmul(a, b, dtype, site)
        }
    }
}
