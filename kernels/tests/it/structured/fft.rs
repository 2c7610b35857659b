//! Fourier transforms against the sum that defines them.

use super::evaluate::{Numbers, Sample, assert_near, evaluate, operand, wide};
use num_complex::{Complex32, Complex64};
use phalanx_ops::Structured;
use phalanx_ops::structured::{Fft, Transform};

const EXTENTS: [usize; 9] = [0, 1, 2, 3, 7, 8, 16, 97, 100];

/// Shapes whose axis of the given extent is outer, inner, or in the middle.
fn shapes(extent: usize) -> Vec<(Vec<usize>, usize)> {
    vec![
        (vec![extent], 0),
        (vec![3, extent], 1),
        (vec![extent, 5], 0),
        (vec![2, extent, 37], 1),
        (vec![40, extent, 1], 1),
        (vec![0, extent], 1),
        (vec![extent, 0, 3], 0),
    ]
}

/// The transform of each line of an axis, by a function of lines.
fn along(
    values: &[Complex64],
    shape: &[usize],
    axis: usize,
    after: usize,
    line: impl Fn(&[Complex64]) -> Vec<Complex64>,
) -> Vec<Complex64> {
    let (before, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let outer = shape[..axis].iter().product::<usize>();
    let mut results = vec![Complex64::new(0.0, 0.0); outer * after * inner];
    for (outer, inner_at) in (0..outer).flat_map(|outer| (0..inner).map(move |at| (outer, at))) {
        let place = |length: usize, at: usize| (outer * length + at) * inner + inner_at;
        let values = (0..before).map(|at| values[place(before, at)]).collect::<Vec<_>>();
        for (at, result) in line(&values).into_iter().enumerate() {
            results[place(after, at)] = result;
        }
    }
    results
}

/// The first results of a transform, by definition.
fn definition(line: &[Complex64], sign: f64, count: usize) -> Vec<Complex64> {
    let n = line.len();
    let term = |k: usize, j: usize| {
        let angle = sign * std::f64::consts::TAU * ((j * k) % n) as f64 / n as f64;
        line[j] * Complex64::from_polar(1.0, angle)
    };
    (0..count).map(|k| (0..n).map(|j| term(k, j)).sum()).collect()
}

pub fn complex<T: Sample>(transform: Transform, sign: f64) {
    for extent in EXTENTS {
        for (shape, axis) in shapes(extent) {
            let values: Vec<T> = Numbers(7).take(shape.iter().product());
            let op = Structured::Fft(Fft::new(axis as u8, transform));
            let (result_shape, result) = evaluate::<T>(&op, &[&operand(&values, &shape)]);
            assert_eq!(result_shape, shape);
            let expected = along(&wide(&values), &shape, axis, extent, |line| {
                definition(line, sign, line.len())
            });
            let bound = 8.0 * T::EPSILON * extent as f64;
            assert_near(&wide(&result), &expected, bound, &format!("{shape:?} axis {axis}"));
        }
    }
}

#[test]
fn complex_transforms_are_their_sums() {
    complex::<Complex64>(Transform::Forward, -1.0);
    complex::<Complex32>(Transform::Forward, -1.0);
    complex::<Complex64>(Transform::Inverse, 1.0);
    complex::<Complex32>(Transform::Inverse, 1.0);
}

pub fn real<R: Sample, C: Sample>() {
    for extent in EXTENTS {
        for (shape, axis) in shapes(extent) {
            let half = extent / 2 + 1;
            let what = format!("{shape:?} axis {axis}");
            let bound = 8.0 * R::EPSILON * extent as f64;
            let values: Vec<R> = Numbers(3).take(shape.iter().product());
            let op = Structured::Fft(Fft::new(axis as u8, Transform::RealForward));
            let (_, result) = evaluate::<C>(&op, &[&operand(&values, &shape)]);
            let expected = along(&wide(&values), &shape, axis, half, |line| match line.len() {
                0 => vec![Complex64::new(0.0, 0.0); half],
                _ => definition(line, -1.0, half),
            });
            assert_near(&wide(&result), &expected, bound, &what);

            // Any spectrum is the first half of a Hermitian one; imaginary parts that must be 0 are
            // ignored.
            let mut spectra = shape.clone();
            spectra[axis] = half;
            let values: Vec<C> = Numbers(5).take(spectra.iter().product());
            let transform = Transform::RealInverse { extent: extent as u64 };
            let op = Structured::Fft(Fft::new(axis as u8, transform));
            let (_, result) = evaluate::<R>(&op, &[&operand(&values, &spectra)]);
            let expected = along(&wide(&values), &spectra, axis, extent, |line| {
                let full = (0..extent).map(|k| match k {
                    0 => Complex64::new(line[0].re, 0.0),
                    k if 2 * k == extent => Complex64::new(line[k].re, 0.0),
                    k if k < half => line[k],
                    k => line[extent - k].conj(),
                });
                definition(&full.collect::<Vec<_>>(), 1.0, extent)
            });
            assert_near(&wide(&result), &expected, bound, &what);
        }
    }
}

#[test]
fn real_transforms_are_their_sums() {
    real::<f64, Complex64>();
    real::<f32, Complex32>();
}

/// Lines of more lengths than the cache of plans holds.
#[test]
fn many_lengths() {
    for extent in (1..150).chain(1..4) {
        let values = vec![Complex64::new(1.0, 0.0); extent];
        let op = Structured::Fft(Fft::new(0, Transform::Forward));
        let (_, result) = evaluate::<Complex64>(&op, &[&operand(&values, &[extent])]);
        let mut expected = vec![Complex64::new(0.0, 0.0); extent];
        expected[0].re = extent as f64;
        assert_near(&result, &expected, 1e-12 * extent as f64, &format!("{extent} ones"));
    }
}

/// The back-transform of a long transform is the value, times its length.
#[test]
fn long_lines_are_restored() {
    for shape in [vec![1 << 17], vec![1 << 16, 3], vec![30_011, 9]] {
        let values: Vec<Complex64> = Numbers(11).take(shape.iter().product());
        let transformed = |transform, values: &[Complex64]| {
            let op = Structured::Fft(Fft::new(0, transform));
            evaluate(&op, &[&operand(values, &shape)]).1
        };
        let spectrum = transformed(Transform::Forward, &values);
        let back = transformed(Transform::Inverse, &spectrum);
        let back = back.iter().map(|&value| value / shape[0] as f64).collect::<Vec<_>>();
        assert_near(&back, &values, 1e-12, &format!("{shape:?}"));
    }
}
