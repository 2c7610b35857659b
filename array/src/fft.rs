//! Fourier transforms: NumPy's `fft` module.
//!
//! Transforms run along one axis after the other. An axis that is split is brought together for its
//! transform by splitting another one; a vector, which has no other, is gathered. The plan says so.
//! `f16` and `f32` are transformed in single precision, everything else in double.

use crate::array::Array;
use crate::creation::{arange, zeros};
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::{along, refused, roll, span, with_extent};
use crate::structured::record_structured;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::structured::{Fft, Transform};
use phalanx_ops::{DType, Kind, Structured};

/// Which direction of a transform and its inverse is scaled.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Norm {
    /// The inverse by 1 / n.
    #[default]
    Backward,
    /// Both by 1 / √n.
    Ortho,
    /// The forward transform by 1 / n.
    Forward,
}

impl Norm {
    const fn swapped(self) -> Norm {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }

    /// The factor of a transform of `extent` elements.
    fn factor(self, is_forward: bool, extent: usize) -> f64 {
        match if is_forward { self } else { self.swapped() } {
            Norm::Backward => 1.0,
            Norm::Ortho => 1.0 / (extent as f64).sqrt(),
            Norm::Forward => 1.0 / extent as f64,
        }
    }
}

/// How a transform along one axis is done: `()` for the last axis as it is.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    extent: Option<i64>,
    axis: i64,
    norm: Norm,
}

/// A transform along an axis.
pub const fn axis(axis: i64) -> Line {
    Line { extent: None, axis, norm: Norm::Backward }
}

impl From<()> for Line {
    fn from((): ()) -> Line {
        axis(-1)
    }
}

impl Line {
    /// Of this many elements: the axis is cut, or filled up with zeros. For transforms to real
    /// numbers, the extent of the result.
    #[must_use]
    pub const fn extent(self, extent: i64) -> Line {
        Line { extent: Some(extent), ..self }
    }

    /// With this normalisation.
    #[must_use]
    pub const fn norm(self, norm: Norm) -> Line {
        Line { norm, ..self }
    }
}

/// How a transform along several axes is done: `()` for all axes as they are.
#[derive(Clone, Default, Debug)]
pub struct Grid {
    extents: Option<Vec<i64>>,
    axes: Option<Vec<i64>>,
    norm: Norm,
}

/// A transform along these axes, the last one first.
pub fn axes(axes: impl AsRef<[i64]>) -> Grid {
    Grid { axes: Some(axes.as_ref().to_vec()), ..Grid::default() }
}

impl From<()> for Grid {
    fn from((): ()) -> Grid {
        Grid::default()
    }
}

impl Grid {
    /// Of these extents along the axes (the last ones without any); -1 for that of the array.
    #[must_use]
    pub fn extents(self, extents: impl AsRef<[i64]>) -> Grid {
        Grid { extents: Some(extents.as_ref().to_vec()), ..self }
    }

    /// With this normalisation.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Grid {
        Grid { norm, ..self }
    }

    /// The axes with their extents, `None` for that of the array.
    fn lines(&self, array: &Array, site: Site) -> Result<Vec<Line>, Error> {
        let count = match (&self.extents, &self.axes) {
            (Some(extents), _) => extents.len(),
            (None, Some(axes)) => axes.len(),
            (None, None) => array.ndim(),
        } as i64;
        let axes = self.axes.clone().unwrap_or_else(|| (-count..0).collect());
        let extents: Vec<Option<i64>> = match &self.extents {
            Some(extents) => extents.iter().map(|&e| (e != -1).then_some(e)).collect(),
            None => {
                // Of the array as it is given: an axis named twice is filled up again.
                let extent = |&axis: &i64| Ok(Some(array.shape()[array.axis(axis, site)?] as i64));
                axes.iter().map(extent).collect::<Result<_, Error>>()?
            }
        };
        if extents.len() != axes.len() {
            let value = format!("{} for {} axes", extents.len(), axes.len());
            return Err(refused("fft", "extents", value, site));
        }
        let line = |(axis, extent): (i64, Option<i64>)| Line { extent, axis, norm: self.norm };
        Ok(axes.into_iter().zip(extents).map(line).collect())
    }
}

/// What a transform leads from and to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    /// Complex to complex.
    Complex,
    /// Real to half of a complex spectrum.
    ToHalf,
    /// Half of a complex spectrum to real.
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
        cut_or_filled(&source, axis, needed as usize).ok().cloned()
    })?;
    let transform = match (domain, is_forward) {
        (Domain::Complex, true) => Transform::Forward,
        (Domain::Complex, false) => Transform::Inverse,
        (Domain::ToHalf, _) => Transform::RealForward,
        (Domain::FromHalf, _) => Transform::RealInverse { extent: extent as u64 },
    };
    let fft = Structured::Fft(Fft { axis: axis as u8, transform });
    let mut result = record_structured(fft, &[&source], site)?;
    let factor = line.norm.factor(is_forward, extent as usize);
    within(site, || {
        if factor != 1.0 {
            result = &result * factor;
        }
        // As in NumPy, a half-precision array gives half-precision real numbers.
        if domain == Domain::FromHalf && array.dtype() == DType::F16 {
            result = result.astype(DType::F16);
        }
        result.ok().cloned()
    })
}

/// The array with an axis cut or filled up with zeros.
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
/// Dtype: complex, of the precision of the array. Local (records nodes). Errors: `OpError::Axis`,
/// `OpError::Argument` for an extent below 1.
#[track_caller]
#[must_use]
pub fn fft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::Complex, true, line, call_site())
}

/// The inverse of [`fft`]. Local (records nodes). Errors as there.
#[track_caller]
#[must_use]
pub fn ifft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::Complex, false, line, call_site())
}

/// The first `n / 2 + 1` elements of the transform of real numbers; the others are their
/// conjugates. Local (records nodes). Errors as [`fft`], `OpError::Dtype` for complex numbers.
#[track_caller]
#[must_use]
pub fn rfft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::ToHalf, true, line, call_site())
}

/// The inverse of [`rfft`]: real numbers, `2 (m - 1)` without another extent. Local (records
/// nodes). Errors as [`fft`].
#[track_caller]
#[must_use]
pub fn irfft(array: &Array, line: impl Into<Line>) -> Array {
    transformed(array, Domain::FromHalf, false, line, call_site())
}

/// The transform of a signal with Hermitian symmetry: a real spectrum. Local (records nodes).
/// Errors as [`fft`].
#[track_caller]
#[must_use]
pub fn hfft(array: &Array, line: impl Into<Line>) -> Array {
    let (site, line) = (call_site(), line.into());
    let conjugate = within(site, || array.conjugate());
    let line = Line { norm: line.norm.swapped(), ..line };
    transformed(&conjugate, Domain::FromHalf, false, line, site)
}

/// The inverse of [`hfft`]. Local (records nodes). Errors as [`rfft`].
#[track_caller]
#[must_use]
pub fn ihfft(array: &Array, line: impl Into<Line>) -> Array {
    let (site, line) = (call_site(), line.into());
    let line = Line { norm: line.norm.swapped(), ..line };
    let half = transformed(array, Domain::ToHalf, true, line, site);
    within(site, || half.conjugate())
}

/// A complex transform along several axes, the last one first.
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

/// [`fft`] along several axes. Local (records nodes). Errors as there, `OpError::Argument` for
/// another number of extents than of axes.
#[track_caller]
#[must_use]
pub fn fftn(array: &Array, grid: impl Into<Grid>) -> Array {
    complex_grid(array, &grid.into(), true, call_site())
}

/// The inverse of [`fftn`]. Local (records nodes). Errors as there.
#[track_caller]
#[must_use]
pub fn ifftn(array: &Array, grid: impl Into<Grid>) -> Array {
    complex_grid(array, &grid.into(), false, call_site())
}

/// [`rfft`] along the last of several axes, then [`fft`] along the others. Local (records nodes).
/// Errors as [`fftn`].
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

/// The inverse of [`rfftn`]. Local (records nodes). Errors as [`fftn`].
#[track_caller]
#[must_use]
pub fn irfftn(array: &Array, grid: impl Into<Grid>) -> Array {
    let site = call_site();
    Array::catch((|| {
        array.ok()?;
        let grid = grid.into();
        let has_extents = grid.extents.is_some();
        let lines = grid.lines(array, site)?;
        let Some((last, others)) = lines.split_last() else { return no_axes(site) };
        let mut last = *last;
        if !has_extents {
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
    Err(refused("fft", "axes", "[]", site))
}

fn plane(grid: Grid) -> Grid {
    match grid.axes {
        Some(_) => grid,
        None => Grid { axes: Some(vec![-2, -1]), ..grid },
    }
}

/// [`fftn`] along the last two axes, or those named. Local (records nodes). Errors as there.
#[track_caller]
#[must_use]
pub fn fft2(array: &Array, grid: impl Into<Grid>) -> Array {
    fftn(array, plane(grid.into()))
}

/// The inverse of [`fft2`]. Local (records nodes). Errors as [`fftn`].
#[track_caller]
#[must_use]
pub fn ifft2(array: &Array, grid: impl Into<Grid>) -> Array {
    ifftn(array, plane(grid.into()))
}

/// [`rfftn`] along the last two axes, or those named. Local (records nodes). Errors as there.
#[track_caller]
#[must_use]
pub fn rfft2(array: &Array, grid: impl Into<Grid>) -> Array {
    rfftn(array, plane(grid.into()))
}

/// The inverse of [`rfft2`]. Local (records nodes). Errors as [`fftn`].
#[track_caller]
#[must_use]
pub fn irfft2(array: &Array, grid: impl Into<Grid>) -> Array {
    irfftn(array, plane(grid.into()))
}

/// The frequencies of the elements of [`fft`] of `extent` samples at this distance, in cycles per
/// unit of the distance: `f64`. Local (records a node). Errors: `OpError::Argument` for no samples.
#[track_caller]
#[must_use]
pub fn fftfreq(extent: i64, spacing: f64) -> Array {
    frequencies(extent, spacing, false, call_site())
}

/// The frequencies of the elements of [`rfft`]; see [`fftfreq`].
#[track_caller]
#[must_use]
pub fn rfftfreq(extent: i64, spacing: f64) -> Array {
    frequencies(extent, spacing, true, call_site())
}

fn frequencies(extent: i64, spacing: f64, is_half: bool, site: Site) -> Array {
    Array::catch(within(site, || {
        if extent < 1 || spacing == 0.0 {
            let value = format!("{extent}, {spacing}");
            return Err(refused("fftfreq", "extent and spacing", value, site));
        }
        let factor = 1.0 / (extent as f64 * spacing);
        let numbers = if is_half {
            arange(0, extent / 2 + 1, 1)
        } else {
            // 0, 1, …, then the negative ones.
            let negative = extent / 2;
            (arange(0, extent, 1) + negative).remainder(extent) - negative
        };
        (numbers * factor).ok().cloned()
    }))
}

/// The array with the frequency 0 in the middle of the axes (all without any): a copy. Local
/// (records nodes). Errors: `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn fftshift(array: &Array, axes: Option<&[i64]>) -> Array {
    shifted(array, axes, |extent| extent / 2, call_site())
}

/// The inverse of [`fftshift`].
#[track_caller]
#[must_use]
pub fn ifftshift(array: &Array, axes: Option<&[i64]>) -> Array {
    shifted(array, axes, |extent| extent - extent / 2, call_site())
}

fn shifted(array: &Array, axes: Option<&[i64]>, by: fn(usize) -> usize, site: Site) -> Array {
    Array::catch((|| {
        array.ok()?;
        let all: Vec<i64> = (0..array.ndim() as i64).collect();
        if axes.unwrap_or(&all).is_empty() {
            let (operation, expected) = ("fftshift", "at least 1");
            return Err(Error::op(OpError::Ndim { operation, expected, ndim: array.ndim() }, site));
        }
        let mut shifts = Vec::new();
        for &axis in axes.unwrap_or(&all) {
            // As NumPy, which asks the shape for the extent of every axis.
            let beyond = OpError::Index { index: axis, axis: 0, extent: array.ndim() };
            let axis = array.axis(axis, site).map_err(|_| Error::op(beyond, site))?;
            shifts.push(saturating(by(array.shape()[axis])));
        }
        Ok(within(site, || roll(array, shifts, axes.unwrap_or(&all))))
    })())
}
