//! Tests of the fusion: the operations that are fused, and those that are not.

use super::*;
use crate::identity::Identifier;
use crate::plan::Plan;
use crate::samples::{
    Program, along_rows, group_of, groups_of, leaf, node_of, scalar, slice, through,
};
use phalanx_graph::{Input, NodeOp, Source};
use phalanx_ops::{AffineMap, Index, Mesh, Monoid, Op, Sharding};

/// The nodes of each group that was not merged into another, by their positions.
fn groups(plan: &Plan) -> Vec<Vec<usize>> {
    let members = |group: &Group| group.members.iter().map(|member| member.node.index()).collect();
    groups_of(plan).map(members).filter(|members: &Vec<usize>| !members.is_empty()).collect()
}

/// The values that the group of a node loads, each with the starts of the view.
fn loads(plan: &Plan, of: &Input) -> Vec<(Source, Vec<i64>)> {
    let loads = loads_of(&plan.context(), group_of(plan, node_of(of)));
    let starts = |map: &AffineMap| map.axes.iter().map(|axis| axis.start).collect();
    loads.iter().map(|load| (load.source, starts(&load.map))).collect()
}

#[test]
fn a_value_with_several_consumers_at_its_own_index_is_computed_once() {
    let mut program = Program::new(&[&[10]]);
    let costly = program.apply(Op::Exp, &[&leaf(0)]);
    let sum = program.apply(Op::Add, &[&costly, &scalar()]);
    let product = program.apply(Op::Multiply, &[&costly, &scalar()]);
    let last = program.apply(Op::Subtract, &[&sum, &product]);
    let plan = program.plan();
    assert_eq!(groups(&plan), [[0, 1, 2, 3]]);
    assert_eq!(loads(&plan, &last), [(leaf(0).source, vec![0])]);
}

#[test]
fn a_value_read_at_two_offsets_is_loaded_unless_it_is_cheap() {
    for (op, is_cheap) in [(Op::Negative, true), (Op::Exp, false)] {
        let mut program = Program::new(&[&[10]]);
        let value = program.apply(op, &[&leaf(0)]);
        let [after, before] = [slice(10, 1, 10), slice(10, 0, 9)].map(|view| through(view, &value));
        let difference = program.apply(Op::Subtract, &[&after, &before]);
        let plan = program.plan();
        assert_eq!(groups(&plan), [[0], [1]]);
        let source = if is_cheap { leaf(0).source } else { value.source };
        assert_eq!(loads(&plan, &difference), [(source, vec![1]), (source, vec![0])], "{op:?}");
    }
}

#[test]
fn a_copy_in_another_order_is_made_if_it_is_read_through_several_views() {
    for views in [2, 3] {
        let mut program = Program::new(&[&[12, 12]]);
        let mut transposed = AffineMap::identity(&[12, 12]);
        transposed.axes.reverse();
        let copy = program.record(NodeOp::Cast, &[&through(transposed, &leaf(0))], &[12, 12]);
        let rows = |start| {
            let range = Index::Range { start: Some(start), stop: Some(start + 9), step: 1 };
            AffineMap::identity(&[12, 12]).index(&[range]).expect("rows")
        };
        let parts: Vec<Input> = (0..views)
            .map(|start| program.apply(Op::Negative, &[&through(rows(start), &copy)]))
            .collect();
        let source = if views == 2 { leaf(0).source } else { copy.source };
        for part in &parts {
            assert!(loads(&program.plan(), part).iter().all(|load| load.0 == source), "{views}");
        }
    }
}

#[test]
fn a_value_of_medium_cost_is_computed_elsewhere_for_one_consumer_only() {
    for consumers in [1, 2] {
        let mut program = Program::new(&[&[10]]);
        let root = program.apply(Op::Sqrt, &[&leaf(0)]);
        let value = program.apply(Op::Divide, &[&root, &scalar()]);
        let part = through(slice(10, 1, 9), &value);
        let first = program.apply(Op::Negative, &[&part]);
        if consumers == 2 {
            program.apply(Op::Square, &[&through(slice(10, 2, 9), &value)]);
        }
        let source = if consumers == 1 { leaf(0).source } else { value.source };
        assert_eq!(loads(&program.plan(), &first), [(source, vec![1])], "{consumers} consumers");
    }
}

#[test]
fn reductions_share_a_loop_only_over_the_same_axes() {
    let reductions = |axes: [u8; 2]| {
        let mut program = Program::new(&[&[4, 6]]);
        program.reduce(Monoid::Add, axes[0], &leaf(0));
        program.reduce(Monoid::Max, axes[1], &leaf(0));
        groups(&program.plan())
    };
    assert_eq!(reductions([1, 1]), [vec![0, 1]]);
    assert_eq!(reductions([0, 0]), [vec![0, 1]]);
    assert_eq!(reductions([0, 1]), [vec![0], vec![1]]);
}

#[test]
fn a_consumer_of_a_reduction_joins_outside_its_loop_or_in_a_second_one() {
    let mut program = Program::new(&[&[4, 6]]);
    let sum = program.reduce(Monoid::Add, 1, &leaf(0));
    let root = program.apply(Op::Sqrt, &[&sum]);
    let scaled = program.apply(Op::Divide, &[&leaf(0), &along_rows(4, 6, &root)]);
    let plan = program.plan();
    assert_eq!(groups(&plan), [[0, 1, 2]]);
    let group = group_of(&plan, node_of(&sum));
    let depths = [&sum, &root, &scaled].map(|value| group.member(node_of(value)).depth);
    assert_eq!(depths, [0, 0, 1]);
    let levels: Vec<usize> = group.axes.iter().map(|axis| axis.level).collect();
    assert_eq!(levels, [0, 1]);
}

#[test]
fn a_reduction_surrounds_no_long_loop_that_reads_an_element_for_each_point() {
    let rows = |columns: usize| {
        let mut program = Program::new(&[&[20, columns]]);
        let largest = program.reduce(Monoid::Max, 1, &leaf(0));
        program.reduce(Monoid::Add, 0, &largest);
        groups(&program.plan())
    };
    assert_eq!(rows(63), [vec![0, 1]]);
    assert_eq!(rows(64), [vec![0], vec![1]]);
    // The differences of all pairs of rows are more than the rows have elements.
    let mut pairs = Program::new(&[&[20, 64], &[30, 64]]);
    let every = |rows: usize, index: [Index; 3], leaf: &Input| {
        let view = AffineMap::identity(&[rows, 64]).index(&index).expect("a new axis");
        through(view.broadcast_to(&[20, 30, 64]).expect("axes of extent 1"), leaf)
    };
    let all = || Index::Range { start: None, stop: None, step: 1 };
    let left = every(20, [all(), Index::NewAxis, all()], &leaf(0));
    let right = every(30, [Index::NewAxis, all(), all()], &leaf(1));
    let difference = pairs.apply(Op::Subtract, &[&left, &right]);
    let sum = pairs.reduce(Monoid::Add, 2, &difference);
    pairs.reduce(Monoid::Min, 1, &sum);
    assert_eq!(groups(&pairs.plan()), [[0, 1, 2]]);
}

#[test]
fn windows_that_fuse_otherwise_have_other_patterns() {
    // One row, too: a reduction over an axis of one element is placed around loops as any other.
    for rows in [1, 20] {
        let fused = |columns: usize| {
            let mut program = Program::new(&[&[rows, columns]]);
            let largest = program.reduce(Monoid::Max, 1, &leaf(0));
            program.reduce(Monoid::Add, 0, &largest);
            let mut identifier = Identifier::default();
            let leaves = [Sharding::replicated(2)];
            let pattern = identifier.window(&program.graph, &leaves).pattern_hash();
            (groups(&program.plan()).len(), pattern)
        };
        let [(nested, short), (apart, long)] = [63, 64].map(fused);
        assert_eq!((nested, apart), (1, 2), "{rows} rows");
        assert_ne!(short, long, "{rows} rows");
    }
}

#[test]
fn a_partial_result_ends_its_group() {
    let mesh = Mesh::line(2);
    let rows = Sharding::even(&[8, 4], 0, &mesh);
    let reduced = |axis: u8| {
        let mut program = Program::new(&[&[8, 4]]);
        let sum = program.reduce(Monoid::Add, axis, &leaf(0));
        program.apply(Op::Sqrt, &[&sum]);
        [program.plan(), program.plan_on(&mesh, std::slice::from_ref(&rows))]
    };
    // Over the split axis, each device has a term only.
    let [alone, split] = reduced(0);
    assert_eq!(groups(&alone), [vec![0, 1]]);
    assert_eq!(groups(&split), [vec![0], vec![1]]);
    // Over the other axis, each device has its rows of the sum.
    assert_eq!(groups(&reduced(1)[1]), [vec![0, 1]]);
}

#[test]
fn operands_computed_apart_meet_unless_something_between_reads_one() {
    let program = |is_read_between: bool| {
        let mut program = Program::new(&[&[12], &[12]]);
        let left = program.apply(Op::Exp, &[&leaf(0)]);
        if is_read_between {
            program.record(NodeOp::Reshape, &[&left], &[3, 4]);
        }
        let right = program.apply(Op::Exp, &[&leaf(1)]);
        program.apply(Op::Add, &[&left, &right]);
        groups(&program.plan())
    };
    assert_eq!(program(false), [vec![0, 1, 2]]);
    assert_eq!(program(true), [vec![0], vec![2, 3]]);
}

#[test]
fn a_group_has_at_most_64_members_and_24_loads() {
    let mut chain = Program::new(&[&[10]]);
    let mut value = leaf(0);
    for _ in 0..70 {
        value = chain.apply(Op::Sin, &[&value]);
    }
    let sizes = |plan: &Plan| groups(plan).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(&chain.plan()), [64, 6]);
    // The first 23 sums load 24 arrays.
    let shapes = [&[10][..]; 30];
    let mut sums = Program::new(&shapes);
    let mut sum = leaf(0);
    for other in 1..30 {
        sum = sums.apply(Op::Add, &[&sum, &leaf(other)]);
    }
    assert_eq!(sizes(&sums.plan()), [23, 6]);
}

#[test]
fn an_update_of_a_pending_value_is_a_selection_in_its_group() {
    let program = |old: fn(&mut Program) -> Input| {
        let mut program = Program::new(&[&[4, 6], &[6]]);
        let old = old(&mut program);
        let row = AffineMap::identity(&[4, 6]).index(&[Index::At(2)]).expect("a row");
        let updated = program.update(&old, row, &leaf(1));
        let plan = program.plan();
        let group = group_of(&plan, node_of(&updated));
        (groups(&plan), group.member(node_of(&updated)).is_selected)
    };
    let pending = program(|program| program.apply(Op::Exp, &[&leaf(0)]));
    assert_eq!(pending, (vec![vec![0, 1]], true));
    // The memory of a leaf is written in place.
    assert_eq!(program(|_| leaf(0)), (vec![vec![0]], false));
}
