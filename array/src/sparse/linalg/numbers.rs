//! Products and norms of vectors, and how the solvers read them.

use crate::array::{Argument, Array};
use crate::math::select;
use crate::products::conjugated;
use num_complex::Complex64;
use phalanx_graph::{Error, MeshHandle, Site};
use phalanx_ops::DType;

/// The dtype in which a solver computes: dtypes that it does not have become `f64`.
pub(super) fn computed(dtype: DType) -> DType {
    match dtype {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => dtype,
        _ => DType::F64,
    }
}

/// The distance from 1 to the next number of the dtype.
pub(super) fn epsilon(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}

/// The inner product (0-d), conjugated in its first operand.
pub(super) fn inner(a: &Array, b: &Array) -> Array {
    (conjugated(a) * b).sum(())
}

/// The squares of the absolute values.
pub(super) fn squares(a: &Array) -> Array {
    if a.dtype().is_complex() { a.real().square() + a.imag().square() } else { a.square() }
}

/// The square of the 2-norm (0-d, real).
pub(super) fn square(a: &Array) -> Array {
    squares(a).sum(())
}

/// The 2-norm (0-d, real).
pub(super) fn norm(a: &Array) -> Array {
    square(a).sqrt()
}

/// The real part of a 0-d array.
pub(super) fn real(a: &Array) -> Array {
    if a.dtype().is_complex() { a.real().copy() } else { a.clone() }
}

/// 1 / `a`, and 0 where `a` is 0.
pub(super) fn reciprocal(a: &Array) -> Array {
    select(&a.equal(0.0), 0.0, 1.0 / a)
}

/// `a / b`, and 0 where `b` is 0.
pub(super) fn quotient(a: &Array, b: &Array) -> Array {
    select(&b.equal(0.0), 0.0, a / b)
}

/// `a` divided by its norm, and the norm. A zero vector stays as it is.
pub(super) fn normalised(a: &Array) -> (Array, Array) {
    let size = norm(a);
    (a * reciprocal(&size), size)
}

/// A number as a factor of arrays of a dtype, which stay of that dtype.
pub(super) fn factor(value: Complex64, dtype: DType) -> Argument {
    if dtype.is_complex() { value.into() } else { value.re.into() }
}

/// The values of 0-d arrays. Collective: the first read computes all that is recorded.
pub(super) fn read(arrays: &[&Array]) -> Result<Vec<Complex64>, Error> {
    arrays.iter().map(|array| array.item::<Complex64>()).collect()
}

/// The real parts of the values of 0-d arrays. Collective.
pub(super) fn read_real(arrays: &[&Array]) -> Result<Vec<f64>, Error> {
    Ok(read(arrays)?.into_iter().map(|value| value.re).collect())
}

/// A small array of numbers in a dtype. Local; the numbers are equal on all processes.
pub(super) fn upload(
    mesh: &MeshHandle,
    values: &[Complex64],
    shape: &[usize],
    dtype: DType,
    site: Site,
) -> Result<Array, Error> {
    let made = if dtype.is_complex() {
        mesh.enter(|| crate::creation::from_slice(values, shape))
    } else {
        let values: Vec<f64> = values.iter().map(|value| value.re).collect();
        mesh.enter(|| crate::creation::from_slice(&values, shape))
    };
    made.converted(dtype, site).into_result()
}
