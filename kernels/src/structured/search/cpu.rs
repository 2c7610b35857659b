//! Binary search on the CPU, of several values in each iteration.

use crate::structured::lines::{Places, each};
use crate::structured::sort::order::{Form, Word, order_c64, order_c128};
use crate::structured::{Block, Plain};
use phalanx_ops::DType;
use phalanx_ops::structured::{SearchSorted, Side};

/// Values that are searched together, so that their reads overlap.
const IN_STEP: usize = 8;
/// The fewest values for a thread.
const GRAIN: usize = 1 << 10;

/// `to` = `first` and the number of elements of the sorted vector before each value; NaN is last.
///
/// Panics (`bug:`) if shapes or dtypes do not fit.
pub fn run(
    search: SearchSorted,
    first: u64,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (sorted, values) = (&operands[0], &operands[1]);
    assert!(
        sorted.dtype == values.dtype && to.dtype == DType::I64 && values.shape == to.shape,
        "bug: {:?} {} in {} into {:?}",
        values.shape,
        values.dtype,
        sorted.dtype,
        to.shape
    );
    let search = (search.side, first as i64);
    match (sorted.dtype, sorted.dtype.size()) {
        (DType::C64, _) => by_order(search, sorted, values, to, pool, order_c64),
        (DType::C128, _) => by_order(search, sorted, values, to, pool, order_c128),
        (_, 1) => by_word::<u8>(search, sorted, values, to, pool),
        (_, 2) => by_word::<u16>(search, sorted, values, to, pool),
        (_, 4) => by_word::<u32>(search, sorted, values, to, pool),
        _ => by_word::<u64>(search, sorted, values, to, pool),
    }
}

fn by_word<W: Word>(
    search: (Side, i64),
    sorted: &Block<'_>,
    values: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    // Each arm compiles to a separate loop in which the form is a constant.
    match Form::<W>::of(sorted.dtype) {
        Form::Unsigned => by_order(search, sorted, values, to, pool, |bits: W| bits),
        Form::Signed => by_order(search, sorted, values, to, pool, |bits: W| bits.xor(W::SIGN)),
        Form::Float(infinity) => {
            let order = |bits: W| Form::Float(infinity).order(bits);
            by_order(search, sorted, values, to, pool, order);
        }
    }
}

fn by_order<T: Plain, K: Copy + Ord>(
    (side, first): (Side, i64),
    sorted: &Block<'_>,
    values: &Block<'_>,
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    order: impl Fn(T) -> K + Sync,
) {
    // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
    let (sorted, values) = unsafe { (sorted.elements::<T>(), values.elements::<T>()) };
    let to = Places::<i64>::of(to);
    let has_equals = side == Side::Right;
    each(pool, values.len(), GRAIN, |range| {
        // SAFETY: the range is inside the result, and this turn's alone.
        let to = unsafe { std::slice::from_raw_parts_mut(to.at(range.start), range.len()) };
        let (many, few) = values[range].as_chunks::<IN_STEP>();
        let (to_many, to_few) = to.as_chunks_mut::<IN_STEP>();
        for (values, to) in many.iter().zip(to_many) {
            *to = search(sorted, values, has_equals, &order).map(|before| first + before);
        }
        for (value, to) in few.iter().zip(to_few) {
            [*to] = search(sorted, &[*value], has_equals, &order).map(|before| first + before);
        }
    });
}

/// How many elements of `sorted` are before each value.
#[inline]
fn search<T: Plain, K: Copy + Ord, const N: usize>(
    sorted: &[T],
    values: &[T; N],
    has_equals: bool,
    order: &impl Fn(T) -> K,
) -> [i64; N] {
    let keys = values.map(order);
    let mut before = [0; N];
    let mut left = sorted.len();
    while left > 0 {
        // The last element of the first half decides whether the whole half is before the value.
        // If not, that element may be compared again, so all values take equally many iterations.
        let half = left.div_ceil(2);
        for (before, &key) in before.iter_mut().zip(&keys) {
            let element = order(sorted[*before + half - 1]);
            let stands_before = (element < key) | (has_equals & (element == key));
            *before += if stands_before { half } else { 0 };
        }
        left -= half;
    }
    before.map(|count| count as i64)
}
