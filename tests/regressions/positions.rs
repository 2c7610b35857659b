//! Positions, choices and sparse matrices.

use crate::on_lines;
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{Options, cg};
use phalanx::{
    Mode, Op, choose, digitize, identity, ix, linalg, put_along_axis, ravel_multi_index, setxor1d,
    ufunc, unravel_index, vecdot,
};

/// Positions with more axes than the array ended the world, and later were refused.
#[test]
fn positions_wider_than_the_array_were_not_taken() {
    on_lines(|| {
        let a = zeros([1, 3], DType::I64);
        let values = from_slice(&[5i64, 6, 7, 8], [2, 2]);
        put_along_axis(&a, &from_slice(&[0i64, 1, 0, 2], [2, 2]), &values, 1);
        assert_eq!(a.to_vec::<i64>().unwrap(), [7, 6, 8]);
        let b = zeros([2, 3], DType::I64);
        put_along_axis(&b, &zeros([3, 1], DType::I64), 5, 1);
        assert_eq!(b.evaluate().expect_err("it is refused").code(), "PX026");
        assert_eq!(arange(0, 3, 1).sum(()).item::<i64>().unwrap(), 3);
    });
}

/// NumPy accepts masks without axes; ours must too, on every mesh.
#[test]
fn masks_of_no_axes_were_refused() {
    on_lines(|| {
        let a = arange(0, 6, 1).reshape([2, 3]);
        let (on, off) = (from_slice(&[true], ()), from_slice(&[false], ()));
        assert_eq!(a.index(ix![&on]).shape(), [1, 2, 3]);
        assert_eq!(a.index(ix![&off, 0]).shape(), [0, 3]);
        assert_eq!(a.index(ix![.., &on, 1]).to_vec::<i64>().unwrap(), [1, 4]);
        a.assign_index(ix![&off], 9);
        a.assign_index(ix![&on, 1], 7);
        assert_eq!(a.to_vec::<i64>().unwrap(), [0, 1, 2, 7, 7, 7]);
    });
}

/// The choice itself was returned, whatever the selector's shape.
#[test]
fn a_single_choice_was_not_copied() {
    on_lines(|| {
        let only = from_slice(&[7i64, 8, 9], [3]);
        let chosen = choose(&zeros([2, 3], DType::I64), &[(&only).into()], Mode::Raise);
        chosen.assign(0);
        assert_eq!((chosen.shape(), only.to_vec::<i64>().unwrap()), (&[2, 3][..], vec![7, 8, 9]));
    });
}

/// An ellipsis for no axes separates positions, too.
#[test]
fn ellipses_for_no_axis_did_not_part_positions() {
    on_lines(|| {
        let a = arange(0, 60, 1).reshape([3, 4, 5]);
        let (rows, columns) = (from_slice(&[0i64, 1], [2]), from_slice(&[1i64, 2], [2]));
        assert_eq!(a.index(ix![.., &rows, Ellipsis, &columns]).shape(), [2, 3]);
        assert_eq!(a.index(ix![.., &rows, &columns]).shape(), [3, 2]);
    });
}

#[test]
fn sparse_matrices_of_wrong_parts_were_made() {
    on_lines(|| {
        let (columns, values) = (from_slice(&[0i64, 1], [2]), from_slice(&[1.0, 1.0], [2]));
        for starts in [[0i64, 2, 1, -3, 2], [1, 1, 1, 1, 2], [0, 0, 1, 1, 1]] {
            let starts = from_slice(&starts, [5]);
            let made = Csr::from_parts(&starts, &columns, &values, [4, 2]);
            assert_eq!(made.expect_err("they are refused").code(), "PX136");
        }
        let more = from_slice(&[1.0; 4], [4]);
        let error = Csr::from_triplets(&columns, &columns, &more, [2, 2]).unwrap_err();
        assert_eq!(error.code(), "PX017");
        assert!(error.to_string().contains("from_triplets: rows = 2 elements in place of 4"));
        let beyond = from_slice(&[0i64, 2], [2]);
        let error = Csr::from_triplets(&columns, &beyond, &values, [2, 2]).unwrap_err();
        assert_eq!(error.code(), "PX135");
        let expected = "from_triplets: columns must be at least 0 and less than 2";
        assert!(error.to_string().contains(expected));
        let huge = Csr::from_parts(&columns, &columns, &values, [usize::MAX, 2]);
        assert_eq!(huge.unwrap_err().code(), "PX019");
    });
}

/// Systems of integers were solved in integers, and matrices that are not square were accepted.
#[test]
fn conjugate_gradients_took_integers_and_wrong_shapes() {
    on_lines(|| {
        let dense = from_slice(&[4i64, 1, 0, 1, 3, 1, 0, 1, 5], [3, 3]);
        let (matrix, b) = (Csr::from_dense(&dense).unwrap(), from_slice(&[6i64, 10, 17], [3]));
        let solution = cg(&matrix, &b, Options::default().rtol(1e-12).maxiter(20)).unwrap();
        assert_eq!(solution.x.dtype(), DType::F64);
        let distance = (solution.x - from_slice(&[1.0, 2.0, 3.0], [3])).abs().max(());
        assert!(distance.item::<f64>().unwrap() < 1e-9);
        let single = cg(&matrix, &b.astype(DType::F32), Options::default().rtol(1e-3)).unwrap();
        assert_eq!(single.x.dtype(), DType::F64);
        let wide = Csr::from_dense(&dense.slice(s![..2]).copy()).unwrap();
        for (matrix, b, text) in [
            (&wide, zeros([2], DType::F64), "cg: the shape of the matrix = [2, 3]"),
            (&matrix, zeros([2], DType::F64), "cg: the shape of b = [2]"),
            (&matrix, zeros([3, 2], DType::F64), "cg: the shape of b = [3, 2]"),
        ] {
            let error = cg(matrix, &b, Options::default()).unwrap_err();
            assert_eq!(error.numpy_class(), "ValueError");
            assert!(error.to_string().contains(text), "{error}");
        }
    });
}

/// The error texts named other functions, or no mistake at all.
#[test]
fn errors_named_other_functions() {
    on_lines(|| {
        let (square, b) = (identity(3, DType::F64), ones([2, 1], DType::F64));
        let starts = from_slice(&[5i64, 9], [2]);
        for (array, text) in [
            (linalg::solve(&square, &b), "solve: inner sizes differ"),
            (vecdot(&ones([3], DType::F64), &ones([2], DType::F64), -1), "vecdot: inner sizes"),
            (ufunc(Op::Add).reduceat(&arange(0, 8, 1), &starts, 0), "reduceat: starts must be"),
            (linalg::eigvalsh(&b, linalg::Triangle::Lower), "eigvalsh: the last two extents"),
            (linalg::slogdet(&b).sign, "slogdet: the last two extents"),
        ] {
            let error = array.evaluate().expect_err("it is refused").to_string();
            assert!(error.contains(text), "{error}");
        }
    });
}

/// The check looked for NaN columns of the result: NaN in `b`, or no columns, hid the matrix.
#[test]
fn singular_matrices_were_hidden_by_nan() {
    on_lines(|| {
        let (singular, none) = (zeros([3, 3], DType::F64), zeros([3, 0], DType::F64));
        for b in [full([3], f64::NAN, DType::F64), none] {
            let error = linalg::solve(&singular, &b).evaluate().unwrap_err();
            assert_eq!(error.code(), "PX120");
        }
        let sound = identity(3, DType::F64);
        let x = linalg::solve(&sound, &full([3], f64::NAN, DType::F64));
        assert!(x.to_vec::<f64>().unwrap().iter().all(|number| number.is_nan()));
        let x = phalanx::deferred_errors(|| linalg::solve(&singular, &ones([3], DType::F64)));
        assert_eq!(x.evaluate().unwrap_err().code(), "PX120");
    });
}

/// Products of their extents overflowed.
#[test]
fn shapes_that_cannot_be_counted_ended_the_world() {
    on_lines(|| {
        let (one, none) = (from_slice(&[1i64], [1]), zeros([0], DType::I64));
        let huge = [1usize << 40, 1 << 40];
        assert_eq!(unravel_index(&one, &huge).unwrap_err().code(), "PX019");
        assert_eq!(unravel_index(&one, &[usize::MAX]).unwrap_err().code(), "PX019");
        assert_eq!(unravel_index(&one, &[1; 65]).unwrap_err().code(), "PX023");
        assert_eq!(unravel_index(&none, &[0, 1 << 40, 1 << 40]).unwrap().len(), 3);
        for mode in [Mode::Raise, Mode::Wrap, Mode::Clip] {
            let found = ravel_multi_index(&[one.clone(), one.clone()], &huge, mode);
            assert_eq!(found.evaluate().unwrap_err().code(), "PX019");
        }
    });
}

#[test]
fn least_squares_of_nothing_panicked() {
    on_lines(|| {
        let found =
            linalg::lstsq(&zeros([0, 3], DType::F64), &zeros([0], DType::F64), None).unwrap();
        assert_eq!(found.x.to_vec::<f64>().unwrap(), [0.0; 3]);
        assert_eq!(found.rank.item::<i64>().unwrap(), 0);
    });
}

#[test]
fn exclusive_unions_joined_nans() {
    on_lines(|| {
        let (a, b) = (from_slice(&[f64::NAN, 1.0], [2]), from_slice(&[f64::NAN, 2.0], [2]));
        assert_eq!(setxor1d(&a, &b).size(), 4);
    });
}

#[test]
fn falling_bins_had_their_other_edges() {
    on_lines(|| {
        let (values, bins) = (arange(0, 5, 1), from_slice(&[3i64, 1], [2]));
        for (right, expected) in [(false, [2, 1, 1, 0, 0]), (true, [2, 2, 1, 1, 0])] {
            assert_eq!(digitize(&values, &bins, right).to_vec::<i64>().unwrap(), expected);
        }
    });
}
