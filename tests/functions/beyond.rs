//! Features that descriptions cannot express: functions as arguments, deferred errors, options that
//! only Rust has.

use phalanx::prelude::*;
use phalanx::{
    Error, Limits, Mesh, Op, Policy, Session, apply_over_axes, average, axis, bincount,
    deferred_errors, flush, nanargmin, ufunc,
};

/// Runs a program on lines of 1 and of 3 devices, with all arrays split.
fn on_lines(program: impl Fn()) {
    for devices in [1, 3] {
        let config = Config::for_tests(devices).threads(1);
        let (mesh, policy) = (Mesh::line(devices), Policy { split_from: 1 });
        let session = Session::with_options(config, Some(mesh), policy, Limits::default()).unwrap();
        session.handle().enter(&program);
        session.finish().unwrap();
    }
}

fn error(array: &Array) -> Error {
    array.evaluate().expect_err("an error")
}

#[test]
fn reductions_apply_over_axes_one_by_one() {
    on_lines(|| {
        let a = arange(0, 24, 1).reshape([2, 3, 4]);
        let sums = apply_over_axes(|array, axis| array.sum(axis), &a, &[0, -1]);
        assert_eq!(sums.shape(), [1, 3, 1]);
        assert_eq!(sums.to_vec::<i64>().unwrap(), [60, 92, 124]);
        let wrong = apply_over_axes(|array, _| array.sum(()), &a, &[0]);
        assert_eq!(error(&wrong).numpy_class(), "ValueError");
        let beyond = apply_over_axes(|array, axis| array.sum(axis), &a, &[3]);
        assert_eq!(error(&beyond).numpy_class(), "AxisError");
    });
}

#[test]
fn errors_in_data_wait_for_an_observation_if_they_may() {
    on_lines(|| {
        let a = from_slice(&[1.0, f64::NAN, f64::NAN, f64::NAN], [2, 2]);
        assert_eq!(error(&nanargmin(&a, 1)).code(), "PX130");
        let rows = deferred_errors(|| nanargmin(&a, 1));
        assert!(rows.ok().is_ok());
        assert_eq!(flush().expect_err("a slice without a number").numpy_class(), "ValueError");
        let weights = from_slice(&[1.0, -1.0], [2]);
        let line = line!() + 1;
        let averages = average(&a, 0, Some(&weights));
        let refused = error(&averages);
        assert_eq!(refused.numpy_class(), "ZeroDivisionError");
        assert_eq!(refused.site().map(|site| site.line()), Some(line));
        let negative = bincount(&from_slice(&[1i64, -1], [2]), None, 0);
        assert_eq!(error(&negative).code(), "PX132");
    });
}

#[test]
fn an_output_is_the_result_and_stays_as_it_was_after_an_error() {
    on_lines(|| {
        let a = arange(0, 12, 1).reshape([3, 4]);
        let out = zeros([2, 4], DType::F64);
        let row = out.slice(s![1, ..]);
        let result = a.sum(axis(0).out(&row));
        assert!(result.has_base_of(&out));
        assert_eq!(out.sum(1).to_vec::<f64>().unwrap(), [0.0, 66.0]);
        let refused = a.sum(axis(1).out(&row));
        assert_eq!(error(&refused).numpy_class(), "ValueError");
        assert_eq!(out.sum(1).to_vec::<f64>().unwrap(), [0.0, 66.0]);
    });
}

#[test]
fn options_that_a_reduction_has_not_are_refused() {
    on_lines(|| {
        let a = ones([3], DType::F64);
        assert_eq!(error(&a.max(axis(0).dtype(DType::F32))).code(), "PX017");
        assert_eq!(error(&a.mean(axis(0).initial(1))).code(), "PX017");
        assert_eq!(error(&a.argmax(axis(0).masked(&a.greater(0)))).code(), "PX017");
        assert_eq!(error(&ufunc(Op::Exp).outer(&a, &a)).numpy_class(), "ValueError");
    });
}

#[test]
fn parts_that_meet_at_borders_of_blocks_are_one() {
    on_lines(|| {
        // A spiral and a dot, of rows that different devices hold.
        let rows = ["#####..", "....#.#", "###.#..", "#...#..", "#####.#", "......#"];
        let holds: Vec<bool> = rows.concat().chars().map(|one| one == '#').collect();
        let mask = from_slice(&holds, [6, 7]);
        let cross = from_slice(&[0, 1, 0, 1, 1, 1, 0, 1, 0], [3, 3]).astype(DType::Bool);
        let (labels, count) = phalanx::ndimage::label(&mask, &cross).unwrap();
        assert_eq!(count, 3);
        let expected = ["1111100", "0000102", "1110100", "1000100", "1111103", "0000003"];
        let expected: Vec<i32> =
            expected.concat().chars().map(|one| one as i32 - '0' as i32).collect();
        assert_eq!(labels.to_vec::<i32>().unwrap(), expected);
        let all = ones([3, 3], DType::Bool);
        assert_eq!(phalanx::ndimage::label(&mask, &all).unwrap().1, 3);
        let crooked = from_slice(&[true, false, false], [3]);
        let error = phalanx::ndimage::label(&mask.reshape([42]), &crooked).unwrap_err();
        assert_eq!(error.numpy_class(), "ValueError");
    });
}

#[test]
fn windows_that_fit_no_image_are_refused() {
    use phalanx::ndimage::{Window, WindowOptions, window_filter};
    on_lines(|| {
        let (image, row) = (ones([4, 5], DType::F64), ones([3], DType::F64));
        let default = WindowOptions::default();
        let filter = |image: &Array, window: &Array, options: &WindowOptions| {
            error(&window_filter(image, Window::Sum(window), options)).code()
        };
        assert_eq!(
            filter(&image, &row, &default),
            filter(&image.reshape([20, 1, 1]), &row, &default)
        );
        let square = ones([3, 3], DType::F64);
        let far = WindowOptions { origins: vec![2, 0], ..default.clone() };
        assert_eq!(filter(&image, &square, &far), "PX017");
        assert_eq!(filter(&image.astype(DType::C128), &square, &default), "PX017");
        assert_eq!(filter(&image, &zeros([0, 3], DType::F64), &default), "PX017");
        let line = window_filter(&image, Window::Line(&square), &default);
        assert_eq!(error(&line).code(), "PX017");
    });
}

#[test]
fn special_functions_take_numbers_beside_arrays() {
    on_lines(|| {
        let a = from_slice(&[0.5f64, 1.0, 2.5, 4.0, 6.0], [5]);
        let half = from_slice(&[0.5f64], [0usize; 0]);
        let found = phalanx::special::special("beta", &[a.clone(), half]).to_vec::<f64>().unwrap();
        // B(1/2, 1/2) = pi, B(1, 1/2) = 2, B(4, 1/2) = 32 / 35.
        for (found, expected) in found.iter().zip([std::f64::consts::PI, 2.0]) {
            assert!((found - expected).abs() < 1e-13, "{found}, not {expected}");
        }
        assert!((found[3] - 32.0 / 35.0).abs() < 1e-14);
        let refused = phalanx::special::special("beta", &[a]);
        assert_eq!(error(&refused).code(), "PX017");
    });
}

#[test]
fn ranks_do_not_depend_on_where_a_block_begins() {
    use phalanx::ndimage::{Window, WindowOptions, window_filter};
    // NaN and both zeros, in rows that are no multiple of what is computed together.
    let number = |at: usize| match at * 7919 % 31 {
        0 => f64::NAN,
        1 | 2 => 0.0,
        3 | 4 => -0.0,
        rest => (rest as f64 - 15.0) / 4.0,
    };
    let (rows, columns) = (6, 150);
    let values: Vec<f64> = (0..rows * columns).map(number).collect();
    on_lines(|| {
        let (image, square) = (from_slice(&values, [rows, columns]), ones([3, 3], DType::Bool));
        let ranked = |image: &Array| {
            let filtered =
                window_filter(image, Window::Rank(&square, 5), &WindowOptions::default());
            filtered.copy()
        };
        let whole = ranked(&image).slice(s![2..-2, 9..-2]).to_vec::<f64>().unwrap();
        let moved = ranked(&image.slice(s![.., 7..])).slice(s![2..-2, 2..-2]);
        let bits = |numbers: Vec<f64>| numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(whole), bits(moved.to_vec::<f64>().unwrap()));
        let none = zeros([3, 3], DType::Bool);
        let empty = window_filter(&image, Window::Minimum(&none, None), &WindowOptions::default());
        assert_eq!(empty.to_vec::<f64>().unwrap(), vec![0.0; rows * columns]);
        let beyond = window_filter(&image, Window::Rank(&square, 9), &WindowOptions::default());
        assert_eq!(error(&beyond).code(), "PX017");
    });
}

#[test]
fn points_of_a_grid_and_points_one_by_one_have_the_same_values() {
    use phalanx::ndimage::{Outside, interpolate};
    on_lines(|| {
        let numbers: Vec<f64> = (0..60).map(|at| f64::from(at * 37 % 60)).collect();
        let image = from_slice(&numbers, [6, 10]);
        let rows = from_slice(&[0.0, 0.5, 4.75, 7.5], [1, 4, 1]);
        let columns = from_slice(&[-2.0, 0.25, 3.0, 8.5, 9.0], [1, 5]);
        for outside in [Outside::Mirror, Outside::Constant, Outside::Coefficient] {
            for order in 0..=5 {
                let grid =
                    interpolate(&image, &[rows.clone(), columns.clone()], order, outside, 7.0);
                let each = [&rows, &columns.reshape([1, 1, 5])]
                    .map(|one| one.broadcast_to([1, 4, 5]).copy());
                let points = interpolate(&image, &each, order, outside, 7.0);
                assert_eq!(grid.to_vec::<f64>().unwrap(), points.to_vec::<f64>().unwrap());
                let both = [concatenate(&[&each[0], &each[1]], 0)];
                let points = interpolate(&image, &both, order, outside, 7.0);
                assert_eq!(grid.to_vec::<f64>().unwrap(), points.to_vec::<f64>().unwrap());
                // The first row of the image is none of the points' axes.
                let line = interpolate(&image, std::slice::from_ref(&columns), order, outside, 7.0);
                assert_eq!(line.shape(), [6, 5]);
            }
        }
        let code = |found: Array| error(&found).code();
        let one = [columns.clone()];
        assert_eq!(code(interpolate(&image, &one, 6, Outside::Mirror, 7.0)), "PX017");
        let complex = image.astype(DType::C128);
        assert_eq!(code(interpolate(&complex, &one, 1, Outside::Mirror, 7.0)), "PX017");
        let empty = zeros([6, 0], DType::F64);
        assert_eq!(code(interpolate(&empty, &one, 1, Outside::Mirror, 7.0)), "PX017");
        let none = interpolate(&image, &[], 1, Outside::Mirror, 7.0);
        assert_eq!(error(&none).numpy_class(), "ValueError");
        let scalar = [zeros([1; 0], DType::F64)];
        let scalar = interpolate(&image, &scalar, 1, Outside::Mirror, 7.0);
        assert_eq!(error(&scalar).numpy_class(), "ValueError");
        let apart = [columns.clone(), zeros([1, 4], DType::F64)];
        let unlike = interpolate(&image, &apart, 1, Outside::Mirror, 7.0);
        assert_eq!(error(&unlike).numpy_class(), "ValueError");
    });
}

#[test]
fn a_signal_in_parts_is_filtered_as_one() {
    use phalanx::signal::{Filtered, recurrence};
    on_lines(|| {
        let samples: Vec<f64> = (0..120).map(|at| f64::from(at * 7 % 11) - 5.0).collect();
        let lines = from_slice(&samples, [6, 20]);
        // Two sections of second order.
        let b = from_slice(&[0.5, 0.2, 0.1, 1.0, -0.3, 0.0], [2, 3]);
        let a = from_slice(&[1.0, -0.4, 0.2, 1.0, 0.3, -0.1], [2, 3]);
        let start = zeros([6, 4], DType::F64);
        let whole = recurrence(&lines, &b, &a, &start, Filtered::Signal).to_vec::<f64>().unwrap();
        let (first, rest) = (lines.slice(s![.., ..7]), lines.slice(s![.., 7..]));
        let states = recurrence(&first, &b, &a, &start, Filtered::States);
        let behind = recurrence(&rest, &b, &a, &states, Filtered::Signal);
        let behind = behind.to_vec::<f64>().unwrap();
        for line in 0..6 {
            assert_eq!(whole[line * 20 + 7..(line + 1) * 20], behind[line * 13..(line + 1) * 13]);
        }
        let code = |b: &Array, a: &Array, states: &Array| {
            error(&recurrence(&lines, b, a, states, Filtered::Signal)).code()
        };
        let short = b.slice(s![.., ..2]);
        assert_eq!(code(&short, &a, &start), "PX017");
        assert_eq!(code(&b.reshape([6]), &a.reshape([6]), &start), "PX017");
        assert_eq!(code(&b, &a, &start.slice(s![.., ..3])), "PX017");
    });
}
