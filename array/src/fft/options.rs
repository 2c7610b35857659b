//! Options of transforms: axes, extents and normalisation.

use crate::array::Array;
use crate::manipulation::refused;
use phalanx_graph::{Error, Site};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

/// The scaling of a transform and of its inverse.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Norm {
    /// The inverse is scaled by 1 / n.
    #[default]
    Backward,
    /// Both are scaled by 1 / √n.
    Ortho,
    /// The forward transform is scaled by 1 / n.
    Forward,
}

impl Norm {
    pub(super) const fn swapped(self) -> Norm {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }

    /// The factor of a transform of `extent` elements of a dtype. NumPy rounds each step of it to
    /// that dtype, which changes the factor in half precision.
    pub(super) fn factor(self, is_forward: bool, extent: usize, dtype: DType) -> f64 {
        let half = |number: f64| half::f16::from_f64(number).to_f64();
        // In NumPy an extent beyond half precision is infinite, and the factor 0. Here it is not
        // rounded.
        let is_half = dtype == DType::F16 && half(extent as f64).is_finite();
        let rounded = |number: f64| if is_half { half(number) } else { number };
        let count = rounded(extent as f64);
        match if is_forward { self } else { self.swapped() } {
            Norm::Backward => 1.0,
            Norm::Ortho => rounded(1.0 / rounded(count.sqrt())),
            Norm::Forward => rounded(1.0 / count),
        }
    }
}

/// Options of a transform along one axis. `()` selects the last axis with its own extent.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub(super) extent: Option<i64>,
    pub(super) axis: i64,
    pub(super) norm: Norm,
}

/// Options of a transform along this axis.
pub const fn axis(axis: i64) -> Line {
    Line { extent: None, axis, norm: Norm::Backward }
}

impl From<()> for Line {
    fn from((): ()) -> Line {
        axis(-1)
    }
}

impl Line {
    /// The number of elements that are transformed: the axis is cut, or filled with zeros. For
    /// transforms to real numbers it is the extent of the result.
    #[must_use]
    pub const fn extent(self, extent: i64) -> Line {
        Line { extent: Some(extent), ..self }
    }

    /// The normalisation.
    #[must_use]
    pub const fn norm(self, norm: Norm) -> Line {
        Line { norm, ..self }
    }
}

/// Options of a transform along several axes. `()` selects all axes with their own extents.
#[derive(Clone, Default, Debug)]
pub struct Grid {
    pub(super) extents: Option<Vec<Option<i64>>>,
    pub(super) axes: Option<Vec<i64>>,
    pub(super) norm: Norm,
}

/// Options of a transform along these axes, which starts with the last one.
pub fn axes(axes: impl AsRef<[i64]>) -> Grid {
    Grid { axes: Some(axes.as_ref().to_vec()), ..Grid::default() }
}

impl From<()> for Grid {
    fn from((): ()) -> Grid {
        Grid::default()
    }
}

impl Grid {
    /// The extents along the axes; without named axes, along the last ones. -1 selects the extent
    /// of the array.
    #[must_use]
    pub fn extents(self, extents: impl AsRef<[i64]>) -> Grid {
        self.optional_extents(extents.as_ref().iter().copied().map(Some))
    }

    /// As [`Grid::extents`]; `None` selects the default extent. For the last axis of half a
    /// spectrum, the default is the extent of the whole.
    #[must_use]
    pub fn optional_extents(self, extents: impl IntoIterator<Item = Option<i64>>) -> Grid {
        Grid { extents: Some(extents.into_iter().collect()), ..self }
    }

    /// Whether the extent of the last axis is the default.
    pub(super) fn is_last_open(&self) -> bool {
        let last = self.extents.as_ref().and_then(|extents| extents.last());
        last.is_none_or(|extent| extent.is_none())
    }

    /// Whether the options name no axis. A complex transform is then the array itself, in its own
    /// dtype.
    pub fn is_empty(&self) -> bool {
        self.axes.as_ref().is_some_and(Vec::is_empty)
            && self.extents.as_ref().is_none_or(Vec::is_empty)
    }

    /// The normalisation.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Grid {
        Grid { norm, ..self }
    }

    /// The axes with their extents.
    pub(super) fn lines(&self, array: &Array, site: Site) -> Result<Vec<Line>, Error> {
        let count = match (&self.extents, &self.axes) {
            (Some(extents), _) => extents.len(),
            (None, Some(axes)) => axes.len(),
            (None, None) => array.ndim(),
        } as i64;
        let axes = self.axes.clone().unwrap_or_else(|| (-count..0).collect());
        let extents = self.extents.clone().unwrap_or_else(|| vec![None; axes.len()]);
        if extents.len() != axes.len() {
            let value = format!("{} for {} axes", extents.len(), axes.len());
            return Err(refused("fft", "extents", value, site));
        }
        let line = |(axis, extent): (i64, Option<i64>)| {
            // These are extents of the given array: an axis that is named twice is filled again.
            let own = match self.extents {
                Some(_) => array.shape()[array.axis(axis, site)?] as i64,
                None => own_extent(array, axis, site)? as i64,
            };
            let extent = Some(extent.filter(|&extent| extent != -1).unwrap_or(own));
            Ok(Line { extent, axis, norm: self.norm })
        };
        axes.into_iter().zip(extents).map(line).collect()
    }
}

/// The extent of an array along an axis. Errors: `OpError::Index`, because NumPy indexes the shape
/// with the axis.
pub(super) fn own_extent(array: &Array, axis: i64, site: Site) -> Result<usize, Error> {
    let beyond = OpError::Index { index: axis, axis: 0, extent: array.ndim() };
    let axis = array.axis(axis, site).map_err(|_| Error::op(beyond, site))?;
    Ok(array.shape()[axis])
}
