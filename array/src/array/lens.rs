//! Lenses on elements: the components of complex numbers, and bytes as bools. This module reads and
//! writes through lenses. It has the methods that make them and other views of bytes.

use super::argument::Argument;
use crate::array::Array;
use crate::math::{elementwise, record_as};
use phalanx_graph::{
    Error, Held, HostArray, Lens, MeshHandle, NodeOp, Operand, Site, View, call_site,
};
use phalanx_ops::{DType, Op, Scalar, Shape};

/// Records the components of `operand`, whose shape is `shape`, that a lens shows.
pub(crate) fn show(
    lens: Lens,
    mesh: &MeshHandle,
    operand: Operand,
    shape: &Shape,
    site: Site,
) -> Result<Operand, Error> {
    let part = match lens {
        Lens::Real => 0,
        Lens::Imaginary => 1,
    };
    if let Some(part) = mesh.known_part(&operand, part) {
        return Ok(part);
    }
    let dtype = Lens::shows(operand.dtype());
    let node = record(mesh, lens.op(), &[operand], shape, dtype, site)?;
    Ok(Operand::Value { node, map: None })
}

/// Records `old` with `value` in place of the component that a lens shows.
pub(crate) fn hide(
    lens: Lens,
    mesh: &MeshHandle,
    value: Operand,
    old: Operand,
    site: Site,
) -> Result<Operand, Error> {
    let dtype = old.dtype();
    let shape = match &old {
        Operand::Value { map: Some(map), .. } => map.shape.clone(),
        Operand::Value { node, map: None } => node.shape().clone(),
        Operand::Scalar(_) => unreachable!("bug: a write to a number"),
    };
    let other = |lens: Lens| show(lens, mesh, old.clone(), &shape, site);
    let parts = match lens {
        Lens::Real => [value, other(Lens::Imaginary)?],
        Lens::Imaginary => [other(Lens::Real)?, value],
    };
    let node = record(mesh, Op::Complex, &parts, &shape, dtype, site)?;
    Ok(Operand::Value { node, map: None })
}

/// The components of elements on the host that a lens shows.
pub(crate) fn show_host(lens: Lens, host: &HostArray) -> HostArray {
    let item = host.dtype.size();
    let elements = host.bytes.chunks_exact(item);
    let bytes = match lens {
        Lens::Real => elements.flat_map(|z| &z[..item / 2]).copied().collect(),
        Lens::Imaginary => elements.flat_map(|z| &z[item / 2..]).copied().collect(),
    };
    HostArray { dtype: Lens::shows(host.dtype), shape: host.shape.clone(), bytes }
}

/// Records whether each of the bytes is not zero. `shape` is their shape.
pub(crate) fn show_truth(
    mesh: &MeshHandle,
    bytes: Operand,
    shape: &Shape,
    site: Site,
) -> Result<Operand, Error> {
    let zero = Operand::Scalar(Scalar::new(0u8));
    let node = record(mesh, Op::NotEqual, &[bytes, zero], shape, DType::Bool, site)?;
    Ok(Operand::Value { node, map: None })
}

/// Records bools as bytes. `shape` is their shape.
pub(crate) fn hide_truth(
    mesh: &MeshHandle,
    value: Operand,
    shape: &Shape,
    site: Site,
) -> Result<Operand, Error> {
    if let Operand::Scalar(scalar) = value {
        return Ok(Operand::Scalar(scalar.cast(DType::U8)));
    }
    let node = mesh.record(NodeOp::Cast, &[value], shape.clone(), DType::U8, site)?;
    Ok(Operand::Value { node: Held::new(node), map: None })
}

/// Whether each of the bytes on the host is not zero, as bools.
pub(crate) fn show_truth_host(mut host: HostArray) -> HostArray {
    host.bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    HostArray { dtype: DType::Bool, ..host }
}

fn record(
    mesh: &MeshHandle,
    op: Op,
    operands: &[Operand],
    shape: &Shape,
    dtype: DType,
    site: Site,
) -> Result<Held, Error> {
    let node = mesh.record(NodeOp::Elementwise(op), operands, shape.clone(), dtype, site)?;
    Ok(Held::new(node))
}

impl Array {
    /// A view of the real parts, NumPy's `a.real`. A write through it changes them. For an array
    /// that is not complex, the array itself.
    ///
    /// Shape: that of the array. Dtype: `f32` for `c64`, `f64` for `c128`. Local.
    #[track_caller]
    #[must_use]
    pub fn real(&self) -> Array {
        self.component(Lens::Real).unwrap_or_else(|| self.clone())
    }

    /// A view of the imaginary parts, NumPy's `a.imag`. A write through it changes them. For an
    /// array that is not complex, zeros that cannot be written.
    ///
    /// Shape: that of the array. Dtype: `f32` for `c64`, `f64` for `c128`. Local (for an array that
    /// is not complex, records a node).
    #[track_caller]
    #[must_use]
    pub fn imag(&self) -> Array {
        let site = call_site();
        self.component(Lens::Imaginary).unwrap_or_else(|| {
            let (op, dtype) = (NodeOp::Elementwise(Op::Imag), self.dtype());
            Array::catch((|| {
                let zeros = record_as(op, &[self.into()], &[dtype], dtype, fortran_order, site)?;
                let view = View { is_read_only: true, ..zeros.base_view()?.clone() };
                zeros.with_view(view)
            })())
        })
    }

    /// The view through a component lens; `None` if the array has no components.
    fn component(&self, lens: Lens) -> Option<Array> {
        if !matches!(self.dtype(), DType::C64 | DType::C128) {
            return None;
        }
        Some(Array::catch((|| {
            let view = self.base_view()?.component(lens, &self.base_shape()?);
            self.with_view(view)
        })()))
    }

    /// A view of the same bytes as elements of another dtype, NumPy's `a.view(dtype)`. A write
    /// through it changes the bytes.
    ///
    /// A dtype of another size scales the last axis, which must be contiguous. A byte read as bool
    /// is true unless it is 0. A write stores 0 or 1, also a write into an array of bools through a
    /// view of another dtype. Local. Errors: `OpError::Reinterpret`.
    #[track_caller]
    #[must_use]
    pub fn view(&self, dtype: DType) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            let view = self.base_view()?.reinterpreted(dtype, &self.base_shape()?);
            self.with_view(view.map_err(|error| Error::op(error, site))?)
        })())
    }
}

/// The order in memory of the imaginary parts of an array without any: Fortran order if the array
/// is in Fortran order, else C order.
fn fortran_order(arguments: &[Argument], _: &[usize]) -> Result<Option<Vec<usize>>, Error> {
    let [Argument::Array(array)] = arguments else { return Ok(None) };
    let (ndim, view) = (array.ndim(), array.base_view()?);
    let reversed = view.transpose(&(0..ndim).rev().collect::<Vec<_>>(), &array.base_shape()?);
    let is_fortran = reversed.is_contiguous() && !view.is_contiguous();
    Ok(is_fortran.then(|| (0..ndim).rev().collect()))
}

/// The complex numbers with these real and imaginary parts, elementwise with broadcasting.
///
/// Dtype: `c64` for parts that fit `f32`, else `c128`. Local (records a node). Errors:
/// `OpError::Broadcast`, `OpError::Dtype` for complex parts.
#[track_caller]
#[must_use]
pub fn complex(real: impl Into<Argument>, imaginary: impl Into<Argument>) -> Array {
    elementwise(Op::Complex, &[real.into(), imaginary.into()], call_site())
}
