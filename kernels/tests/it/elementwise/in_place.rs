//! Loops with an input as output; selection, filling and combination.

use super::data::Array;
use phalanx_kernels::cpu::loops;
use phalanx_ops::{DType, Monoid, Op};

const COUNT: usize = 1000;

fn doubles(value: impl Fn(usize) -> f64) -> Array {
    let mut array = Array::zeroed(DType::F64, COUNT);
    for (position, bytes) in array.bytes_mut().as_chunks_mut::<8>().0.iter_mut().enumerate() {
        *bytes = value(position).to_ne_bytes();
    }
    array
}

fn values(array: &Array) -> Vec<f64> {
    array.bytes().as_chunks::<8>().0.iter().map(|&bytes| f64::from_ne_bytes(bytes)).collect()
}

#[test]
fn the_output_may_be_an_input() {
    let subtract = loops::elementwise(Op::Subtract, &[DType::F64, DType::F64]).expect("a loop");
    let mut a = doubles(|position| position as f64);
    let b = doubles(|position| 3.0 * position as f64);
    let expected: Vec<_> = (0..COUNT).map(|position| -2.0 * position as f64).collect();
    let output = a.pointer_mut();
    // SAFETY: conditions 1 to 4 of the loops; the output is the first input.
    unsafe { subtract(&[output, b.pointer()], output, COUNT) };
    assert_eq!(values(&a), expected);

    let a = doubles(|position| position as f64);
    let mut b = doubles(|position| 3.0 * position as f64);
    let output = b.pointer_mut();
    // SAFETY: as above; the output is the second input.
    unsafe { subtract(&[a.pointer(), output], output, COUNT) };
    assert_eq!(values(&b), expected);
    // SAFETY: as above; the output is both inputs.
    unsafe { subtract(&[output, output], output, COUNT) };
    assert_eq!(values(&b), [0.0; COUNT]);
}

#[test]
fn an_output_of_smaller_elements_may_start_where_an_input_does() {
    let mut a = doubles(|position| position as f64);
    let pointer = a.pointer_mut();
    let narrow = loops::cast(DType::F64, DType::I16);
    // SAFETY: conditions 1 to 4 of the loops; the output's elements are smaller than the input's.
    unsafe { narrow(&[pointer], pointer, COUNT) };
    let shorts: Vec<i16> = a.bytes()[..2 * COUNT]
        .as_chunks::<2>()
        .0
        .iter()
        .map(|&bytes| i16::from_ne_bytes(bytes))
        .collect();
    assert_eq!(shorts, (0..COUNT as i16).collect::<Vec<_>>());
}

#[test]
fn selection_and_filling_move_whole_elements() {
    for dtype in [DType::Bool, DType::F16, DType::F32, DType::F64, DType::C128] {
        let size = dtype.size();
        let mut value = Array::zeroed(dtype, 1);
        value.bytes_mut().iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8 + 1);
        let mut chosen = Array::zeroed(dtype, COUNT);
        // SAFETY: one element to read, `COUNT` to write.
        unsafe { loops::fill(size)(value.pointer(), chosen.pointer_mut(), COUNT) };
        assert_eq!(chosen.bytes(), value.bytes().repeat(COUNT));

        let mut condition = Array::zeroed(DType::Bool, COUNT);
        condition.bytes_mut().iter_mut().step_by(3).for_each(|byte| *byte = 1);
        let other = Array::zeroed(dtype, COUNT);
        let in_place = chosen.pointer_mut();
        // SAFETY: conditions 1 to 4 of the loops; the output is the first value.
        unsafe {
            loops::select(size)(condition.pointer(), in_place, other.pointer(), in_place, COUNT);
        }
        for position in 0..COUNT {
            let expected = if position % 3 == 0 { value.bytes() } else { other.element(0) };
            assert_eq!(chosen.element(position), expected, "{dtype} {position}");
        }
    }
}

#[test]
fn combination_lets_nan_win() {
    for (monoid, expected) in
        [(Monoid::Max, [3.0, f64::NAN, f64::NAN]), (Monoid::Min, [2.0, f64::NAN, f64::NAN])]
    {
        let combine = loops::combine(monoid, DType::F64).expect("a loop");
        let mut accumulator = doubles(|position| [2.0, f64::NAN, 2.0][position % 3]);
        let value = doubles(|position| [3.0, 3.0, f64::NAN][position % 3]);
        let output = accumulator.pointer_mut();
        // SAFETY: conditions 1 to 4 of the loops; the output is the accumulator.
        unsafe { combine(&[output, value.pointer()], output, COUNT) };
        for (position, computed) in values(&accumulator).into_iter().enumerate() {
            let expected = expected[position % 3];
            assert!(computed == expected || (computed.is_nan() && expected.is_nan()));
        }
    }
    assert!(loops::combine(Monoid::Any, DType::F64).is_none());
    assert!(loops::combine(Monoid::Add, DType::F16).is_none());
    assert!(loops::combine(Monoid::Moments, DType::F64).is_none());
}

#[test]
fn every_simple_monoid_combines_the_dtypes_it_accepts() {
    for &monoid in Monoid::ALL {
        for &dtype in DType::ALL {
            let half = matches!(dtype, DType::F16 | DType::BF16);
            let expected = monoid.accepts(dtype) && !half;
            let simple = loops::combine(monoid, dtype).is_some();
            let arg = loops::arg_combine(monoid, dtype).is_some();
            assert_eq!(simple, expected && !monoid.is_compound(), "{monoid} {dtype}");
            let is_arg = matches!(monoid, Monoid::ArgMin | Monoid::ArgMax);
            assert_eq!(arg, expected && is_arg, "{monoid} {dtype}");
        }
    }
}

#[test]
fn arguments_of_extremes_take_the_first_nan_and_the_smaller_index() {
    let cases = [
        // Best so far, new, and whether the new pair replaces it under ArgMin and under ArgMax.
        ((1.0, 5), (2.0, 9), [false, true]),
        ((2.0, 5), (1.0, 9), [true, false]),
        ((1.0, 5), (1.0, 9), [false, false]),
        ((1.0, 9), (1.0, 5), [true, true]),
        ((f64::NAN, 5), (1.0, 1), [false, false]),
        ((1.0, 5), (f64::NAN, 9), [true, true]),
        ((f64::NAN, 5), (f64::NAN, 9), [false, false]),
        ((f64::NAN, 9), (f64::NAN, 5), [true, true]),
        ((-0.0, 5), (0.0, 4), [true, true]),
    ];
    for (which, monoid) in [Monoid::ArgMin, Monoid::ArgMax].into_iter().enumerate() {
        let combine = loops::arg_combine(monoid, DType::F64).expect("a loop");
        for ((old_value, old_index), (new_value, new_index), replaces) in cases {
            let (mut value, mut index): (f64, i64) = (old_value, old_index);
            // SAFETY: one element each, all distinct.
            unsafe {
                combine(
                    (&raw const new_value).cast(),
                    &raw const new_index,
                    (&raw mut value).cast(),
                    &raw mut index,
                    1,
                );
            }
            let expected =
                if replaces[which] { (new_value, new_index) } else { (old_value, old_index) };
            let equal = value.to_bits() == expected.0.to_bits() && index == expected.1;
            assert!(equal, "{monoid}: {old_value} {old_index} with {new_value} {new_index}");
        }
    }
}
