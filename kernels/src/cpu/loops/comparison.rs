//! Comparison loops. Integers of different signs compare by value.

use super::complex;
use super::driver::{Loop, binary, bits, complexes, floats, ordered};
use num_complex::Complex;
use phalanx_ops::DType;
use std::cmp::Ordering;

#[inline]
fn order(a: i64, b: u64) -> Ordering {
    if a < 0 { Ordering::Less } else { (a as u64).cmp(&b) }
}

/// The loops for a signed and an unsigned operand, in either order.
fn mixed(inputs: &[DType], signed_first: Loop, signed_last: Loop) -> Option<Loop> {
    match inputs {
        [DType::I64, DType::U64] => Some(signed_first),
        [DType::U64, DType::I64] => Some(signed_last),
        _ => None,
    }
}

pub(super) fn equal(inputs: &[DType]) -> Option<Loop> {
    let signed_first = binary(|a: i64, b: u64| order(a, b).is_eq());
    let signed_last = binary(|a: u64, b: i64| order(b, a).is_eq());
    mixed(inputs, signed_first, signed_last)
        .or_else(|| bits!(inputs[0], T => binary(|a: T, b: T| a == b)))
        .or_else(|| floats!(inputs[0], T => binary(|a: T, b: T| a == b)))
        .or_else(|| complexes!(inputs[0], T => binary(|a: Complex<T>, b: Complex<T>| a == b)))
}

pub(super) fn not_equal(inputs: &[DType]) -> Option<Loop> {
    let signed_first = binary(|a: i64, b: u64| order(a, b).is_ne());
    let signed_last = binary(|a: u64, b: i64| order(b, a).is_ne());
    mixed(inputs, signed_first, signed_last)
        .or_else(|| bits!(inputs[0], T => binary(|a: T, b: T| a != b)))
        .or_else(|| floats!(inputs[0], T => binary(|a: T, b: T| a != b)))
        .or_else(|| complexes!(inputs[0], T => binary(|a: Complex<T>, b: Complex<T>| a != b)))
}

pub(super) fn less(inputs: &[DType]) -> Option<Loop> {
    let signed_first = binary(|a: i64, b: u64| order(a, b).is_lt());
    let signed_last = binary(|a: u64, b: i64| order(b, a).is_gt());
    mixed(inputs, signed_first, signed_last)
        .or_else(|| ordered!(inputs[0], T => binary(|a: T, b: T| a < b)))
        .or_else(|| floats!(inputs[0], T => binary(|a: T, b: T| a < b)))
        .or_else(|| complexes!(inputs[0], T => binary(complex::less::<T>)))
}

pub(super) fn less_equal(inputs: &[DType]) -> Option<Loop> {
    let signed_first = binary(|a: i64, b: u64| order(a, b).is_le());
    let signed_last = binary(|a: u64, b: i64| order(b, a).is_ge());
    mixed(inputs, signed_first, signed_last)
        .or_else(|| ordered!(inputs[0], T => binary(|a: T, b: T| a <= b)))
        .or_else(|| floats!(inputs[0], T => binary(|a: T, b: T| a <= b)))
        .or_else(|| complexes!(inputs[0], T => binary(complex::less_equal::<T>)))
}

pub(super) fn greater(inputs: &[DType]) -> Option<Loop> {
    let signed_first = binary(|a: i64, b: u64| order(a, b).is_gt());
    let signed_last = binary(|a: u64, b: i64| order(b, a).is_lt());
    mixed(inputs, signed_first, signed_last)
        .or_else(|| ordered!(inputs[0], T => binary(|a: T, b: T| a > b)))
        .or_else(|| floats!(inputs[0], T => binary(|a: T, b: T| a > b)))
        .or_else(|| complexes!(inputs[0], T => binary(complex::greater::<T>)))
}

pub(super) fn greater_equal(inputs: &[DType]) -> Option<Loop> {
    let signed_first = binary(|a: i64, b: u64| order(a, b).is_ge());
    let signed_last = binary(|a: u64, b: i64| order(b, a).is_le());
    mixed(inputs, signed_first, signed_last)
        .or_else(|| ordered!(inputs[0], T => binary(|a: T, b: T| a >= b)))
        .or_else(|| floats!(inputs[0], T => binary(|a: T, b: T| a >= b)))
        .or_else(|| complexes!(inputs[0], T => binary(complex::greater_equal::<T>)))
}
