//! Operations on the rows and entries of sparse matrices against plain loops, on all rows and on
//! the blocks of devices: of each matrix, a device has a block of rows and their entries.

use super::value::{Random, Value, evaluate};
use phalanx_ops::structured::{Follow, Semiring, Sparse};
use phalanx_ops::{DType, Monoid, Op, Scalar, Structured};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The columns and values of the entries of each row.
type Matrix = Vec<Vec<(i64, i64)>>;

fn random(rows: usize, columns: u64, most: u64, seed: u64) -> Matrix {
    let mut random = Random(seed);
    let entries = |_| match random.below(4) {
        0 => Vec::new(),
        _ => (0..random.below(most))
            .map(|_| (random.below(columns) as i64, random.below(5) as i64 - 2))
            .collect(),
    };
    (0..rows).map(entries).collect()
}

fn canonical(matrix: &Matrix) -> Matrix {
    let row = |row: &Vec<(i64, i64)>| {
        let mut sums = BTreeMap::new();
        row.iter().for_each(|&(column, value)| *sums.entry(column).or_insert(0) += value);
        sums.into_iter().collect()
    };
    matrix.iter().map(row).collect()
}

fn numbers(dtype: DType, numbers: impl IntoIterator<Item = i64>) -> Value {
    let all: Vec<Scalar> = numbers.into_iter().map(Scalar::new).collect();
    Value::new(&[all.len()], all.into_iter(), dtype)
}

/// Starts, ends, columns and values of a block of rows, of which `first` entries are before.
fn parts(matrix: &Matrix, columns: DType, dtype: DType, rows: Range<usize>) -> [Value; 4] {
    let before: usize = matrix[..rows.start].iter().map(Vec::len).sum();
    let own = &matrix[rows];
    let ends = own.iter().scan(before as i64, |end, row| {
        *end += row.len() as i64;
        Some(*end)
    });
    let ends: Vec<i64> = ends.collect();
    let starts: Vec<i64> = ends.iter().zip(own).map(|(end, row)| end - row.len() as i64).collect();
    let entries = || own.iter().flatten();
    [
        numbers(DType::I64, starts),
        numbers(DType::I64, ends),
        numbers(columns, entries().map(|entry| entry.0)),
        numbers(dtype, entries().map(|entry| entry.1)),
    ]
}

fn check(op: Sparse, operands: &[&Value], expected: &Value, what: &str) {
    let op = Structured::Sparse(op);
    let rule = op.rule(&operands.iter().map(|value| &value.shape[..]).collect::<Vec<_>>());
    // What follows the result has an element for each of its own.
    for (operand, follows) in operands.iter().zip(&rule.operands) {
        if follows[0] == Follow::Result(0) {
            assert_eq!(operand.shape, expected.shape, "{op:?}: {what}");
        }
    }
    assert_eq!(evaluate(op, operands), *expected, "{op:?}: {what}");
}

/// The blocks of rows of three devices, and all rows.
fn blocks(rows: usize) -> [Range<usize>; 4] {
    [0..rows, 0..rows / 3, rows / 3..rows / 3, rows / 3..rows]
}

/// Memory for columns.
fn memory(dtype: DType, count: usize) -> Value {
    Value::zeros(dtype, &[count])
}

fn counts_of(counts: &Value) -> impl Iterator<Item = i64> {
    (0..counts.len()).map(|at| counts.integer(at))
}

fn entries(matrix: &Matrix, rows: Range<usize>) -> impl Iterator<Item = &(i64, i64)> {
    matrix[rows].iter().flatten()
}

const SEMIRINGS: [Semiring; 4] =
    [Semiring::PlusTimes, Semiring::MinPlus, Semiring::MaxTimes, Semiring::MaxMin];

/// The combination of a sum and a product.
fn add_product(semiring: Semiring, sum: i64, value: i64, x: i64) -> i64 {
    let product = match semiring.multiply() {
        Op::Add => value + x,
        Op::Minimum => value.min(x),
        _ => value * x,
    };
    match semiring.add() {
        Monoid::Min => sum.min(product),
        Monoid::Max => sum.max(product),
        _ => sum + product,
    }
}

/// The sum of no products, for elements of 32 bits.
fn no_products(semiring: Semiring) -> i64 {
    match semiring.add() {
        Monoid::Min => i64::from(i32::MAX),
        Monoid::Max => i64::from(i32::MIN),
        _ => 0,
    }
}

const SIZES: [(usize, u64, u64); 4] = [(0, 3, 4), (1, 1, 3), (7, 5, 6), (900, 2000, 40)];

fn cases() -> impl Iterator<Item = (Matrix, Matrix, u64, DType, Range<usize>)> {
    SIZES.into_iter().flat_map(|(rows, columns, most)| {
        let (a, b) = (random(rows, columns, most, 3), random(rows, columns, most, 4));
        [DType::I32, DType::I64].into_iter().flat_map(move |dtype| {
            let (a, b) = (a.clone(), b.clone());
            blocks(rows).into_iter().map(move |rows| (a.clone(), b.clone(), columns, dtype, rows))
        })
    })
}

#[test]
pub fn entries_are_sorted_picked_and_kept() {
    for (matrix, _, _, dtype, rows) in cases() {
        let [starts, ends, columns, values] = parts(&matrix, dtype, DType::F64, rows.clone());
        let ends_of = ends.clone();
        let what = format!("{rows:?} of {} in {dtype}", matrix.len());
        let own = &matrix[rows.clone()];
        let x = numbers(DType::I16, rows.clone().map(|row| row as i64 * 3 - 1));
        let spread = own.iter().zip(rows.clone());
        let spread = spread.flat_map(|(row, at)| row.iter().map(move |_| at as i64 * 3 - 1));
        let operands = [&columns, &starts, &ends, &x];
        check(Sparse::Spread, &operands, &numbers(DType::I16, spread), &what);

        let mut first = 0;
        let order = own.iter().flat_map(|row| {
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by_key(|&at| row[at].0);
            let order: Vec<i64> = order.into_iter().map(|at| (first + at) as i64).collect();
            first += row.len();
            order
        });
        let order = numbers(DType::I64, order.collect::<Vec<_>>());
        check(Sparse::Order, &[&columns, &starts, &ends], &order, &what);
        let sorted = own.iter().flat_map(|row| {
            let mut row = row.clone();
            row.sort_by_key(|entry| entry.0);
            row
        });
        let sorted = numbers(DType::F64, sorted.map(|entry| entry.1));
        check(Sparse::Pick, &[&order, &values], &sorted, &what);
        let like = Value::zeros(DType::U8, &[x.len() + starts.len()]);
        let both = rows.clone().map(|row| row as i64 * 3 - 1).chain(rows.clone().map(|_| 7));
        let sevens = numbers(DType::I16, rows.clone().map(|_| 7));
        check(Sparse::Join, &[&like, &x, &sevens], &numbers(DType::I16, both), &what);

        // The rows of entries in another order.
        let count = columns.len();
        let shuffled: Vec<usize> = (0..count).map(|at| at * 7919 % count.max(1)).collect();
        let row_of: Vec<usize> =
            own.iter().enumerate().flat_map(|(at, row)| row.iter().map(move |_| at)).collect();
        if count % 7919 != 0 {
            let rows_of = numbers(dtype, shuffled.iter().map(|&at| row_of[at] as i64));
            let mut order: Vec<i64> = (0..count as i64).collect();
            order.sort_by_key(|&at| row_of[shuffled[at as usize]]);
            let op = Structured::Sparse(Sparse::Group);
            let found = evaluate(op, &[&starts, &ends, &rows_of]);
            assert_eq!(found, numbers(DType::I64, order), "{what}");
        }
        // Rows of two elements from places of their own.
        let pairs = (0..own.len() as i64).map(|row| 2 * row);
        let begins: Vec<i64> = (0..own.len() as i64).map(|row| row * 5 % 11).collect();
        let (first, last) =
            (numbers(DType::I64, pairs.clone()), numbers(DType::I64, pairs.map(|at| at + 2)));
        let source = numbers(DType::I16, (0..12).map(|at| at * at));
        let copied =
            numbers(DType::I16, begins.iter().flat_map(|&at| [at * at, (at + 1) * (at + 1)]));
        let into = memory(DType::I16, copied.len());
        let begins = numbers(DType::I64, begins);
        check(Sparse::CopyRows, &[&into, &first, &last, &begins, &source], &copied, &what);

        let rises = own.iter().flat_map(|row| {
            (0..row.len()).map(|at| match at {
                0 => 2,
                _ => 1 + (row[at].0 - row[at - 1].0).signum(),
            })
        });
        check(Sparse::Rises, &[&columns, &starts, &ends], &numbers(DType::U8, rises), &what);

        let is_kept = |entry: &&(i64, i64)| entry.1 > 0;
        let mask = entries(&matrix, rows.clone()).map(|entry| i64::from(is_kept(&entry)));
        let mask = numbers(DType::Bool, mask);
        let counts = own.iter().map(|row| row.iter().filter(is_kept).count() as i64);
        let counts = numbers(DType::I64, counts);
        check(Sparse::CountKept, &[&starts, &ends, &mask], &counts, &what);
        for (source, number) in [(&columns, 0), (&values, 1)] {
            let kept = entries(&matrix, rows.clone()).filter(is_kept);
            let kept = kept.map(|entry| if number == 0 { entry.0 } else { entry.1 });
            let kept = numbers(source.dtype, kept);
            let into = memory(source.dtype, kept.len());
            let ends = counts_of(&counts).scan(0, |end, count| {
                *end += count;
                Some(*end)
            });
            let ends: Vec<i64> = ends.collect();
            let begins = ends.iter().zip(counts_of(&counts)).map(|(end, count)| end - count);
            let [begins, ends] =
                [begins.collect(), ends.clone()].map(|all: Vec<i64>| numbers(DType::I64, all));
            let operands = [&into, &begins, &ends, &starts, &ends_of, &mask, source];
            check(Sparse::Keep, &operands, &kept, &what);
        }
        for (op, combine) in
            [(Op::Add, i64::wrapping_add as fn(i64, i64) -> i64), (Op::Maximum, i64::max)]
        {
            let fold = |row: &Vec<(i64, i64)>| {
                row.iter().map(|entry| entry.1).reduce(combine).unwrap_or(0)
            };
            let folded = numbers(DType::F64, own.iter().map(fold));
            check(Sparse::Fold { op }, &[&starts, &ends, &values], &folded, &what);
        }
    }
}

#[test]
pub fn rows_are_united_and_aligned() {
    for (a, b, _, dtype, rows) in cases() {
        let what = format!("{rows:?} of {} in {dtype}", a.len());
        let (sums, other) = (canonical(&a), canonical(&b));
        let own = parts(&sums, dtype, DType::I64, rows.clone());
        let others = parts(&other, dtype, DType::I64, rows.clone());
        let operands = [&own[0], &own[1], &own[2], &others[0], &others[1], &others[2]];
        let union: Matrix = sums
            .iter()
            .zip(&other)
            .map(|(a, b)| {
                let all: BTreeSet<i64> = a.iter().chain(b).map(|entry| entry.0).collect();
                all.into_iter().map(|column| (column, 0)).collect()
            })
            .collect();
        let counts = numbers(DType::I64, union[rows.clone()].iter().map(|row| row.len() as i64));
        check(Sparse::UnionCount, &operands, &counts, &what);
        let [starts, ends, columns, _] = parts(&union, dtype, DType::I64, rows.clone());
        let into = memory(dtype, columns.len());
        let all = [&[&into, &starts, &ends][..], &operands].concat();
        check(Sparse::Union, &all, &columns, &what);

        // The second matrix has duplicates, and the entries are in any order.
        let mut sorted = b.clone();
        sorted.iter_mut().for_each(|row| row.sort_by_key(|entry| entry.0));
        let wanted = parts(&a, dtype, DType::I64, rows.clone());
        for of in [DType::I64, DType::F16, DType::C128, DType::I8] {
            let others = parts(&sorted, dtype, of, rows.clone());
            let aligned = a[rows.clone()].iter().zip(&other[rows.clone()]).flat_map(|(a, b)| {
                let sums: BTreeMap<i64, i64> = b.iter().copied().collect();
                a.iter().map(|entry| *sums.get(&entry.0).unwrap_or(&0)).collect::<Vec<_>>()
            });
            let operands = [&wanted[2], &wanted[0], &wanted[1]];
            let all = [&operands[..], &others.iter().collect::<Vec<_>>()].concat();
            check(Sparse::Align, &all, &numbers(of, aligned), &what);
        }
    }
}

#[test]
pub fn products_have_the_rows_that_each_device_needs() {
    for (rows, columns, most) in SIZES {
        let a = random(rows, columns, most, 5);
        let b = random(columns as usize, columns + 3, 9, 6);
        let product = |semiring: Semiring, row: &Vec<(i64, i64)>| {
            let mut sums = BTreeMap::new();
            for &(k, value) in row {
                for &(column, other) in &b[k as usize] {
                    let sum = sums.entry(column).or_insert(no_products(semiring));
                    *sum = add_product(semiring, *sum, value, other);
                }
            }
            sums.into_iter().collect::<Vec<_>>()
        };
        let over = |semiring| a.iter().map(|row| product(semiring, row)).collect::<Matrix>();
        let expected = over(Semiring::PlusTimes);
        for block in blocks(rows) {
            for (dtype, of) in [(DType::I32, DType::I64), (DType::I64, DType::F64)] {
                let what = format!("{block:?} of {rows} in {dtype}");
                let own = parts(&a, dtype, of, block.clone());
                let distinct: BTreeSet<i64> =
                    entries(&a, block.clone()).map(|entry| entry.0).collect();
                let count = numbers(DType::I64, [distinct.len() as i64]);
                check(Sparse::NeededCount, &[&memory(DType::I64, 1), &own[2]], &count, &what);
                let needed = numbers(DType::I64, distinct.iter().copied());
                let into = memory(DType::I64, needed.len());
                check(Sparse::Needed, &[&into, &own[2]], &needed, &what);
                let place = |entry: &(i64, i64)| distinct.range(..entry.0).count() as i64;
                let places = numbers(DType::I32, entries(&a, block.clone()).map(place));
                check(Sparse::Renumber, &[&own[2], &needed], &places, &what);

                // The rows of the other matrix that the device needs are a block of their own.
                let near: Matrix = distinct.iter().map(|&row| b[row as usize].clone()).collect();
                let others = parts(&near, dtype, of, 0..near.len());
                let places = numbers(dtype, entries(&a, block.clone()).map(place));
                let patterns = [&own[0], &own[1], &places, &others[0], &others[1], &others[2]];
                let result = parts(&expected, dtype, of, block.clone());
                let counts = expected[block.clone()].iter().map(|row| row.len() as i64);
                check(Sparse::ProductCount, &patterns, &numbers(DType::I64, counts), &what);
                let into = memory(dtype, result[2].len());
                let all = [&[&into, &result[0], &result[1]][..], &patterns].concat();
                check(Sparse::ProductColumns, &all, &result[2], &what);
                let all = [
                    &[&result[2], &result[0], &result[1]][..],
                    &[&own[0], &own[1], &places, &own[3]],
                    &[&others[0], &others[1], &others[2], &others[3]],
                ]
                .concat();
                // Integers have one zero, floats two.
                let has_negative_zero =
                    |semiring: &Semiring| of.is_inexact() && *semiring == Semiring::MaxTimes;
                for semiring in SEMIRINGS.into_iter().filter(|it| !has_negative_zero(it)) {
                    let values = &parts(&over(semiring), dtype, of, block.clone())[3];
                    check(Sparse::ProductValues { semiring }, &all, values, &what);
                }
            }
        }
    }
}

#[test]
pub fn columns_that_are_far_apart_are_needed_as_well() {
    let far = [5_i64 << 40, 3, 5 << 40, 1 << 50, 3];
    let columns = numbers(DType::I64, far);
    let count = numbers(DType::I64, [3]);
    check(Sparse::NeededCount, &[&memory(DType::I64, 1), &columns], &count, "far");
    let needed = numbers(DType::I64, [3, 5 << 40, 1 << 50]);
    check(Sparse::Needed, &[&memory(DType::I64, 3), &columns], &needed, "far");
    let places = numbers(DType::I32, [1, 0, 1, 2, 0]);
    check(Sparse::Renumber, &[&columns, &needed], &places, "far");
}

#[test]
pub fn a_matrix_is_multiplied_column_by_column() {
    for (rows, columns, most) in SIZES {
        let matrix = random(rows, columns, most, 7);
        for (block, width) in blocks(rows).into_iter().zip([1, 3, 8, 33]) {
            let [starts, ends, places, values] =
                parts(&matrix, DType::I32, DType::I32, block.clone());
            let x = |row: i64, column: usize| (row * 31 + column as i64 * 7) % 19 - 9;
            let all = (0..columns as i64).flat_map(|row| (0..width).map(move |at| x(row, at)));
            let elements: Vec<Scalar> = all.map(Scalar::new).collect();
            let operand = Value::new(&[columns as usize, width], elements.into_iter(), DType::I32);
            for semiring in SEMIRINGS {
                let sums = matrix[block.clone()].iter().flat_map(|row| {
                    let sum = |at| {
                        row.iter().fold(no_products(semiring), |sum, entry| {
                            add_product(semiring, sum, entry.1, x(entry.0, at))
                        })
                    };
                    (0..width).map(sum).collect::<Vec<_>>()
                });
                let sums: Vec<Scalar> = sums.map(Scalar::new).collect();
                let expected = Value::new(&[block.len(), width], sums.into_iter(), DType::I32);
                for (is_local, is_even) in [(false, true), (true, true), (false, false)] {
                    let op = Sparse::Product { is_local, is_even, semiring };
                    let operands = [&starts, &ends, &places, &values, &operand];
                    let result = evaluate(Structured::Sparse(op), &operands);
                    assert_eq!(result, expected, "{semiring}: {block:?} of {rows}, {width}");
                }
            }
        }
    }
}

/// Some rows of a product, of a vector in two parts: the rows have the elements of the product of
/// the joined vector, and the other elements stay.
#[test]
pub fn some_rows_are_multiplied_by_a_vector_in_two_parts() {
    let of = DType::I32;
    for (rows, columns, most) in SIZES {
        let matrix = random(rows, columns, most, 8);
        for (block, step) in blocks(rows).into_iter().zip([2, 1, 3, 5]) {
            for dtype in [DType::I32, DType::I64] {
                let [starts, ends, places, values] = parts(&matrix, dtype, of, block.clone());
                let x: Vec<i64> = (0..columns as i64).map(|at| (at * 7) % 19 - 9).collect();
                let (own, others) = x.split_at(x.len() / 2);
                let received = others.iter().copied().map(Scalar::new).collect::<Vec<_>>();
                let received = Value::new(&[1, 1, others.len()], received.into_iter(), of);
                let into = numbers(of, 0..block.len() as i64);
                let wanted = numbers(DType::I64, (0..block.len() as i64).step_by(step));
                let own = numbers(of, own.iter().copied());
                for semiring in SEMIRINGS {
                    let product = |sum, entry: &(i64, i64)| {
                        add_product(semiring, sum, entry.1, x[entry.0 as usize])
                    };
                    let elements = matrix[block.clone()].iter().enumerate();
                    let elements = elements.map(|(at, row)| match at % step {
                        0 => row.iter().fold(no_products(semiring), product),
                        _ => at as i64,
                    });
                    let expected = numbers(of, elements);
                    let operands =
                        [&into, &wanted, &starts, &ends, &places, &values, &own, &received];
                    let what = format!("{semiring}: {block:?} of {rows}");
                    check(Sparse::ProductRows { semiring }, &operands, &expected, &what);
                }
            }
        }
    }
}

#[test]
pub fn fronts_are_placed_and_added() {
    let mut random = Random(5);
    let mut drawn = |shape: &[usize], below: u64, least: i64, dtype: DType| {
        let count: usize = shape.iter().product();
        let numbers: Vec<i64> = (0..count).map(|_| random.below(below) as i64 + least).collect();
        let elements: Vec<Scalar> = numbers.iter().copied().map(Scalar::new).collect();
        (Value::new(shape, elements.into_iter(), dtype), numbers)
    };
    for [fronts, height, width, sources, below, across] in
        [[3, 4, 5, 2, 3, 2], [1, 1, 1, 1, 1, 1], [40, 30, 20, 7, 9, 8], [2, 3, 0, 1, 2, 2]]
    {
        for dtype in [DType::F64, DType::I16, DType::C128] {
            let (into, base) = drawn(&[fronts, height, width], 9, -4, dtype);
            let (source, from) = drawn(&[sources, below, across], 9, -4, dtype);
            // Numbers outside on both sides.
            let (slots, slot_of) = drawn(&[fronts], sources as u64 + 2, -1, DType::I64);
            let (rows, row_of) = drawn(&[fronts, height], below as u64 + 2, -1, DType::I32);
            let (columns, column_of) = drawn(&[fronts, width], across as u64 + 2, -1, DType::I32);
            let inside = |number: i64, extent: usize| {
                usize::try_from(number).ok().filter(|number| *number < extent)
            };
            let sums: Vec<Scalar> = (0..base.len())
                .map(|at| {
                    let (line, place) = (at / width, at % width);
                    let front = line / height;
                    let added = inside(slot_of[front], sources).and_then(|slot| {
                        let row = inside(row_of[line], below)?;
                        let column = inside(column_of[front * width + place], across)?;
                        Some(from[(slot * below + row) * across + column])
                    });
                    Scalar::new(base[at] + added.unwrap_or(0))
                })
                .collect();
            let expected = Value::new(&into.shape, sums.into_iter(), dtype);
            for is_local in [false, true] {
                let op = Structured::Sparse(Sparse::AddFronts { is_local });
                let operands = [&into, &slots, &rows, &columns, &source];
                assert_eq!(evaluate(op, &operands), expected, "{dtype} {fronts}x{height}");
            }
            // Every third element, and a place outside.
            let places: Vec<i64> = (-1..base.len() as i64).step_by(3).chain([1 << 40]).collect();
            let values: Vec<Scalar> = (0..places.len() as i64).map(Scalar::new).collect();
            let mut placed = base.clone();
            for (value, &place) in places.iter().enumerate() {
                if let Some(at) = inside(place, placed.len()) {
                    placed[at] = value as i64;
                }
            }
            let placed = placed.into_iter().map(Scalar::new).collect::<Vec<_>>().into_iter();
            let operands = [
                &into,
                &Value::positions(&[places.len()], places.iter().copied()),
                &Value::new(&[values.len()], values.into_iter(), dtype),
            ];
            let op = Structured::Sparse(Sparse::Place);
            assert_eq!(evaluate(op, &operands), Value::new(&into.shape, placed, dtype), "{dtype}");
        }
    }
}

#[test]
pub fn dense_matrices_are_multiplied_at_entries() {
    for (rows, columns, most) in SIZES {
        let matrix = random(rows, columns, most, 9);
        for (block, width) in blocks(rows).into_iter().zip([3, 0, 33, 8]) {
            for (dtype, of) in [(DType::I32, DType::I32), (DType::I64, DType::F64)] {
                let [starts, ends, places, values] = parts(&matrix, dtype, of, block.clone());
                let x = |row: usize, at: usize| (row as i64 * 31 + at as i64 * 7) % 19 - 9;
                let dense = |rows: Range<usize>| {
                    let shape = [rows.len(), width];
                    let all = rows.flat_map(|row| (0..width).map(move |at| x(row, at)));
                    let all: Vec<Scalar> = all.map(Scalar::new).collect();
                    Value::new(&shape, all.into_iter(), of)
                };
                let other = |column: i64| column as usize + 3;
                let operands = [dense(block.clone()), dense(3..3 + columns as usize)];
                let products = matrix[block.clone()].iter().zip(block.clone());
                let products = products.flat_map(|(entries, row)| {
                    let product = |column| -> i64 {
                        (0..width).map(|at| x(row, at) * x(other(column), at)).sum()
                    };
                    entries.iter().map(move |entry| entry.1 * product(entry.0)).collect::<Vec<_>>()
                });
                let expected = numbers(of, products);
                let operands = [&places, &starts, &ends, &values, &operands[0], &operands[1]];
                let what = format!("{block:?} of {rows}, {width}");
                for is_local in [false, true] {
                    check(Sparse::SampledProduct { is_local }, &operands, &expected, &what);
                }
            }
        }
    }
}
