//! Arrays with the shape, dtype and order of axes of another array.

use crate::array::Array;
use crate::manipulation::MemoryOrder;
use crate::recording::copy_order;
use phalanx_graph::{Error, NodeOp, Operand, Site, call_site};
use phalanx_ops::{DType, Scalar, Shape, Weak};

fn filled_like(
    array: &Array,
    value: Weak,
    dtype: impl Into<Option<DType>>,
    site: Site,
) -> Result<Array, Error> {
    array.ok()?;
    let dtype = dtype.into().unwrap_or(array.dtype());
    crate::recording::check_shape(array.shape(), dtype, site)?;
    let order = copy_order(&[array.into()], array.shape())?;
    let shape: Shape = match &order {
        Some(order) => order.iter().map(|&axis| array.shape()[axis]).collect(),
        None => array.shape().into(),
    };
    let value = Scalar::filled(dtype, value).map_err(|error| Error::op(error, site))?;
    let mesh = array.mesh()?;
    let node = mesh.record(NodeOp::Fill, &[Operand::Scalar(value)], shape, dtype, site)?;
    crate::recording::in_order(mesh, node, order.as_deref())
}

/// Zeros with the shape and order of axes of an array, and with its dtype or another. Local
/// (records a node).
#[track_caller]
#[must_use]
pub fn zeros_like(array: &Array, dtype: impl Into<Option<DType>>) -> Array {
    Array::catch(filled_like(array, Weak::Int(0), dtype, call_site()))
}

/// Ones with the shape and order of axes of an array, and with its dtype or another. Local (records
/// a node).
#[track_caller]
#[must_use]
pub fn ones_like(array: &Array, dtype: impl Into<Option<DType>>) -> Array {
    Array::catch(filled_like(array, Weak::Int(1), dtype, call_site()))
}

/// Unspecified elements (zeros) with the shape and order of axes of an array, and with its dtype or
/// another. Local (records a node).
#[track_caller]
#[must_use]
pub fn empty_like(array: &Array, dtype: impl Into<Option<DType>>) -> Array {
    Array::catch(filled_like(array, Weak::Int(0), dtype, call_site()))
}

/// Elements equal to `value` with the shape and order of axes of an array, and with its dtype or
/// another. Local (records a node). Errors: `OpError::OutOfRange`.
#[track_caller]
#[must_use]
pub fn full_like(array: &Array, value: impl Into<Weak>, dtype: impl Into<Option<DType>>) -> Array {
    Array::catch(filled_like(array, value.into(), dtype, call_site()))
}

/// The array if it is in C order, else a copy in C order; a 0-d array becomes 1-d. Local.
#[track_caller]
#[must_use]
pub fn ascontiguousarray(array: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        let is_contiguous = array.base_view()?.is_contiguous();
        let whole = if is_contiguous { array.clone() } else { array.copy_at(site) };
        Ok(phalanx_graph::within(site, || crate::manipulation::atleast_1d(&whole)))
    })())
}

/// The array if it is in Fortran order, else a copy in that order; a 0-d array becomes 1-d. Local.
#[track_caller]
#[must_use]
pub fn asfortranarray(array: &Array) -> Array {
    let site = call_site();
    phalanx_graph::within(site, || {
        let reversed = array.t();
        let whole = match reversed.base_view() {
            Ok(view) if view.is_contiguous() => array.clone(),
            _ => array.copy_in(MemoryOrder::F),
        };
        crate::manipulation::atleast_1d(&whole)
    })
}
