//! The best of many elements with its index, where blocks without a better element are the rule.
//!
//! The best element of a block is found in vector registers, without indices. Only if it is at
//! least as good as the best so far, the block is searched for its index.

use crate::cpu::instructions::for_each_level;
use crate::cpu::loops::{Better, Larger, Smaller, Value};
use phalanx_ops::{DType, Monoid};

/// The indices of consecutive elements.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) enum Indices {
    /// One in memory for each element.
    Each(*const i64),
    /// `first`, and `step` more for each further element; `step` is 0 or 1.
    Counted { first: i64, step: i64 },
}

impl Indices {
    /// The index of an element.
    ///
    /// # Safety
    /// Indices in memory reach as far as `at`.
    unsafe fn at(self, at: usize) -> i64 {
        match self {
            // SAFETY: the caller's promise.
            Indices::Each(indices) => unsafe { indices.add(at).read() },
            Indices::Counted { first, step } => first + at as i64 * step,
        }
    }

    /// The indices without the first `count`.
    #[cfg(test)]
    fn after(self, count: usize) -> Indices {
        match self {
            Indices::Each(indices) => Indices::Each(indices.wrapping_add(count)),
            Indices::Counted { first, step } => {
                Indices::Counted { first: first + count as i64 * step, step }
            }
        }
    }
}

/// `(best_value, best_index)` becomes the best of itself and of `count` pairs: the first NaN wins,
/// and among equal values the smaller index. If `is_new`, it is that of the pairs alone.
///
/// # Safety
/// The first pointer holds `count` elements of the dtype, from 1, and there are as many indices;
/// the last two hold one each. All are aligned; none overlap.
pub(in crate::cpu) type BestLoop = unsafe fn(
    values: *const u8,
    indices: Indices,
    best_value: *mut u8,
    best_index: *mut i64,
    count: usize,
    is_new: bool,
);

/// The loop of `ArgMin` or `ArgMax`; `None` for other monoids and dtypes.
pub(in crate::cpu) fn best(monoid: Monoid, dtype: DType) -> Option<BestLoop> {
    macro_rules! by_dtype {
        ($better:ident) => {
            match dtype {
                DType::Bool | DType::U8 => Some(run::<u8, $better> as BestLoop),
                DType::I8 => Some(run::<i8, $better>),
                DType::I16 => Some(run::<i16, $better>),
                DType::U16 => Some(run::<u16, $better>),
                DType::I32 => Some(run::<i32, $better>),
                DType::U32 => Some(run::<u32, $better>),
                DType::I64 => Some(run::<i64, $better>),
                DType::U64 => Some(run::<u64, $better>),
                DType::F32 => Some(run::<f32, $better>),
                DType::F64 => Some(run::<f64, $better>),
                DType::F16 | DType::BF16 | DType::C64 | DType::C128 => None,
            }
        };
    }
    match monoid {
        Monoid::ArgMin => by_dtype!(Smaller),
        Monoid::ArgMax => by_dtype!(Larger),
        _ => None,
    }
}

/// Elements that are compared at a time.
const WIDTH: usize = 64;

for_each_level! {
    /// The best element, unless there is NaN, and whether there may be NaN.
    fn best_value[T: Value, B: Better][T, B](
        values: &[T],
        found: &mut (T, bool),
    ) {
        let (mut best, mut sum) = (values[0], values[0]);
        let (rows, rest) = values.as_chunks::<WIDTH>();
        // Short rows are common, so they do without the lanes.
        if let Some((first, rows)) = rows.split_first() {
            let (mut lanes, mut sums) = (*first, *first);
            for row in rows {
                for ((best, sum), &value) in lanes.iter_mut().zip(&mut sums).zip(row) {
                    *best = if B::better(value, *best) { value } else { *best };
                    *sum = sum.keep_nan(value);
                }
            }
            for &value in &lanes {
                best = if B::better(value, best) { value } else { best };
            }
            sum = sums.into_iter().fold(sum, T::keep_nan);
        }
        for &value in rest {
            best = if B::better(value, best) { value } else { best };
            sum = sum.keep_nan(value);
        }
        *found = (best, sum.is_nan());
    }
}

for_each_level! {
    /// The position of the first NaN, if `for_nan`, or else of the first element that is equal to a
    /// value; the number of elements if there is none.
    fn position[T: Value + PartialEq][T](
        values: &[T],
        sought: T,
        for_nan: bool,
        found: &mut usize,
    ) {
        let wins = |value: T| if for_nan { value.is_nan() } else { value == sought };
        let mut rows = values.chunks_exact(WIDTH);
        let skipped = (&mut rows)
            .take_while(|row| !row.iter().fold(false, |any, &value| any | wins(value)))
            .count();
        let rest = &values[skipped * WIDTH..];
        let first = rest.iter().position(|&value| wins(value));
        *found = first.map_or(values.len(), |first| skipped * WIDTH + first);
    }
}

unsafe fn run<T: Value + PartialEq, B: Better>(
    values: *const u8,
    indices: Indices,
    best_value: *mut u8,
    best_index: *mut i64,
    count: usize,
    is_new: bool,
) {
    // SAFETY: the caller's promise.
    let (values, old, old_index) = unsafe {
        let values = std::slice::from_raw_parts(values.cast::<T>(), count);
        (values, &mut *best_value.cast::<T>(), &mut *best_index)
    };
    let mut found = (values[0], false);
    self::best_value::<T, B>(values, &mut found);
    let (best, may_be_nan) = found;
    let mut nan = values.len();
    if may_be_nan {
        position(values, best, true, &mut nan);
    }
    let any_nan = nan < values.len();
    if !is_new && !any_nan && (old.is_nan() || B::better(*old, best)) {
        return;
    }
    let first = if any_nan {
        nan
    } else {
        let mut first = 0;
        position(values, best, false, &mut first);
        first
    };
    let wins = |value: T| if any_nan { value.is_nan() } else { value == best };
    // SAFETY: there is an index for each element.
    let index = |at: usize| unsafe { indices.at(at) };
    let winner = match indices {
        Indices::Counted { .. } => first,
        Indices::Each(_) => {
            let winners = (first..values.len()).filter(|&at| wins(values[at]));
            winners.min_by_key(|&at| index(at)).unwrap_or(first)
        }
    };
    let (value, index) = (values[winner], index(winner));
    let equal = !is_new && if any_nan { old.is_nan() } else { value == *old };
    if !equal || index < *old_index {
        (*old, *old_index) = (value, index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::loops;

    /// Pairs with equal values, infinities and, in one of three cases, NaN.
    fn pairs(case: u64) -> (Vec<f64>, Vec<i64>) {
        let mut bits = case + 1;
        let mut next = || {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            bits >> 40
        };
        let count = next() as usize % 200 + 1;
        let values = (0..count).map(|_| match next() % 16 {
            0 => f64::INFINITY,
            1 => -0.0,
            2 if case.is_multiple_of(3) => f64::NAN,
            _ => next() as f64 % 7.0 - 3.0,
        });
        let values = values.collect();
        let mut indices: Vec<i64> = (0..count as i64).map(|at| at * 3).collect();
        if case.is_multiple_of(2) {
            indices.reverse();
        }
        (values, indices)
    }

    #[test]
    fn the_best_pair_of_a_block_is_that_of_one_pair_after_the_other() {
        for case in 0..2000 {
            let (values, indices) = pairs(case);
            for monoid in [Monoid::ArgMin, Monoid::ArgMax] {
                let one = loops::arg_combine(monoid, DType::F64).expect("a loop");
                let all = best(monoid, DType::F64).expect("a loop");
                let (mut expected, mut found) = ((values[0], indices[0]), (values[0], indices[0]));
                for (value, index) in values.iter().zip(&indices).skip(1) {
                    // SAFETY: one element each.
                    unsafe {
                        one(
                            std::ptr::from_ref(value).cast(),
                            index,
                            (&raw mut expected.0).cast(),
                            &raw mut expected.1,
                            1,
                        );
                    }
                }
                // In one step, or the last elements after the first.
                let first = case as usize % values.len();
                let is_counted = case % 4 == 1;
                for range in [0..first, first..values.len()] {
                    if range.is_empty() {
                        continue;
                    }
                    let given = Indices::Each(indices.as_ptr()).after(range.start);
                    let counted = Indices::Counted { first: 0, step: 1 }.after(range.start);
                    let given = if is_counted { counted } else { given };
                    // SAFETY: slices of that many elements, and one element each.
                    unsafe {
                        all(
                            values[range.clone()].as_ptr().cast(),
                            given,
                            (&raw mut found.0).cast(),
                            &raw mut found.1,
                            range.len(),
                            range.start == 0,
                        );
                    }
                }
                found.1 *= if is_counted { 3 } else { 1 };
                assert_eq!(found.1, expected.1, "{monoid} of {values:?}");
                assert_eq!(found.0.to_bits(), expected.0.to_bits(), "{monoid} of {values:?}");
            }
        }
    }
}
