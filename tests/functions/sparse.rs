//! Sparse matrices on meshes of several sizes, against dense loops.

use crate::meshes::{MESHES, on_meshes};
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::{Limits, Op};

/// An operation, and what it does.
type Combination = (Op, fn(i64, i64) -> i64);
/// A dense matrix in rows.
type Dense = Vec<Vec<i64>>;

/// Entries in no order, with duplicates and zeros; some rows are empty.
struct Entries {
    shape: [usize; 2],
    all: Vec<(usize, usize, i64)>,
}

impl Entries {
    fn random(rows: usize, columns: usize, count: usize, seed: u64) -> Entries {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            (state >> 33) as usize % bound
        };
        let entry = |_| {
            let row = below(rows);
            (if row % 5 == 3 { 0 } else { row }, below(columns), below(7) as i64 - 3)
        };
        let all = if rows * columns == 0 { vec![] } else { (0..count).map(entry).collect() };
        Entries { shape: [rows, columns], all }
    }

    fn dense(&self) -> Dense {
        let mut dense = vec![vec![0; self.shape[1]]; self.shape[0]];
        self.all.iter().for_each(|&(row, column, value)| dense[row][column] += value);
        dense
    }

    fn matrix(&self) -> Csr {
        let numbers = |of: fn(&(usize, usize, i64)) -> i64| {
            Array::from_vec(self.all.iter().map(of).collect::<Vec<i64>>())
        };
        let (rows, columns) = (numbers(|entry| entry.0 as i64), numbers(|entry| entry.1 as i64));
        Csr::from_triplets(&rows, &columns, &numbers(|entry| entry.2), self.shape).unwrap()
    }
}

fn dense(matrix: &Csr) -> Dense {
    let [rows, columns] = matrix.shape();
    let all = matrix.to_dense().to_vec::<i64>().unwrap();
    (0..rows).map(|row| all[row * columns..][..columns].to_vec()).collect()
}

fn transposed(dense: &Dense, columns: usize) -> Dense {
    (0..columns).map(|column| dense.iter().map(|row| row[column]).collect()).collect()
}

fn map(a: &Dense, b: &Dense, of: impl Fn(i64, i64) -> i64) -> Dense {
    let row = |(a, b): (&Vec<i64>, &Vec<i64>)| a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect();
    a.iter().zip(b).map(row).collect()
}

fn product(a: &Dense, b: &Dense, columns: usize) -> Dense {
    let element = |row: &[i64], column: usize| row.iter().zip(b).map(|(a, b)| a * b[column]).sum();
    a.iter().map(|row| (0..columns).map(|column| element(row, column)).collect()).collect()
}

/// Shapes with numbers of entries: none, a row, a column, fewer rows than devices, many.
const SHAPES: [(usize, usize, usize); 7] =
    [(0, 3, 0), (3, 0, 0), (1, 9, 7), (9, 1, 12), (3, 5, 6), (40, 30, 300), (200, 150, 500)];

#[test]
fn entries_keep_their_places() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (rows, columns, count) in SHAPES {
            let entries = Entries::random(rows, columns, count, 1);
            let (matrix, expected) = (entries.matrix(), entries.dense());
            assert_eq!(dense(&matrix), expected);
            assert_eq!(matrix.nnz(), entries.all.len());
            let turned = matrix.transpose().unwrap();
            assert_eq!(dense(&turned), transposed(&expected, columns));
            // Rows in any order, of which some have no entries, and which repeat.
            let summed = matrix.summed().unwrap();
            assert!(summed.is_canonical().unwrap() && summed.is_sorted().unwrap());
            assert_eq!(dense(&summed), expected);
            let whole = summed.without_zeros().unwrap();
            let count = expected.iter().flatten().filter(|&&element| element != 0).count();
            assert_eq!((dense(&whole), whole.nnz()), (expected.clone(), count));
            let order: Vec<i64> = (0..2 * rows).map(|at| (at * 7 % rows.max(1)) as i64).collect();
            let taken = matrix.take_rows(&Array::from_vec(order.clone())).unwrap();
            let rows_of = order.iter().map(|&row| expected[row as usize].clone());
            assert_eq!(dense(&taken), rows_of.collect::<Dense>());
            let order: Vec<i64> = (0..columns).rev().map(|at| at as i64).collect();
            let taken = matrix.take_columns(&Array::from_vec(order.clone())).unwrap();
            let column = |row: &Vec<i64>| order.iter().map(|&at| row[at as usize]).collect();
            assert_eq!(dense(&taken), expected.iter().map(column).collect::<Dense>());
            let part = matrix.slice_rows(rows / 3..rows).unwrap();
            assert_eq!(dense(&part), expected[rows / 3..]);
            let starts = matrix.row_starts().to_vec::<i64>().unwrap();
            assert_eq!((starts.len(), starts[0], starts[rows]), (rows + 1, 0, matrix.nnz() as i64));
            let back = Csr::from_parts(
                &matrix.row_starts(),
                matrix.columns(),
                matrix.values(),
                [rows, columns],
            );
            assert_eq!(dense(&back.unwrap()), expected);
            let of_dense = Csr::from_dense(&matrix.to_dense()).unwrap();
            assert_eq!((dense(&of_dense), of_dense.nnz()), (expected.clone(), count));
            let rows_of = matrix.rows().to_vec::<i64>().unwrap();
            assert!(rows_of.is_sorted() && rows_of.len() == matrix.nnz());
        }
    });
}

#[test]
fn matrices_are_combined() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (rows, columns, count) in SHAPES {
            let (a, b) = (
                Entries::random(rows, columns, count, 2),
                Entries::random(rows, columns, count / 2, 3),
            );
            let (own, other) = (a.dense(), b.dense());
            let cases: [Combination; 4] = [
                (Op::Add, |a, b| a + b),
                (Op::Subtract, |a, b| a - b),
                (Op::Multiply, |a, b| a * b),
                (Op::Maximum, i64::max),
            ];
            for (op, of) in cases {
                let found = a.matrix().combine(op, &b.matrix()).unwrap();
                let expected = map(&own, &other, of);
                assert_eq!(dense(&found), expected, "{op} of {rows} x {columns}");
                let count = expected.iter().flatten().filter(|&&element| element != 0).count();
                assert_eq!(found.nnz(), count);
            }
            let columns_of = transposed(&own, columns);
            for (op, of) in
                [(Op::Maximum, i64::max as fn(i64, i64) -> i64), (Op::Add, |a, b| a + b)]
            {
                let lines = [&columns_of, &own];
                for (axis, lines) in lines.into_iter().enumerate() {
                    if lines.iter().any(Vec::is_empty) {
                        continue;
                    }
                    let expected =
                        lines.iter().map(|line| line.iter().copied().reduce(of).unwrap());
                    let found = a.matrix().reduce(op, axis as i64).to_vec::<i64>().unwrap();
                    assert_eq!(found, expected.collect::<Vec<i64>>(), "{op} along {axis}");
                }
            }
            let diagonal = |k: i64| {
                let element =
                    |row: usize| Some(*own[row].get(usize::try_from(row as i64 + k).ok()?)?);
                (0..rows).filter_map(element).collect::<Vec<i64>>()
            };
            for k in [0, 2, -1] {
                if k < columns as i64 && -k < rows as i64 {
                    let found = a.matrix().diagonal(k).to_vec::<i64>().unwrap();
                    assert_eq!(found, diagonal(k), "diagonal {k} of {rows} x {columns}");
                }
            }
            let pattern = b.matrix();
            let aligned = a.matrix().align(&pattern).to_vec::<i64>().unwrap();
            let places = pattern.rows().to_vec::<i64>().unwrap().into_iter();
            let places = places.zip(pattern.columns().astype(DType::I64).to_vec::<i64>().unwrap());
            let expected = places.map(|(row, column)| own[row as usize][column as usize]);
            assert_eq!(aligned, expected.collect::<Vec<i64>>());
        }
    });
}

#[test]
fn products_of_all_kinds() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (rows, columns, count) in SHAPES {
            let (a, b) = (
                Entries::random(rows, columns, count, 4),
                Entries::random(columns, rows + 1, count, 5),
            );
            let (own, other) = (a.dense(), b.dense());
            let expected = product(&own, &other, rows + 1);
            let found = a.matrix().matmul(&b.matrix()).unwrap();
            assert_eq!(dense(&found), expected, "{rows} x {columns}");
            assert!(found.is_canonical().unwrap());
            // The second product of a pattern uses what the first one has found.
            let matrix = a.matrix();
            for _ in 0..2 {
                let found = matrix.matmat(&b.matrix().to_dense()).to_vec::<i64>().unwrap();
                assert_eq!(found, expected.concat());
                let again = matrix.matmul(&b.matrix()).unwrap();
                assert_eq!(dense(&again), expected);
            }
            let vector = b.matrix().to_dense().slice(s![.., 0]).copy();
            let found = matrix.matvec(&vector).to_vec::<i64>().unwrap();
            assert_eq!(found, expected.iter().map(|row| row[0]).collect::<Vec<i64>>());
        }
    });
}

/// Operations on rows read whole values: views are copied first.
#[test]
fn parts_may_be_views() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let all = arange(0, 20, 1);
        let (rows, columns) = (all.slice(s![6..0; -1]), all.slice(s![0..12; 2]));
        let values = Array::from_vec(vec![4i64]).broadcast_to([6]);
        let matrix = Csr::from_triplets(&rows, &columns, &values, [7, 11]).unwrap();
        let mut expected = vec![vec![0; 11]; 7];
        (0..6).for_each(|at| expected[6 - at][2 * at] = 4);
        assert_eq!(dense(&matrix), expected);
        let other = matrix.with_values(&all.slice(s![13..19; 1])).unwrap();
        let found = other.reduce(Op::Maximum, 1).to_vec::<i64>().unwrap();
        assert_eq!(found, [0, 13, 14, 15, 16, 17, 18]);
        let kept = other.kept(&all.greater(15).slice(s![13..19])).unwrap();
        assert_eq!(kept.values().to_vec::<i64>().unwrap(), [16, 17, 18]);
        let x = arange(0, 22, 1).slice(s![..; 2]);
        let found = matrix.matvec(&x).to_vec::<i64>().unwrap();
        assert_eq!(found, [0, 80, 64, 48, 32, 16, 0]);
    });
}

/// Each device receives the elements of a long vector that its rows need.
#[test]
fn products_with_long_vectors() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let n = 9000_usize;
        let band: Vec<(usize, usize, i64)> = (0..n)
            .flat_map(|row| {
                [row.saturating_sub(1), row, (row * 5) % n].map(|column| (row, column, 2))
            })
            .collect();
        let entries = Entries { shape: [n, n], all: band };
        let matrix = entries.matrix();
        let x: Vec<i64> = (0..n as i64).map(|at| at % 13 - 6).collect();
        let mut expected = vec![0; n];
        entries.all.iter().for_each(|&(row, column, value)| expected[row] += value * x[column]);
        let vector = Array::from_vec(x);
        for _ in 0..2 {
            assert_eq!(matrix.matvec(&vector).to_vec::<i64>().unwrap(), expected);
        }
        let twice = vector.reshape([n, 1]) * Array::from_vec(vec![1i64, -2]);
        let found = matrix.matmat(&twice).to_vec::<i64>().unwrap();
        let both = expected.iter().flat_map(|&element| [element, -2 * element]);
        assert_eq!(found, both.collect::<Vec<i64>>());
    });
}

/// The names of the steps of a plan, without the numbers behind them.
fn steps(value: &Array) -> Vec<String> {
    let text = value.explain().unwrap();
    let of_step = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.first()?.parse::<usize>().ok()?;
        let named = words.iter().find_map(|word| word.strip_suffix(':'));
        let name = named.unwrap_or(words[1]).trim_end_matches(|digit: char| digit.is_ascii_digit());
        Some(String::from(name))
    };
    text.lines().filter_map(of_step).collect()
}

/// Elements travel while rows are computed that need none of them, and neither the vector nor the
/// values of the matrix are copied.
#[test]
fn products_do_not_wait_for_elements_of_other_devices() {
    on_meshes(&[&[2], &[3], &[8]], Limits::default(), |_| {
        let n = 9000_usize;
        let band = (0..n).flat_map(|row| [row.saturating_sub(1), row].map(|at| (row, at, 2)));
        let matrix = Entries { shape: [n, n], all: band.collect() }.matrix();
        let x = Array::from_vec((0..n as i64).collect::<Vec<_>>());
        let expected = matrix.matvec(&x).to_vec::<i64>().unwrap();
        for _ in 0..2 {
            let product = matrix.matvec(&x);
            let found = steps(&product);
            let wanted = ["take_in_block", "exchange", "spmm", "reshard", "spmm_rows"];
            assert_eq!(found.len(), 5, "{found:?}");
            let places = wanted.map(|name| found.iter().rposition(|found| *found == name));
            assert!(places.is_sorted() && places[0].is_some(), "{found:?}");
            assert_eq!(product.to_vec::<i64>().unwrap(), expected);
        }
        // Nothing is copied but what arrives, whether the vector is computed or pending.
        assert_eq!(steps(&matrix.matvec(&matrix.matvec(&x))).len(), 10);
    });
}

#[test]
fn matrices_that_do_not_fit_are_refused() {
    on_meshes(&[&[1], &[3]], Limits::default(), |_| {
        let (a, b) = (Entries::random(4, 5, 9, 1).matrix(), Entries::random(4, 6, 9, 1).matrix());
        assert_eq!(a.matmul(&b).unwrap_err().numpy_class(), "ValueError");
        assert_eq!(a.union(&b).unwrap_err().numpy_class(), "ValueError");
        assert_eq!(a.combine(Op::Add, &b).unwrap_err().numpy_class(), "ValueError");
        let error = |array: &Array| array.evaluate().unwrap_err().numpy_class();
        assert_eq!(error(&a.diagonal(5)), "ValueError");
        assert_eq!(error(&a.diagonal(-4)), "ValueError");
        assert_eq!(error(&a.reduce(Op::Divide, 0)), "ValueError");
        assert_eq!(error(&a.counts(2)), "AxisError");
        let far = Array::from_vec(vec![0i64, 4]);
        assert_eq!(a.take_rows(&far).unwrap_err().numpy_class(), "IndexError");
        let mask = Array::from_vec(vec![true; 3]);
        assert_eq!(a.kept(&mask).unwrap_err().numpy_class(), "ValueError");
        assert_eq!(a.with_values(&mask).unwrap_err().numpy_class(), "ValueError");
    });
}
