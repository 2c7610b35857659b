//! Arrays assembled from nested lists of blocks.

use crate::array::Array;
use crate::dtypes::promote_all;
use crate::manipulation::argument::{refused, sound, span, with_extent};
use crate::manipulation::join::{blank, mesh_of_all, write_part};
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, Shape};

/// A block, or a list of nested blocks. All lists at one level have the same depth.
#[derive(Clone)]
pub enum Nested {
    /// A block.
    Array(Array),
    /// Blocks joined along an axis. An innermost list joins its blocks along the last axis.
    List(Vec<Nested>),
}

impl From<&Array> for Nested {
    fn from(array: &Array) -> Nested {
        Nested::Array(array.clone())
    }
}
impl From<Array> for Nested {
    fn from(array: Array) -> Nested {
        Nested::Array(array)
    }
}
impl<T: Into<Nested>> From<Vec<T>> for Nested {
    fn from(list: Vec<T>) -> Nested {
        Nested::List(list.into_iter().map(Into::into).collect())
    }
}
impl<T: Into<Nested>, const N: usize> From<[T; N]> for Nested {
    fn from(list: [T; N]) -> Nested {
        Nested::List(list.into_iter().map(Into::into).collect())
    }
}

impl Nested {
    /// The depth of the lists; `None` if the depth differs between lists or a list is empty.
    fn depth(&self) -> Option<usize> {
        match self {
            Nested::Array(_) => Some(0),
            Nested::List(list) => {
                let depth = list.first()?.depth()?;
                let is_even = list.iter().all(|nested| nested.depth() == Some(depth));
                is_even.then_some(depth + 1)
            }
        }
    }

    fn arrays<'a>(&'a self, found: &mut Vec<&'a Array>) {
        match self {
            Nested::Array(array) => found.push(array),
            Nested::List(list) => list.iter().for_each(|nested| nested.arrays(found)),
        }
    }

    /// The shape of the assembled array for lists of depth `depth`; records the start of each block
    /// in `starts`.
    fn place(
        &self,
        depth: usize,
        ndim: usize,
        start: &[usize],
        starts: &mut Vec<Vec<usize>>,
        site: Site,
    ) -> Result<Shape, Error> {
        match self {
            Nested::Array(array) => {
                starts.push(start.to_vec());
                let mut shape: Shape = smallvec::smallvec![1; ndim - array.ndim()];
                shape.extend_from_slice(array.shape());
                Ok(shape)
            }
            Nested::List(list) => {
                let axis = ndim - depth;
                let mut at = start.to_vec();
                let mut joined: Option<Shape> = None;
                for nested in list {
                    let shape = nested.place(depth - 1, ndim, &at, starts, site)?;
                    at[axis] += shape[axis];
                    let Some(before) = &joined else {
                        joined = Some(shape);
                        continue;
                    };
                    if (0..ndim).any(|k| k != axis && before[k] != shape[k]) {
                        let (left, right) = (before.clone(), shape);
                        return Err(Error::op(OpError::Broadcast { left, right }, site));
                    }
                    joined = Some(with_extent(before, axis, before[axis] + shape[axis]));
                }
                joined.ok_or_else(|| refused("block", "arrays", "an empty list", site))
            }
        }
    }
}

/// One array assembled from nested lists of blocks. The blocks of an innermost list are joined
/// along the last axis, the innermost lists along the axis before it, and so on.
///
/// Dtype: the promotion of all blocks. Local (records one write for each block). Errors:
/// `OpError::Argument` for empty or unevenly nested lists, `OpError::Broadcast` for shapes that do
/// not fit.
#[track_caller]
#[must_use]
pub fn block(arrays: impl Into<Nested>) -> Array {
    let (site, arrays) = (call_site(), arrays.into());
    Array::catch((|| {
        let mut blocks = Vec::new();
        arrays.arrays(&mut blocks);
        sound(blocks.iter().copied())?;
        let Some(depth) = arrays.depth() else {
            return Err(refused("block", "arrays", "lists of different depths", site));
        };
        let most = blocks.iter().map(|array| array.ndim()).max().unwrap_or(0);
        let ndim = most.max(depth);
        let mut starts = Vec::new();
        let shape = arrays.place(depth, ndim, &vec![0; ndim], &mut starts, site)?;
        let dtype = promote_all(blocks.iter().map(|array| array.dtype())).unwrap_or(DType::F64);
        let mesh = mesh_of_all(blocks.iter().copied(), site)?;
        let fortran = blocks.iter().try_fold(true, |all, array| Ok(all && array.is_fortran()?))?;
        let order: Option<Vec<usize>> = (fortran && ndim > 1).then(|| (0..ndim).rev().collect());
        let result = blank(&mesh, &shape, dtype, order.as_deref(), site)?;
        for (array, start) in blocks.iter().zip(&starts) {
            let added = ndim - array.ndim();
            let items: Vec<Index> = (0..ndim)
                .map(|axis| {
                    let extent = if axis < added { 1 } else { array.shape()[axis - added] };
                    span(start[axis], start[axis] + extent)
                })
                .collect();
            write_part(&result, &items, *array, site)?;
        }
        Ok(result)
    })())
}
