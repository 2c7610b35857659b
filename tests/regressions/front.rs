//! NumPy's options that the Python module composed of several operations, and Rust lacked.

use crate::on_lines;
use phalanx::linalg::{self, Ord};
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{Options, cg};
use phalanx::{
    Casting, CovarianceOptions, FillOptions, Mode, PadWidths, Piece, QuantileMethod, Samples, Side,
    UfuncOptions, cov, fft, full_as, full_like_as, indices_as, interp_periodic, join_as,
    linspace_step, pad_by, percentile_weighted, piecewise_by, put_along_axis, quantile,
    quantile_weighted, ravel_multi_index_in, searchsorted_by, setdiff1d_in_order,
    sparse_indices_as, stack, take_along_axis, unravel_index_in, whole_indices_as,
};

fn code(array: &Array) -> &'static str {
    array.evaluate().unwrap_err().code()
}

fn floats(array: &Array) -> Vec<f64> {
    array.to_vec().unwrap()
}

fn integers(array: &Array) -> Vec<i64> {
    array.to_vec().unwrap()
}

/// The norm of several axes as one vector.
#[test]
fn norms_of_vectors_were_of_one_axis() {
    on_lines(|| {
        let a = arange(0, 24, 1).astype(DType::F64).reshape([2, 3, 4]);
        let expected = floats(&a.square().sum([0, 2]).sqrt());
        let of = |ord, axes: &[i64], keeps| linalg::vector_norm(&a, ord, axes, keeps);
        assert_eq!(floats(&of(Ord::P(2.0), &[2, 0], false)), expected);
        assert_eq!(of(Ord::P(2.0), &[0, -1], true).shape(), [1, 3, 1]);
        assert_eq!(floats(&of(Ord::Infinity, &[0, 2], false)), [15.0, 19.0, 23.0]);
        assert_eq!(floats(&of(Ord::P(1.0), &[1], false)), floats(&a.sum(1)));
        assert_eq!(linalg::vector_norm(&a, Ord::P(1.0), (), false).item::<f64>().unwrap(), 276.0);
        assert_eq!(code(&of(Ord::P(2.0), &[0, 3], false)), "PX003");
        assert_eq!(code(&of(Ord::P(2.0), &[0, -3], false)), "PX004");
        let pair = arange(0, 2, 1);
        assert_eq!(code(&linalg::cross(&pair, &pair, -1)), "PX017");
        assert_eq!(code(&linalg::outer(&a, &pair)), "PX015");
    });
}

#[test]
fn sets_and_sorters_kept_no_order() {
    on_lines(|| {
        let a = from_slice(&[5i64, 1, 4, 1], [2, 2]);
        let others = from_slice(&[4i64], [1]);
        assert_eq!(integers(&setdiff1d_in_order(&a, &others)), [5, 1, 1]);
        let line = a.reshape([-1]);
        let order = from_slice(&[1i64, 3, 2, 0], [4]);
        let found = searchsorted_by(&line, &order, from_slice(&[1i64, 5], [2]), Side::Right);
        assert_eq!(integers(&found), [2, 4]);
        let wrong = |order: &Array| code(&searchsorted_by(&line, order, 1, Side::Left));
        assert_eq!(wrong(&order.slice(s![..2])), "PX017");
        assert_eq!(wrong(&order.astype(DType::F64)), "PX011");
    });
}

#[test]
fn positions_were_of_an_axis_and_in_c_order() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]);
        let last = from_slice(&[5i64, -6], [2]);
        assert_eq!(integers(&take_along_axis(&a, &last, None)), [5, 0]);
        put_along_axis(&a, &last, 9, None);
        assert_eq!(integers(&a), [9, 1, 2, 3, 4, 9]);
        assert_eq!(code(&take_along_axis(&a, &a, None)), "PX015");
        let positions = from_slice(&[1i64, 4], [2]);
        let indices = unravel_index_in(&positions, &[2, 3], MemoryOrder::F).unwrap();
        assert_eq!([integers(&indices[0]), integers(&indices[1])], [[1, 0], [0, 2]]);
        let back = ravel_multi_index_in(&indices, &[2, 3], &[Mode::Raise; 2], MemoryOrder::F);
        assert_eq!(integers(&back), [1, 4]);
        let beyond = [from_slice(&[3i64], [1]), from_slice(&[7i64], [1])];
        let modes = [Mode::Wrap, Mode::Clip];
        let found = ravel_multi_index_in(&beyond, &[2, 3], &modes, MemoryOrder::C);
        assert_eq!(integers(&found), [5]);
        let few = ravel_multi_index_in(&beyond, &[2, 3], &modes[..1], MemoryOrder::C);
        assert_eq!(code(&few), "PX017");
        let kept = unravel_index_in(&positions, &[2, 3], MemoryOrder::K);
        assert_eq!(kept.unwrap_err().code(), "PX017");
    });
}

/// Pieces were values; the Python module called functions.
#[test]
fn pieces_were_values() {
    on_lines(|| {
        let x = arange(-3, 3, 1);
        let (below, above) = (x.less(0), x.greater(1));
        let pieces =
            || [Piece::function(|x: &Array| -x), Piece::from(7), Piece::function(|_: &Array| 0.5)];
        let found = piecewise_by(&x, &[&below, &above], &pieces());
        assert_eq!(integers(&found), [3, 2, 1, 0, 0, 7]);
        // The last one that holds counts, and a condition that holds nowhere calls nothing.
        let never = x.greater(9);
        let pieces = [
            Piece::from(1),
            Piece::function(|x: &Array| x * 10),
            Piece::function(|_: &Array| -> Array { unreachable!("no element is above 9") }),
        ];
        let found = piecewise_by(&x, &[&below, &x.less(-1), &never], &pieces);
        assert_eq!(integers(&found), [-30, -20, 1, 0, 0, 0]);
        assert_eq!(code(&piecewise_by(&x, &[&below], &[])), "PX017");
        let failing = [Piece::function(|x: &Array| x.reshape([7]))];
        assert_eq!(code(&piecewise_by(&x, &[&below], &failing)), "PX006");
    });
}

/// Conjugate gradients started at zero, with a relative tolerance.
#[test]
fn conjugate_gradients_had_no_start() {
    on_lines(|| {
        let dense = from_slice(&[4.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 5.0], [3, 3]);
        let matrix = Csr::from_dense(&dense).unwrap();
        let b = from_slice(&[1.0, 2.0, 3.0], [3]);
        let exact = floats(&cg(&matrix, &b, Options::default().rtol(1e-14).maxiter(20)).unwrap().x);
        let is_close = |found: &Array, by: f64| {
            let pairs = floats(found).into_iter().zip(exact.clone());
            pairs.into_iter().all(|(found, exact)| (found - exact).abs() < by)
        };
        let options = || Options::default().rtol(1e-12);
        let start = from_slice(&[1.0, -1.0, 2.0], [3]);
        let found = cg(&matrix, &b, options().x0(&start)).unwrap();
        assert!(found.info == 0 && is_close(&found.x, 1e-10));
        let column = cg(&matrix, &b.reshape([3, 1]), options()).unwrap();
        assert!(column.info == 0 && is_close(&column.x, 1e-10));
        assert_eq!(cg(&matrix, &b, options().maxiter(1)).unwrap().info, 1);
        let near = Options::default().rtol(0.0).atol(1.0).x0(&from_slice(&exact, [3]));
        let found = cg(&matrix, &b, near).unwrap();
        assert!(found.info == 0 && found.iterations == 0 && is_close(&found.x, 1e-15));
    });
}

#[test]
fn extents_of_transforms_were_all_given_or_none() {
    on_lines(|| {
        let a = arange(0, 24, 1).astype(DType::F64).reshape([4, 6]);
        let half = fft::rfftn(&a, ());
        let whole = fft::irfftn(&half, fft::axes([0, 1]).optional_extents([None, None]));
        assert_eq!(floats(&whole.rint()), floats(&a));
        let given = fft::axes([0, 1]).optional_extents([Some(2), None]);
        assert_eq!(fft::irfftn(&half, given).shape(), [2, 6]);
        assert_eq!(fft::irfftn(&half, fft::axes([0, 1]).extents([-1, -1])).shape(), [4, 4]);
    });
}

#[test]
fn padding_had_no_function_and_no_widths_by_axes() {
    on_lines(|| {
        let a = arange(1, 5, 1).reshape([2, 2]);
        let widths = PadWidths::ByAxis(vec![(-1, (1, 0))]);
        let fill = |line: &Array, (before, after): (usize, usize), axis: usize| {
            let number = 10 * (axis as i64 + 1);
            let end = line.size() - after;
            line.slice(s![..before]).try_assign(number)?;
            line.slice(s![end..]).try_assign(-number)
        };
        assert_eq!(integers(&pad_by(&a, widths, fill)), [20, 1, 2, 20, 3, 4]);
        let both = pad_by(&a, (1, 0), fill);
        assert_eq!(integers(&both), [20, 10, 10, 20, 1, 2, 20, 3, 4]);
        let beyond = PadWidths::ByAxis(vec![(2, (1, 0))]);
        assert_eq!(code(&pad_by(&a, beyond, fill)), "PX003");
        let failing = |line: &Array, _: (usize, usize), _: usize| line.reshape([9]).ok().map(drop);
        assert_eq!(code(&pad_by(&a, 1, failing)), "PX006");
    });
}

#[test]
fn quantiles_by_integers_and_weighted_percentiles_were_not_there() {
    on_lines(|| {
        let a = from_slice(&[3i64, 1, 2, 8], [4]);
        let least = quantile(&a, 0, (), QuantileMethod::Linear);
        assert_eq!((least.dtype(), least.item::<i64>().unwrap()), (DType::I64, 1));
        assert_eq!(quantile(&a, 0.0, (), QuantileMethod::Linear).dtype(), DType::F64);
        let middle = phalanx::percentile_along(&a, 50, (), QuantileMethod::Linear);
        assert_eq!(middle.item::<f64>().unwrap(), 2.5);
        let weights = from_slice(&[1.0, 1.0, 1.0, 5.0], [4]);
        let of_hundred = percentile_weighted(&a, [25.0, 90.0], (), &weights);
        assert_eq!(
            integers(&of_hundred),
            integers(&quantile_weighted(&a, [0.25, 0.9], (), &weights))
        );
    });
}

#[test]
fn ranges_had_the_first_axis_and_values_were_numbers() {
    on_lines(|| {
        let (start, stop) = (from_slice(&[0.0, 1.0], [2]), from_slice(&[4.0, 9.0], [2]));
        let samples = Samples::from(5);
        let rows = linspace(&start, &stop, samples.axis(-1));
        assert_eq!(rows.shape(), [2, 5]);
        assert_eq!(floats(&rows), floats(&linspace(&start, &stop, samples).t()));
        assert_eq!(phalanx::logspace(0.0, &stop, samples.axis(1), 2.0).shape(), [2, 5]);
        assert_eq!(phalanx::geomspace(1.0, &stop, samples.axis(1)).shape(), [2, 5]);
        assert_eq!(code(&linspace(0.0, 1.0, samples.axis(1))), "PX003");
        assert_eq!(floats(&linspace_step(&start, &stop, samples)), [1.0, 2.0]);
        assert!(linspace_step(0, 1, 1).item::<f64>().unwrap().is_nan());

        let values = from_slice(&[1i64, 2], [2]);
        let options = FillOptions::default().dtype(DType::F32).order(MemoryOrder::F);
        let made = full_as([3, 2], &values, options.clone());
        assert_eq!((made.dtype(), made.strides()), (DType::F32, vec![4, 12]));
        assert_eq!(floats(&made), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        assert_eq!(full_as([2], &values, FillOptions::default()).dtype(), DType::I64);
        assert_eq!(code(&full_as([3], &values, options.clone())), "PX002");
        let turned = arange(0, 6, 1).reshape([2, 3]).t();
        let like = full_like_as(&turned, 7, FillOptions::default().shape([4, 2]));
        assert_eq!((like.shape(), like.strides()), (&[4, 2][..], vec![8, 32]));
        let like = full_like_as(&turned, &values, FillOptions::default().order(MemoryOrder::C));
        assert_eq!(like.strides(), [16, 8]);
        assert_eq!(integers(&like), [1, 2, 1, 2, 1, 2]);
        let kept = full_as([2], 1, FillOptions::default().order(MemoryOrder::K));
        assert_eq!(code(&kept), "PX017");
    });
}

#[test]
fn reshapes_copied_as_they_had_to() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]);
        let copied = |array: &Array, copies| array.reshape_copied([6], MemoryOrder::C, copies);
        assert!(copied(&a, false).shares_memory(&a));
        assert!(!copied(&a, true).shares_memory(&a));
        assert_eq!(code(&copied(&a.t(), false)), "PX017");
        assert_eq!(integers(&copied(&a.t(), true)), [0, 3, 1, 4, 2, 5]);
        assert_eq!(code(&a.reshape_copied([7], MemoryOrder::C, false)), "PX006");
    });
}

/// Joins had no dtype and no casting rule, and `clip` no mask.
#[test]
fn joins_and_clips_had_no_options() {
    on_lines(|| {
        let (ints, halves) = (arange(0, 3, 1), full([3], 0.5, DType::F64));
        let stacked = |arrays: &[&Array]| stack(arrays, 0);
        let joined = join_as(&[&ints, &halves], Some(DType::F32), Casting::SameKind, stacked);
        assert_eq!((joined.dtype(), joined.shape()), (DType::F32, &[2, 3][..]));
        assert_eq!(floats(&joined.astype(DType::F64)), [0.0, 1.0, 2.0, 0.5, 0.5, 0.5]);
        let refused = join_as(&[&ints, &halves], Some(DType::I64), Casting::SameKind, stacked);
        let text = refused.evaluate().unwrap_err().to_string();
        assert!(text.contains("cannot cast f64 to i64 with casting rule 'same_kind'"), "{text}");
        let refused = join_as(&[&ints, &halves], None, Casting::Equiv, stacked);
        assert!(refused.evaluate().unwrap_err().to_string().contains("casting rule 'equiv'"));
        let wrong = join_as(&[&ints, &halves.slice(s![1..])], None, Casting::Safe, stacked);
        assert_ne!(code(&wrong), "PX012");

        let x = arange(0, 6, 1);
        let options = UfuncOptions { mask: Some(x.not_equal(5)), ..UfuncOptions::default() };
        assert_eq!(integers(&x.clip_with(1, 3, &options).unwrap()), [1, 1, 2, 3, 3, 0]);
        let target = full([6], 9, DType::I64);
        let options = UfuncOptions { out: vec![Some(target.clone())], ..options };
        drop(x.clip_with((), 3, &options).unwrap());
        assert_eq!(integers(&target), [0, 1, 2, 3, 3, 9]);
        let options = UfuncOptions { dtype: Some(DType::F64), ..options };
        assert_eq!(x.clip_with(1, 3, &options).unwrap_err().code(), "PX012");
    });
}

/// Indices had one dtype.
#[test]
fn indices_were_of_64_bits() {
    on_lines(|| {
        let whole = indices_as([2, 3], DType::F64);
        assert_eq!(floats(&whole), [0., 0., 0., 1., 1., 1., 0., 1., 2., 0., 1., 2.]);
        let thin = sparse_indices_as([2, 3], DType::I32).unwrap();
        assert_eq!((thin[1].shape(), thin[1].dtype()), (&[1, 3][..], DType::I32));
        let each = whole_indices_as([2, 3], DType::F64).unwrap();
        assert_eq!(floats(&each[1]), [0., 1., 2., 0., 1., 2.]);
        assert_eq!(code(&indices_as([3], DType::Bool)), "PX011");
        assert!(indices_as([2], DType::Bool).at([0]).at([1]).item::<bool>().unwrap());
    });
}

/// The weights of observations; only the Python module compared their shape.
#[test]
fn weights_of_observations_had_an_error_of_the_front() {
    on_lines(|| {
        let x = arange(0, 8, 1).astype(DType::F64).reshape([2, 4]);
        let weights = |shape: &[usize]| full(shape, 2, DType::I64);
        let fit = |shape: &[usize]| cov(&x, CovarianceOptions::default().fweights(&weights(shape)));
        assert!(fit(&[4]).evaluate().is_ok());
        for shape in [&[2][..], &[4, 1], &[]] {
            let error = fit(shape).evaluate().unwrap_err();
            assert_eq!((error.code(), error.numpy_class()), ("PX137", "RuntimeError"));
        }
    });
}

/// Positions of half precision were reduced to the period in half precision.
#[test]
fn narrow_positions_lost_their_place_in_the_period() {
    on_lines(|| {
        let (points, values) =
            (from_slice(&[0.0, 1.0, 2.0], [3]), from_slice(&[0.0, 1.0, 4.0], [3]));
        for dtype in [DType::F16, DType::F32] {
            let x = full([1], 100.1, dtype);
            let wide = interp_periodic(&x.astype(DType::F64), &points, &values, 0.3);
            assert_eq!(floats(&interp_periodic(&x, &points, &values, 0.3)), floats(&wide));
        }
        let complex = full([1], num_complex::Complex64::new(1.0, 1.0), DType::C128);
        assert_eq!(code(&interp_periodic(&complex, &points, &values, 0.3)), "PX012");
    });
}
