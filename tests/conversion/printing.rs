//! The text of large arrays: only the corners are fetched.

use crate::on;
use phalanx::prelude::*;

#[test]
fn corners_print_as_whole_arrays_do() {
    for devices in [1, 4] {
        on(devices, || {
            let numbers = |shape: &[usize]| {
                let size = shape.iter().product::<usize>() as i64;
                (arange(0, size, 1).astype(DType::F64) * 0.37).reshape(shape.to_vec())
            };
            let matrix = numbers(&[60, 50]);
            let arrays = [
                numbers(&[1000]),
                numbers(&[1001]),
                numbers(&[6, 200]),
                numbers(&[200, 6]),
                numbers(&[7, 7, 7, 7]),
                numbers(&[9, 2, 80]),
                numbers(&[3000, 0]),
                numbers(&[2, 1, 700]),
                matrix.clone(),
                matrix.t(),
                matrix.slice(s![5.., ..40]),
                matrix.reshape([2, 1500]).t(),
                matrix.astype(DType::C128).real(),
                matrix.greater(100.0),
                phalanx::complex(&matrix, &(&matrix * -2.0)),
                numbers(&[1]).broadcast_to([50, 50]),
            ];
            for array in &arrays {
                let pending = array.copy().to_string();
                let text = array.to_string();
                let whole = phalanx::host_array_str(&array.to_host().unwrap());
                assert_eq!(text, whole, "{array:?}");
                assert_eq!(pending, whole, "pending {array:?}");
            }
            let wrong = matrix.reshape([7, 7]);
            assert!(wrong.to_string().starts_with("error["), "{wrong}");
        });
    }
}

/// If an array is on several processes, each corner is copied; the plan for that moves only the
/// corner.
#[test]
fn copying_a_corner_moves_the_corner() {
    on(4, || {
        let matrix = arange(0, 1 << 20, 1).reshape([1 << 10, 1 << 10]);
        matrix.evaluate().unwrap();
        for turned in [matrix.clone(), matrix.t()] {
            for corner in [
                turned.slice(s![..3, ..3]),
                turned.slice(s![..3, -3..]),
                turned.slice(s![-3.., ..3]),
                turned.slice(s![-3.., -3..]),
            ] {
                let plan = corner.copy().explain().unwrap();
                let sent = plan.split("sent ").nth(1).and_then(|text| text.split_once(','));
                let (bytes, unit) = sent.and_then(|(text, _)| text.split_once(' ')).unwrap();
                assert!(unit == "B" && bytes.parse::<usize>().unwrap() < 1000, "{plan}");
            }
        }
    });
}
