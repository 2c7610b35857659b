//! Splits: several views of one array.

use crate::array::Array;
use crate::manipulation::argument::{along, axis_of, refused};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::{Index, Shape};

/// How an axis is split: into a number of parts, or at the given positions.
#[derive(Clone, Debug)]
pub enum Sections {
    /// A number of parts.
    Count(usize),
    /// The positions at which parts start, each clipped to the axis as in a slice.
    At(Vec<i64>),
}

impl From<usize> for Sections {
    fn from(count: usize) -> Sections {
        Sections::Count(count)
    }
}
impl<const N: usize> From<[i64; N]> for Sections {
    fn from(positions: [i64; N]) -> Sections {
        Sections::At(positions.to_vec())
    }
}
impl From<&[i64]> for Sections {
    fn from(positions: &[i64]) -> Sections {
        Sections::At(positions.to_vec())
    }
}
impl From<Vec<i64>> for Sections {
    fn from(positions: Vec<i64>) -> Sections {
        Sections::At(positions)
    }
}

fn parts(array: &Array, sections: &Sections, axis: usize, site: Site) -> Result<Vec<Array>, Error> {
    let extent = array.shape()[axis];
    let ranges: Vec<(Option<i64>, Option<i64>)> = match sections {
        Sections::Count(0) => {
            return Err(refused("array_split", "sections", "0", site));
        }
        Sections::Count(count) => {
            let (each, more) = (extent / count, extent % count);
            let start = |part: usize| Some(saturating(part * each + part.min(more)));
            (0..*count).map(|part| (start(part), start(part + 1))).collect()
        }
        Sections::At(positions) => {
            let bounds = positions.iter().copied().map(Some);
            let starts = std::iter::once(Some(0)).chain(bounds.clone());
            starts.zip(bounds.chain(std::iter::once(None))).collect()
        }
    };
    let part = |(start, stop)| {
        let items = along(array.ndim(), axis, Index::Range { start, stop, step: 1 });
        within(site, || array.slice(items)).into_result()
    };
    ranges.into_iter().map(part).collect()
}

/// Views of the parts of an array along an axis. If the number of parts does not divide the extent,
/// the first parts are longer by one. Local. Errors: `OpError::Argument` for no parts,
/// `OpError::Axis`.
#[track_caller]
pub fn array_split(
    array: &Array,
    sections: impl Into<Sections>,
    axis: i64,
) -> Result<Vec<Array>, Error> {
    let (site, sections) = (call_site(), sections.into());
    array.ok()?;
    parts(array, &sections, axis_of(axis, array.ndim(), site)?, site)
}

/// As [`array_split`], with parts of equal extent. Errors: `OpError::Zero` for no parts,
/// `OpError::Argument` for a number of parts that does not divide the extent, `OpError::Axis`.
#[track_caller]
pub fn split(array: &Array, sections: impl Into<Sections>, axis: i64) -> Result<Vec<Array>, Error> {
    let (site, sections) = (call_site(), sections.into());
    array.ok()?;
    let axis = axis_of(axis, array.ndim(), site)?;
    if let Sections::Count(0) = sections {
        let (operation, argument) = ("split", "sections");
        return Err(Error::op(OpError::Zero { operation, argument }, site));
    }
    if let Sections::Count(count) = sections
        && !array.shape()[axis].is_multiple_of(count)
    {
        return Err(refused("split", "sections", count.to_string(), site));
    }
    parts(array, &sections, axis, site)
}

/// As [`split`], along an axis of an array that must have at least `least` axes.
fn split_from(
    (operation, expected): (&'static str, &'static str),
    array: &Array,
    sections: Sections,
    (least, axis): (usize, i64),
    site: Site,
) -> Result<Vec<Array>, Error> {
    array.ok()?;
    if array.ndim() < least {
        return Err(Error::op(OpError::Ndim { operation, expected, ndim: array.ndim() }, site));
    }
    within(site, || split(array, sections, axis))
}

impl From<&Sections> for Sections {
    fn from(sections: &Sections) -> Sections {
        sections.clone()
    }
}

/// As [`split`], along the first axis of an array with two or more axes. Errors: also
/// `OpError::Ndim`.
#[track_caller]
pub fn vsplit(array: &Array, sections: impl Into<Sections>) -> Result<Vec<Array>, Error> {
    split_from(("vsplit", "2 or more"), array, sections.into(), (2, 0), call_site())
}

/// As [`split`], along the second axis, or the only one. Errors: also `OpError::Ndim`.
#[track_caller]
pub fn hsplit(array: &Array, sections: impl Into<Sections>) -> Result<Vec<Array>, Error> {
    let axis = (array.ndim() > 1).into();
    split_from(("hsplit", "1 or more"), array, sections.into(), (1, axis), call_site())
}

/// As [`split`], along the third axis. Errors: also `OpError::Ndim`.
#[track_caller]
pub fn dsplit(array: &Array, sections: impl Into<Sections>) -> Result<Vec<Array>, Error> {
    split_from(("dsplit", "3 or more"), array, sections.into(), (3, 2), call_site())
}

/// Views of the array at each position along an axis, without that axis. Local. Errors:
/// `OpError::Axis`, `OpError::Ndim` for a 0-d array.
#[track_caller]
pub fn unstack(array: &Array, axis: i64) -> Result<Vec<Array>, Error> {
    let site = call_site();
    array.ok()?;
    if array.ndim() == 0 {
        let error = OpError::Ndim { operation: "unstack", expected: "1 or more", ndim: 0 };
        return Err(Error::op(error, site));
    }
    let axis = axis_of(axis, array.ndim(), site)?;
    let shape: Shape = array.shape().into();
    let at = |k: usize| {
        let items = along(shape.len(), axis, Index::At(saturating(k)));
        within(site, || array.slice(items)).into_result()
    };
    (0..shape[axis]).map(at).collect()
}
