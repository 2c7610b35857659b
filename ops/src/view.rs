//! Views: affine maps from the index of a view to the index of its base.

use crate::error::OpError;
use crate::shape::{MAX_NDIM, Shape, check_ndim};
use smallvec::SmallVec;

/// The source of a base axis's index: `start + step * view_index[axis]`, or `start` alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AxisMap {
    /// The axis of the view, if the base axis follows one.
    pub axis: Option<u8>,
    /// The base index at view index 0.
    pub start: i64,
    /// The change of the base index for a step along the view's axis.
    pub step: i64,
}

/// The map from the indices of a view to those of its base: slices, transposes, new axes,
/// broadcasts, diagonals.
///
/// A view axis that no base axis follows is a broadcast (or new) axis.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct AffineMap {
    /// The shape of the view.
    pub shape: Shape,
    /// One entry for each base axis.
    pub axes: SmallVec<[AxisMap; 4]>,
}

/// One item of a basic index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// Selects one position and drops the axis.
    At(i64),
    /// Selects every `step`-th position from `start` to before `stop`, each with NumPy's defaults
    /// and clipping.
    Range {
        /// The first position.
        start: Option<i64>,
        /// The position before which to stop.
        stop: Option<i64>,
        /// The step, not zero.
        step: i64,
    },
    /// Adds an axis of extent 1.
    NewAxis,
    /// Selects all axes that are not named.
    Ellipsis,
}

impl Clone for AffineMap {
    // Planning copies maps often, and a derived `clone` copies element by element.
    fn clone(&self) -> AffineMap {
        AffineMap {
            shape: SmallVec::from_slice(&self.shape),
            axes: SmallVec::from_slice(&self.axes),
        }
    }
}

impl AffineMap {
    /// The map of a whole base of this shape.
    pub fn identity(shape: &[usize]) -> AffineMap {
        AffineMap {
            shape: shape.into(),
            axes: (0..shape.len())
                .map(|axis| AxisMap { axis: Some(axis as u8), start: 0, step: 1 })
                .collect(),
        }
    }

    /// Whether this is the identity of a base of shape `base`.
    pub fn is_identity(&self, base: &[usize]) -> bool {
        self.shape.as_slice() == base && self.follows_all()
    }

    /// Whether base axis `k` has exactly the index of view axis `k`, for all axes.
    pub fn follows_all(&self) -> bool {
        self.axes.len() == self.shape.len()
            && self.axes.iter().enumerate().all(|(axis, map)| {
                (map.axis == Some(axis as u8) && map.start == 0 && map.step == 1)
                    || (self.shape[axis] == 1
                        && map.start == 0
                        && map.axis.is_none_or(|a| a == axis as u8))
            })
    }

    /// The base index of a view index.
    pub fn apply(&self, index: &[usize]) -> SmallVec<[i64; 4]> {
        self.axes
            .iter()
            .map(|map| map.start + map.axis.map_or(0, |a| map.step * index[a as usize] as i64))
            .collect()
    }

    /// This map composed with `inner`, which is the map of a view of this map's view.
    ///
    /// If an axis has at most one position, its step does not matter. It is clamped to the extent,
    /// so that products of steps and strides do not overflow.
    pub fn then(&self, inner: &AffineMap) -> AffineMap {
        let mut axes: SmallVec<[AxisMap; 4]> = SmallVec::from_slice(&self.axes);
        for map in &mut axes {
            if let Some(axis) = map.axis {
                let next = inner.axes[axis as usize];
                let step = match next.axis {
                    Some(to) if inner.shape[to as usize] <= 1 => {
                        let extent = self.shape[axis as usize].max(1) as i64;
                        next.step.clamp(-extent, extent)
                    }
                    _ => next.step,
                };
                *map = AxisMap {
                    axis: next.axis,
                    start: map.start + map.step * next.start,
                    step: map.step * step,
                };
            }
        }
        AffineMap { shape: SmallVec::from_slice(&inner.shape), axes }
    }

    /// Clamps the steps along axes of at most one position to the extents of the base, as
    /// [`AffineMap::then`] clamps them.
    pub fn clamp(&mut self, base: &[usize]) {
        for (axis, &extent) in self.axes.iter_mut().zip(base) {
            if let Some(to) = axis.axis
                && self.shape[usize::from(to)] <= 1
            {
                let extent = extent.max(1) as i64;
                axis.step = axis.step.clamp(-extent, extent);
            }
        }
    }

    /// A basic index of this view.
    pub fn index(&self, items: &[Index]) -> Result<AffineMap, OpError> {
        let mut inner = AffineMap::empty();
        inner.set_indexing(&self.shape, items)?;
        Ok(self.then(&inner))
    }

    /// The map without axes.
    pub fn empty() -> AffineMap {
        AffineMap { shape: Shape::new(), axes: SmallVec::new() }
    }

    /// Makes this the map of a basic index alone: from the indices of the result to those of an
    /// array of shape `of`, with the steps as given. It is set in place, because a map that is
    /// returned by value is copied. After an error it is unspecified.
    pub fn set_indexing(&mut self, of: &[usize], items: &[Index]) -> Result<(), OpError> {
        let AffineMap { shape, axes } = self;
        shape.clear();
        axes.clear();
        let ndim = of.len();
        let (mut dropped, mut ranges, mut added, mut ellipses) = (0, 0, 0, 0);
        for item in items {
            match item {
                Index::At(_) => dropped += 1,
                Index::Range { .. } => ranges += 1,
                Index::NewAxis => added += 1,
                Index::Ellipsis => ellipses += 1,
            }
        }
        let given = dropped + ranges;
        if given > ndim {
            return Err(OpError::TooManyIndices { ndim, given });
        }
        if ellipses > 1 {
            return Err(OpError::Ellipses);
        }
        check_ndim(ndim - dropped + added)?;
        let whole = |shape: &mut Shape, axes: &mut SmallVec<[AxisMap; 4]>| {
            axes.push(AxisMap { axis: Some(shape.len() as u8), start: 0, step: 1 });
            shape.push(of[axes.len() - 1]);
        };
        for item in items {
            let axis = axes.len();
            match *item {
                Index::NewAxis => shape.push(1),
                Index::Ellipsis => (0..ndim - given).for_each(|_| whole(shape, axes)),
                Index::At(index) => {
                    let extent = of[axis];
                    let start = if index < 0 { index + extent as i64 } else { index };
                    if !(0..extent as i64).contains(&start) {
                        return Err(OpError::Index { index, axis, extent });
                    }
                    axes.push(AxisMap { axis: None, start, step: 0 });
                }
                Index::Range { start, stop, step } => {
                    let (start, count) = resolve_range(start, stop, step, of[axis])?;
                    // As in Python; unlike `i64::MIN`, this step can be negated.
                    let step = step.max(-i64::MAX);
                    axes.push(AxisMap { axis: Some(shape.len() as u8), start, step });
                    shape.push(count);
                }
            }
        }
        while axes.len() < ndim {
            whole(shape, axes);
        }
        Ok(())
    }

    /// The view with axis `k` taken from axis `permutation[k]`.
    pub fn transpose(&self, permutation: &[usize]) -> AffineMap {
        let mut place = [0u8; MAX_NDIM];
        for (to, &from) in permutation.iter().enumerate() {
            place[from] = to as u8;
        }
        AffineMap {
            shape: permutation.iter().map(|&axis| self.shape[axis]).collect(),
            axes: self
                .axes
                .iter()
                .map(|m| AxisMap { axis: m.axis.map(|a| place[a as usize]), ..*m })
                .collect(),
        }
    }

    /// The view broadcast to `shape` by NumPy's rule.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<AffineMap, OpError> {
        let wrong = || OpError::BroadcastInto { value: self.shape.clone(), target: shape.into() };
        let added = shape.len().checked_sub(self.shape.len()).ok_or_else(wrong)?;
        if self.shape.iter().zip(&shape[added..]).any(|(&from, &to)| from != to && from != 1) {
            return Err(wrong());
        }
        Ok(AffineMap {
            shape: shape.into(),
            axes: self
                .axes
                .iter()
                .map(|map| match map.axis {
                    Some(axis) if self.shape[axis as usize] == shape[axis as usize + added] => {
                        AxisMap { axis: Some(axis + added as u8), ..*map }
                    }
                    _ => AxisMap { axis: None, start: map.start, step: 0 },
                })
                .collect(),
        })
    }

    /// Whether two different view indices never have the same base index.
    pub fn is_injective(&self) -> bool {
        let mut seen = 0u64;
        self.axes
            .iter()
            .filter(|map| map.step != 0)
            .filter_map(|map| map.axis)
            .for_each(|axis| seen |= 1 << axis);
        self.shape.iter().enumerate().all(|(axis, &extent)| extent <= 1 || seen >> axis & 1 == 1)
    }

    /// The strides of the view, in elements of a C-ordered base of shape `base`.
    pub fn strides(&self, base: &[usize]) -> SmallVec<[i64; 4]> {
        let mut strides: SmallVec<[i64; 4]> = smallvec::smallvec![0; self.shape.len()];
        let mut stride = 1i64;
        for (map, &extent) in self.axes.iter().zip(base).rev() {
            if let Some(axis) = map.axis {
                // A stride along an axis of one position may overflow.
                let along = stride.wrapping_mul(map.step);
                strides[axis as usize] = strides[axis as usize].wrapping_add(along);
            }
            stride = stride.wrapping_mul(extent as i64);
        }
        strides
    }
}

/// The first position and the number of positions of a slice of an axis, as Python's
/// `slice.indices` returns them.
pub fn resolve_range(
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
    extent: usize,
) -> Result<(i64, usize), OpError> {
    if step == 0 {
        return Err(OpError::ZeroStep);
    }
    let extent = extent as i64;
    let (lowest, highest) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let clip = |position: i64| {
        (if position < 0 { position.saturating_add(extent) } else { position })
            .clamp(lowest, highest)
    };
    let start = start.map_or(if step > 0 { lowest } else { highest }, clip);
    let stop = stop.map_or(if step > 0 { highest } else { lowest }, clip);
    let span = if step > 0 { stop - start } else { start - stop };
    let count = if span > 0 { (span - 1) as u64 / step.unsigned_abs() + 1 } else { 0 } as usize;
    Ok((if count == 0 { start.clamp(0, (extent - 1).max(0)) } else { start }, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_follow_python() {
        let range = |start, stop, step| resolve_range(start, stop, step, 10).unwrap();
        assert_eq!(range(None, None, 1), (0, 10));
        assert_eq!(range(Some(1), Some(-1), 1), (1, 8));
        assert_eq!(range(None, None, -1), (9, 10));
        assert_eq!(range(Some(8), Some(1), -3), (8, 3));
        assert_eq!(range(Some(20), None, 1).1, 0);
        assert_eq!(range(Some(-100), Some(100), 4), (0, 3));
        assert!(resolve_range(None, None, 0, 3).is_err());
        assert_eq!(range(None, None, i64::MAX), (0, 1));
        assert_eq!(range(None, None, i64::MIN), (9, 1));
        assert_eq!(range(Some(i64::MIN), Some(i64::MAX), 1 << 62), (0, 1));
    }

    #[test]
    fn views_compose() {
        let base = AffineMap::identity(&[6, 8]);
        let inner = base
            .index(&[
                Index::Range { start: Some(1), stop: Some(5), step: 1 },
                Index::Range { start: None, stop: None, step: -2 },
            ])
            .unwrap()
            .transpose(&[1, 0]);
        assert_eq!(inner.shape.as_slice(), &[4, 4]);
        assert_eq!(inner.apply(&[1, 2]).as_slice(), &[3, 5]);
        let row = inner.index(&[Index::At(-1)]).unwrap();
        assert_eq!(row.apply(&[0]).as_slice(), &[1, 1]);
        assert!(row.broadcast_to(&[3, 4]).unwrap().apply(&[2, 3]).as_slice() == [4, 1]);
        assert!(!row.broadcast_to(&[3, 4]).unwrap().is_injective());
        assert_eq!(inner.strides(&[6, 8]).as_slice(), &[-2, 8]);
    }
}
