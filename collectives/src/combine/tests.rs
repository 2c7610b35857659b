//! Rules of combination that tables of exact numbers do not cover.

use super::*;

fn pair(monoid: Monoid, left: (f32, i64), right: (f32, i64)) -> i64 {
    let item = |(value, index): (f32, i64)| {
        let mut bytes = vec![0; 16];
        bytes[..4].copy_from_slice(&value.to_ne_bytes());
        bytes[8..].copy_from_slice(&index.to_ne_bytes());
        bytes
    };
    let winner = |accumulator: (f32, i64), incoming: (f32, i64)| {
        let mut accumulator = item(accumulator);
        reduce_into(DType::F32, monoid, &mut accumulator, &item(incoming)).unwrap();
        i64::from_ne_bytes(accumulator[8..].try_into().unwrap())
    };
    assert_eq!(winner(left, right), winner(right, left), "{monoid} of {left:?} and {right:?}");
    winner(left, right)
}

#[test]
fn positions_prefer_nan_then_the_element_then_the_smaller_index() {
    assert_eq!(pair(Monoid::ArgMin, (1.0, 5), (2.0, 3)), 5);
    assert_eq!(pair(Monoid::ArgMax, (1.0, 5), (2.0, 3)), 3);
    assert_eq!(pair(Monoid::ArgMin, (1.0, 5), (1.0, 3)), 3);
    assert_eq!(pair(Monoid::ArgMax, (1.0, 5), (1.0, 3)), 3);
    assert_eq!(pair(Monoid::ArgMin, (f32::NAN, 5), (1.0, 3)), 5);
    assert_eq!(pair(Monoid::ArgMax, (f32::NAN, 5), (f32::NAN, 3)), 3);
    assert_eq!(pair(Monoid::ArgMax, (0.0, 5), (-0.0, 3)), 3);
}

fn binary<T: Copy>(monoid: Monoid, dtype: DType, a: &[T], b: &[T]) -> Vec<u8> {
    let bytes = |data: &[T]| {
        // SAFETY: plain numbers without padding may be read as bytes.
        unsafe { std::slice::from_raw_parts(data.as_ptr().cast::<u8>(), size_of_val(data)) }
            .to_vec()
    };
    let (mut into, mut onto) = (bytes(a), bytes(b));
    reduce_into(dtype, monoid, &mut into, &bytes(b)).unwrap();
    reduce_onto(dtype, monoid, &mut onto, &bytes(a)).unwrap();
    assert_eq!(into, onto, "{monoid} {dtype}: both directions combine (a, b)");
    into
}

#[test]
fn extremes_let_nan_win_and_order_complex_lexicographically() {
    let nan = f64::NAN;
    for monoid in [Monoid::Min, Monoid::Max] {
        let result = binary(monoid, DType::F64, &[nan, 1.0], &[1.0, nan]);
        for element in result.chunks_exact(8) {
            assert!(f64::from_ne_bytes(element.try_into().unwrap()).is_nan());
        }
        let result = binary(monoid, DType::C128, &[9.0, nan, 1.0, 0.0], &[1.0, 1.0, 2.0, nan]);
        for element in result.chunks_exact(16) {
            assert!(f64::from_ne_bytes(element[8..].try_into().unwrap()).is_nan());
        }
    }
    let larger = binary(Monoid::Max, DType::C64, &[1f32, 2.0], &[1f32, 3.0]);
    assert_eq!(f32::from_ne_bytes(larger[4..].try_into().unwrap()), 3.0);
}

#[test]
fn moments_of_parts_are_moments_of_the_whole_and_empty_parts_change_nothing() {
    // {1, 3} and {5}: mean 3, M2 = 4 + 0 + 4.
    let of = |a: [f64; 4], b: [f64; 4]| binary(Monoid::Moments, DType::F64, &a, &b);
    let expected: Vec<u8> = [3.0f64, 3.0, 0.0, 8.0].iter().flat_map(|x| x.to_ne_bytes()).collect();
    assert_eq!(of([2.0, 2.0, 0.0, 2.0], [1.0, 5.0, 0.0, 0.0]), expected);
    // The same with means that are wrong by one, which the rests correct.
    assert_eq!(of([2.0, 1.0, 2.0, 4.0], [1.0, 4.0, 1.0, 1.0])[24..], 11.0f64.to_ne_bytes());
    for mean in [0.0, f64::NAN] {
        assert_eq!(of([0.0, mean, 0.0, 0.0], [3.0, 3.0, 0.0, 8.0]), expected);
        assert_eq!(of([3.0, 3.0, 0.0, 8.0], [0.0, mean, 0.0, 0.0]), expected);
    }
}

#[test]
fn half_floats_round_at_each_step_and_log_add_exp_keeps_infinities() {
    let sum = binary(Monoid::Add, DType::F16, &[f16::from_f32(2048.0)], &[f16::from_f32(1.0)]);
    assert_eq!(f16::from_ne_bytes(sum.try_into().unwrap()), f16::from_f32(2048.0));
    let low = f64::NEG_INFINITY;
    let logs = binary(Monoid::LogAddExp, DType::F64, &[low, low, 1000.0], &[low, 2.0, 1000.0]);
    let logs: Vec<f64> =
        logs.chunks_exact(8).map(|bytes| f64::from_ne_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(logs, [low, 2.0, 1000.0 + std::f64::consts::LN_2]);
}

#[test]
fn dtypes_that_a_monoid_does_not_accept_are_refused() {
    let refused = reduce_into(DType::F32, Monoid::BitAnd, &mut [0; 4], &[0; 4]).unwrap_err();
    assert_eq!(refused.code(), "PX075");
    let broken = reduce_into(DType::F32, Monoid::Add, &mut [0; 6], &[0; 6]).unwrap_err();
    assert_eq!(broken.code(), "PX074");
    for &dtype in DType::ALL {
        for &monoid in Monoid::ALL {
            let mut items = vec![0; 3 * monoid.item_size(dtype)];
            let incoming = items.clone();
            let result = reduce_into(dtype, monoid, &mut items, &incoming);
            assert_eq!(result.is_ok(), monoid.accepts(dtype), "{monoid} {dtype}");
        }
    }
}
