//! Conjugates, angles and predicates of complex numbers.

use crate::array::Array;
use phalanx_graph::{call_site, within};
use phalanx_ops::{DType, Op, Weak};

impl Array {
    /// NumPy's `ndarray.conj`: the complex conjugates; an array that is not complex is returned as
    /// it is. Local (records a node).
    #[track_caller]
    #[must_use]
    pub fn conj(&self) -> Array {
        let site = call_site();
        if self.dtype().is_complex() {
            return within(site, || Array::apply(Op::Conjugate, &[self.into()]));
        }
        self.clone()
    }

    /// NumPy's `ndarray.conjugate`: as [`Array::conj`].
    #[track_caller]
    #[must_use]
    pub fn conjugate(&self) -> Array {
        let site = call_site();
        within(site, || self.conj())
    }
}

/// NumPy's `angle`: the argument of each complex number, in radians or in degrees. Dtype: real.
/// Local (records nodes).
#[track_caller]
#[must_use]
pub fn angle(array: &Array, is_in_degrees: bool) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let angle = if array.ok()?.dtype().is_complex() {
            array.imag().arctan2(array.real())
        } else {
            Array::apply(phalanx_ops::Op::Arctan2, &[Weak::Int(0).into(), array.into()])
        };
        let angle = if is_in_degrees { angle * (180.0 / std::f64::consts::PI) } else { angle };
        angle.into_result()
    }))
}

/// NumPy's `real_if_close`: the real parts of a complex array if every imaginary part is closer to
/// zero than a limit, else the array itself. The limit is `tolerance` machine epsilons, or
/// `tolerance` itself if that is at most 1.
///
/// Collective over the mesh for complex arrays: the dtype depends on data. NumPy's default
/// tolerance is 100.
#[track_caller]
#[must_use]
pub fn real_if_close(array: &Array, tolerance: f64) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let dtype = array.ok()?.dtype();
        if !dtype.is_complex() {
            return Ok(array.clone());
        }
        let epsilon = if dtype == DType::C64 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let limit = if tolerance > 1.0 { tolerance * epsilon } else { tolerance };
        let is_close = array.imag().absolute().less(limit).all(()).item::<bool>()?;
        Ok(if is_close { array.real() } else { array.clone() })
    }))
}

/// NumPy's `isreal`: whether the imaginary part of each element is zero. Local (records nodes).
#[track_caller]
#[must_use]
pub fn isreal(array: &Array) -> Array {
    let site = call_site();
    within(site, || array.imag().equal(0))
}

/// NumPy's `iscomplex`: whether the imaginary part of each element is not zero. Local (records
/// nodes).
#[track_caller]
#[must_use]
pub fn iscomplex(array: &Array) -> Array {
    let site = call_site();
    within(site, || array.imag().not_equal(0))
}

/// NumPy's `isrealobj`: whether the dtype is not complex. Local.
pub fn isrealobj(array: &Array) -> bool {
    !array.dtype().is_complex()
}

/// NumPy's `iscomplexobj`: whether the dtype is complex. Local.
pub fn iscomplexobj(array: &Array) -> bool {
    array.dtype().is_complex()
}
