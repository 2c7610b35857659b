//! Integer operations without a mathematical result: they give NumPy's values and never trap.

use super::data::Array;
use super::loops::run;
use phalanx_ops::{DType, Op, Scalar, Weak};

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

fn array(dtype: DType, values: &[i128]) -> Array {
    let mut array = Array::zeroed(dtype, values.len());
    let elements = array.bytes_mut().chunks_exact_mut(dtype.size());
    for (element, &value) in elements.zip(values) {
        element.copy_from_slice(Scalar::from_weak(dtype, Weak::Int(value)).bytes());
    }
    array
}

fn values(array: &Array) -> Vec<i128> {
    let value = |at| match Scalar::from_bytes(array.dtype(), array.element(at)).to_weak() {
        Weak::Int(value) => value,
        other => panic!("{other:?} is not an integer"),
    };
    (0..array.count()).map(value).collect()
}

/// The bounds of an integer dtype.
fn bounds(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size() as u32;
    match dtype.name().starts_with('u') {
        true => (0, (1 << bits) - 1),
        false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// NumPy's result in unbounded integers; the caller wraps it to the dtype.
fn numpy(op: Op, a: i128, b: i128, bits: i128) -> i128 {
    let outside = b < 0 || b >= bits;
    match op {
        Op::FloorDivide if b == 0 => 0,
        Op::FloorDivide => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
        Op::Remainder if b == 0 => 0,
        Op::Remainder => a - b * numpy(Op::FloorDivide, a, b, bits),
        Op::Fmod if b == 0 => 0,
        Op::Fmod => a % b,
        Op::LeftShift if outside => 0,
        Op::LeftShift => a << b,
        Op::RightShift if outside => -i128::from(a < 0),
        Op::RightShift => a >> b,
        _ => panic!("{op} is not in the table"),
    }
}

#[test]
fn division_and_shifts_have_an_answer_for_every_operand() {
    for dtype in INTEGERS {
        let (low, high) = bounds(dtype);
        let bits = 8 * dtype.size() as i128;
        let corners = [
            low,
            low + 1,
            -bits,
            -7,
            -2,
            -1,
            0,
            1,
            2,
            3,
            7,
            bits - 1,
            bits,
            bits + 1,
            high - 1,
            high,
        ];
        let corners: Vec<i128> =
            corners.into_iter().filter(|value| (low..=high).contains(value)).collect();
        let pairs: Vec<(i128, i128)> =
            corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a, b))).collect();
        let left = array(dtype, &pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
        let right = array(dtype, &pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
        for op in [Op::FloorDivide, Op::Remainder, Op::Fmod, Op::LeftShift, Op::RightShift] {
            let found = values(&run(op, &[&left, &right], dtype));
            for (&(a, b), found) in pairs.iter().zip(found) {
                let expected = (numpy(op, a, b, bits) - low).rem_euclid(1 << bits) + low;
                assert_eq!(found, expected, "{op} of {a} and {b} in {dtype}");
            }
        }
    }
}

#[test]
fn the_least_integer_wraps() {
    for dtype in INTEGERS {
        let (low, _) = bounds(dtype);
        if low == 0 {
            continue;
        }
        for op in [Op::Negative, Op::Absolute] {
            assert_eq!(values(&run(op, &[&array(dtype, &[low])], dtype)), [low], "{op} in {dtype}");
        }
        let zero_and_least = [&array(dtype, &[0, low, low]), &array(dtype, &[low, 0, low])];
        assert_eq!(values(&run(Op::Gcd, &zero_and_least, dtype)), [low; 3], "{dtype}");
        assert_eq!(values(&run(Op::Lcm, &zero_and_least, dtype)), [0, 0, low], "{dtype}");
    }
}

#[test]
fn every_operation_takes_every_pair_of_corners() {
    for dtype in INTEGERS {
        let (low, high) = bounds(dtype);
        let corners = [low, low + 1, 0, 1, 2, high - 1, high];
        let left = array(dtype, &[corners; 7].concat());
        let right: Vec<i128> = corners.iter().flat_map(|&corner| [corner; 7]).collect();
        let right = array(dtype, &right);
        for &op in Op::ALL {
            for signature in op.signatures() {
                let operands: &[&Array] = match signature.inputs() {
                    inputs if inputs == [dtype] => &[&left],
                    inputs if inputs == [dtype, dtype] => &[&left, &right],
                    _ => continue,
                };
                let result = run(op, operands, signature.output);
                assert_eq!(result.count(), left.count(), "{op} of {dtype}");
            }
        }
    }
}
