//! The parts of complex numbers: views of them, and complex numbers with given parts.

use crate::array::Argument;
use crate::array::Array;
use crate::recording::{elementwise, record_as};
use phalanx_graph::{Error, Lens, NodeOp, View, call_site};
use phalanx_ops::{DType, Op};

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
            let view = self.base_view()?.component(lens, self.base_shape()?);
            self.with_view(view)
        })()))
    }
}

/// The order in memory of the imaginary parts of an array without any: Fortran order if the array
/// is in Fortran order, else C order.
fn fortran_order(arguments: &[Argument], _: &[usize]) -> Result<Option<Vec<usize>>, Error> {
    let [Argument::Array(array)] = arguments else { return Ok(None) };
    let (ndim, view) = (array.ndim(), array.base_view()?);
    let reversed = view.transpose(&(0..ndim).rev().collect::<Vec<_>>(), array.base_shape()?);
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
