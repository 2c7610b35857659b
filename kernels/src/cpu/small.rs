//! Operations on few elements, which run on the calling thread without a kernel.
//!
//! They use the loops of kernels and combine in the canonical order (`folds`), so their results
//! have the bits that a kernel gives.

use super::folds::{self, Combine, Counter, Indices, Item, LANES, LEAF, MOST_BYTES};
use super::loops::{self, Loop};
use super::transfer;
use phalanx_device::Buffer;
use phalanx_ops::{DType, Monoid, Op, Scalar, Special};
use smallvec::SmallVec;
use std::mem::MaybeUninit;

/// The most elements of an operand.
pub const MOST_ELEMENTS: usize = 1024;

/// The most elements that a reduction of consecutive elements to one combines.
pub const MOST_POINTS: usize = 1 << 14;

/// An operand: a scalar, or a view of a buffer.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    /// An element that stands for all.
    Scalar(Scalar),
    /// The elements of a view.
    View(View<'a>),
}

/// A view of a buffer.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The memory.
    pub buffer: &'a Buffer,
    /// The byte of the first element.
    pub offset: isize,
    /// The byte stride along each axis.
    pub strides: &'a [isize],
}

/// An operation whose result is in C order.
#[derive(Clone, Copy)]
pub enum SmallOp<'a> {
    /// An elementwise operation of the table.
    Elementwise(Op),
    /// A special function.
    Special(Special),
    /// The second operand where the first holds, else the third.
    Select,
    /// The elements in another dtype, or a copy.
    Cast,
    /// The index along an axis.
    Index(u8),
    /// A reduction over axes, which ascend.
    Reduce(Monoid, &'a [u8]),
}

/// Memory for the elements of an operand that are not consecutive.
struct Stage([MaybeUninit<u128>; MOST_ELEMENTS]);

impl Stage {
    const fn new() -> Stage {
        Stage([const { MaybeUninit::uninit() }; MOST_ELEMENTS])
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// The memory of a result.
pub enum Target<'a> {
    /// The start of a buffer.
    Buffer(&'a Buffer),
    /// A result of one element.
    Element(&'a mut Element),
}

/// Memory of one element of any dtype.
#[derive(Default)]
#[repr(align(16))]
pub struct Element([u8; 16]);

impl Element {
    /// The element.
    pub fn scalar(&self, dtype: DType) -> Scalar {
        Scalar::from_padded(dtype, self.0)
    }
}

impl Target<'_> {
    /// Room for `count` elements. Panics if there is less.
    fn room(&mut self, count: usize, dtype: DType) -> *mut u8 {
        let bytes = count * dtype.size();
        let (start, len) = match self {
            Target::Buffer(buffer) => (buffer.as_ptr(), buffer.len()),
            Target::Element(element) => (element.0.as_mut_ptr(), element.0.len()),
        };
        assert!(bytes <= len, "bug: {count} elements of {dtype} in {len} bytes");
        start
    }
}

/// Runs an operation on operands of `extents`, whose dtypes are given, and writes the result, of
/// dtype `dtype`. False if there is no loop for it.
///
/// Panics (`bug:`) if there are too many elements, or if a view reaches outside of its buffer. The
/// caller promises that nothing writes the operands meanwhile and that nothing else uses `to`
/// (condition 2 of `Buffer`).
pub fn run(
    op: SmallOp<'_>,
    operands: &[(Operand<'_>, DType)],
    extents: &[usize],
    to: &mut Target<'_>,
    dtype: DType,
) -> bool {
    let count: usize = extents.iter().product();
    let most = if matches!(op, SmallOp::Reduce(..)) { MOST_POINTS } else { MOST_ELEMENTS };
    assert!(count <= most, "bug: {count} elements are not few");
    match op {
        SmallOp::Elementwise(op) => {
            let Some(code) = loop_of(op, operands) else { return false };
            map(code, operands, extents, count, to.room(count, dtype));
        }
        SmallOp::Special(function) => {
            let mut stages: Vec<Stage> = operands.iter().map(|_| Stage::new()).collect();
            let inputs: SmallVec<[*const u8; 8]> = (operands.iter().zip(&mut stages))
                .map(|(operand, stage)| elements(operand, extents, count, stage))
                .collect();
            let to = to.room(count, dtype);
            // SAFETY: 1. `elements` gives `count` elements of each operand's dtype, aligned; 2.
            // `room` gives room for as many; 3. a new buffer is disjoint from the operands; 4. the
            // graph's verifier counts the operands.
            unsafe { loops::special(function, dtype).run(&inputs, to, count) };
        }
        SmallOp::Cast
            if let (Operand::Scalar(scalar), from) = operands[0]
                && from == dtype =>
        {
            // SAFETY: `room` gives room for `count` elements.
            unsafe { fill(scalar, to.room(count, dtype), count) };
        }
        SmallOp::Cast => {
            let code = loops::cast(operands[0].1, dtype);
            map(code, operands, extents, count, to.room(count, dtype));
        }
        SmallOp::Select => {
            let (mut conditions, mut left, mut right) = (Stage::new(), Stage::new(), Stage::new());
            let [condition, on_true, on_false] = operands else {
                unreachable!("bug: a selection has three operands")
            };
            let condition = elements(condition, extents, count, &mut conditions);
            let on_true = elements(on_true, extents, count, &mut left);
            let on_false = elements(on_false, extents, count, &mut right);
            let to = to.room(count, dtype);
            // SAFETY: `elements` gives `count` elements of each operand's dtype, and `room` room
            // for as many; a new buffer is disjoint from the operands.
            unsafe { loops::select(dtype.size())(condition, on_true, on_false, to, count) };
        }
        SmallOp::Index(axis) => {
            let inner: usize = extents[usize::from(axis) + 1..].iter().product();
            let to = to.room(count, dtype).cast::<i64>();
            for place in 0..count {
                let index = place / inner % extents[usize::from(axis)];
                // SAFETY: `room` gives room for `count` elements, which are `i64`.
                unsafe { to.add(place).write(index as i64) };
            }
        }
        SmallOp::Reduce(monoid, axes) => {
            return reduce(monoid, axes, &operands[0], extents, to, dtype);
        }
    }
    true
}

/// The result, of dtype `dtype`, of an elementwise operation on single elements. `None` if there is
/// no loop for it. Panics for more than two operands.
pub fn element(op: Op, operands: &[Scalar], dtype: DType) -> Option<Scalar> {
    let mut dtypes = [DType::Bool; 2];
    let mut given = [Element::default(), Element::default()];
    for (at, scalar) in operands.iter().enumerate() {
        dtypes[at] = scalar.dtype();
        given[at] = Element(scalar.padded());
    }
    let count = operands.len();
    let code = loops::elementwise(op, &dtypes[..count])?;
    let inputs = given.each_ref().map(|element| element.0.as_ptr());
    let mut result = Element::default();
    // SAFETY: 1. each input is one element of its dtype, aligned; 2. there is room for one element
    // of any dtype; 3. the result is disjoint from the operands; 4. the loop is that of as many
    // operands.
    unsafe { code(&inputs[..count], result.0.as_mut_ptr(), 1) };
    Some(Scalar::from_padded(dtype, result.0))
}

/// The loop of an elementwise operation on at most two operands.
fn loop_of(op: Op, operands: &[(Operand<'_>, DType)]) -> Option<Loop> {
    let mut dtypes = [DType::Bool; 2];
    dtypes.iter_mut().zip(operands).for_each(|(dtype, operand)| *dtype = operand.1);
    loops::elementwise(op, &dtypes[..operands.len()])
}

/// Runs a loop over all elements.
fn map(
    code: Loop,
    operands: &[(Operand<'_>, DType)],
    extents: &[usize],
    count: usize,
    to: *mut u8,
) {
    let (mut first, mut second) = (Stage::new(), Stage::new());
    let left = elements(&operands[0], extents, count, &mut first);
    let right = match operands.get(1) {
        Some(right) => elements(right, extents, count, &mut second),
        None => left,
    };
    let inputs = [left, right];
    // SAFETY: 1. `elements` gives `count` elements of each operand's dtype, aligned; 2. the caller
    // has room for `count` elements; 3. the output is a new buffer or a stage of the caller; 4. the
    // loop is that of as many operands.
    unsafe { code(&inputs[..operands.len()], to, count) };
}

/// The elements of an operand, one after the other: in its memory if they are so there, else in the
/// stage.
fn elements(
    (operand, dtype): &(Operand<'_>, DType),
    extents: &[usize],
    count: usize,
    stage: &mut Stage,
) -> *const u8 {
    let size = dtype.size();
    let to = stage.start();
    match operand {
        // SAFETY: the stage has room for `count` elements.
        Operand::Scalar(scalar) => unsafe { fill(*scalar, to, count) },
        Operand::View(view) => {
            let from = view.check(extents, size);
            if count == 0 || is_contiguous(view.strides, extents, size) {
                return from;
            }
            let mut next = to;
            // SAFETY: `check` saw that all elements are inside of the buffer; the stage has room
            // for `count` of them, aligned.
            rows(from, view.strides, extents, &mut |from, stride, count| unsafe {
                transfer::gather(size, from, stride, next, count);
                next = next.wrapping_add(count * size);
            });
        }
    }
    to
}

/// Writes an element `count` times.
///
/// # Safety
/// There is room for `count` elements at `to`, aligned.
unsafe fn fill(scalar: Scalar, to: *mut u8, count: usize) {
    let element = Element(scalar.padded());
    // SAFETY: an element has at most 16 bytes and is aligned; the caller's promise.
    unsafe { loops::fill(scalar.dtype().size())(element.0.as_ptr(), to, count) };
}

/// All results, of dtype `dtype`, of an elementwise operation on operands of `extents`, combined to
/// one element. `None` if there is no loop for it, or nothing to combine.
///
/// Panics and conditions: those of [`run`].
pub fn folded(
    op: Op,
    operands: &[(Operand<'_>, DType)],
    extents: &[usize],
    dtype: DType,
    monoid: Monoid,
) -> Option<Scalar> {
    let count: usize = extents.iter().product();
    assert!(count <= MOST_ELEMENTS, "bug: {count} elements are not few");
    let (code, fold) = (loop_of(op, operands)?, Fold::of(monoid, dtype)?);
    if count == 0 || matches!(fold.combine, Combine::Pair(_)) {
        return None;
    }
    let (mut results, mut all) = (Stage::new(), Element::default());
    map(code, operands, extents, count, results.start());
    // SAFETY: the stage holds `count` results, aligned, and there is room for one element.
    unsafe { fold.run(results.start(), count, all.0.as_mut_ptr()) };
    Some(all.scalar(dtype))
}

/// Replaces the elements of a view, of dtype `dtype`, by the results, of the same dtype, of an
/// operation on them and an operand that shares no memory with the view. False if there is no loop
/// for it.
///
/// Panics and conditions: those of [`run`].
pub fn apply(
    op: Op,
    to: &View<'_>,
    dtype: DType,
    operand: &(Operand<'_>, DType),
    extents: &[usize],
) -> bool {
    let count: usize = extents.iter().product();
    assert!(count <= MOST_ELEMENTS, "bug: {count} elements are not few");
    let Some(code) = loops::elementwise(op, &[dtype, operand.1]) else { return false };
    let (mut own, mut other) = (Stage::new(), Stage::new());
    let left = elements(&(Operand::View(*to), dtype), extents, count, &mut own);
    let right = elements(operand, extents, count, &mut other);
    // SAFETY: 1. and 2. `elements` gives `count` elements of each operand's dtype, aligned, and the
    // results are as large as the view's; 3. the output is the first operand and shares no memory
    // with the second; 4. the loop is that of two operands.
    unsafe { code(&[left, right], left.cast_mut(), count) };
    if left == own.start().cast_const() {
        // SAFETY: the stage holds `count` results.
        unsafe { scatter(left, extents, to, dtype.size()) };
    }
    true
}

/// Writes consecutive elements of `size` bytes into a view.
///
/// # Safety
/// There are as many elements at `from` as the view has, outside of the view's memory.
unsafe fn scatter(from: *const u8, extents: &[usize], to: &View<'_>, size: usize) {
    let first = to.check(extents, size);
    let mut next = from;
    // SAFETY: `check` saw that all elements of the view are inside of the buffer; the caller's
    // promise.
    rows(first, to.strides, extents, &mut |to, stride, count| unsafe {
        transfer::scatter(size, next, to.cast_mut(), stride, count);
        next = next.wrapping_add(count * size);
    });
}

/// Writes an operand of `extents` into a view, of elements of `dtype`, which shares no memory with
/// it.
///
/// Panics and conditions: those of [`run`].
pub fn store(operand: &Operand<'_>, extents: &[usize], to: &View<'_>, dtype: DType) {
    let count: usize = extents.iter().product();
    assert!(count <= MOST_ELEMENTS, "bug: {count} elements are not few");
    let mut stage = Stage::new();
    let from = elements(&(*operand, dtype), extents, count, &mut stage);
    let size = dtype.size();
    let first = to.check(extents, size);
    if is_contiguous(to.strides, extents, size) {
        // SAFETY: as below; the two share no memory.
        return unsafe { std::ptr::copy_nonoverlapping(from, first.cast_mut(), count * size) };
    }
    // SAFETY: `elements` gives `count` elements.
    unsafe { scatter(from, extents, to, size) };
}

/// Visits the rows of a view in C order: address, stride and number of elements of each.
fn rows(
    start: *const u8,
    strides: &[isize],
    extents: &[usize],
    visit: &mut impl FnMut(*const u8, isize, usize),
) {
    match (extents, strides) {
        ([], _) | (_, []) => visit(start, 0, 1),
        (&[count], &[stride]) => visit(start, stride, count),
        ([extent, extents @ ..], [stride, strides @ ..]) => {
            for place in 0..*extent {
                rows(start.wrapping_offset(place as isize * stride), strides, extents, visit);
            }
        }
    }
}

impl View<'_> {
    /// The address of the first element. Panics if an element is outside of the buffer.
    fn check(&self, extents: &[usize], size: usize) -> *const u8 {
        let (mut lowest, mut highest) = (self.offset, self.offset);
        for (&extent, &stride) in extents.iter().zip(self.strides) {
            if extent == 0 {
                return self.buffer.as_ptr();
            }
            let span = stride * (extent as isize - 1);
            *(if span < 0 { &mut lowest } else { &mut highest }) += span;
        }
        let is_inside = lowest >= 0 && highest as usize + size <= self.buffer.len();
        assert!(is_inside, "bug: {self:?} of {extents:?} reaches outside");
        self.buffer.as_ptr().wrapping_offset(self.offset)
    }
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} + {} by {:?}", self.buffer, self.offset, self.strides)
    }
}

fn is_contiguous(strides: &[isize], extents: &[usize], size: usize) -> bool {
    let mut expected = size as isize;
    strides.iter().zip(extents).rev().all(|(&stride, &extent)| {
        let is_next = extent == 1 || stride == expected;
        expected *= extent as isize;
        is_next
    })
}

/// Reduces over axes.
fn reduce(
    monoid: Monoid,
    axes: &[u8],
    operand: &(Operand<'_>, DType),
    extents: &[usize],
    to: &mut Target<'_>,
    dtype: DType,
) -> bool {
    let (source, wide) = operand;
    let Operand::View(view) = source else { return false };
    let Some(fold) = Fold::of(monoid, *wide) else { return false };
    let mut kept: SmallVec<[(usize, isize); 4]> = SmallVec::new();
    let mut removed: SmallVec<[(usize, isize); 4]> = SmallVec::new();
    for (axis, (&extent, &stride)) in extents.iter().zip(view.strides).enumerate() {
        let side = if axes.contains(&(axis as u8)) { &mut removed } else { &mut kept };
        side.push((extent, stride));
    }
    let (sizes, strides): (SmallVec<[usize; 4]>, SmallVec<[isize; 4]>) =
        removed.into_iter().unzip();
    let points: usize = sizes.iter().product();
    let results: usize = kept.iter().map(|axis| axis.0).product();
    let is_together = is_contiguous(&strides, &sizes, wide.size());
    if points == 0 || (points > MOST_ELEMENTS && !is_together) || results > MOST_ELEMENTS {
        return false;
    }
    let mut to = to.room(results, dtype);
    let mut stage = Stage::new();
    let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, kept.len());
    for _ in 0..results {
        let along = index.iter().zip(&kept).map(|(&at, axis)| at as isize * axis.1);
        let part = View { offset: view.offset + along.sum::<isize>(), strides: &strides, ..*view };
        let from = elements(&(Operand::View(part), *wide), &sizes, points, &mut stage);
        // SAFETY: `from` has `points` elements, and `to` room for the results that are left.
        unsafe { fold.run(from, points, to) };
        to = to.wrapping_add(dtype.size());
        for (at, axis) in index.iter_mut().zip(&kept).rev() {
            *at += 1;
            if *at < axis.0 {
                break;
            }
            *at = 0;
        }
    }
    true
}

/// The fold of one sequence of points.
#[derive(Clone, Copy)]
struct Fold {
    monoid: Monoid,
    dtype: DType,
    combine: Combine,
}

impl Fold {
    /// The fold of elements of a dtype; `None` if a plan has to combine them.
    fn of(monoid: Monoid, dtype: DType) -> Option<Fold> {
        let is_lowered = matches!(monoid, Monoid::Moments | Monoid::Binned);
        if is_lowered || matches!(dtype, DType::F16 | DType::BF16) {
            return None;
        }
        Some(Fold { monoid, dtype, combine: Combine::of(monoid, dtype)? })
    }

    /// Combines points and writes the result: an element, or the position of the best one.
    ///
    /// # Safety
    /// There are `count` points, from 1 to `MOST_POINTS`, aligned, and room for the result.
    unsafe fn run(self, from: *const u8, count: usize, to: *mut u8) {
        let size = self.dtype.size();
        match self.combine {
            Combine::Pair(code) => {
                let mut value = [0u128; 1];
                let value = value.as_mut_ptr().cast::<u8>();
                let mut index = 0i64;
                // SAFETY: the caller's promise; without a loop, the first point starts the best.
                unsafe {
                    if let Some(best) = folds::best(self.monoid, self.dtype) {
                        let positions = Indices::Counted { first: 0, step: 1 };
                        best(from, positions, value, &raw mut index, count, true);
                    } else {
                        std::ptr::copy_nonoverlapping(from, value, size);
                        for at in 1..count {
                            let position = at as i64;
                            code(from.add(at * size), &position, value, &raw mut index, 1);
                        }
                    }
                    to.cast::<i64>().write(index);
                }
            }
            Combine::Single(code) => {
                let mut counter = Counter::default();
                // SAFETY: the caller's promise.
                unsafe {
                    match folds::leaf(self.monoid, self.dtype) {
                        Some(leaf) => {
                            counter.push_points(leaf, self.combine, [size; 2], [from; 2], count)
                        }
                        None => (0..count).step_by(LEAF).for_each(|start| {
                            let points = (count - start).min(LEAF);
                            let item = self.leaf(code, from.add(start * size), points);
                            counter.push(item, self.combine);
                        }),
                    }
                    if let Some(all) = counter.finish(self.combine) {
                        std::ptr::copy_nonoverlapping(all.value.as_ptr(), to, size);
                    }
                }
            }
        }
    }

    /// Combines the points of a leaf into one element.
    ///
    /// # Safety
    /// As `run`, for at most `LEAF` points.
    unsafe fn leaf(self, code: Loop, from: *const u8, points: usize) -> Item {
        let size = self.dtype.size();
        let mut item = Item { value: [0; MOST_BYTES], index: 0 };
        let mut lanes = [0u128; LANES];
        let lanes = lanes.as_mut_ptr().cast::<u8>();
        let mut filled = points.min(LANES);
        // SAFETY: the lanes have room for 32 elements, of which the first `filled` are set; rows
        // and halves have no more, and halves do not overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(from, lanes, filled * size);
            for row in (LANES..points).step_by(LANES) {
                let inputs = [lanes.cast_const(), from.add(row * size)];
                code(&inputs, lanes, (points - row).min(LANES));
            }
            for half in [16, 8, 4, 2, 1] {
                if filled > half {
                    let inputs = [lanes.cast_const(), lanes.add(half * size).cast_const()];
                    code(&inputs, lanes, filled - half);
                    filled = half;
                }
            }
            std::ptr::copy_nonoverlapping(lanes, item.value.as_mut_ptr(), size);
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(op: Op, operands: &[Scalar], result: DType) -> Option<Scalar> {
        let given: Vec<_> =
            operands.iter().map(|operand| (Operand::Scalar(*operand), operand.dtype())).collect();
        let mut element = Element::default();
        run(SmallOp::Elementwise(op), &given, &[], &mut Target::Element(&mut element), result)
            .then(|| element.scalar(result))
    }

    #[test]
    fn elements_are_computed_by_the_loops() {
        let f64s = |values: &[f64]| values.iter().map(|&v| Scalar::new(v)).collect::<Vec<_>>();
        let sum = computed(Op::Add, &f64s(&[1.5, 2.25]), DType::F64);
        assert_eq!(sum, Some(Scalar::new(3.75)));
        let less = computed(Op::Less, &f64s(&[1.5, 2.25]), DType::Bool);
        assert_eq!(less, Some(Scalar::new(true)));
        let sine = computed(Op::Sin, &f64s(&[1e10]), DType::F64);
        assert_eq!(sine, Some(Scalar::new(libm::sin(1e10))));
        let wide = computed(Op::Multiply, &[Scalar::new(i32::MAX), Scalar::new(2)], DType::I32);
        assert_eq!(wide, Some(Scalar::new(-2)));
        assert_eq!(computed(Op::Add, &[Scalar::new(1.0), Scalar::new(2)], DType::F64), None);
        let half = Scalar::new(half::f16::ONE);
        assert_eq!(computed(Op::Sin, &[half], DType::F16), None);
    }
}
