//! The kernels that are built of groups, and what makes them correct for other numbers.

use super::*;
use crate::plan::Plan;
use crate::samples::{Program, along_rows, group_of, leaf, node_of, scalar, slice, through};
use phalanx_graph::{Input, NodeId, Source};
use phalanx_kernels::ir::{Expr, GuardId, Kernel, Stmt};
use phalanx_ops::{Monoid, Op, Scalar};
use std::collections::BTreeSet;

/// The kernel of the group of the first value, which stores these values.
fn built(plan: &Plan, stored: &[&Input]) -> Built {
    let stored: BTreeSet<NodeId> = stored.iter().map(|value| node_of(value)).collect();
    let first = stored.first().expect("a stored value");
    build(&plan.context(), group_of(plan, *first), &stored)
}

/// The values that a kernel loads from, and the nodes that it stores.
fn buffers(built: &Built) -> (Vec<Source>, Vec<NodeId>) {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for access in &built.accesses {
        match access.buffer {
            Buffer::Input(source) => inputs.push(source),
            Buffer::Output(node) => outputs.push(node),
            Buffer::OutputPart(..) => panic!("a part of an item"),
        }
    }
    (inputs, outputs)
}

/// How often a kernel computes an operation.
fn count(kernel: &Kernel, wanted: Op) -> usize {
    let is_wanted = |expr: &Expr| matches!(expr, Expr::Op { op, .. } if *op == wanted);
    kernel.values.iter().filter(|value| is_wanted(&value.expr)).count()
}

/// For each statement of the body that is no computation: a store, or a loop with its number of
/// folds and whether it stores.
fn outline(kernel: &Kernel) -> Vec<String> {
    let is_store = |statement: &Stmt| matches!(statement, Stmt::Store { .. });
    let of_statement = |statement: &Stmt| match statement {
        Stmt::Let(_) => None,
        Stmt::Loop { body, folds, .. } => {
            let stores = body.iter().filter(|statement| is_store(statement)).count();
            Some(format!("loop with {} folds, {stores} stores", folds.len()))
        }
        Stmt::Store { .. } => Some(String::from("store")),
        Stmt::Accumulate { .. } => Some(String::from("accumulate")),
    };
    kernel.body.iter().filter_map(of_statement).collect()
}

#[test]
fn a_kernel_computes_what_its_stores_need_and_each_value_once() {
    let mut program = Program::new(&[&[10]]);
    let costly = program.apply(Op::Exp, &[&leaf(0)]);
    let sum = program.apply(Op::Add, &[&costly, &scalar()]);
    let product = program.apply(Op::Multiply, &[&costly, &sum]);
    let plan = program.plan();
    let one = built(&plan, &[&sum]);
    assert_eq!(buffers(&one), (vec![leaf(0).source], vec![node_of(&sum)]));
    assert_eq!([Op::Exp, Op::Add, Op::Multiply].map(|op| count(&one.kernel, op)), [1, 1, 0]);
    let two = built(&plan, &[&sum, &product]);
    assert_eq!(buffers(&two), (vec![leaf(0).source], vec![node_of(&sum), node_of(&product)]));
    assert_eq!([Op::Exp, Op::Add, Op::Multiply].map(|op| count(&two.kernel, op)), [1, 1, 1]);
    // Neither kernel contains the number 2, which is an argument.
    assert!(matches!(*two.scalars, [ScalarSource::Argument(argument)] if argument.index() == 0));
}

#[test]
fn two_offsets_are_two_accesses_of_one_buffer() {
    let mut program = Program::new(&[&[10]]);
    let [after, before] = [slice(10, 1, 10), slice(10, 0, 9)].map(|view| through(view, &leaf(0)));
    let difference = program.apply(Op::Subtract, &[&after, &before]);
    let built = built(&program.plan(), &[&difference]);
    let starts: Vec<i64> = built.accesses.iter().map(|access| access.map.axes[0].start).collect();
    assert_eq!(starts, [1, 0, 0]);
    let params = built.kernel.accesses.iter().map(|access| access.param.index());
    assert_eq!(params.collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!((built.kernel.grid, built.kernel.axes), (1, 1));
}

#[test]
fn a_result_of_a_fold_is_stored_after_its_loop_and_used_in_a_second_one() {
    let mut program = Program::new(&[&[4, 6]]);
    let sum = program.reduce(Monoid::Add, 1, &leaf(0));
    let scaled = program.apply(Op::Divide, &[&leaf(0), &along_rows(4, 6, &sum)]);
    let plan = program.plan();
    let reduced = built(&plan, &[&sum]);
    assert_eq!(outline(&reduced.kernel), ["loop with 1 folds, 0 stores", "store"]);
    assert_eq!((reduced.kernel.grid, reduced.kernel.axes), (1, 2));
    // The second loop has an axis of its own.
    let both = built(&plan, &[&scaled]);
    let loops = ["loop with 1 folds, 0 stores", "loop with 0 folds, 1 stores"];
    assert_eq!(outline(&both.kernel), loops);
    assert_eq!((both.kernel.axes, both.axes.as_slice()), (3, &[0, 1, 1][..]));
}

#[test]
fn a_costly_value_of_two_loops_is_stored_by_the_first_and_loaded_by_the_second() {
    for (op, is_stored) in [(Op::Exp, true), (Op::Negative, false)] {
        let mut program = Program::new(&[&[4, 6]]);
        let value = program.apply(op, &[&leaf(0)]);
        let sum = program.reduce(Monoid::Add, 1, &value);
        let scaled = program.apply(Op::Divide, &[&value, &along_rows(4, 6, &sum)]);
        let built = built(&program.plan(), &[&scaled]);
        let expected: BTreeSet<NodeId> = is_stored.then(|| node_of(&value)).into_iter().collect();
        assert_eq!(built.reloaded, expected, "{op:?}");
        assert_eq!(count(&built.kernel, op), if is_stored { 1 } else { 2 }, "{op:?}");
    }
}

#[test]
fn a_selected_update_loads_its_value_inside_a_guard() {
    let mut program = Program::new(&[&[10], &[3]]);
    let old = program.apply(Op::Exp, &[&leaf(0)]);
    let updated = program.update(&old, slice(10, 2, 5), &leaf(1));
    let built = built(&program.plan(), &[&updated]);
    let [guard] = built.guards.as_slice() else { panic!("a guard") };
    assert_eq!((guard[0].start, guard[0].end), (2, 5));
    let guards = built.accesses.iter().map(|access| (access.buffer, access.guard));
    let (old, new) = (Buffer::Input(leaf(0).source), Buffer::Input(leaf(1).source));
    let output = Buffer::Output(node_of(&updated));
    assert_eq!(
        guards.collect::<Vec<_>>(),
        [(old, None), (new, Some(GuardId::new(0))), (output, None)]
    );
}

/// The product of two views of vectors, from these starts.
fn product(extent: usize, starts: [i64; 2]) -> (Plan, Input) {
    let mut program = Program::new(&[&[extent], &[extent]]);
    let views = starts.map(|start| slice(extent, start, start + 8));
    let [left, right] = [0, 1].map(|at| through(views[at].clone(), &leaf(at)));
    let product = program.apply(Op::Multiply, &[&left, &right]);
    (program.plan(), product)
}

#[test]
fn a_kernel_for_equal_views_refuses_windows_in_which_they_differ() {
    let (plan, value) = product(10, [1, 1]);
    let equal = built(&plan, &[&value]);
    let refilled = |starts: [i64; 2]| {
        let (plan, value) = product(20, starts);
        let again = equal.refilled(&plan.graph, group_of(&plan, node_of(&value)))?;
        assert_eq!(again.kernel, equal.kernel);
        Some(again.accesses.iter().map(|access| access.map.axes[0].start).collect::<Vec<_>>())
    };
    assert_eq!(refilled([1, 1]), Some(vec![1, 1, 0]));
    assert_eq!(refilled([5, 5]), Some(vec![5, 5, 0]));
    assert_eq!(refilled([5, 6]), None);
}

#[test]
fn a_kernel_that_adds_a_start_refuses_windows_in_which_it_is_zero() {
    let positions = |start: i64| {
        let mut program = Program::new(&[&[8]]);
        let numbers = program.positions(20);
        let part = through(slice(20, start, start + 8), &numbers);
        let product = program.apply(Op::Multiply, &[&leaf(0), &part]);
        (program.plan(), product)
    };
    let (plan, value) = positions(3);
    let shifted = built(&plan, &[&value]);
    let numbers = |start: i64| {
        let (plan, value) = positions(start);
        let again = shifted.refilled(&plan.graph, group_of(&plan, node_of(&value)))?;
        Some(again.scalars.to_vec())
    };
    assert_eq!(numbers(7), Some(vec![ScalarSource::Number(Scalar::new(7_i64))]));
    assert_eq!(numbers(0), None);
}
