//! Routines of a GPU against those of the CPU, where there is a GPU.

use super::evaluate::{Numbers, Sample, assert_near, evaluate, evaluate_on, gpu, operand, wide};
use num_complex::{Complex32, Complex64};
use phalanx_ops::Structured;
use phalanx_ops::structured::{Fft, Transform};

/// Shapes with the axis of the given extent anywhere, for each way of handing lines to a library.
fn shapes(extent: usize) -> Vec<(Vec<usize>, usize)> {
    vec![
        (vec![extent], 0),
        (vec![33, extent], 1),
        (vec![extent, 35], 0),
        (vec![2, extent, 37], 1),
        (vec![41, extent, 37], 1),
        (vec![300, extent, 3], 1),
        (vec![7, extent, 2, 9], 1),
        (vec![4, extent, 1], 1),
        (vec![0, extent], 1),
        (vec![extent, 0, 3], 0),
    ]
}

fn transforms<I: Sample, O: Sample>(transform: impl Fn(usize) -> Transform) {
    let Some(device) = gpu() else { return };
    for extent in [0, 1, 2, 3, 7, 8, 64, 97, 100, 1024, 4099] {
        for (mut shape, axis) in shapes(extent) {
            if matches!(transform(extent), Transform::RealInverse { .. }) {
                shape[axis] = extent / 2 + 1;
            }
            let values: Vec<I> = Numbers(7).take(shape.iter().product());
            let op = Structured::Fft(Fft { axis: axis as u8, transform: transform(extent) });
            let operands = [&operand(&values, &shape)];
            let (_, expected) = evaluate::<O>(&op, &operands);
            let result = evaluate_on::<O>(&op, &operands, device);
            let bound = 8.0 * O::EPSILON * (extent.max(1) as f64).sqrt() * 12.0;
            let what = format!("{op:?} of {shape:?}");
            assert_near(&wide(&result), &wide(&expected), bound, &what);
        }
    }
}

#[test]
fn transforms_are_those_of_the_cpu() {
    transforms::<Complex64, Complex64>(|_| Transform::Forward);
    transforms::<Complex32, Complex32>(|_| Transform::Forward);
    transforms::<Complex64, Complex64>(|_| Transform::Inverse);
    transforms::<Complex32, Complex32>(|_| Transform::Inverse);
    transforms::<f64, Complex64>(|_| Transform::RealForward);
    transforms::<f32, Complex32>(|_| Transform::RealForward);
    let inverse = |extent| Transform::RealInverse { extent: extent as u64 };
    transforms::<Complex64, f64>(inverse);
    transforms::<Complex32, f32>(inverse);
}
