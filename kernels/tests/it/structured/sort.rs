//! Sorting against a stable sort by comparisons.

use super::value::{Value, assert_same, evaluate, order, shapes};
use crate::due::due_dtypes;
use phalanx_ops::structured::{Order, Ranks, Sort};
use phalanx_ops::{DType, Scalar, Structured};

/// Values and positions of a stable sort.
fn reference(value: &Value, axis: u8) -> [Value; 2] {
    let [outer, extent, inner] = value.lines(axis.into());
    let mut sorted = value.clone();
    let mut positions = Value::zeros(DType::I64, &value.shape);
    for line in 0..outer * inner {
        let place = |row: usize| (line / inner * extent + row) * inner + line % inner;
        let mut rows: Vec<usize> = (0..extent).collect();
        rows.sort_by(|&a, &b| order(value.dtype, value.element(place(a)), value.element(place(b))));
        for (row, &had) in rows.iter().enumerate() {
            sorted.set(place(row), value.element(place(had)));
            positions.set(place(row), &(had as i64).to_ne_bytes());
        }
    }
    [sorted, positions]
}

fn check(value: &Value, axis: u8) {
    let [sorted, positions] = reference(value, axis);
    let sort = |order| evaluate(Structured::Sort(Sort::new(axis, order)), &[value]);
    // NaNs keep their bits too.
    let is = sort(Order::Values);
    assert_same(&is, &sorted, &format!("sort of {}", value.dtype));
    assert!(is == sorted, "sort of {} {:?} keeps the bits", value.dtype, value.shape);
    assert_same(&sort(Order::Positions), &positions, &format!("argsort of {}", value.dtype));
    if Order::is_packed(value.dtype, value.shape[usize::from(axis)]) {
        check_packed(&sort(Order::Packed), value, &positions, axis);
    }
}

/// Checks that the low bits are the positions, and that the orders above them ascend and are equal
/// for equal elements alone.
fn check_packed(packed: &Value, value: &Value, positions: &Value, axis: u8) {
    let what = format!("packed sort of {} {:?}", value.dtype, value.shape);
    let [outer, extent, inner] = value.lines(axis.into());
    let word = |of: &Value, at: usize| {
        u64::from_ne_bytes(of.element(at).try_into().expect("an element of eight bytes"))
    };
    for line in 0..outer * inner {
        let place = |row: usize| (line / inner * extent + row) * inner + line % inner;
        let element = |row: usize| value.element(place(word(positions, place(row)) as usize));
        for row in 0..extent {
            let own = word(packed, place(row));
            assert_eq!(own & u64::from(u32::MAX), word(positions, place(row)), "{what}");
            if row > 0 {
                let before = word(packed, place(row - 1)) >> 32;
                let is = before.cmp(&(own >> 32));
                assert_eq!(is, order(value.dtype, element(row - 1), element(row)), "{what}");
            }
        }
    }
    for runs in [None, Some(3)] {
        let unpack = Sort { axis, order: Order::Unpacked, ranks: None, runs };
        assert!(evaluate(Structured::Sort(unpack), &[packed]) == *positions, "unpacked {what}");
    }
}

#[test]
fn every_dtype_and_axis() {
    for &dtype in DType::ALL {
        for (seed, extent) in [0, 1, 2, 7, 100, 1000].into_iter().enumerate() {
            for (shape, axis) in shapes(extent) {
                check(&Value::mixed(dtype, &shape, seed as u64), axis);
            }
        }
    }
}

/// Lines that several threads sort together, and those that are counted.
#[test]
fn long_lines() {
    let dtypes =
        [DType::U8, DType::F16, DType::I32, DType::F32, DType::F64, DType::U64, DType::C128];
    for dtype in dtypes {
        check(&Value::mixed(dtype, &[150_001], 5), 0);
        check(&Value::mixed(dtype, &[70_000, 2], 6), 0);
    }
}

/// Checks that the elements of a line are those of `sorted` in any order, that those of `ranks` are
/// in order, and that no element is on the wrong side of them.
fn check_partition(is: &Value, sorted: &Value, axis: u8, ranks: Ranks, what: &str) {
    let [outer, extent, inner] = is.lines(axis.into());
    let compare = |a: &[u8], b: &[u8]| order(is.dtype, a, b);
    for line in 0..outer * inner {
        let place = |row: usize| (line / inner * extent + row) * inner + line % inner;
        let elements = |of: &Value| -> Vec<Vec<u8>> {
            (0..extent).map(|row| of.element(place(row)).to_vec()).collect()
        };
        let (found, should) = (elements(is), elements(sorted));
        for rank in 0..extent {
            let (own, bound) = match rank {
                _ if rank < ranks.first => (compare(&found[rank], &should[ranks.first]), true),
                _ if rank > ranks.last => (compare(&should[ranks.last], &found[rank]), true),
                _ => (compare(&found[rank], &should[rank]), false),
            };
            assert!(own.is_eq() || (bound && own.is_lt()), "{what}: rank {rank}");
        }
        let mut bytes = [found, should];
        bytes.iter_mut().for_each(|elements| elements.sort());
        assert!(bytes[0] == bytes[1], "{what}: other elements");
    }
}

fn check_partitions(value: &Value, axis: u8) {
    let [sorted, _] = reference(value, axis);
    let extent = value.shape[usize::from(axis)];
    let middle = extent / 2;
    for (first, last) in [
        (0, 0),
        (middle, middle),
        (middle / 2, (middle + 1).min(extent - 1)),
        (extent - 1, extent - 1),
    ] {
        let ranks = Ranks { first, last };
        let partition =
            |order| Structured::Sort(Sort { axis, order, ranks: Some(ranks), runs: None });
        let what = format!("{ranks:?} of {} {:?}", value.dtype, value.shape);
        let values = evaluate(partition(Order::Values), &[value]);
        check_partition(&values, &sorted, axis, ranks, &what);
        let positions = evaluate(partition(Order::Positions), &[value]);
        let mut taken = value.clone();
        let [outer, extent, inner] = value.lines(axis.into());
        for at in 0..outer * extent * inner {
            let had = positions.integer(at) as usize;
            let from = (at / (extent * inner) * extent + had) * inner + at % inner;
            taken.set(at, value.element(from));
        }
        check_partition(&taken, &sorted, axis, ranks, &format!("positions of {what}"));
    }
}

#[test]
fn partitions_of_every_dtype_and_axis() {
    for (number, dtype) in due_dtypes().enumerate() {
        // Each dtype has every second shape of an extent, and its neighbour the others.
        for (seed, extent) in [1, 2, 255, 256, 3000].into_iter().enumerate() {
            let shapes = shapes(extent).into_iter().filter(|(shape, _)| !shape.contains(&0));
            for (shape, axis) in shapes.skip((number + seed) % 2).step_by(2) {
                check_partitions(&Value::mixed(dtype, &shape, seed as u64), axis);
            }
        }
    }
}

/// Lines from which a sample is taken: mixed, all equal, with few different elements, periodic, and
/// in order.
#[test]
fn partitions_of_long_lines() {
    for (number, dtype) in [DType::I32, DType::F32, DType::F64, DType::U64].into_iter().enumerate()
    {
        check_partitions(&Value::mixed(dtype, &[150_001], 5), 0);
        let count = 70_000i64;
        let lines: [&dyn Fn(i64) -> i64; 5] =
            [&|_| 7, &|at| at % 3, &|at| at % 17 * 1000 + at / 17, &|at| at, &|at| -at];
        for line in lines.into_iter().skip(number % 2).step_by(2) {
            let elements = (0..count).map(|at| Scalar::new(line(at)).cast(dtype));
            check_partitions(&Value::new(&[count as usize], elements, dtype), 0);
        }
    }
}

/// Sorts the rows between cuts of each line, whose elements are neighbours.
pub fn in_runs(value: &Value, cuts: &[usize]) -> Value {
    let extent = value.shape[value.shape.len() - 1];
    let mut runs = value.clone();
    for line in (0..value.len()).step_by(extent) {
        for pair in cuts.windows(2) {
            let mut rows: Vec<usize> = (line + pair[0]..line + pair[1]).collect();
            rows.sort_by(|&a, &b| order(value.dtype, value.element(a), value.element(b)));
            for (at, had) in rows.into_iter().enumerate() {
                runs.set(line + pair[0] + at, value.element(had));
            }
        }
    }
    runs
}

/// Runs of one element, none, and more than one thread merges; lines with more runs than said.
#[test]
fn lines_of_few_runs_are_merged() {
    let extent = 40_000;
    let all_cuts: [&[usize]; 5] = [
        &[0, extent],
        &[0, 17_000, extent],
        &[0, 1, 39_999, extent],
        &[0, 9000, 9000, 20_000, 20_001, 31_000, extent],
        &[0, 5000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, extent],
    ];
    for dtype in due_dtypes() {
        for (seed, cuts) in all_cuts.into_iter().enumerate() {
            let value = in_runs(&Value::mixed(dtype, &[2, extent], seed as u64), cuts);
            let [sorted, positions] = reference(&value, 1);
            for runs in [cuts.len() - 1, 1] {
                let merge = |order| {
                    let runs = Some(runs);
                    evaluate(
                        Structured::Sort(Sort { axis: 1, order, ranks: None, runs }),
                        &[&value],
                    )
                };
                let what = format!("{} runs of {dtype}, said {runs}", cuts.len() - 1);
                assert!(merge(Order::Values) == sorted, "{what}");
                assert!(merge(Order::Positions) == positions, "positions of {what}");
            }
        }
    }
}
