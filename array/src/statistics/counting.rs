//! Counts of positions.

use crate::array::{Array, is_reproducible};
use crate::creation::zeros;
use crate::manipulation::refused;
use phalanx_graph::{DataError, Error, NodeOp, Operand, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::Put;
use phalanx_ops::{DType, Kind, Monoid, Op, Scalar};

/// A vector of `length` elements. Element `p` is the number of `positions` (of dtype `i64`) that
/// are equal to `p`.
pub(super) fn count_positions(
    positions: &Array,
    length: usize,
    site: Site,
) -> Result<Array, Error> {
    let one = Operand::Scalar(Scalar::new(1i64));
    accumulate(positions, one, length, DType::I64, site)
}

/// As [`count_positions`], where each position counts as its weight in `dtype`. There are as many
/// weights as positions.
pub(super) fn sum_weights(
    positions: &Array,
    weights: &Array,
    length: usize,
    dtype: DType,
    site: Site,
) -> Result<Array, Error> {
    let weights = weights.converted(dtype, site);
    let mesh = positions.mesh()?;
    if !dtype.is_inexact() || !is_reproducible(&mesh) {
        return accumulate(positions, weights.operand(site)?, length, dtype, site);
    }
    // In order, so that the bits do not depend on the devices.
    let sums = mesh.enter(|| within(site, || zeros(length, dtype)));
    let [positions, weights] =
        [positions, &weights].map(|array| within(site, || array.reshape([-1])));
    let put = Put { axis: 0, op: Some(Op::Add), in_order: true };
    sums.put_resolved(put, &positions, &weights, site)
}

fn accumulate(
    positions: &Array,
    value: Operand,
    length: usize,
    dtype: DType,
    site: Site,
) -> Result<Array, Error> {
    let mesh = positions.mesh()?;
    let operands = [positions.operand(site)?, value];
    let op = NodeOp::Accumulate { monoid: Monoid::Add };
    let node = mesh.record(op, &operands, smallvec::smallvec![length], dtype, site)?;
    Ok(Array::from_node(mesh, node))
}

/// NumPy's `bincount`. Element `p` is the number of elements of a vector that are equal to `p`
/// (`i64`), or the sum of their `weights` (`f64`).
///
/// The length is one more than the largest element, and at least `minlength`. Collective over the
/// mesh: the length depends on data, so the window closes. Errors: `OpError::Ndim`, `OpError::Cast`
/// for elements that are not integers and for complex weights, `OpError::Argument` for a negative
/// `minlength`, `OpError::Broadcast` for another number of weights, `DataError::Negative`.
#[track_caller]
#[must_use]
pub fn bincount(array: &Array, weights: Option<&Array>, minlength: i64) -> Array {
    let site = call_site();
    Array::catch((|| {
        array.ok()?;
        if array.ndim() != 1 {
            let (operation, ndim) = ("bincount", array.ndim());
            return Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site));
        }
        if !matches!(array.dtype().kind(), Kind::Bool | Kind::Signed | Kind::Unsigned) {
            let (from, to) = (array.dtype(), DType::I64);
            return Err(Error::op(OpError::cast(from, to), site));
        }
        if minlength < 0 {
            return Err(refused("bincount", "minlength", minlength.to_string(), site));
        }
        let minlength = minlength as usize;
        // NumPy does not read the weights then.
        if array.size() == 0 {
            let mesh = array.mesh()?;
            return Ok(mesh.enter(|| within(site, || zeros(minlength, DType::I64))));
        }
        if let Some(weights) = weights {
            weights.ok()?;
            if weights.dtype().is_complex() {
                let (from, to) = (weights.dtype(), DType::F64);
                return Err(Error::op(OpError::cast(from, to), site));
            }
            if weights.shape() != array.shape() {
                let (left, right) = (array.shape().into(), weights.shape().into());
                return Err(Error::op(OpError::Broadcast { left, right }, site));
            }
        }
        let positions = array.converted(DType::I64, site);
        let (low, high) = within(site, || (positions.min(()), positions.max(())));
        let (low, high) = within(site, || Ok((low.item::<i64>()?, high.item::<i64>()?)))?;
        if low < 0 {
            let error = DataError::Negative { operation: "bincount", argument: "array" };
            return Err(Error::data(error, site));
        }
        let length = minlength.max((high as usize).saturating_add(1));
        crate::recording::check_shape(&[length], DType::I64, site)?;
        match weights {
            None => count_positions(&positions, length, site),
            Some(weights) => sum_weights(&positions, weights, length, DType::F64, site),
        }
    })())
}
