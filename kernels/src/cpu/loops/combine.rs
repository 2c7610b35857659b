//! Combination of accumulators with values, element by element.

use super::driver::Loop;
use super::elementwise::elementwise;
use phalanx_ops::{DType, Monoid};

/// `(best_value, best_index)[i]` becomes the better of itself and `(value, index)[i]`, for `i <
/// count`.
///
/// # Safety
///
/// All four point to `count` elements, aligned to them: values of the dtype, indices of `i64`; the
/// first two are readable, the last two also writable, and no two overlap.
pub type ArgLoop = unsafe fn(
    value: *const u8,
    index: *const i64,
    best_value: *mut u8,
    best_index: *mut i64,
    count: usize,
);

/// The loop `accumulator[i] = accumulator[i] (x) value[i]`: its inputs are accumulator and value,
/// its output is the accumulator.
///
/// `None` for the compound monoids, if the monoid does not accept the dtype, and for the half
/// types, which accumulate in f32.
pub fn combine(monoid: Monoid, dtype: DType) -> Option<Loop> {
    if !monoid.accepts(dtype) {
        return None;
    }
    elementwise(monoid.operation()?, &[dtype, dtype])
}

/// The combination of `ArgMin` or `ArgMax`; `None` for other monoids and for the half types.
///
/// The first NaN wins; among equal values the smaller index wins.
pub fn arg_combine(monoid: Monoid, dtype: DType) -> Option<ArgLoop> {
    macro_rules! by_type {
        ($better:ident) => {
            match dtype {
                DType::Bool => Some(run_arg::<u8, $better>),
                DType::I8 => Some(run_arg::<i8, $better>),
                DType::I16 => Some(run_arg::<i16, $better>),
                DType::I32 => Some(run_arg::<i32, $better>),
                DType::I64 => Some(run_arg::<i64, $better>),
                DType::U8 => Some(run_arg::<u8, $better>),
                DType::U16 => Some(run_arg::<u16, $better>),
                DType::U32 => Some(run_arg::<u32, $better>),
                DType::U64 => Some(run_arg::<u64, $better>),
                DType::F32 => Some(run_arg::<f32, $better>),
                DType::F64 => Some(run_arg::<f64, $better>),
                DType::C64 => Some(run_arg::<[f32; 2], $better>),
                DType::C128 => Some(run_arg::<[f64; 2], $better>),
                DType::F16 | DType::BF16 => None,
            }
        };
    }
    match monoid {
        Monoid::ArgMin => by_type!(Smaller),
        Monoid::ArgMax => by_type!(Larger),
        _ => None,
    }
}

/// Values with an order and a test for NaN.
pub trait Value: Copy {
    /// Whether vector registers compare such values; branches are faster for others.
    const IN_VECTORS: bool;

    /// Whether the value is NaN.
    fn is_nan(self) -> bool;
    /// Whether the value comes before another.
    fn less(self, other: Self) -> bool;
    /// NaN if one of the two is NaN, or else any value: what costs least.
    fn keep_nan(self, other: Self) -> Self;
}

macro_rules! value {
    ($kept:expr; $($type:ty),*) => {$(
        impl Value for $type {
            const IN_VECTORS: bool = true;

            // A number that is not equal to itself is NaN; no integer is.
            #[allow(clippy::eq_op)]
            #[inline]
            fn is_nan(self) -> bool {
                self != self
            }

            #[inline]
            fn less(self, other: Self) -> bool {
                self < other
            }

            #[inline]
            fn keep_nan(self, other: Self) -> Self {
                let kept: fn(Self, Self) -> Self = $kept;
                kept(self, other)
            }
        }
    )*};
}

value!(|left, _| left; i8, i16, i32, i64, u8, u16, u32, u64);
value!(|left, right| left + right; f32, f64);

impl<T: Value + PartialEq> Value for [T; 2] {
    const IN_VECTORS: bool = false;

    #[inline]
    fn is_nan(self) -> bool {
        self[0].is_nan() || self[1].is_nan()
    }

    #[inline]
    fn less(self, other: Self) -> bool {
        self[0].less(other[0]) || (self[0] == other[0] && self[1].less(other[1]))
    }

    #[inline]
    fn keep_nan(self, other: Self) -> Self {
        [self[0].keep_nan(other[0]), self[1].keep_nan(other[1])]
    }
}

/// The order by which one of two values wins.
pub trait Better {
    /// Whether `a` wins over `b`; NaN does not.
    fn better<T: Value>(a: T, b: T) -> bool;
}

/// The smaller value wins.
pub struct Smaller;
/// The larger value wins.
pub struct Larger;

impl Better for Smaller {
    #[inline]
    fn better<T: Value>(a: T, b: T) -> bool {
        a.less(b)
    }
}

impl Better for Larger {
    #[inline]
    fn better<T: Value>(a: T, b: T) -> bool {
        b.less(a)
    }
}

unsafe fn run_arg<T: Value, B: Better>(
    value: *const u8,
    index: *const i64,
    best_value: *mut u8,
    best_index: *mut i64,
    count: usize,
) {
    // SAFETY: the caller's promise: four arrays of `count` elements that do not overlap.
    let (values, indices, best_values, best_indices) = unsafe {
        (
            std::slice::from_raw_parts(value.cast::<T>(), count),
            std::slice::from_raw_parts(index, count),
            std::slice::from_raw_parts_mut(best_value.cast::<T>(), count),
            std::slice::from_raw_parts_mut(best_index, count),
        )
    };
    let new = values.iter().zip(indices);
    let best = best_values.iter_mut().zip(best_indices);
    for ((&value, &index), (best_value, best_index)) in new.zip(best) {
        let (new_nan, old_nan) = (value.is_nan(), best_value.is_nan());
        if T::IN_VECTORS {
            let wins = !old_nan & (new_nan | B::better(value, *best_value));
            let loses = !new_nan & (old_nan | B::better(*best_value, value));
            let takes = wins | (!loses & (index < *best_index));
            *best_value = if takes { value } else { *best_value };
            *best_index = if takes { index } else { *best_index };
            continue;
        }
        let wins = !old_nan && (new_nan || B::better(value, *best_value));
        let loses = !new_nan && (old_nan || B::better(*best_value, value));
        if wins || (!loses && index < *best_index) {
            *best_value = value;
            *best_index = index;
        }
    }
}
