//! Of positions, choices and sparse matrices.

use crate::on_lines;
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::{Mode, choose, ix, linalg, put_along_axis, setxor1d};

/// Positions that would have widened the array ended the world.
#[test]
fn positions_wider_than_the_array_were_not_refused() {
    on_lines(|| {
        let a = zeros([1, 3], DType::I64);
        put_along_axis(&a, &from_slice(&[0i64, 1, 0, 2], [2, 2]), 5, 1);
        assert_eq!(a.evaluate().expect_err("it is refused").code(), "PX001");
        assert_eq!(arange(0, 3, 1).sum(()).item::<i64>().unwrap(), 3);
    });
}

/// The choice itself was given, whatever the selector's shape.
#[test]
fn a_single_choice_was_not_copied() {
    on_lines(|| {
        let only = from_slice(&[7i64, 8, 9], [3]);
        let chosen = choose(&zeros([2, 3], DType::I64), &[(&only).into()], Mode::Raise);
        chosen.assign(0);
        assert_eq!((chosen.shape(), only.to_vec::<i64>().unwrap()), (&[2, 3][..], vec![7, 8, 9]));
    });
}

/// An ellipsis that stands for nothing parts positions too.
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
            assert_eq!(made.expect_err("they are refused").code(), "PX029");
        }
        let more = from_slice(&[1.0; 4], [4]);
        assert_eq!(
            Csr::from_triplets(&columns, &columns, &more, [2, 2]).unwrap_err().code(),
            "PX020"
        );
        let huge = Csr::from_parts(&columns, &columns, &values, [usize::MAX, 2]);
        assert_eq!(huge.unwrap_err().code(), "PX019");
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
