//! Windows around elements, connected elements and nearest elements, against plain loops.

use super::value::{Random, Value, evaluate};
use phalanx_ops::structured::{
    Border, Components, Nearest, Neighbourhood, WINDOW_AXES, WindowCombine,
};
use phalanx_ops::{DType, Scalar, Structured};

fn random(dtype: DType, shape: &[usize], most: u64, random: &mut Random) -> Value {
    let count = shape.iter().product::<usize>();
    let numbers: Vec<Scalar> = (0..count).map(|_| Scalar::new(random.below(most) as f64)).collect();
    Value::new(shape, numbers.into_iter(), dtype)
}

/// The index along each axis of a position in C order.
fn index(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        index[axis] = at % shape[axis];
        at /= shape[axis];
    }
    index
}

fn place(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |place, (at, extent)| place * extent + at)
}

/// The elements in the window of a position, each with the element of the window.
fn in_window(op: &Neighbourhood, value: &Value, window: &Value, at: usize) -> Vec<(f64, f64)> {
    let at = index(at, &value.shape);
    let element = |tap: usize| {
        let along = index(tap, &window.shape);
        let inside: Option<Vec<usize>> = (0..at.len())
            .map(|axis| {
                let from = (at[axis] + along[axis]) as i64 - i64::from(op.before[axis]);
                op.border.position(from, value.shape[axis])
            })
            .collect();
        let is_sum = matches!(op.combine, WindowCombine::Sum | WindowCombine::Mean);
        let outside = match op.border.number() {
            number if value.dtype == DType::Bool && !is_sum => f64::from(number != 0.0),
            number => number,
        };
        inside.map_or(outside, |index| value.number(place(&index, &value.shape)))
    };
    let counted = (0..window.len()).filter(|&tap| window.number(tap) != 0.0);
    counted.map(|tap| (element(tap), window.number(tap))).collect()
}

fn expected(combine: WindowCombine, mut elements: Vec<(f64, f64)>) -> f64 {
    let count = elements.len() as f64;
    match combine {
        WindowCombine::Sum | WindowCombine::Line => {
            elements.iter().map(|(element, weight)| element * weight).sum()
        }
        WindowCombine::Mean => elements.iter().map(|(element, _)| element).sum::<f64>() / count,
        WindowCombine::Minimum => elements.iter().map(|it| it.0).fold(f64::INFINITY, f64::min),
        WindowCombine::Maximum => elements.iter().map(|it| it.0).fold(f64::NEG_INFINITY, f64::max),
        WindowCombine::Rank(rank) => {
            elements.sort_by(|a, b| a.0.total_cmp(&b.0));
            elements[rank as usize].0
        }
    }
}

#[test]
fn windows_are_those_of_a_loop() {
    let borders =
        [Border::constant(3.0), Border::Nearest, Border::Reflect, Border::Mirror, Border::Wrap];
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[7, 40], &[3, 4]),
        (&[3, 2], &[7, 5]),
        (&[40, 3, 2], &[6, 1, 1]),
        (&[4, 3, 70], &[2, 1, 3]),
        (&[50], &[1]),
        (&[2, 3, 2, 5], &[1, 2, 1, 9]),
    ];
    let mut numbers = Random(11);
    for (shape, extents) in shapes {
        for border in borders {
            for dtype in [DType::F32, DType::F64, DType::U8, DType::I32, DType::Bool] {
                let value = random(dtype, shape, 90, &mut numbers);
                let mut window = random(DType::Bool, extents, 4, &mut numbers);
                window.set(0, &[1]);
                let count = (0..window.len()).filter(|&tap| window.number(tap) != 0.0).count();
                let rank = WindowCombine::Rank(numbers.below(count as u64) as u32);
                let combines = [WindowCombine::Mean, WindowCombine::Minimum, rank];
                for combine in [WindowCombine::Sum, WindowCombine::Maximum].iter().chain(&combines)
                {
                    let (mut before, mut whole) = ([0; WINDOW_AXES], [0; WINDOW_AXES]);
                    for (axis, &extent) in extents.iter().enumerate() {
                        before[axis] = numbers.below(extent as u64) as u32;
                        whole[axis] = shape[axis] as u64;
                    }
                    let is_sum = matches!(combine, WindowCombine::Sum | WindowCombine::Mean);
                    let op = Neighbourhood {
                        combine: *combine,
                        border,
                        before,
                        extents: whole,
                        has_heights: false,
                        dtype: if is_sum { DType::F64 } else { dtype },
                    };
                    let window = match combine {
                        WindowCombine::Sum => random(DType::F64, extents, 5, &mut numbers),
                        _ => window.clone(),
                    };
                    let found = evaluate(Structured::Neighbourhood(op), &[&value, &window]);
                    for at in 0..value.len() {
                        let elements = in_window(&op, &value, &window, at);
                        let (is, should) = (found.number(at), expected(*combine, elements));
                        let is_near = (is - should).abs() <= 1e-12 * should.abs();
                        assert!(is_near, "{op:?} of {shape:?} {dtype} at {at}: {is}, not {should}");
                    }
                }
            }
        }
    }
}

#[test]
fn connected_parts_are_those_of_a_flood() {
    let mut numbers = Random(5);
    let shapes = [
        &[9usize, 13][..],
        &[300, 401],
        &[5, 6, 7],
        &[40, 50, 64],
        &[256, 1, 16, 32],
        &[70_000],
        &[],
    ];
    for shape in shapes {
        for connects in [1, 3] {
            let mask = random(DType::Bool, shape, 2, &mut numbers);
            let cube = vec![3; shape.len()];
            let is_near = |tap: usize| {
                let steps = index(tap, &cube);
                steps.iter().filter(|&&step| step != 1).count() <= connects
            };
            let holds = (0..cube.iter().product()).map(|tap| Scalar::new(is_near(tap)));
            let structure = Value::new(&cube, holds.collect::<Vec<_>>().into_iter(), DType::Bool);
            let mut extents = [0; WINDOW_AXES];
            extents.iter_mut().zip(shape).for_each(|(into, &extent)| *into = extent as u64);
            let op = Structured::Components(Components { extents });
            let found = evaluate(op, &[&mask, &structure]);
            let mut should = vec![-1.0; mask.len()];
            for first in 0..mask.len() {
                let mut open = vec![first];
                while let Some(at) = open.pop() {
                    if mask.number(at) == 0.0 || should[at] >= 0.0 {
                        continue;
                    }
                    should[at] = first as f64;
                    let own = index(at, shape);
                    for tap in (0..structure.len()).filter(|&tap| is_near(tap)) {
                        let steps = index(tap, &cube);
                        let other: Vec<usize> =
                            own.iter().zip(&steps).map(|(at, step)| at + step).collect();
                        let mut pairs = other.iter().zip(shape);
                        if pairs.all(|(at, extent)| (1..=*extent).contains(at)) {
                            let other: Vec<usize> = other.iter().map(|at| at - 1).collect();
                            open.push(place(&other, shape));
                        }
                    }
                }
            }
            let found: Vec<f64> = (0..mask.len()).map(|at| found.number(at)).collect();
            assert_eq!(found, should, "{shape:?}, {connects}");
        }
    }
}

#[test]
fn nearest_elements_cost_the_least() {
    let mut numbers = Random(3);
    for (shape, axis) in [(&[40usize, 3][..], 0), (&[3, 50], 1), (&[1, 4], 0), (&[2, 7, 2], 1)] {
        for spacing in [1.0f64, 0.3] {
            let mut costs = random(DType::F64, shape, 60, &mut numbers);
            for at in (0..costs.len()).filter(|at| at % 5 < 2 || at % 50 > 41) {
                costs.set(at, &f64::INFINITY.to_ne_bytes());
            }
            let op = Nearest { axis: axis as u8, spacing: spacing.to_bits() };
            let found = evaluate(Structured::Nearest(op), &[&costs]);
            for at in 0..costs.len() {
                let own = index(at, shape);
                let cost = |place_along: usize| {
                    let mut index = own.clone();
                    index[axis] = place_along;
                    let apart = spacing * (own[axis] as f64 - place_along as f64);
                    costs.number(place(&index, shape)) + apart * apart
                };
                let least = (0..shape[axis]).map(cost).fold(f64::INFINITY, f64::min);
                match found.number(at) {
                    nowhere if nowhere < 0.0 => assert_eq!(least, f64::INFINITY),
                    place_along => {
                        let is = cost(place_along as usize);
                        assert!((is - least).abs() <= 1e-9, "{op:?} at {at}: {is}, not {least}");
                    }
                }
            }
        }
    }
}
