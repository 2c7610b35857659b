//! Values of splines at points, against the recurrence of B-splines.

use super::value::{Random, Value, evaluate};
use phalanx_ops::structured::{Interpolate, Outside};
use phalanx_ops::{DType, Scalar, Structured};
use std::ops::Range;

fn randoms(dtype: DType, shape: &[usize], least: f64, most: f64, random: &mut Random) -> Value {
    let count = shape.iter().product::<usize>();
    let each = |_| Scalar::new(least + (most - least) * random.below(1 << 20) as f64 / 1048576.0);
    let numbers: Vec<Scalar> = (0..count).map(each).collect();
    Value::new(shape, numbers.into_iter(), dtype)
}

/// The B-spline of an order with its middle at 0 (Cox and de Boor).
fn spline(order: u8, x: f64) -> f64 {
    let half = (f64::from(order) + 1.0) / 2.0;
    if order == 0 {
        return if (-0.5..0.5).contains(&x) { 1.0 } else { 0.0 };
    }
    let (left, right) = (spline(order - 1, x + 0.5), spline(order - 1, x - 0.5));
    ((half + x) * left + (half - x) * right) / f64::from(order)
}

/// The coefficient at a position, inside or outside, along an axis; `None` for a number.
fn position(outside: Outside, at: i64, extent: usize) -> Option<usize> {
    let n = extent as i64;
    let mut at = at;
    if outside == Outside::Repeat {
        return Some(at.rem_euclid(n) as usize);
    }
    while !(0..n).contains(&at) {
        at = match outside {
            Outside::Coefficient => return None,
            Outside::Nearest => at.clamp(0, n - 1),
            Outside::Reflect if at < 0 => -1 - at,
            Outside::Reflect => 2 * n - 1 - at,
            _ if n == 1 => 0,
            _ if at < 0 => -at,
            _ => 2 * n - 2 - at,
        };
    }
    Some(at as usize)
}

fn along(outside: Outside, order: u8, x: f64, extent: usize) -> Vec<(Option<usize>, f64)> {
    let near = x.floor() as i64 - 4..x.floor() as i64 + 6;
    let taps = near.map(|at| (position(outside, at, extent), spline(order, x - at as f64)));
    taps.filter(|(_, weight)| *weight != 0.0).collect()
}

#[test]
fn values_at_points_are_sums_of_splines() {
    let mut random = Random(17);
    let kinds = [
        Outside::Constant,
        Outside::Coefficient,
        Outside::Nearest,
        Outside::Reflect,
        Outside::Mirror,
        Outside::Wrap,
        Outside::Repeat,
    ];
    // The image, and the shapes of the coordinates.
    let cases: [(&[usize], &[&[usize]]); 6] = [
        (&[9], &[&[40]]),
        (&[8, 11], &[&[5, 1], &[1, 7]]),
        (&[3, 8, 9], &[&[30], &[30]]),
        (&[8, 9], &[&[4, 5], &[4, 5]]),
        (&[7, 1, 9], &[&[2, 3], &[2, 3], &[1, 3]]),
        (&[2, 7], &[&[3000]]),
    ];
    for (shape, points) in cases {
        for (kind, order) in kinds.iter().flat_map(|kind| (0..=5u8).map(move |o| (*kind, o))) {
            let single = order % 2 == 0;
            let dtype = if single { DType::F32 } else { DType::F64 };
            let of_image = if order == 3 { DType::F32 } else { dtype };
            let of_points = if order == 2 || order == 5 { DType::F32 } else { DType::F64 };
            let image = randoms(of_image, shape, -5.0, 5.0, &mut random);
            let leading = shape.len() - points.len();
            let extents = &shape[leading..];
            // Points outside are moved as SciPy does, which tests in Python see.
            let coordinates: Vec<Value> = points
                .iter()
                .zip(extents)
                .map(|(own, &extent)| {
                    let last = extent as f64 - 1.0;
                    randoms(of_points, own, 0.0, last, &mut random)
                })
                .collect();
            let axes = points.len() as u8;
            let op = Interpolate { axes, order, outside: kind, number: 2f64.to_bits(), dtype };
            let coordinates_of = |axes: Range<usize>| {
                let shape = [&[axes.len()], points[axes.start]].concat();
                let all = coordinates[axes].iter();
                let numbers = all.flat_map(|own| (0..own.len()).map(move |at| own.number(at)));
                Value::new(&shape, numbers.map(Scalar::new), of_points)
            };
            // Neighbours of the same shape are one operand, if the image has no other axes.
            let is_one = leading == 0 && points.iter().all(|shape| *shape == points[0]);
            let each = 0..points.len();
            let stacked: Vec<Value> = if is_one {
                vec![coordinates_of(each)]
            } else {
                each.map(|axis| coordinates_of(axis..axis + 1)).collect()
            };
            let operands: Vec<&Value> = [&image].into_iter().chain(&stacked).collect();
            let found = evaluate(Structured::Interpolate(op), &operands);
            let shape_of_points: Vec<usize> = (0..points[0].len())
                .map(|axis| points.iter().map(|own| own[axis]).max().unwrap())
                .collect();
            let count: usize = shape_of_points.iter().product();
            let image_size: usize = extents.iter().product();
            for at in 0..found.len() {
                let (first, mut point) = (at / count * image_size, at % count);
                let mut places = vec![0; points.len()];
                let mut strides = vec![1; points.len()];
                for axis in (0..shape_of_points.len()).rev() {
                    let own = point % shape_of_points[axis];
                    point /= shape_of_points[axis];
                    for (number, shape) in points.iter().enumerate() {
                        if shape[axis] > 1 {
                            places[number] += own * strides[number];
                            strides[number] *= shape[axis];
                        }
                    }
                }
                let mut so_far = vec![(Some(0), 1.0)];
                for (axis, &extent) in extents.iter().enumerate() {
                    let x = coordinates[axis].number(places[axis]);
                    let taps = along(kind, order, x, extent);
                    let next = so_far.iter().flat_map(|(place, weight): &(Option<usize>, f64)| {
                        taps.iter().map(move |(own, more)| {
                            let both = place.zip(*own);
                            (both.map(|(place, own)| place * extent + own), weight * more)
                        })
                    });
                    so_far = next.collect();
                }
                let value =
                    |place: &Option<usize>| place.map_or(2.0, |place| image.number(first + place));
                let should: f64 = so_far.iter().map(|(place, w)| w * value(place)).sum();
                let is = found.number(at);
                let most = if single { 1e-5 } else { 1e-12 };
                let is_near = (is - should).abs() <= most;
                assert!(is_near, "{op:?} of {shape:?} {points:?} at {at}: {is}, not {should}");
            }
        }
    }
}

#[test]
fn points_that_are_nan_or_far_away_have_the_values_of_scipy() {
    let image = Value::new(&[4], [1.0, 2.0, 3.0, 5.0].map(Scalar::new).into_iter(), DType::F64);
    let points = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e20, -1e20, -2.0];
    let points = Value::new(&[1, 6], points.map(Scalar::new).into_iter(), DType::F64);
    let nan = f64::NAN;
    for (outside, order, should) in [
        (Outside::Constant, 0, [7.0; 6]),
        (Outside::Constant, 1, [7.0; 6]),
        (Outside::Coefficient, 0, [7.0; 6]),
        (Outside::Coefficient, 3, [nan, 7.0, 7.0, 7.0, 7.0, 7.0]),
        (Outside::Nearest, 1, [nan, 5.0, 1.0, 5.0, 1.0, 1.0]),
        (Outside::Mirror, 1, [7.0; 6]),
    ] {
        let op = Interpolate { axes: 1, order, outside, number: 7f64.to_bits(), dtype: DType::F64 };
        let found = evaluate(Structured::Interpolate(op), &[&image, &points]);
        for (at, should) in should.into_iter().enumerate() {
            let is = found.number(at);
            // Points whose place is lost in rounding: some element, or the number outside.
            let is_any = outside == Outside::Mirror && (0.0..=5.0).contains(&is);
            let is_near = (is - should).abs() < 1e-14 || is.is_nan() && should.is_nan();
            assert!(is_near || is_any, "{op:?} at {at}: {is}, not {should}");
        }
    }
}
