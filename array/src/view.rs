//! Views of a cell: a stack of affine maps and reshapes, with the strides that NumPy would report.

use crate::window::map_or_none;
use phalanx_ops::error::OpError;
use phalanx_ops::{AffineMap, Index, Shape};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// How an array looks at its cell's base. The base itself is always in C order; other orders are
/// transposed views.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The shape of the view.
    pub(crate) shape: Shape,
    /// Strides in elements of the base, as NumPy would have them.
    pub(crate) strides: SmallVec<[i64; 4]>,
    /// From the base to the view; empty for the whole base as it is.
    pub(crate) stages: SmallVec<[Stage; 1]>,
    /// Whether the view, or one it is a view of, was broadcast: such views are read-only.
    pub(crate) is_broadcast: bool,
}

/// A reshape (of what came before) followed by an affine map.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stage {
    pub(crate) reshape: Option<Shape>,
    pub(crate) map: Arc<AffineMap>,
}

/// The strides of a C-ordered array.
pub(crate) fn contiguous_strides(shape: &[usize]) -> SmallVec<[i64; 4]> {
    let mut strides = smallvec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1) as i64;
    }
    strides
}

impl View {
    /// The whole base.
    pub(crate) fn whole(shape: &[usize]) -> View {
        // NumPy allocates arrays without elements with strides of 0.
        let is_empty = shape.contains(&0);
        View {
            shape: Shape::from_slice(shape),
            strides: if is_empty { smallvec![0; shape.len()] } else { contiguous_strides(shape) },
            stages: SmallVec::new(),
            is_broadcast: false,
        }
    }

    /// Whether the view is the whole base as it is.
    pub(crate) fn is_whole(&self) -> bool {
        self.stages.is_empty()
    }

    /// NumPy's flag `C_CONTIGUOUS`.
    pub(crate) fn is_contiguous(&self) -> bool {
        let contiguous = contiguous_strides(&self.shape);
        self.shape.contains(&0)
            || (0..self.shape.len())
                .all(|axis| self.shape[axis] == 1 || self.strides[axis] == contiguous[axis])
    }

    fn last_map(&self) -> AffineMap {
        match self.stages.last() {
            Some(stage) => (*stage.map).clone(),
            None => AffineMap::identity(&self.shape),
        }
    }

    fn with_map(&self, map: AffineMap, base: &[usize], strides: SmallVec<[i64; 4]>) -> View {
        let mut stages = self.stages.clone();
        let shape = map.shape.clone();
        match stages.last_mut() {
            Some(stage) => {
                stage.map = Arc::new(map);
                // The identity of the base needs no stage.
                if stages.len() == 1
                    && stages[0].reshape.is_none()
                    && stages[0].map.is_identity(base)
                {
                    stages.clear();
                }
            }
            None => {
                if let Some(map) = map_or_none(map, base) {
                    stages.push(Stage { reshape: None, map });
                }
            }
        }
        View { shape, strides, stages, is_broadcast: self.is_broadcast }
    }

    /// A basic index of the view.
    pub(crate) fn index(&self, items: &[Index], base: &[usize]) -> Result<View, OpError> {
        let local = AffineMap::identity(&self.shape).indexing(items)?;
        let map = self.last_map().then(&local);
        let strides = self.strides_through(&local);
        Ok(self.with_map(map, base, strides))
    }

    /// The axes in another order.
    pub(crate) fn transpose(&self, permutation: &[usize], base: &[usize]) -> View {
        let strides = permutation.iter().map(|&axis| self.strides[axis]).collect();
        self.with_map(self.last_map().transpose(permutation), base, strides)
    }

    /// The view repeated to `shape`.
    pub(crate) fn broadcast_to(&self, shape: &[usize], base: &[usize]) -> Result<View, OpError> {
        let local = AffineMap::identity(&self.shape).broadcast_to(shape)?;
        let map = self.last_map().then(&local);
        let strides = self.strides_through(&local);
        Ok(View { is_broadcast: true, ..self.with_map(map, base, strides) })
    }

    /// Strides after a further map: each axis of this view moves by its stride for each step of the
    /// axis it follows.
    fn strides_through(&self, local: &AffineMap) -> SmallVec<[i64; 4]> {
        let mut strides: SmallVec<[i64; 4]> = smallvec![0; local.shape.len()];
        for (axis, map) in local.axes.iter().enumerate() {
            if let Some(to) = map.axis {
                // As in NumPy, a stride that is never taken may overflow.
                let along = map.step.wrapping_mul(self.strides[axis]);
                strides[to as usize] = strides[to as usize].wrapping_add(along);
            }
        }
        strides
    }

    /// The view with another shape, if NumPy would not copy for it.
    pub(crate) fn reshape(&self, shape: &[usize], base: &[usize]) -> Option<View> {
        if shape == self.shape.as_slice() {
            return Some(self.clone());
        }
        let strides = reshaped_strides(&self.shape, &self.strides, shape)?;
        // Extents of 1 come and go without a reshape.
        let kept =
            |of: &[usize]| of.iter().copied().filter(|&extent| extent != 1).collect::<Shape>();
        if kept(&self.shape) == kept(shape) && !shape.contains(&0) {
            return Some(self.with_map(squeeze_map(&self.last_map(), shape), base, strides));
        }
        let mut stages = self.stages.clone();
        stages
            .push(Stage { reshape: Some(shape.into()), map: Arc::new(AffineMap::identity(shape)) });
        Some(View { shape: shape.into(), strides, stages, is_broadcast: self.is_broadcast })
    }
}

/// A map to a shape that differs in extents of 1 only.
fn squeeze_map(map: &AffineMap, shape: &[usize]) -> AffineMap {
    let mut place: SmallVec<[Option<u8>; 4]> = SmallVec::new();
    let mut to = 0;
    for &extent in &map.shape {
        if extent == 1 {
            place.push(None);
        } else {
            while shape[to] == 1 {
                to += 1;
            }
            place.push(Some(to as u8));
            to += 1;
        }
    }
    let mut axes = map.axes.clone();
    for axis in &mut axes {
        axis.axis = axis.axis.and_then(|from| place[from as usize]);
        if axis.axis.is_none() {
            axis.step = 0;
        }
    }
    AffineMap { shape: shape.into(), axes }
}

/// The strides of a reshaped strided array, or `None` if it has to be copied (the rule of NumPy's
/// `_attempt_nocopy_reshape`: groups of axes with equal products must be contiguous among
/// themselves).
fn reshaped_strides(shape: &[usize], strides: &[i64], to: &[usize]) -> Option<SmallVec<[i64; 4]>> {
    if shape.contains(&0) {
        return Some(contiguous_strides(to));
    }
    let (old, steps): (Vec<usize>, Vec<i64>) = shape
        .iter()
        .zip(strides)
        .filter(|(extent, _)| **extent != 1)
        .map(|(e, s)| (*e, *s))
        .unzip();
    let mut result: SmallVec<[i64; 4]> = smallvec![0; to.len()];
    let (mut from, mut at) = (0, 0);
    while from < old.len() && at < to.len() {
        let (mut from_end, mut at_end) = (from + 1, at + 1);
        let (mut left, mut right) = (old[from], to[at]);
        while left != right {
            if left < right {
                left *= old.get(from_end).copied()?;
                from_end += 1;
            } else {
                right *= to.get(at_end).copied()?;
                at_end += 1;
            }
        }
        if (from..from_end - 1).any(|k| steps[k] != steps[k + 1] * old[k + 1] as i64) {
            return None;
        }
        result[at_end - 1] = steps[from_end - 1];
        for k in (at + 1..at_end).rev() {
            result[k - 1] = result[k] * to[k] as i64;
        }
        (from, at) = (from_end, at_end);
    }
    let last = if at > 0 { result[at - 1] } else { 1 };
    result[at..].fill(last);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshapes_that_numpy_copies_are_refused() {
        let base = [4, 6];
        let whole = View::whole(&base);
        assert!(whole.reshape(&[24], &base).is_some());
        let rows =
            whole.index(&[Index::Range { start: Some(1), stop: Some(3), step: 1 }], &base).unwrap();
        assert_eq!(rows.reshape(&[12], &base).unwrap().strides.as_slice(), &[1]);
        let transposed = whole.transpose(&[1, 0], &base);
        assert!(transposed.reshape(&[24], &base).is_none());
        assert_eq!(transposed.strides.as_slice(), &[1, 6]);
        assert_eq!(transposed.reshape(&[6, 2, 2], &base).unwrap().strides.as_slice(), &[1, 12, 6]);
        assert!(transposed.transpose(&[1, 0], &base).is_whole());
        let squeezed = rows.reshape(&[1, 2, 1, 6], &base).unwrap();
        assert_eq!(squeezed.stages.len(), 1);
        assert_eq!(squeezed.stages[0].map.apply(&[0, 1, 0, 2]).as_slice(), &[2, 2]);
    }
}
