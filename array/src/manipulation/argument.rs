//! Arguments of manipulations: lists of axes, positions along an axis, and their errors.

use crate::array::Array;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::{normalize_axis, saturating};
use phalanx_ops::view::resolve_range;
use phalanx_ops::{Index, Kind, Shape};

/// Axes in the order given: one, several, or `()` where a function has a default.
#[derive(Clone, Debug)]
pub struct AxisList(pub(crate) Option<Vec<i64>>);

impl From<()> for AxisList {
    fn from((): ()) -> AxisList {
        AxisList(None)
    }
}
impl From<i64> for AxisList {
    fn from(axis: i64) -> AxisList {
        AxisList(Some(vec![axis]))
    }
}
impl<const N: usize> From<[i64; N]> for AxisList {
    fn from(axes: [i64; N]) -> AxisList {
        AxisList(Some(axes.to_vec()))
    }
}
impl From<&[i64]> for AxisList {
    fn from(axes: &[i64]) -> AxisList {
        AxisList(Some(axes.to_vec()))
    }
}
impl From<Vec<i64>> for AxisList {
    fn from(axes: Vec<i64>) -> AxisList {
        AxisList(Some(axes))
    }
}
impl From<Option<i64>> for AxisList {
    fn from(axis: Option<i64>) -> AxisList {
        AxisList(axis.map(|axis| vec![axis]))
    }
}

impl From<Option<Vec<i64>>> for AxisList {
    fn from(axes: Option<Vec<i64>>) -> AxisList {
        AxisList(axes)
    }
}

impl AxisList {
    /// The only axis of the list; `None` for `()`, which selects the default.
    pub(crate) fn single(
        &self,
        operation: &'static str,
        ndim: usize,
        site: Site,
    ) -> Result<Option<usize>, Error> {
        match self.0.as_deref() {
            None => Ok(None),
            Some(&[axis]) => axis_of(axis, ndim, site).map(Some),
            Some(axes) => Err(refused(operation, "axis", format!("{axes:?}"), site)),
        }
    }
}

/// Positions along an axis: one, several (negative ones count from the end), a slice, or a mask.
#[derive(Clone, Debug)]
pub enum Positions {
    /// One position.
    One(i64),
    /// Positions in the order given.
    Many(Vec<i64>),
    /// The positions of a slice (see [`s!`](crate::s)).
    Slice(Index),
    /// The positions of the true elements of a mask.
    Mask(Vec<bool>),
    /// Positions or a mask in an array: of integers, or a vector of bools.
    Array(Array),
}

impl From<i64> for Positions {
    fn from(position: i64) -> Positions {
        Positions::One(position)
    }
}
impl<const N: usize> From<[i64; N]> for Positions {
    fn from(positions: [i64; N]) -> Positions {
        Positions::Many(positions.to_vec())
    }
}
impl From<&[i64]> for Positions {
    fn from(positions: &[i64]) -> Positions {
        Positions::Many(positions.to_vec())
    }
}
impl From<Vec<i64>> for Positions {
    fn from(positions: Vec<i64>) -> Positions {
        Positions::Many(positions)
    }
}
impl From<Index> for Positions {
    fn from(index: Index) -> Positions {
        match index {
            Index::At(position) => Positions::One(position),
            slice => Positions::Slice(slice),
        }
    }
}
impl From<&Array> for Positions {
    fn from(positions: &Array) -> Positions {
        Positions::Array(positions.clone())
    }
}
impl From<[Index; 1]> for Positions {
    fn from([index]: [Index; 1]) -> Positions {
        index.into()
    }
}

impl Positions {
    /// The positions, counted from 0. `extent` is the extent of `axis`, and every position is below
    /// it.
    pub(crate) fn resolve(
        &self,
        axis: usize,
        extent: usize,
        site: Site,
    ) -> Result<Vec<usize>, Error> {
        let resolve = |index: i64| {
            let position = if index < 0 { index.saturating_add(saturating(extent)) } else { index };
            if (0..saturating(extent)).contains(&position) {
                Ok(position as usize)
            } else {
                Err(Error::op(OpError::Index { index, axis, extent }, site))
            }
        };
        match self {
            Positions::One(position) => Ok(vec![resolve(*position)?]),
            Positions::Many(positions) => positions.iter().map(|&index| resolve(index)).collect(),
            Positions::Slice(Index::Range { start, stop, step }) => {
                let (start, count) = resolve_range(*start, *stop, *step, extent)
                    .map_err(|error| Error::op(error, site))?;
                let position = |k: usize| (start + step.saturating_mul(k as i64)) as usize;
                Ok((0..count).map(position).collect())
            }
            Positions::Slice(other) => {
                Err(refused("positions", "index", format!("{other:?}"), site))
            }
            Positions::Mask(mask) if mask.len() != extent => {
                Err(wrong_mask(mask.len(), extent, site))
            }
            Positions::Mask(mask) => Ok((0..extent).filter(|&at| mask[at]).collect()),
            Positions::Array(_) => self.on_host(site)?.resolve(axis, extent, site),
        }
    }

    /// The same positions on the host. Collective for an array. Errors: `OpError::Indices` for an
    /// array of another dtype, `OpError::Ndim` for a mask that is no vector.
    pub(crate) fn on_host(&self, site: Site) -> Result<Positions, Error> {
        let Positions::Array(array) = self else { return Ok(self.clone()) };
        match array.ok()?.dtype().kind() {
            Kind::Bool if array.ndim() != 1 => {
                let (operation, ndim) = ("positions, for a mask", array.ndim());
                Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site))
            }
            Kind::Bool => Ok(Positions::Mask(within(site, || array.to_vec::<bool>())?)),
            Kind::Signed | Kind::Unsigned => {
                Ok(Positions::Many(within(site, || array.to_vec::<i64>())?))
            }
            _ => Err(Error::op(OpError::Indices { dtypes: vec![array.dtype()] }, site)),
        }
    }
}

/// The error for an argument with a value that is not allowed; NumPy raises `ValueError`.
pub(crate) fn refused(
    operation: &'static str,
    argument: &'static str,
    value: impl Into<String>,
    site: Site,
) -> Error {
    Error::op(OpError::Argument { operation, argument, value: value.into() }, site)
}

/// An axis counted from 0.
pub(crate) fn axis_of(axis: i64, ndim: usize, site: Site) -> Result<usize, Error> {
    normalize_axis(axis, ndim).map_err(|error| Error::op(error, site))
}

/// Axes counted from 0, in the order given. An axis that is named twice is an error.
pub(crate) fn axes_of(axes: &[i64], ndim: usize, site: Site) -> Result<Vec<usize>, Error> {
    let mut resolved = Vec::with_capacity(axes.len());
    for &axis in axes {
        let axis = axis_of(axis, ndim, site)?;
        if resolved.contains(&axis) {
            return Err(Error::op(OpError::DuplicateAxis { axis }, site));
        }
        resolved.push(axis);
    }
    Ok(resolved)
}

/// Returns `OpError::Ndim` for an array with fewer than `least` axes. `expected` is the requirement
/// in words, as the error reports it.
pub(crate) fn at_least(
    array: &Array,
    least: usize,
    (operation, expected): (&'static str, &'static str),
    site: Site,
) -> Result<(), Error> {
    let ndim = array.ok()?.ndim();
    if ndim < least {
        return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
    }
    Ok(())
}

/// Returns the error of the first array that carries one.
pub(crate) fn sound<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> Result<(), Error> {
    arrays.into_iter().try_for_each(|array| array.ok().map(|_| ()))
}

/// Extents as the signed integers that a reshape takes.
pub(crate) fn signed(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&extent| saturating(extent)).collect()
}

/// A shape with the extent of one axis replaced.
pub(crate) fn with_extent(shape: &[usize], axis: usize, extent: usize) -> Shape {
    let mut shape = Shape::from_slice(shape);
    shape[axis] = extent;
    shape
}

/// The index that takes `part` of one axis and all of the others.
pub(crate) fn along(ndim: usize, axis: usize, part: Index) -> Vec<Index> {
    let whole = Index::Range { start: None, stop: None, step: 1 };
    let mut items = vec![whole; ndim];
    items[axis] = part;
    items
}

/// The slice of the positions from `start` to before `stop`.
pub(crate) fn span(start: usize, stop: usize) -> Index {
    Index::Range { start: Some(saturating(start)), stop: Some(saturating(stop)), step: 1 }
}

/// The error of a mask of another length than the axis.
pub(super) fn wrong_mask(length: usize, extent: usize, site: Site) -> Error {
    refused("positions", "mask", format!("of {length} elements for {extent} positions"), site)
}

/// The array and axis on which a function works. Without an axis it works on all elements in C
/// order.
pub(super) fn flat_or_axis(
    array: &Array,
    axis: &AxisList,
    operation: &'static str,
    site: Site,
) -> Result<(Array, usize), Error> {
    array.ok()?;
    Ok(match axis.single(operation, array.ndim(), site)? {
        Some(axis) => (array.clone(), axis),
        None => (within(site, || array.ravel()), 0),
    })
}
