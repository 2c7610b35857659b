//! Operations on elements of one dtype and values of another; results are cast back to the first.

use crate::cpu::loops::{Loop, cast, elementwise};
use phalanx_ops::{Arg, DType, Op};

/// The number of elements that are combined at a time.
pub(super) const STRETCH: usize = 64;

/// Memory for a stretch of elements of any dtype.
type Room = [u128; STRETCH];

/// Memory for the operands and the result between casts.
pub(super) struct Rooms([Room; 6]);

impl Rooms {
    pub(super) fn new() -> Rooms {
        Rooms([[0; STRETCH]; 6])
    }
}

/// An operation of one or two operands on an element of one dtype and a value of any other. The
/// result is cast to the dtype of the element each time, as in NumPy's `ufunc.at`.
pub(super) struct Mixed {
    by_loop: Loop,
    arity: usize,
    /// The casts from each operand's dtype to the loop's, in order.
    operands: [Vec<Loop>; 2],
    /// The casts from the loop's result to the element's dtype, in order.
    result: Vec<Loop>,
    /// Bytes of an element.
    pub size: usize,
    /// Bytes of a value.
    pub value_size: usize,
}

impl Mixed {
    /// Panics (`bug:`) if the operation has no loop for these dtypes.
    pub(super) fn of(op: Op, element: DType, value: DType) -> Mixed {
        let given = [Arg::Strong(element), Arg::Strong(value)];
        let signature = op
            .resolve(&given[..op.arity()])
            .unwrap_or_else(|error| unreachable!("bug: {op} of {element} and {value}: {error}"));
        let (inputs, output) = (signature.inputs(), signature.output);
        let widened: Vec<DType> = inputs.iter().map(|&dtype| wide(dtype)).collect();
        let own = elementwise(op, inputs);
        let is_wide = own.is_none();
        let by_loop = own
            .or_else(|| elementwise(op, &widened))
            .unwrap_or_else(|| unreachable!("bug: {op} has no loop of {widened:?}"));
        let operand = |from: DType, place: usize| match inputs.get(place) {
            Some(&input) if is_wide => way(&[from, input, wide(input)]),
            Some(&input) => way(&[from, input]),
            None => Vec::new(),
        };
        let computed = if is_wide { wide(output) } else { output };
        Mixed {
            by_loop,
            arity: op.arity(),
            operands: [operand(element, 0), operand(value, 1)],
            result: way(&[computed, output, element]),
            size: element.size(),
            value_size: value.size(),
        }
    }

    /// `elements[i] = op(elements[i], values[i])` for `i < count`, with `count` at most `STRETCH`.
    ///
    /// # Safety
    /// There are `count` elements and values of the dtypes, aligned, which nothing else touches,
    /// and they do not overlap. An operation of one operand reads no values.
    pub(super) unsafe fn apply(
        &self,
        elements: *mut u8,
        values: *const u8,
        count: usize,
        rooms: &mut Rooms,
    ) {
        debug_assert!(count <= STRETCH, "bug: {count} elements in a room");
        let [a1, a2, b1, b2, computed, spare] = &mut rooms.0;
        // SAFETY: each room has `STRETCH` elements of the largest dtype, and no loop reads a room
        // that it writes (`through`); the rest is the caller's promise. A loop of one operand is
        // given one.
        unsafe {
            let a = through(&self.operands[0], elements, [&mut *a1, a2], count);
            let b = through(&self.operands[1], values, [b1, b2], count);
            let result = computed.as_mut_ptr().cast::<u8>();
            (self.by_loop)(&[a, b][..self.arity], result, count);
            let new = through(&self.result, result, [spare, a1], count);
            std::ptr::copy_nonoverlapping(new, elements, count * self.size);
        }
    }
}

/// The dtype in which a half type is computed.
fn wide(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype }
}

/// The casts from each dtype to the next one.
fn way(stops: &[DType]) -> Vec<Loop> {
    let steps = stops.windows(2).filter(|step| step[0] != step[1]);
    steps.map(|step| cast(step[0], step[1])).collect()
}

/// Applies casts; returns the address of the result: a room, or `from` if there are no casts.
///
/// # Safety
/// The elements are `count` of the dtype that the first cast takes, and not in the rooms.
unsafe fn through(
    casts: &[Loop],
    from: *const u8,
    [one, other]: [&mut Room; 2],
    count: usize,
) -> *const u8 {
    let rooms = [one, other].map(|room| room.as_mut_ptr().cast::<u8>());
    let mut from = from;
    for (turn, cast) in casts.iter().enumerate() {
        let to = rooms[turn % 2];
        // SAFETY: the caller's promise; the rooms take turns, so that none is read and written.
        unsafe { cast(&[from], to, count) };
        from = to;
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn results_are_cast_back_each_time() {
        let mut rooms = Rooms::new();
        let mut elements = [7i8, -5, 100];
        let values = [0.5f64, 1.5, 2.0];
        let multiply = Mixed::of(Op::Multiply, DType::I8, DType::F64);
        for _ in 0..2 {
            // SAFETY: three elements and values of the dtypes.
            unsafe {
                let to = elements.as_mut_ptr().cast();
                multiply.apply(to, values.as_ptr().cast(), 3, &mut rooms);
            }
        }
        // 7, 3.5, 3, 1.5, 1; -5, -7.5, -7, -10.5, -10; 100, 200, which wraps to -56, and -112.
        assert_eq!(elements, [1, -10, -112]);
    }

    #[test]
    fn halves_use_wider_loops_and_unary_ones_read_no_values() {
        let mut rooms = Rooms::new();
        let mut halves = [f16::from_f32(2.25), f16::from_f32(-4.0)];
        let root = Mixed::of(Op::Sqrt, DType::F16, DType::I64);
        // SAFETY: two elements; no values are read.
        unsafe { root.apply(halves.as_mut_ptr().cast(), std::ptr::null(), 2, &mut rooms) };
        assert_eq!(halves[0], f16::from_f32(1.5));
        assert!(halves[1].is_nan());
    }
}
