//! Reductions of elements and their neighbours: the loop of a kernel is cut where a halo begins,
//! and its launches combine their results.

use crate::vectors::{numbers, session_of, shardings, vector};
use phalanx_array::{Array, MeshHandle, full, s, ufunc};
use phalanx_ops::{DType, Op, Sharding};
use phalanx_scheduler::SessionOptions;

const COLUMNS: usize = 6;

fn read(array: &Array) -> Vec<i64> {
    array.to_vec::<i64>().expect("numbers")
}

/// The products of each element of a column and the one `far` rows after it, row by row.
fn products(given: &[i64], rows: usize, far: usize) -> Vec<Vec<i64>> {
    let at = |row: usize, column: usize| given[row * COLUMNS + column];
    let of_row = |row| (0..COLUMNS).map(|column| at(row, column) * at(row + far, column)).collect();
    (0..rows - far).map(of_row).collect()
}

fn folded(rows: &[Vec<i64>], combine: impl Fn(i64, i64) -> i64) -> Vec<i64> {
    let of_column =
        |column: usize| rows.iter().map(|row| row[column]).reduce(&combine).expect("a row");
    (0..COLUMNS).map(of_column).collect()
}

fn check(given: &[i64], rows: usize, far: usize, sharding: &Sharding) {
    let what = format!("{rows} rows, {far} apart, by {sharding:?}");
    let mut whole = sharding.clone();
    whole.axes.push(None);
    let a = vector(given).reshape([rows, COLUMNS]).with_sharding(whole);
    let last = rows as i64 - far as i64;
    let (low, high) = (a.slice(s![..last]), a.slice(s![far as i64..]));
    let should = products(given, rows, far);
    let sums = folded(&should, |a, b| a + b);
    let product = || &low * &high;
    assert_eq!(read(&product().sum(0)), sums, "sum {what}");
    assert_eq!(read(&product().sum(())), [sums.iter().sum::<i64>()], "whole sum {what}");
    assert_eq!(read(&product().min(0)), folded(&should, i64::min), "min {what}");
    assert_eq!(read(&product().max(0)), folded(&should, i64::max), "max {what}");
    assert_eq!(
        read(&ufunc(Op::BitwiseXor).reduce(&product(), 0)),
        folded(&should, |a, b| a ^ b),
        "xor {what}"
    );
    let of_rows: Vec<i64> = should.iter().map(|row| row.iter().sum()).collect();
    assert_eq!(read(&product().sum(1)), of_rows, "sums of rows {what}");
    // Two folds of one loop, whose operand is stored too, and a result that needs one of them.
    let stored = product();
    let (sum, most) = (stored.sum(()), stored.max(()));
    let centred = &stored - &most;
    let most_of_all = should.iter().flatten().copied().max().expect("a product");
    let all: Vec<i64> = should.concat();
    assert_eq!(read(&stored), all, "products {what}");
    assert_eq!(read(&sum), [all.iter().sum::<i64>()], "sum beside max {what}");
    assert_eq!(read(&most), [most_of_all], "max beside sum {what}");
    let below: Vec<i64> = all.iter().map(|product| product - most_of_all).collect();
    assert_eq!(read(&centred), below, "differences {what}");
    // The greatest one's place is not combined by an operation, so the products are stored.
    let place = all.iter().position(|product| *product == most_of_all).expect("a place");
    assert_eq!(read(&product().argmax(())), [place as i64], "argmax {what}");
}

#[test]
fn folds_beyond_blocks_are_those_of_one_device() {
    for devices in [1, 2, 3, 4, 8] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            for (rows, far) in [(2, 1), (5, 1), (9, 4), (40, 1), (40, 7), (41, 30)] {
                let given = numbers(rows * COLUMNS);
                for sharding in shardings(rows, devices) {
                    check(&given, rows, far, &sharding);
                }
            }
        });
    }
}

/// A number that a fold multiplies by and that nothing reads afterwards is not overwritten by the
/// first launch.
#[test]
fn results_of_folds_do_not_replace_their_operands() {
    for devices in [2, 3] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            let given = numbers(60);
            let a = vector(&given);
            for factor in 2..5 {
                let scale = full((), factor, DType::I64);
                scale.evaluate().expect("a number");
                let sum = (a.slice(s![1..]) * a.slice(s![..-1]) * &scale).sum(());
                drop(scale);
                let should: i64 = given.windows(2).map(|pair| pair[0] * pair[1] * factor).sum();
                assert_eq!(read(&sum), [should], "{devices} devices, factor {factor}");
            }
        });
    }
}

/// Elements that one launch stored over an operand were read by the loop of the next one.
#[test]
fn operands_are_overwritten_after_all_parts_have_read_them() {
    for devices in [1, 2, 3, 4] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            let given = numbers(61);
            let (from, to) = (s![1..], s![..-1]);
            let should: i64 = given.windows(2).map(|pair| pair[0] * pair[1]).sum();
            let doubled: Vec<i64> = given.iter().map(|number| 2 * number).collect();
            let a = vector(&given);
            a.evaluate().expect("numbers");
            let sum = (a.slice(from) * a.slice(to)).sum(());
            a.multiply_assign(2);
            assert_eq!(read(&sum), [should], "{devices} devices, in place");
            assert_eq!(read(&a), doubled, "{devices} devices, in place");
            let a = vector(&given);
            a.evaluate().expect("numbers");
            let (sum, other) = ((a.slice(from) * a.slice(to)).sum(()), &a * 2);
            drop(a);
            assert_eq!(read(&sum), [should], "{devices} devices, another array");
            assert_eq!(read(&other), doubled, "{devices} devices, another array");
            // A write of the stored operand of two folds.
            let (a, b) = (vector(&given), vector(&given));
            a.evaluate().expect("numbers");
            b.evaluate().expect("numbers");
            let terms = (a.slice(to) + a.slice(from)) * b.slice(to);
            let (most, sum) = (terms.max(()), terms.sum(()));
            a.slice(from).assign(&terms);
            let terms: Vec<i64> =
                given.windows(2).map(|pair| (pair[0] + pair[1]) * pair[0]).collect();
            assert_eq!(read(&most), [terms.iter().copied().max().expect("a term")]);
            assert_eq!(read(&sum), [terms.iter().sum::<i64>()]);
            assert_eq!(read(&a), [&given[..1], &terms[..]].concat());
        });
    }
}

/// One kernel folds without storing what it folds, and its interior runs before the messages
/// arrive; a window of the same pattern with other extents runs it again.
#[test]
fn a_fold_of_neighbours_is_one_kernel() {
    MeshHandle::new(session_of(3, SessionOptions::default())).enter(|| {
        for extent in [3000, 4500, 3001] {
            let given = numbers(extent);
            let a = vector(&given);
            a.evaluate().expect("numbers");
            let sum = (a.slice(s![1..]) - a.slice(s![..-1])).maximum(-3).sum(());
            let plan = sum.explain().expect("a plan");
            assert!(plan.contains("1 launch, 1 exchange, 1 all-reduce"), "{plan}");
            assert!(plan.contains("in an interior and 1 rim"), "{plan}");
            let should: i64 = given.windows(2).map(|pair| (pair[1] - pair[0]).max(-3)).sum();
            assert_eq!(read(&sum), [should]);
        }
    });
}
