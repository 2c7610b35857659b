//! Operations on few elements, which run on the calling thread without a kernel.
//!
//! They use the loops of kernels and combine in the canonical order (`folds`), so their results
//! have the bits that a kernel gives.

use super::folds::{self, Combine, LANES, LEAF};
use super::loops::{self, Loop};
use phalanx_device::Buffer;
use phalanx_ops::{DType, Monoid, Op, Scalar};
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
        Scalar::from_bytes(dtype, &self.0)
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
    let is_half = |dtype| matches!(dtype, DType::F16 | DType::BF16);
    match op {
        SmallOp::Elementwise(op) => {
            let dtypes: SmallVec<[DType; 2]> = operands.iter().map(|it| it.1).collect();
            let Some(code) = loops::elementwise(op, &dtypes) else { return false };
            map(code, operands, extents, count, to.room(count, dtype));
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
        SmallOp::Reduce(monoid, _) if monoid == Monoid::Moments || is_half(operands[0].1) => {
            return false;
        }
        SmallOp::Reduce(monoid, axes) => {
            return reduce(monoid, axes, &operands[0], extents, to, dtype);
        }
    }
    true
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
    // has room for `count` elements; 3. the output is a new buffer; 4. the loop is that of as many
    // operands.
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
        Operand::Scalar(scalar) => {
            let mut element = [0u128; 1];
            // SAFETY: an element has at most 16 bytes, and the stage room for `count` of them.
            unsafe {
                element.as_mut_ptr().cast::<[u8; 16]>().write(padded(scalar));
                loops::fill(size)(element.as_ptr().cast(), to, count);
            }
        }
        Operand::View(view) => {
            let from = view.check(extents, size);
            if count == 0 || is_contiguous(view.strides, extents, size) {
                return from;
            }
            let gather = match size {
                1 => gather::<u8>,
                2 => gather::<u16>,
                4 => gather::<u32>,
                8 => gather::<u64>,
                _ => gather::<[u64; 2]>,
            };
            // SAFETY: `check` saw that all elements are inside of the buffer; the stage has room
            // for `count` of them, aligned.
            unsafe { gather(from, view.strides, extents, to) };
        }
    }
    to
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
    let first = to.check(extents, dtype.size()).cast_mut();
    if is_contiguous(to.strides, extents, dtype.size()) {
        // SAFETY: as below; the two share no memory.
        return unsafe { std::ptr::copy_nonoverlapping(from, first, count * dtype.size()) };
    }
    let scatter = match dtype.size() {
        1 => scatter::<u8>,
        2 => scatter::<u16>,
        4 => scatter::<u32>,
        8 => scatter::<u64>,
        _ => scatter::<[u64; 2]>,
    };
    // SAFETY: `elements` gives `count` elements, and `check` saw that all of the view's are inside
    // of the buffer.
    unsafe { scatter(from, to.strides, extents, first) };
}

/// Copies elements that are one after the other into a view, and returns the place after the last.
///
/// # Safety
/// As many elements as the view has are readable at `from`, all of the view's are writable, and
/// both are aligned.
unsafe fn scatter<T: Copy>(
    from: *const u8,
    strides: &[isize],
    extents: &[usize],
    to: *mut u8,
) -> *const u8 {
    let (&[inner, ref extents @ ..], &[stride, ref strides @ ..]) = (extents, strides) else {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<T>().write(from.cast::<T>().read()) };
        return from.wrapping_add(size_of::<T>());
    };
    if extents.is_empty() {
        let row = from.cast::<T>();
        for place in 0..inner {
            // SAFETY: the caller's promise.
            unsafe {
                let to = to.offset(place as isize * stride).cast::<T>();
                to.write(row.add(place).read());
            }
        }
        return row.wrapping_add(inner).cast();
    }
    let mut from = from;
    for place in 0..inner {
        let to = to.wrapping_offset(place as isize * stride);
        // SAFETY: the caller's promise; the part is a view of some of the elements.
        from = unsafe { scatter::<T>(from, strides, extents, to) };
    }
    from
}

fn padded(scalar: &Scalar) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..scalar.bytes().len()].copy_from_slice(scalar.bytes());
    bytes
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

/// Copies the elements of a view one after the other, and returns the place after the last.
///
/// # Safety
/// All elements of the view are readable and aligned, and there is room for them at `to`.
unsafe fn gather<T: Copy>(
    from: *const u8,
    strides: &[isize],
    extents: &[usize],
    to: *mut u8,
) -> *mut u8 {
    let (&[inner, ref extents @ ..], &[stride, ref strides @ ..]) = (extents, strides) else {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<T>().write(from.cast::<T>().read()) };
        return to.wrapping_add(size_of::<T>());
    };
    if extents.is_empty() {
        let row = to.cast::<T>();
        for place in 0..inner {
            // SAFETY: the caller's promise.
            unsafe {
                let from = from.offset(place as isize * stride).cast::<T>();
                row.add(place).write(from.read());
            }
        }
        return row.wrapping_add(inner).cast();
    }
    let mut to = to;
    for place in 0..inner {
        let from = from.wrapping_offset(place as isize * stride);
        // SAFETY: the caller's promise; the part is a view of some of the elements.
        to = unsafe { gather::<T>(from, strides, extents, to) };
    }
    to
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

/// The positions of points.
static POSITIONS: [i64; MOST_POINTS] = {
    let mut positions = [0; MOST_POINTS];
    let mut at = 0;
    while at < MOST_POINTS {
        positions[at] = at as i64;
        at += 1;
    }
    positions
};

impl Fold {
    fn of(monoid: Monoid, dtype: DType) -> Option<Fold> {
        let combine = match monoid {
            Monoid::ArgMin | Monoid::ArgMax => Combine::Pair(loops::arg_combine(monoid, dtype)?),
            _ => Combine::Single(loops::combine(monoid, dtype)?),
        };
        Some(Fold { monoid, dtype, combine })
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
                // SAFETY: the caller's promise; the first point starts the best, and there are as
                // many positions as points.
                unsafe {
                    std::ptr::copy_nonoverlapping(from, value, size);
                    let (rest, positions) = (from.add(size), POSITIONS.as_ptr().add(1));
                    match folds::best(self.monoid, self.dtype) {
                        Some(best) if count > 1 => {
                            best(rest, positions, value, &raw mut index, count - 1);
                        }
                        _ => (1..count).for_each(|at| {
                            let point = from.add(at * size);
                            code(point, &raw const POSITIONS[at], value, &raw mut index, 1);
                        }),
                    }
                    to.cast::<i64>().write(index);
                }
            }
            Combine::Single(code) => {
                let mut leaves = [0u128; MOST_POINTS / LEAF];
                let first = leaves.as_mut_ptr().cast::<u8>();
                let count_leaves = count.div_ceil(LEAF);
                // SAFETY: the caller's promise; a leaf gives one element, for which there is room.
                unsafe {
                    match folds::leaf(self.monoid, self.dtype) {
                        Some(leaf) => leaf(from, first, count),
                        None => (0..count_leaves).for_each(|leaf| {
                            let points = (count - leaf * LEAF).min(LEAF);
                            let from = from.add(leaf * LEAF * size);
                            self.leaf(code, from, points, first.add(leaf * size));
                        }),
                    }
                    join(code, first, count_leaves, size);
                    std::ptr::copy_nonoverlapping(first, to, size);
                }
            }
        }
    }

    /// Combines the points of a leaf into one element.
    ///
    /// # Safety
    /// As `run`, for at most `LEAF` points.
    unsafe fn leaf(self, code: Loop, from: *const u8, points: usize, to: *mut u8) {
        let size = self.dtype.size();
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
            std::ptr::copy_nonoverlapping(lanes, to, size);
        }
    }
}

/// Combines leaves into the first, in the order of a binary counter.
///
/// # Safety
/// There are `count` leaves of `size` bytes, from 1, aligned.
unsafe fn join(code: Loop, first: *mut u8, count: usize, size: usize) {
    let combine = |left: usize, right: usize| {
        let (left, right) = (first.wrapping_add(left * size), first.wrapping_add(right * size));
        // SAFETY: the caller's promise; the two are different leaves.
        unsafe { code(&[left.cast_const(), right.cast_const()], left, 1) };
    };
    // Pairs of equal powers of two, then the rest from right to left: the first leaf of each power
    // holds its combination.
    let mut width = 1;
    while width * 2 <= count {
        (0..count / (2 * width)).for_each(|pair| {
            combine(pair * 2 * width, (pair * 2 + 1) * width);
        });
        width *= 2;
    }
    let mut parts: SmallVec<[usize; 8]> = SmallVec::new();
    let mut start = 0;
    for bit in (0..usize::BITS).rev().filter(|bit| count >> bit & 1 == 1) {
        parts.push(start);
        start += 1 << bit;
    }
    for pair in (1..parts.len()).rev() {
        combine(parts[pair - 1], parts[pair]);
    }
}
