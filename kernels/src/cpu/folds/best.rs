//! The best of many elements with its index, where blocks without a better element are the rule.
//!
//! The best element of a block is found in vector registers, without indices. Only if it is at
//! least as good as the best so far, the block is searched for its index.

use crate::cpu::instructions::for_each_level;
use crate::cpu::loops::{Better, Larger, Smaller, Value};
use phalanx_ops::{DType, Monoid};

/// `(best_value, best_index)` becomes the best of itself and of `count` pairs: the first NaN wins,
/// and among equal values the smaller index.
///
/// # Safety
/// The first two pointers hold `count` elements of the dtype and as many indices, the others one
/// each, all aligned; none overlap.
pub(in crate::cpu) type BestLoop = unsafe fn(
    values: *const u8,
    indices: *const i64,
    best_value: *mut u8,
    best_index: *mut i64,
    count: usize,
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
    /// The best element that is no NaN (NaN if the first of its lane is), and whether there is NaN.
    fn best_value[T: Value, B: Better][T, B](
        values: &[T],
        found: &mut (T, bool),
    ) {
        let mut lanes = [values[0]; WIDTH];
        let mut unequal = [false; WIDTH];
        let mut rows = values.chunks_exact(WIDTH);
        for row in &mut rows {
            for ((best, unequal), &value) in lanes.iter_mut().zip(&mut unequal).zip(row) {
                *best = if B::better(value, *best) { value } else { *best };
                *unequal |= value.is_nan();
            }
        }
        let (mut best, mut any) = (values[0], unequal.iter().any(|&unequal| unequal));
        for &value in lanes.iter().chain(rows.remainder()) {
            best = if B::better(value, best) { value } else { best };
            any |= value.is_nan();
        }
        *found = (best, any);
    }
}

unsafe fn run<T: Value + PartialEq, B: Better>(
    values: *const u8,
    indices: *const i64,
    best_value: *mut u8,
    best_index: *mut i64,
    count: usize,
) {
    if count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let (values, indices, old, old_index) = unsafe {
        (
            std::slice::from_raw_parts(values.cast::<T>(), count),
            std::slice::from_raw_parts(indices, count),
            &mut *best_value.cast::<T>(),
            &mut *best_index,
        )
    };
    let mut found = (values[0], false);
    self::best_value::<T, B>(values, &mut found);
    let (new, any_nan) = found;
    let old_nan = old.is_nan();
    if !any_nan && (old_nan || B::better(*old, new)) {
        return;
    }
    // The elements that win over all others of the block.
    let wins = |value: T| if any_nan { value.is_nan() } else { value == new };
    let winners = values.iter().zip(indices).filter(|(value, _)| wins(**value));
    let Some((&value, &index)) = winners.min_by_key(|(_, index)| **index) else { return };
    let equal = if any_nan { old_nan } else { value == *old };
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
                // SAFETY: slices of that many elements, and one element each.
                unsafe {
                    all(
                        values[1..].as_ptr().cast(),
                        indices[1..].as_ptr(),
                        (&raw mut found.0).cast(),
                        &raw mut found.1,
                        values.len() - 1,
                    );
                }
                assert_eq!(found.1, expected.1, "{monoid} of {values:?}");
                assert_eq!(found.0.to_bits(), expected.0.to_bits(), "{monoid} of {values:?}");
            }
        }
    }
}
