//! Transforms along one axis and along several.

use super::options::{Grid, Line, own_extent};
use crate::array::{Array, is_reproducible};
use crate::creation::zeros;
use crate::manipulation::{along, refused, span, with_extent};
use crate::recording::{copy_order, record_along};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Fft, Transform};
use phalanx_ops::{DType, Kind, Structured};

/// The domains of the input and the output of a transform.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    /// From complex to complex.
    Complex,
    /// From real to half of a complex spectrum.
    ToHalf,
    /// From half of a complex spectrum to real.
    FromHalf,
}

/// A transform of an array along an axis.
fn transform(
    array: &Array,
    domain: Domain,
    is_forward: bool,
    line: Line,
    site: Site,
) -> Result<Array, Error> {
    array.ok()?;
    if line.extent.is_none() {
        own_extent(array, line.axis, site)?;
    }
    let axis = array.axis(line.axis, site)?;
    let given = array.shape()[axis] as i64;
    let extent = line.extent.unwrap_or(match domain {
        Domain::FromHalf => 2 * (given - 1),
        _ => given,
    });
    if extent < 1 {
        return Err(refused("fft", "extent", extent.to_string(), site));
    }
    let is_single = matches!(array.dtype(), DType::F16 | DType::BF16 | DType::F32 | DType::C64);
    let dtype = match (domain, is_single) {
        (Domain::ToHalf, true) => DType::F32,
        (Domain::ToHalf, false) => DType::F64,
        (_, true) => DType::C64,
        (_, false) => DType::C128,
    };
    if domain == Domain::ToHalf && array.dtype().kind() == Kind::Complex {
        let dtypes = vec![array.dtype()];
        return Err(Error::op(OpError::Dtype { operation: "rfft", dtypes }, site));
    }
    let needed = if domain == Domain::FromHalf { extent / 2 + 1 } else { extent };
    let source = within(site, || {
        let source = array.converted(dtype, site);
        cut_or_filled(&source, axis, needed as usize).into_result()
    })?;
    let transform = match (domain, is_forward) {
        (Domain::Complex, true) => Transform::Forward,
        (Domain::Complex, false) => Transform::Inverse,
        (Domain::ToHalf, _) => Transform::RealForward,
        (Domain::FromHalf, _) => Transform::RealInverse { extent: extent as u64 },
    };
    let in_order = is_reproducible(&source.mesh()?);
    let fft = |axis| Structured::Fft(Fft { axis, transform, in_order });
    let mut result = record_along(&source, axis, copy_order, fft, site)?;
    let factor = line.norm.factor(is_forward, extent as usize, array.dtype());
    within(site, || {
        if factor != 1.0 {
            result = &result * factor;
        }
        // As in NumPy, a half-precision array gives half-precision real numbers.
        if domain == Domain::FromHalf && array.dtype() == DType::F16 {
            result = result.astype(DType::F16);
        }
        result.into_result()
    })
}

/// The array with an axis cut, or filled with zeros.
fn cut_or_filled(array: &Array, axis: usize, extent: usize) -> Array {
    let given = array.shape()[axis];
    let part = |count: usize| along(array.ndim(), axis, span(0, count));
    if extent == given {
        return array.clone();
    }
    if extent < given {
        return array.slice(part(extent));
    }
    Array::catch((|| {
        let shape = with_extent(array.shape(), axis, extent);
        let filled = array.mesh()?.enter(|| zeros(shape.as_slice(), array.dtype()));
        filled.slice(part(given)).try_assign(array)?;
        Ok(filled)
    })())
}

fn transformed(
    array: &Array,
    domain: Domain,
    is_forward: bool,
    line: impl Into<Line>,
    site: Site,
) -> Array {
    Array::catch(transform(array, domain, is_forward, line.into(), site))
}

/// The discrete Fourier transform along an axis: `X[k] = Σ x[j] exp(-2πi jk / n)`.
///
/// Dtype: complex, in the precision of the array. Local (records nodes). Errors: `OpError::Index`
/// for an axis out of range (`OpError::Axis` if the line has an extent), `OpError::Argument` for an
/// extent below 1.
#[track_caller]
#[must_use]
pub fn fft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::Complex, true, line, call_site())
}

/// The inverse of [`fft`]. Local (records nodes). Errors: as for [`fft`].
#[track_caller]
#[must_use]
pub fn ifft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::Complex, false, line, call_site())
}

/// The first `n / 2 + 1` elements of the transform of real numbers. The other elements are complex
/// conjugates of these. Local (records nodes). Errors: as for [`fft`], and `OpError::Dtype` for
/// complex numbers.
#[track_caller]
#[must_use]
pub fn rfft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::ToHalf, true, line, call_site())
}

/// The inverse of [`rfft`]. The result has `2 (m - 1)` real numbers, unless the line has an extent.
/// Local (records nodes). Errors: as for [`fft`].
#[track_caller]
#[must_use]
pub fn irfft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::FromHalf, false, line, call_site())
}

/// The transform of a signal with Hermitian symmetry, which is a real spectrum. Local (records
/// nodes). Errors: as for [`fft`].
#[track_caller]
#[must_use]
pub fn hfft(array: &Array, line: impl Into<Line>) -> Array {
    let (site, line) = (call_site(), line.into());
    let conjugate = within(site, || array.conjugate());
    let line = Line { norm: line.norm.swapped(), ..line };
    transformed(&conjugate, Domain::FromHalf, false, line, site)
}

/// The inverse of [`hfft`]. Local (records nodes). Errors: as for [`rfft`].
#[track_caller]
#[must_use]
pub fn ihfft(array: &Array, line: impl Into<Line>) -> Array {
    let (site, line) = (call_site(), line.into());
    let line = Line { norm: line.norm.swapped(), ..line };
    let half = transformed(array, Domain::ToHalf, true, line, site);
    within(site, || half.conjugate())
}

/// A complex transform along several axes, which starts with the last one.
fn complex_grid(array: &Array, grid: &Grid, is_forward: bool, site: Site) -> Array {
    Array::catch((|| {
        array.ok()?;
        let mut result = array.clone();
        for line in grid.lines(array, site)?.into_iter().rev() {
            result = transform(&result, Domain::Complex, is_forward, line, site)?;
        }
        Ok(result)
    })())
}

/// [`fft`] along several axes. Local (records nodes). Errors: as for [`fft`], and
/// `OpError::Argument` for a number of extents that differs from the number of axes.
#[track_caller]
#[must_use]
pub fn fftn(array: &Array, grid: impl Into<Grid>) -> Array {
    complex_grid(array, &grid.into(), true, call_site())
}

/// The inverse of [`fftn`]. Local (records nodes). Errors: as for [`fftn`].
#[track_caller]
#[must_use]
pub fn ifftn(array: &Array, grid: impl Into<Grid>) -> Array {
    complex_grid(array, &grid.into(), false, call_site())
}

/// [`rfft`] along the last of several axes, and then [`fft`] along the others. Local (records
/// nodes). Errors: as for [`fftn`] and [`rfft`], and `OpError::Index` without axes.
#[track_caller]
#[must_use]
pub fn rfftn(array: &Array, grid: impl Into<Grid>) -> Array {
    let site = call_site();
    Array::catch((|| {
        array.ok()?;
        let lines = grid.into().lines(array, site)?;
        let Some((last, others)) = lines.split_last() else { return no_axes(site) };
        let mut result = transform(array, Domain::ToHalf, true, *last, site)?;
        for line in others.iter().rev() {
            result = transform(&result, Domain::Complex, true, *line, site)?;
        }
        Ok(result)
    })())
}

/// The inverse of [`rfftn`]. Local (records nodes). Errors: as for [`fftn`], and `OpError::Index`
/// without axes.
#[track_caller]
#[must_use]
pub fn irfftn(array: &Array, grid: impl Into<Grid>) -> Array {
    let site = call_site();
    Array::catch((|| {
        array.ok()?;
        let grid = grid.into();
        let is_open = grid.is_last_open();
        let lines = grid.lines(array, site)?;
        let Some((last, others)) = lines.split_last() else { return no_axes(site) };
        let mut last = *last;
        if is_open {
            last.extent = last.extent.map(|half| 2 * (half - 1));
        }
        let mut result = array.clone();
        for line in others {
            result = transform(&result, Domain::Complex, false, *line, site)?;
        }
        transform(&result, Domain::FromHalf, false, last, site)
    })())
}

fn no_axes(site: Site) -> Result<Array, Error> {
    Err(Error::op(OpError::Index { index: -1, axis: 0, extent: 0 }, site))
}

fn plane(grid: Grid) -> Grid {
    match grid.axes {
        Some(_) => grid,
        None => Grid { axes: Some(vec![-2, -1]), ..grid },
    }
}

/// [`fftn`] along the last two axes, or the named axes. Local (records nodes). Errors: as for
/// [`fftn`].
#[track_caller]
#[must_use]
pub fn fft2(array: &Array, grid: impl Into<Grid>) -> Array {
    fftn(array, plane(grid.into()))
}

/// The inverse of [`fft2`]. Local (records nodes). Errors: as for [`fftn`].
#[track_caller]
#[must_use]
pub fn ifft2(array: &Array, grid: impl Into<Grid>) -> Array {
    ifftn(array, plane(grid.into()))
}

/// [`rfftn`] along the last two axes, or the named axes. Local (records nodes). Errors: as for
/// [`rfftn`].
#[track_caller]
#[must_use]
pub fn rfft2(array: &Array, grid: impl Into<Grid>) -> Array {
    rfftn(array, plane(grid.into()))
}

/// The inverse of [`rfft2`]. Local (records nodes). Errors: as for [`irfftn`].
#[track_caller]
#[must_use]
pub fn irfft2(array: &Array, grid: impl Into<Grid>) -> Array {
    irfftn(array, plane(grid.into()))
}
