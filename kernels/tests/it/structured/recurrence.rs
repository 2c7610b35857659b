//! Linear recurrences along lines, against a loop over samples.

use super::value::{Random, Value, evaluate};
use phalanx_ops::structured::{Filtered, Recurrence};
use phalanx_ops::{DType, Scalar, Structured, Weak};

fn number(value: &Value, at: usize) -> [f64; 2] {
    match Scalar::from_bytes(value.dtype, value.element(at)).to_weak() {
        Weak::Float(number) => [number, 0.0],
        Weak::Complex(number) => [number.re, number.im],
        other => panic!("{other:?} is no inexact number"),
    }
}

fn randoms(dtype: DType, shape: &[usize], size: f64, random: &mut Random) -> Value {
    let count = shape.iter().product::<usize>();
    let mut one = || size * (random.below(2001) as f64 / 1000.0 - 1.0);
    let mut each = |_| match dtype.is_complex() {
        true => Scalar::new(num_complex::Complex64::new(one(), one())),
        false => Scalar::new(one()),
    };
    let numbers: Vec<Scalar> = (0..count).map(&mut each).collect();
    Value::new(shape, numbers.into_iter(), dtype)
}

fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

#[test]
fn each_line_is_filtered_sample_by_sample() {
    let mut random = Random(23);
    // The signal, the recurrences and their order.
    let shapes: [(&[usize], usize, usize); 7] = [
        (&[40], 1, 1),
        (&[3, 5], 1, 2),
        (&[17, 200], 2, 3),
        (&[2, 9, 64], 1, 4),
        (&[33, 65], 1, 7),
        (&[4, 1], 4, 2),
        (&[3, 0], 1, 2),
    ];
    for (shape, rows, order) in shapes {
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            let signal = randoms(dtype, shape, 1.0, &mut random);
            let numerator = randoms(dtype, &[rows, order + 1], 1.0, &mut random);
            // Small coefficients: the response fades.
            let denominator = randoms(dtype, &[rows, order + 1], 0.5 / order as f64, &mut random);
            let (lines, length) = (&shape[..shape.len() - 1], shape[shape.len() - 1]);
            let of_states: Vec<usize> = lines.iter().copied().chain([rows * order]).collect();
            let states = randoms(dtype, &of_states, 1.0, &mut random);
            let operands = [&signal, &numerator, &denominator, &states];
            let [filtered, last] = [Filtered::Signal, Filtered::States]
                .map(|gives| evaluate(Structured::Recurrence(Recurrence { gives }), &operands));
            let most = if matches!(dtype, DType::F32 | DType::C64) { 2e-5 } else { 1e-13 };
            let is_near = |is: [f64; 2], should: [f64; 2]| {
                is.iter().zip(should).all(|(is, should)| (is - should).abs() <= most)
            };
            for line in 0..lines.iter().product() {
                let of_line = rows * order;
                let mut state: Vec<[f64; 2]> =
                    (0..of_line).map(|k| number(&states, line * of_line + k)).collect();
                for at in line * length..(line + 1) * length {
                    let mut x = number(&signal, at);
                    for (row, state) in state.chunks_mut(order).enumerate() {
                        let first = row * (order + 1);
                        let plus = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
                        let y = plus(times(number(&numerator, first), x), state[0]);
                        for k in 0..order {
                            let next = if k + 1 < order { state[k + 1] } else { [0.0; 2] };
                            let less = times(number(&denominator, first + k + 1), y);
                            let more = plus(next, times(number(&numerator, first + k + 1), x));
                            state[k] = [more[0] - less[0], more[1] - less[1]];
                        }
                        x = y;
                    }
                    let y = x;
                    let is = number(&filtered, at);
                    assert!(is_near(is, y), "{shape:?} {dtype} at {at}: {is:?}, not {y:?}");
                }
                for (k, should) in state.into_iter().enumerate() {
                    let is = number(&last, line * of_line + k);
                    assert!(is_near(is, should), "{shape:?} {dtype} {k}: {is:?}, not {should:?}");
                }
            }
        }
    }
}
