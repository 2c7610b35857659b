//! Views of a cell: a sequence of stages (affine maps, other forms of the bytes, and components of
//! complex numbers), with the strides that NumPy would report.

use phalanx_ops::error::OpError;
use phalanx_ops::{AffineMap, DType, Index, Op, Shape};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The view of its base that an array has. The base is always in C order; other orders are
/// transposed views.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The shape of the view.
    pub shape: Shape,
    /// The dtype of the view.
    pub dtype: DType,
    /// Strides in bytes, as NumPy would have them.
    pub strides: SmallVec<[i64; 4]>,
    /// The stages from the base to the view; empty for the whole base.
    pub stages: SmallVec<[Stage; 1]>,
    /// Whether the stages give bytes of which the view shows whether they are not zero.
    pub is_truth: bool,
    /// Whether writes are refused: the view or one that it was made from was broadcast or made
    /// read-only, or its elements are not stored.
    pub is_read_only: bool,
}

/// A form of the preceding bytes, then an affine map, then a lens on each element.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The form of the preceding bytes; `None` leaves it.
    pub form: Option<Box<Form>>,
    /// The elements of that form that the stage shows.
    pub map: Arc<AffineMap>,
    /// The component of each element that the stage shows; `None` is the whole element.
    pub lens: Option<Lens>,
}

/// The same bytes in C order, with another shape or dtype. The dtype is bool only if the bytes were
/// bools before; other bytes stay bytes up to the end of the view (`View::is_truth`).
#[derive(Clone, PartialEq, Debug)]
pub struct Form {
    /// The shape.
    pub shape: Shape,
    /// The dtype.
    pub dtype: DType,
}

/// The component of each element that a view shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lens {
    /// The real part.
    Real,
    /// The imaginary part.
    Imaginary,
}

impl Lens {
    /// The operation that reads the component.
    pub const fn op(self) -> Op {
        match self {
            Lens::Real => Op::Real,
            Lens::Imaginary => Op::Imag,
        }
    }

    /// The dtype of the components of elements of `dtype`.
    pub fn shows(dtype: DType) -> DType {
        dtype.real()
    }
}

/// The map as an operand has it: `None` for the identity.
#[inline]
pub fn map_or_none(map: AffineMap, base: &[usize]) -> Option<Arc<AffineMap>> {
    if map.is_identity(base) { None } else { Some(Arc::new(map)) }
}

/// A map of a view as an operand has it: `None` for the identity.
#[inline]
pub fn shared_or_none(map: &Arc<AffineMap>, base: &[usize]) -> Option<Arc<AffineMap>> {
    if map.is_identity(base) { None } else { Some(map.clone()) }
}

/// The strides of a C-ordered array, in bytes.
#[inline]
pub fn contiguous_strides(shape: &[usize], dtype: DType) -> SmallVec<[i64; 4]> {
    let mut strides = smallvec![dtype.size() as i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1) as i64;
    }
    strides
}

impl View {
    /// The whole base.
    #[inline]
    pub fn whole(shape: &[usize], dtype: DType) -> View {
        // In NumPy, new arrays without elements have strides of 0.
        let is_empty = shape.contains(&0);
        View {
            shape: Shape::from_slice(shape),
            dtype,
            strides: if is_empty {
                smallvec![0; shape.len()]
            } else {
                contiguous_strides(shape, dtype)
            },
            stages: SmallVec::new(),
            is_truth: false,
            is_read_only: false,
        }
    }

    /// Whether the view is a map of its base and nothing else: it has no form and no lens.
    #[inline]
    pub fn is_plain(&self) -> bool {
        let stages = self.stages.as_slice();
        !self.is_truth
            && (stages.is_empty()
                || matches!(stages, [stage] if stage.form.is_none() && stage.lens.is_none()))
    }

    /// Whether the view is the whole base.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.stages.is_empty()
    }

    /// NumPy's flag `C_CONTIGUOUS`.
    pub fn is_contiguous(&self) -> bool {
        let contiguous = contiguous_strides(&self.shape, self.dtype);
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
        let shape = Shape::from_slice(&map.shape);
        let mut stages = SmallVec::new();
        // The identity of the base needs no stage.
        let is_plain = |stage: &Stage| stage.form.is_none() && stage.lens.is_none();
        let is_one_map = self.stages.len() <= 1 && self.stages.iter().all(is_plain);
        if !is_one_map {
            stages = self.stages.clone();
            if let Some(stage) = stages.last_mut() {
                stage.map = Arc::new(map);
            }
        } else if let Some(map) = map_or_none(map, base) {
            stages.push(Stage { form: None, map, lens: None });
        }
        let &View { dtype, is_truth, is_read_only, .. } = self;
        View { shape, dtype, strides, stages, is_truth, is_read_only }
    }

    /// The view at a basic index.
    pub fn index(&self, items: &[Index], base: &[usize]) -> Result<View, OpError> {
        let mut local = AffineMap::empty();
        local.set_indexing(&self.shape, items)?;
        let strides = self.strides_through(&local);
        match self.stages.last() {
            Some(stage) => local = stage.map.then(&local),
            None => local.clamp(&self.shape),
        }
        Ok(self.with_map(local, base, strides))
    }

    /// The view through a further map of this view.
    pub fn through(&self, local: &AffineMap, base: &[usize]) -> View {
        let map = self.last_map().then(local);
        self.with_map(map, base, self.strides_through(local))
    }

    /// The view with its axes in another order.
    pub fn transpose(&self, permutation: &[usize], base: &[usize]) -> View {
        let strides = permutation.iter().map(|&axis| self.strides[axis]).collect();
        self.with_map(self.last_map().transpose(permutation), base, strides)
    }

    /// The view broadcast to `shape`.
    pub fn broadcast_to(&self, shape: &[usize], base: &[usize]) -> Result<View, OpError> {
        let local = AffineMap::identity(&self.shape).broadcast_to(shape)?;
        let map = self.last_map().then(&local);
        let strides = self.strides_through(&local);
        Ok(View { is_read_only: true, ..self.with_map(map, base, strides) })
    }

    /// The strides after a further map: an axis of the result moves by the strides of the axes that
    /// follow it, times their steps.
    fn strides_through(&self, local: &AffineMap) -> SmallVec<[i64; 4]> {
        let mut strides: SmallVec<[i64; 4]> = smallvec![0; local.shape.len()];
        for (axis, map) in local.axes.iter().enumerate() {
            if let Some(to) = map.axis {
                // As in NumPy, a stride that is never used may overflow.
                let along = map.step.wrapping_mul(self.strides[axis]);
                strides[to as usize] = strides[to as usize].wrapping_add(along);
            }
        }
        strides
    }

    /// The view with another shape; `None` if NumPy would copy.
    pub fn reshape(&self, shape: &[usize], base: &[usize]) -> Option<View> {
        if shape == self.shape.as_slice() {
            return Some(self.clone());
        }
        let strides = if shape.contains(&0) {
            contiguous_strides(shape, self.dtype)
        } else {
            reshaped_strides(&self.shape, &self.strides, shape, self.dtype.size())?
        };
        // Axes of extent 1 are added and removed without a form.
        let kept =
            |of: &[usize]| of.iter().copied().filter(|&extent| extent != 1).collect::<Shape>();
        if kept(&self.shape) == kept(shape) && !shape.contains(&0) {
            return Some(self.with_map(squeeze_map(&self.last_map(), shape), base, strides));
        }
        Some(self.with_form(shape.into(), self.dtype, strides))
    }

    /// The dtype of the last stage.
    #[inline]
    pub(crate) fn stored(&self) -> DType {
        if self.is_truth { DType::U8 } else { self.dtype }
    }

    /// The bytes of the view in C order, in another form.
    fn with_form(&self, shape: Shape, dtype: DType, strides: SmallVec<[i64; 4]>) -> View {
        let mut stages = self.stages.clone();
        let map = Arc::new(AffineMap::identity(&shape));
        // A form of all bytes of the preceding stage is replaced by the new one.
        let is_form = |stage: &Stage| {
            stage.form.as_ref().is_some_and(|form| stage.map.is_identity(&form.shape))
                && stage.lens.is_none()
        };
        if stages.last().is_some_and(is_form) {
            stages.pop();
        }
        let (stored, is_truth) = self.seen_as(dtype);
        let form = Some(Box::new(Form { shape: shape.clone(), dtype: stored }));
        stages.push(Stage { form, map, lens: None });
        View { shape, dtype, strides, stages, is_truth, is_read_only: self.is_read_only }
    }

    /// The dtype of the last stage of a view of dtype `dtype`, and whether the view shows bytes as
    /// bools.
    fn seen_as(&self, dtype: DType) -> (DType, bool) {
        match dtype {
            DType::Bool if self.stored() != DType::Bool => (DType::U8, true),
            _ => (dtype, false),
        }
    }

    /// The same elements with their bytes as another dtype, by NumPy's rules.
    pub fn reinterpreted(&self, dtype: DType, base: &[usize]) -> Result<View, OpError> {
        let (from, to) = (self.dtype.size(), dtype.size());
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        if from == to {
            return Ok(self.with_equal_size(dtype, base));
        }
        let wrong = |reason| OpError::Reinterpret {
            from: self.dtype,
            to: dtype,
            shape: self.shape.clone(),
            reason,
        };
        let Some(&last) = self.shape.last() else {
            return Err(wrong("a 0-d array keeps the size of its element"));
        };
        let axis = self.shape.len() - 1;
        if last != 1 && !self.shape.contains(&0) && self.strides[axis] != from as i64 {
            return Err(wrong("the last axis is not contiguous"));
        }
        if last * from % to != 0 {
            return Err(wrong("the bytes of the last axis are not a multiple of the new size"));
        }
        let (mut shape, mut strides) = (self.shape.clone(), self.strides.clone());
        shape[axis] = last * from / to;
        strides[axis] = to as i64;
        Ok(self.with_form(shape, dtype, strides))
    }

    /// Another dtype of the same size. The form is placed before the map, so that reading a slice
    /// makes no copy.
    fn with_equal_size(&self, dtype: DType, base: &[usize]) -> View {
        let (stored, is_truth) = self.seen_as(dtype);
        let mut stages = self.stages.clone();
        let form = |shape| Some(Box::new(Form { shape, dtype: stored }));
        match stages.pop() {
            Some(stage) if stage.lens.is_none() => {
                let shape = stage.form.map_or_else(|| base.into(), |form| form.shape);
                stages.push(Stage { form: form(shape), map: stage.map, lens: None });
            }
            last => {
                stages.extend(last);
                let map = Arc::new(AffineMap::identity(&self.shape));
                stages.push(Stage { form: form(self.shape.clone()), map, lens: None });
            }
        }
        View { dtype, stages, is_truth, ..self.clone() }
    }

    /// A component of complex numbers.
    pub fn component(&self, lens: Lens, base: &[usize]) -> View {
        let mut stages = self.stages.clone();
        match stages.last_mut() {
            Some(stage) => stage.lens = Some(lens),
            None => {
                let map = Arc::new(AffineMap::identity(base));
                stages.push(Stage { form: None, map, lens: Some(lens) });
            }
        }
        View { dtype: self.dtype.real(), stages, ..self.clone() }
    }
}

/// The map to a shape that differs only in axes of extent 1.
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

/// The strides of a reshaped strided array, or `None` if it must be copied. The rule is that of
/// NumPy's `_attempt_nocopy_reshape`: groups of axes with equal products must be contiguous.
fn reshaped_strides(
    shape: &[usize],
    strides: &[i64],
    to: &[usize],
    item: usize,
) -> Option<SmallVec<[i64; 4]>> {
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
    let last = if at > 0 { result[at - 1] } else { item as i64 };
    result[at..].fill(last);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshapes_that_numpy_copies_are_refused() {
        let base = [4, 6];
        let whole = View::whole(&base, DType::I8);
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

    #[test]
    fn other_dtypes_follow_numpy() {
        let base = [4, 6];
        let whole = View::whole(&base, DType::C128);
        let parts = whole.reinterpreted(DType::F64, &base).unwrap();
        assert_eq!(
            (parts.shape.as_slice(), parts.strides.as_slice()),
            (&[4, 12][..], &[96, 8][..])
        );
        // Back to the first dtype: one form of the base, not two.
        let back = parts.reinterpreted(DType::C128, &[4, 12]).unwrap();
        assert_eq!((back.stages.len(), back.shape.as_slice()), (1, &base[..]));
        let transposed = whole.transpose(&[1, 0], &base);
        assert!(transposed.reinterpreted(DType::F64, &base).is_err());
        let one = whole.index(&[Index::At(0), Index::At(0)], &base).unwrap();
        assert!(one.reinterpreted(DType::F64, &base).is_err());
        assert!(whole.reinterpreted(DType::Bool, &base).unwrap().is_truth);
        let real = transposed.component(Lens::Real, &base);
        assert_eq!((real.dtype, real.strides.as_slice()), (DType::F64, &[16, 96][..]));
        assert_eq!(real.stages.len(), 1);
        let bytes = View::whole(&[3, 7], DType::U8);
        assert!(bytes.reinterpreted(DType::U16, &[3, 7]).is_err());
    }
}
