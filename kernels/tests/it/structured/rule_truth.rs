//! The rules of structured operations against the truth. If the rule lets devices split an axis,
//! the operation computes a device's block of the result from the blocks that the rule assigns to
//! the device. If the rule keeps an axis whole, it does not.

use super::value::{Random, Value, evaluate_part};
use phalanx_ops::structured::{
    Border, Components, Decomposition, Fft, Filtered, Follow, Interpolate, Lend, Matmul, Nearest,
    Neighbourhood, Order, Outside, Put, Ranks, Recurrence, ReduceAt, Returned, Route, Rule, Scan,
    SearchSorted, Semiring, Share, Side, Sort, Sparse, Take, TakeAlong, Transform, TreeSearch,
    WindowCombine,
};
use phalanx_ops::{DType, Op, Scalar, Structured, Weak};
use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An operation with operands. Extents differ unless they must be equal, so that no axis can be
/// mistaken for another.
struct Case {
    op: Structured,
    operands: Vec<Value>,
}

fn small(dtype: DType, shape: &[usize], seed: u64) -> Value {
    let (count, mut random) = (shape.iter().product::<usize>(), Random(seed));
    let numbers = (0..count).map(|_| Scalar::new(random.below(9) as f64 - 4.0));
    Value::new(shape, numbers.collect::<Vec<_>>().into_iter(), dtype)
}

fn positions(shape: &[usize], extent: usize, seed: u64) -> Value {
    let (count, mut random) = (shape.iter().product::<usize>(), Random(seed));
    let places: Vec<i64> = (0..count).map(|_| random.below(extent as u64) as i64).collect();
    Value::positions(shape, places.into_iter())
}

/// Symmetric matrices with distinct positive eigenvalues.
fn matrices(stack: usize, n: usize) -> Value {
    let number = |at: usize| {
        let (matrix, row, column) = (at / n / n, at / n % n, at % n);
        let diagonal = if row == column { 10.0 * (row + 1) as f64 } else { 0.0 };
        diagonal + (matrix + row + column) as f64 / 4.0
    };
    Value::new(&[stack, n, n], (0..stack * n * n).map(|at| Scalar::new(number(at))), DType::F64)
}

/// At least one case of every operation.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |op, operands: &[Value]| cases.push(Case { op, operands: operands.to_vec() });
    let f64s = |shape: &[usize]| small(DType::F64, shape, 1);
    for transposed in [[false, false], [true, false], [false, true], [true, true]] {
        let left = f64s(if transposed[0] { &[2, 5, 4] } else { &[2, 4, 5] });
        let right = f64s(if transposed[1] { &[2, 3, 5] } else { &[2, 5, 3] });
        let op = Structured::Matmul(Matmul { transposed, in_order: false });
        add(op, &[left.clone(), right.clone()]);
        add(op, &[left, right, f64s(&[2, 4, 3])]);
    }
    for axis in [0, 1] {
        let fft = |transform| Structured::Fft(Fft::new(axis, transform));
        let complex = small(DType::C128, &[4, 6], 2);
        add(fft(Transform::Forward), std::slice::from_ref(&complex));
        add(fft(Transform::Inverse), std::slice::from_ref(&complex));
        add(fft(Transform::RealForward), &[f64s(&[4, 6])]);
        let extent = 2 * complex.shape[usize::from(axis)] as u64 - 1;
        add(fft(Transform::RealInverse { extent }), &[complex]);
        for order in [Order::Values, Order::Positions, Order::Packed] {
            let operand = [small(DType::I32, &[4, 6], 3)];
            add(Structured::Sort(Sort::new(axis, order)), &operand);
            let ranks = Ranks { first: 1, last: 2 };
            if order != Order::Packed {
                let part = Sort { axis, order, ranks: Some(ranks), runs: None };
                add(Structured::Sort(part), &operand);
            }
        }
        let unpacked = Structured::Sort(Sort::new(axis, Order::Unpacked));
        add(unpacked, &[small(DType::U64, &[4, 6], 5)]);
        let routed = [f64s(&[4, 6]), small(DType::I32, &[4, 6], 7)];
        add(Structured::Route(Route { axis }), &routed);
        let scan = Structured::Scan(Scan { op: Op::Add, axis, in_order: false });
        add(scan, &[f64s(&[4, 6])]);
        let row = if axis == 0 { [1, 6] } else { [4, 1] };
        add(scan, &[f64s(&[4, 6]), f64s(&row)]);
        let starts = Value::positions(&[3], [0, 3, 1].into_iter());
        let reduce = ReduceAt { op: Op::Add, axis, in_order: false };
        add(Structured::ReduceAt(reduce), &[f64s(&[4, 6]), starts]);
        let extent = [4, 6][usize::from(axis)];
        let take = Structured::Take(Take { axis });
        add(take, &[f64s(&[4, 6]), positions(&[5], extent, 4)]);
        let mut given = [4, 6];
        given[usize::from(axis)] = 5;
        let places = positions(&given, extent, 5);
        add(Structured::TakeAlong(TakeAlong { axis }), &[f64s(&[4, 6]), places.clone()]);
        for op in [None, Some(Op::Add)] {
            let operands = [f64s(&[4, 6]), places.clone(), f64s(&given)];
            add(Structured::Put(Put { axis, op, in_order: false }), &operands);
        }
    }
    let ordered = Value::new(&[7], (0..7).map(|at| Scalar::new(f64::from(at / 2))), DType::F64);
    for side in [Side::Left, Side::Right] {
        let search = Structured::SearchSorted(SearchSorted { side });
        add(search, &[ordered.clone(), f64s(&[3, 4])]);
    }
    for decomposition in [
        Decomposition::Cholesky,
        Decomposition::Inverse,
        Decomposition::Determinant,
        Decomposition::Qr { complete: false },
        Decomposition::Qr { complete: true },
        Decomposition::Eigh { lower: true },
        Decomposition::Svd { full: false },
        Decomposition::Svd { full: true },
    ] {
        add(Structured::Decomposition(decomposition), &[matrices(2, 4)]);
    }
    let right = f64s(&[2, 4, 3]);
    add(Structured::Decomposition(Decomposition::Solve), &[matrices(2, 4), right]);
    let complex = matrices(2, 4);
    let elements = complex.bytes.chunks(8).map(|bytes| Scalar::from_bytes(DType::F64, bytes));
    let complex = Value::new(&complex.shape, elements, DType::C128);
    add(Structured::Decomposition(Decomposition::Eig { real: true }), &[complex]);
    let entries = |numbers: [i64; 4]| Value::positions(&[4], numbers.into_iter());
    let columns = Value::positions(&[8], [0, 4, 2, 1, 3, 0, 2, 4].into_iter());
    let operands = [entries([0, 3, 3, 6]), entries([3, 3, 6, 8]), columns, f64s(&[8]), f64s(&[5])];
    for is_even in [true, false] {
        let semiring = if is_even { Semiring::PlusTimes } else { Semiring::MinPlus };
        let product = Sparse::Product { is_local: false, is_even, semiring };
        add(Structured::Sparse(product), &operands);
    }
    let small = |shape: &[usize], numbers: &[i64]| {
        Value::new(shape, numbers.iter().copied().map(Scalar::new), DType::I32)
    };
    let operands = [
        f64s(&[3, 2, 2]),
        Value::positions(&[3], [1, -1, 0].into_iter()),
        small(&[3, 2], &[0, 2, 1, 1, -1, 0]),
        small(&[3, 2], &[1, 0, 0, 1, 1, 1]),
        f64s(&[2, 3, 2]),
    ];
    add(Structured::Sparse(Sparse::AddFronts { is_local: false }), &operands);
    let (mut before, mut extents) = ([0; 8], [0; 8]);
    before[..2].copy_from_slice(&[1, 2]);
    extents[..2].copy_from_slice(&[4, 6]);
    for border in [Border::constant(2.0), Border::Mirror, Border::Wrap] {
        let (combine, dtype) = (WindowCombine::Sum, DType::F64);
        let has_heights = false;
        let op = Neighbourhood { combine, border, before, extents, has_heights, dtype };
        add(Structured::Neighbourhood(op), &[f64s(&[4, 6]), f64s(&[3, 4])]);
    }
    let truths = |shape: &[usize], holds: fn(usize) -> bool| {
        let count = shape.iter().product();
        Value::new(shape, (0..count).map(|at| Scalar::new(holds(at))), DType::Bool)
    };
    // Elements that are connected with none.
    let alone = truths(&[3, 3], |at| at == 4);
    let mask = truths(&[4, 6], |at| at % 3 != 0);
    add(Structured::Components(Components { extents }), &[mask, alone]);
    let at = |shape: &[usize], scale: f64| {
        let count = shape.iter().product();
        Value::new(shape, (0..count).map(|at| Scalar::new(at as f64 * scale - 1.0)), DType::F64)
    };
    for (outside, order) in [(Outside::Mirror, 1), (Outside::Constant, 3)] {
        let op = Interpolate { axes: 2, order, outside, number: 2f64.to_bits(), dtype: DType::F64 };
        // A grid, and points with both coordinates.
        let grid = [f64s(&[2, 3, 5]), at(&[1, 4, 1], 0.9), at(&[1, 1, 6], 1.1)];
        add(Structured::Interpolate(op), &grid);
        add(Structured::Interpolate(op), &[f64s(&[3, 5]), at(&[2, 4, 6], 0.2)]);
    }
    for gives in [Filtered::Signal, Filtered::States] {
        let operands = [f64s(&[4, 3, 7]), f64s(&[2, 3]), f64s(&[2, 3]), f64s(&[4, 3, 4])];
        add(Structured::Recurrence(Recurrence { gives }), &operands);
    }
    for axis in [0, 1] {
        let nearest = Nearest { axis, spacing: 1.5f64.to_bits() };
        add(Structured::Nearest(nearest), &[f64s(&[4, 6])]);
    }
    // A tree of two leaves.
    let search =
        TreeSearch { count: 2, absent: 5, norm: 2f64.to_bits(), limit: f64::INFINITY.to_bits() };
    let numbers = |shape: &[usize], numbers: &[f64]| {
        Value::new(shape, numbers.iter().map(|&number| Scalar::new(number)), DType::F64)
    };
    let boxes = [0.0, 0.0, 4.0, 1.0, 0.0, 0.0, 1.0, 1.0, 3.0, 0.0, 4.0, 1.0];
    let leaves = [0.0, 1.0, 0.5, 0.0, 1.0, 0.5, 3.0, 4.0, 4.0, 0.0, 1.0, 1.0];
    let tree = [
        at(&[4, 2], 0.6),
        numbers(&[3, 2, 2], &boxes),
        numbers(&[2, 2, 3], &leaves),
        Value::positions(&[2, 3], [0, 1, 2, 3, 4, 5].into_iter()),
        numbers(&[0], &[]),
    ];
    add(Structured::TreeSearch(search), &tree);
    add(Structured::Lend(Lend { share: Share::First }), &[f64s(&[4, 6])]);
    let mark = Value::zeros(DType::U8, &[1]);
    add(Structured::Returned(Returned), &[f64s(&[4, 6]), mark]);
    cases
}

/// A number for each operation; a new operation does not compile without one.
fn number(op: &Structured) -> usize {
    match op {
        Structured::Matmul(_) => 0,
        Structured::Fft(_) => 1,
        Structured::Sort(_) => 2,
        Structured::Scan(_) => 3,
        Structured::ReduceAt(_) => 4,
        Structured::Take(_) => 5,
        Structured::TakeAlong(_) => 6,
        Structured::Put(_) => 7,
        Structured::SearchSorted(_) => 8,
        Structured::Decomposition(_) => 9,
        // Those that read and write entries have a test of their own, `sparse_rows`.
        Structured::Sparse(_) => 10,
        Structured::Route(_) => 11,
        Structured::Lend(_) => 12,
        Structured::Returned(_) => 13,
        Structured::Neighbourhood(_) => 14,
        Structured::Components(_) => 15,
        Structured::Nearest(_) => 16,
        Structured::Interpolate(_) => 17,
        Structured::Recurrence(_) => 18,
        Structured::TreeSearch(_) => 19,
        // Its rule only says which devices run it.
        Structured::Launch(_) => usize::MAX,
    }
}

/// The box of a value.
fn cut(value: &Value, ranges: &[Range<usize>]) -> Value {
    let shape: Vec<usize> = ranges.iter().map(Range::len).collect();
    let mut part = Value::zeros(value.dtype, &shape);
    for place in 0..part.len() {
        let (mut rest, mut from, mut stride) = (place, 0, 1);
        for axis in (0..shape.len()).rev() {
            from += (ranges[axis].start + rest % shape[axis]) * stride;
            rest /= shape[axis];
            stride *= value.shape[axis];
        }
        part.set(place, value.element(from));
    }
    part
}

fn whole(value: &Value) -> Vec<Range<usize>> {
    value.shape.iter().map(|&extent| 0..extent).collect()
}

/// The block of an operand on a device with this box of the result.
fn operand_block(case: &Case, rule: &Rule, operand: usize, block: &[Range<usize>]) -> Value {
    let value = &case.operands[operand];
    let range = |(axis, follow): (usize, &Follow)| match follow {
        Follow::Result(of) => block[usize::from(*of)].clone(),
        Follow::Whole => 0..value.shape[axis],
        // The entries of its rows.
        Follow::Own => {
            let [starts, ends] = [0, 1].map(|operand| &case.operands[operand]);
            match &block[0] {
                rows if rows.is_empty() => 0..0,
                rows => starts.integer(rows.start) as usize..ends.integer(rows.end - 1) as usize,
            }
        }
    };
    let ranges: Vec<_> = rule.operands[operand].iter().enumerate().map(range).collect();
    cut(value, &ranges)
}

/// Whether both have the same numbers, up to rounding.
fn is_close(is: &Value, should: &Value) -> bool {
    let size = is.dtype.size();
    let pairs = is.bytes.chunks(size).zip(should.bytes.chunks(size));
    let number = |bytes| match Scalar::from_bytes(is.dtype, bytes).to_weak() {
        Weak::Bool(one) => (f64::from(u8::from(one)), 0.0),
        Weak::Int(one) => (one as f64, 0.0),
        Weak::Large(one) | Weak::Float(one) => (one, 0.0),
        Weak::Complex(one) => (one.re, one.im),
    };
    // Infinities are near themselves.
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * (1.0 + b.abs());
    is.shape == should.shape
        && pairs.into_iter().all(|(is, should)| {
            let ((a, b), (c, d)) = (number(is), number(should));
            near(a, c) && near(b, d)
        })
}

/// Whether a device computes this box of the result from the blocks that the rule assigns to it.
/// Routines refuse blocks that give no block of the result.
fn is_true(case: &Case, rule: &Rule, result: &Value, block: &[Range<usize>]) -> bool {
    catch_unwind(AssertUnwindSafe(|| computes(case, rule, result, block))).unwrap_or(false)
}

fn computes(case: &Case, rule: &Rule, result: &Value, block: &[Range<usize>]) -> bool {
    let blocks: Vec<Value> =
        (0..case.operands.len()).map(|operand| operand_block(case, rule, operand, block)).collect();
    let mut operands: Vec<&Value> = blocks.iter().collect();
    let origin: Vec<usize> = block.iter().map(|range| range.start).collect();
    let pairs: Vec<_> = operands.iter().map(|value| (&value.shape[..], value.dtype)).collect();
    let (shape, _) = case.op.result(&pairs);
    let extents: Vec<usize> = block.iter().map(Range::len).collect();
    if shape[..] != extents[..] {
        return false;
    }
    // The halo may be all of the operand.
    operands.extend(has_halo(&case.op, &operands).then_some(&case.operands[0]));
    is_close(&evaluate_part(case.op, &operands, Some(&origin), None), &cut(result, block))
}

/// Whether a device reads elements beyond its block of the first operand.
fn has_halo(op: &Structured, operands: &[&Value]) -> bool {
    let shapes: Vec<&[usize]> = operands.iter().map(|value| &value.shape[..]).collect();
    op.halo(0, &shapes).is_some()
}

/// Ranges of an axis that devices may have: halves, single elements, none.
fn ranges(extent: usize) -> Vec<Range<usize>> {
    vec![0..extent / 2, extent / 2..extent, 0..1, extent - 1..extent, 1..1, 0..extent]
}

fn result_of(case: &Case) -> Value {
    let operands: Vec<&Value> = case.operands.iter().collect();
    evaluate_part(case.op, &operands, None, None)
}

fn rule_of(case: &Case) -> Rule {
    let shapes: Vec<&[usize]> = case.operands.iter().map(|value| &value.shape[..]).collect();
    case.op.rule(&shapes)
}

#[test]
fn blocks_by_rule_are_blocks_of_the_whole() {
    let mut seen = BTreeSet::new();
    for case in cases() {
        seen.insert(number(&case.op));
        let (rule, result) = (rule_of(&case), result_of(&case));
        let open: Vec<usize> =
            (0..result.shape.len()).filter(|&axis| rule.may_split(axis)).collect();
        assert!(!open.is_empty() || result.shape.len() < 2, "{:?} is never split", case.op);
        // All pairs of axes, and each axis alone: the full range is among the ranges.
        for &first in &open {
            for &second in &open {
                for one in ranges(result.shape[first]) {
                    for other in ranges(result.shape[second]) {
                        let mut block = whole(&result);
                        block[second] = other;
                        block[first] = one.clone();
                        let what = (&case.op, &block);
                        assert!(is_true(&case, &rule, &result, &block), "{what:?}");
                    }
                }
            }
        }
    }
    assert_eq!(seen, (0..=19).collect());
}

/// No operation keeps an axis whole if devices could split it with any division of the operands.
#[test]
fn axes_that_stay_whole_have_to() {
    for case in cases() {
        let (rule, result) = (rule_of(&case), result_of(&case));
        for axis in (0..result.shape.len()).filter(|&axis| !rule.may_split(axis)) {
            // For each operand one of its axes of that extent, or none.
            let choices: Vec<Vec<Option<usize>>> = case
                .operands
                .iter()
                .map(|value| {
                    let alike = (0..value.shape.len())
                        .filter(|&own| value.shape[own] == result.shape[axis]);
                    std::iter::once(None).chain(alike.map(Some)).collect()
                })
                .collect();
            let count: usize = choices.iter().map(Vec::len).product();
            for mut choice in 0..count {
                let mut other = rule.clone();
                for (follows, choices) in other.operands.iter_mut().zip(&choices) {
                    if let Some(own) = choices[choice % choices.len()] {
                        follows[own] = Follow::Result(axis as u8);
                    }
                    choice /= choices.len();
                }
                let is_missing = ranges(result.shape[axis]).into_iter().all(|range| {
                    let mut block = whole(&result);
                    block[axis] = range;
                    is_true(&case, &other, &result, &block)
                });
                assert!(!is_missing, "{:?} could split axis {axis} by {other:?}", case.op);
            }
        }
    }
}
