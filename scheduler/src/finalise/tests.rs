//! Tests of finalising: the steps that it drops and keeps, and the places of values.

use super::verify::FinalDefect;
use super::*;
use crate::ids::{ExchangeId, SlotId};
use crate::plan::Plan;
use crate::samples::{Program, leaf, node_of, scalar, slice, through};
use phalanx_graph::{Input, LeafId, NodeOp};
use phalanx_ops::structured::{Order, Sort};
use phalanx_ops::{AffineMap, Mesh, Monoid, Op, Sharding, Structured};
use std::sync::Arc;

/// The liveness of these values. `donated` states whether leaves may be overwritten.
fn liveness(plan: &Plan, live: &[&Input], donated: bool) -> Liveness {
    let mut nodes = vec![false; plan.graph.nodes.len()];
    live.iter().for_each(|value| nodes[plan.moved[node_of(value).index()].index()] = true);
    Liveness { nodes, donated: plan.leaves.iter().map(|_| donated).collect() }
}

/// Finalises a plan for these live values. `donated` states whether leaves may be overwritten.
fn finalised(plan: &Plan, live: &[&Input], donated: bool) -> Final {
    finalise(plan, &liveness(plan, live, donated))
}

fn kinds(finished: &Final) -> Vec<&'static str> {
    let of_step = |step: &FinalStep| match step {
        FinalStep::Combine(_) => "combine",
        FinalStep::Exchange(_) => "exchange",
        FinalStep::Launch(_) => "launch",
        FinalStep::Routine(_) => "routine",
        FinalStep::Compress(_) => "compress",
    };
    finished.steps.iter().map(of_step).collect()
}

/// The place of a value, if it has one.
fn place(plan: &Plan, finished: &Final, value: &Input) -> Option<Place> {
    finished.places[plan.moved[node_of(value).index()].index()]
}

fn slot(position: usize) -> Option<Place> {
    Some(Place::Slot(SlotId::new(position)))
}

fn transposed(value: &Input) -> Input {
    through(AffineMap::identity(&[4, 4]).transpose(&[1, 0]), value)
}

#[test]
fn values_that_nobody_needs_are_neither_stored_nor_computed() {
    let mut program = Program::new(&[&[10], &[12]]);
    let first = program.apply(Op::Exp, &[&leaf(0)]);
    let second = program.apply(Op::Add, &[&first, &scalar()]);
    let apart = program.apply(Op::Exp, &[&leaf(1)]);
    let plan = program.plan();
    let all = finalised(&plan, &[&first, &second, &apart], false);
    assert_eq!((kinds(&all), all.slots.len()), (vec!["launch", "launch"], 3));
    // A value inside of a kernel needs no memory.
    let one = finalised(&plan, &[&second], false);
    assert_eq!((kinds(&one), one.slots.len()), (vec!["launch"], 1));
    let places = [&first, &second, &apart].map(|value| place(&plan, &one, value));
    assert_eq!(places, [None, slot(0), None]);
    assert!(finalised(&plan, &[], false).steps.is_empty());
}

#[test]
fn a_collective_runs_though_nobody_needs_its_value() {
    let mesh = Mesh::line(2);
    let split = [Sharding::even(&[20], 0, &mesh)];
    let mut program = Program::new(&[&[20]]);
    let sum = program.reduce(Monoid::Add, 0, &leaf(0));
    let [after, before] = [slice(20, 1, 20), slice(20, 0, 19)].map(|view| through(view, &leaf(0)));
    let difference = program.apply(Op::Subtract, &[&after, &before]);
    let plan = program.plan_on(&mesh, &split);
    let collectives = |live: &[&Input]| {
        let kinds = kinds(&finalised(&plan, live, false));
        kinds.into_iter().filter(|kind| *kind != "launch").collect::<Vec<_>>()
    };
    let all = collectives(&[&sum, &difference]);
    assert_eq!(all, ["exchange", "combine"]);
    for live in [&[][..], &[&sum], &[&difference]] {
        assert_eq!(collectives(live), all);
    }
    // The terms of the sum are computed, the difference is not.
    let nothing = finalised(&plan, &[], false);
    assert_eq!(kinds(&nothing).iter().filter(|kind| **kind == "launch").count(), 1);
    assert!(place(&plan, &nothing, &sum).is_some());
    assert_eq!(place(&plan, &nothing, &difference), None);
}

#[test]
fn the_memory_of_a_dying_operand_takes_the_result_if_it_is_read_at_the_same_index() {
    let mut program = Program::new(&[&[4, 4]]);
    let plain = program.apply(Op::Exp, &[&leaf(0)]);
    let plan = program.plan();
    let leaf_place = Some(Place::Leaf(LeafId::new(0)));
    assert_eq!(place(&plan, &finalised(&plan, &[&plain], true), &plain), leaf_place);
    assert_eq!(place(&plan, &finalised(&plan, &[&plain], false), &plain), slot(0));
    let mut program = Program::new(&[&[4, 4]]);
    let turned = program.apply(Op::Exp, &[&transposed(&leaf(0))]);
    let plan = program.plan();
    assert_eq!(place(&plan, &finalised(&plan, &[&turned], true), &turned), slot(0));
}

#[test]
fn a_copy_to_the_sharding_that_a_value_has_is_made_only_for_an_array() {
    let mesh = Mesh::line(2);
    let split = Sharding::even(&[8, 8], 0, &mesh);
    let same = || NodeOp::Reshard(Arc::new(split.clone()));
    let sort = || NodeOp::Structured(Structured::Sort(Sort::new(1, Order::Values)));
    let mut program = Program::new(&[&[8, 8]]);
    let copied = program.record(same(), &[&leaf(0)], &[8, 8]);
    let sorted = program.record(sort(), &[&copied], &[8, 8]);
    let again = program.record(same(), &[&sorted], &[8, 8]);
    let rows = program.record(sort(), &[&again], &[8, 8]);
    let plan = program.plan_on(&mesh, std::slice::from_ref(&split));
    let kinds_for = |live: &[&Input]| kinds(&finalised(&plan, live, false));
    assert_eq!(kinds_for(&[&rows]), ["routine", "routine"]);
    assert_eq!(kinds_for(&[&again]), ["routine"]);
    assert_eq!(kinds_for(&[&copied, &rows]), ["launch", "routine", "routine"]);
    // Two arrays that share memory.
    let both = finalised(&plan, &[&sorted, &again], false);
    assert_eq!((kinds(&both), both.slots.len()), (vec!["routine"], 1));
}

#[test]
fn a_slot_is_used_again_after_the_last_read_of_its_value() {
    let mut program = Program::new(&[&[4, 4]]);
    let first = program.apply(Op::Exp, &[&leaf(0)]);
    let second = program.apply(Op::Exp, &[&transposed(&first)]);
    let third = program.apply(Op::Exp, &[&transposed(&second)]);
    let plan = program.plan();
    let slots = |live: &[&Input]| {
        let finished = finalised(&plan, live, false);
        assert_eq!(kinds(&finished), ["launch"; 3]);
        [&first, &second, &third].map(|value| place(&plan, &finished, value))
    };
    assert_eq!(slots(&[&third]), [slot(0), slot(1), slot(0)]);
    // A value that outlives the plan keeps its slot.
    assert_eq!(slots(&[&first, &third]), [slot(0), slot(1), slot(2)]);
}

#[test]
fn a_write_into_a_dying_base_is_in_place_and_otherwise_copies_the_rest() {
    let mut program = Program::new(&[&[10], &[3]]);
    let updated = program.update(&leaf(0), slice(10, 2, 5), &leaf(1));
    let plan = program.plan();
    let copies = |donated: bool| {
        let finished = finalised(&plan, &[&updated], donated);
        let [FinalStep::Launch(launch)] = finished.steps.as_slice() else { panic!("a launch") };
        let from = launch.copies.iter().map(|copy| copy.from).collect::<Vec<_>>();
        (place(&plan, &finished, &updated), from)
    };
    let base = Place::Leaf(LeafId::new(0));
    assert_eq!(copies(true), (Some(base), Vec::new()));
    assert_eq!(copies(false), (slot(0), vec![base]));
}

#[test]
fn a_write_that_reads_its_base_elsewhere_is_not_in_place() {
    // The base is read one position before the one that is written.
    let shifted = |is_apart: bool| {
        let mut program = Program::new(&[&[20]]);
        let start = if is_apart { 0 } else { 9 };
        let value = through(slice(20, start, start + 10), &leaf(0));
        let doubled = program.apply(Op::Exp, &[&value]);
        let updated = program.update(&leaf(0), slice(20, 10, 20), &doubled);
        let plan = program.plan();
        let finished = finalised(&plan, &[&updated], true);
        let Some(FinalStep::Launch(last)) = finished.steps.last() else { panic!("a launch") };
        let place = place(&plan, &finished, &updated);
        (place == Some(Place::Leaf(LeafId::new(0))), kinds(&finished).len(), last.apart.len())
    };
    // A refill checks again that the read and the write stay apart.
    assert_eq!(shifted(true), (true, 1, 1));
    assert_eq!(shifted(false), (false, 1, 0));
}

#[test]
fn a_reshape_shares_the_memory_of_its_input() {
    let mut program = Program::new(&[&[12]]);
    let value = program.apply(Op::Exp, &[&leaf(0)]);
    let shaped = program.record(NodeOp::Reshape, &[&value], &[3, 4]);
    let plan = program.plan();
    let finished = finalised(&plan, &[&shaped], false);
    assert_eq!(kinds(&finished), ["launch"]);
    assert_eq!([&value, &shaped].map(|it| place(&plan, &finished, it)), [slot(0), slot(0)]);
}

#[test]
fn a_case_is_refilled_only_if_its_accesses_stay_apart() {
    let program = |start: i64| {
        let mut program = Program::new(&[&[20]]);
        let value = through(slice(20, start, start + 10), &leaf(0));
        let costly = program.apply(Op::Exp, &[&value]);
        let updated = program.update(&leaf(0), slice(20, 10, 20), &costly);
        (program.plan(), updated)
    };
    let (plan, updated) = program(0);
    let finished = finalised(&plan, &[&updated], true);
    assert!(finished.refilled(&plan).is_some());
    assert!(finished.refilled(&program(5).0).is_none());
}

#[test]
fn a_case_is_refilled_only_if_values_fit_the_memory_that_they_share() {
    // The last value takes the memory of a leaf that nothing reads.
    let program = |rows: usize| {
        let mut program = Program::new(&[&[4, 4], &[rows, 4]]);
        let sort = NodeOp::Structured(Structured::Sort(Sort::new(1, Order::Values)));
        let sorted = program.record(sort, &[&leaf(0)], &[4, 4]);
        let last = program.apply(Op::Exp, &[&transposed(&sorted)]);
        (program.plan(), sorted, last)
    };
    let (plan, sorted, last) = program(4);
    let liveness = liveness(&plan, &[&sorted, &last], false);
    let finished = finalise(&plan, &Liveness { donated: [false, true].into(), ..liveness });
    assert_eq!(place(&plan, &finished, &last), Some(Place::Leaf(LeafId::new(1))));
    assert!(finished.refilled(&plan).is_some());
    assert!(finished.refilled(&program(3).0).is_none());
}

/// Breaks a finalised plan and returns the rule that the verifier finds broken.
fn defect(
    plan: &Plan,
    live: &[&Input],
    donated: bool,
    damage: impl FnOnce(&mut Final),
) -> FinalDefect {
    let liveness = liveness(plan, live, donated);
    let mut finished = finalise(plan, &liveness);
    assert_eq!(finished.verify(plan, &liveness), Ok(()));
    damage(&mut finished);
    finished.verify(plan, &liveness).expect_err("a broken rule")
}

fn put(finished: &mut Final, value: &Input, place: Option<Place>) {
    let mut places = finished.places.to_vec();
    places[node_of(value).index()] = place;
    finished.places = places.into();
}

fn launch_of(finished: &mut Final, position: usize) -> &mut FinalLaunch {
    match &mut finished.steps[position] {
        FinalStep::Launch(launch) => launch,
        _ => panic!("a launch"),
    }
}

/// Three kernels in a row, each of which transposes the value before; and a fourth that reads the
/// first and the third.
fn chain() -> (Plan, [Input; 4]) {
    let mut program = Program::new(&[&[4, 4]]);
    let first = program.apply(Op::Exp, &[&leaf(0)]);
    let second = program.apply(Op::Exp, &[&transposed(&first)]);
    let third = program.apply(Op::Exp, &[&transposed(&second)]);
    let fourth = program.apply(Op::Add, &[&transposed(&third), &first]);
    (program.plan(), [first, second, third, fourth])
}

#[test]
fn steps_out_of_order_and_values_that_are_not_in_their_places_are_found() {
    let (plan, [first, second, third, fourth]) = chain();
    let defect = |live: &[&Input], damage: fn(&mut Final, &[Input; 4])| {
        let values = [first.clone(), second.clone(), third.clone(), fourth.clone()];
        defect(&plan, live, false, |finished| damage(finished, &values))
    };
    let swapped = defect(&[&fourth], |finished, _| finished.steps.swap(0, 1));
    assert_eq!(swapped, FinalDefect::Order { step: 1 });
    let placeless = defect(&[&fourth], |finished, [first, ..]| put(finished, first, None));
    assert_eq!(placeless, FinalDefect::Nowhere { value: first.source });
    let place = Place::Slot(SlotId::new(0));
    let unwritten = defect(&[&fourth], |finished, _| drop(finished.steps.remove(0)));
    assert_eq!(unwritten, FinalDefect::Lost { value: first.source, place, held: None });
    // The slot is used again although a later step reads its value.
    let early = defect(&[&fourth], |finished, [_, _, third, _]| put(finished, third, slot(0)));
    let held = Some(third.source);
    assert_eq!(early, FinalDefect::Lost { value: first.source, place, held });
    // The program holds the value.
    let dropped = defect(&[&second, &fourth], |finished, [_, second, _, fourth]| {
        let place = finished.places[node_of(second).index()];
        put(finished, fourth, place);
    });
    assert_eq!(dropped, FinalDefect::Dropped { node: node_of(&second) });
}

#[test]
fn a_collective_that_is_left_out_is_found() {
    let mesh = Mesh::line(2);
    let mut program = Program::new(&[&[20]]);
    let sum = program.reduce(Monoid::Add, 0, &leaf(0));
    let plan = program.plan_on(&mesh, &[Sharding::even(&[20], 0, &mesh)]);
    let found = defect(&plan, &[&sum], false, |finished| drop(finished.steps.pop()));
    let FinalDefect::LeftOut { step } = found else { panic!("{found}") };
    assert_eq!(Some(&step), plan.steps.last());
}

#[test]
fn a_leaf_that_others_own_is_not_overwritten() {
    let mut program = Program::new(&[&[4, 4]]);
    let plain = program.apply(Op::Exp, &[&leaf(0)]);
    let plan = program.plan();
    let base = LeafId::new(0);
    let found = defect(&plan, &[&plain], false, |finished| {
        put(finished, &plain, Some(Place::Leaf(base)));
    });
    assert_eq!(found, FinalDefect::Kept { node: node_of(&plain), leaf: base });
}

#[test]
fn a_kernel_or_a_routine_that_overwrites_what_it_reads_is_found() {
    let mut program = Program::new(&[&[4, 4]]);
    let turned = program.apply(Op::Exp, &[&transposed(&leaf(0))]);
    let sort = Structured::Sort(Sort::new(0, Order::Values));
    let sorted = program.record(NodeOp::Structured(sort), &[&leaf(0)], &[4, 4]);
    let plan = program.plan();
    for value in [turned, sorted] {
        let found = defect(&plan, &[&value], true, |finished| {
            put(finished, &value, Some(Place::Leaf(LeafId::new(0))));
        });
        assert_eq!(found, FinalDefect::Overwrites { node: node_of(&value) });
    }
}

#[test]
fn messages_that_arrive_where_a_routine_still_reads_are_found() {
    let mesh = Mesh::line(2);
    let mut program = Program::new(&[&[8, 8]]);
    let value = program.apply(Op::Exp, &[&leaf(0)]);
    let sort = Structured::Sort(Sort::new(1, Order::Values));
    let sorted = program.record(NodeOp::Structured(sort), &[&value], &[8, 8]);
    let columns = NodeOp::Reshard(Arc::new(Sharding::even(&[8, 8], 1, &mesh)));
    let moved = program.record(columns, &[&sorted], &[8, 8]);
    let plan = program.plan_on(&mesh, &[Sharding::even(&[8, 8], 0, &mesh)]);
    let found = defect(&plan, &[&value, &moved], false, |finished| {
        assert_eq!(kinds(finished), ["launch", "routine", "exchange", "launch"]);
        assert_eq!(finished.landings[0], Some(node_of(&moved)));
        // The chunks of the routine run while messages arrive.
        let place = finished.places[node_of(&value).index()];
        assert_ne!(finished.places[node_of(&moved).index()], place);
        put(finished, &moved, place);
    });
    let (value, held) = (value.source, Some(moved.source));
    let place = Place::Slot(SlotId::new(0));
    assert_eq!(found, FinalDefect::Lost { value, place, held });
}

#[test]
fn an_update_without_its_old_elements_or_its_checks_is_found() {
    let mut program = Program::new(&[&[20]]);
    let value = through(slice(20, 0, 10), &leaf(0));
    let doubled = program.apply(Op::Exp, &[&value]);
    let updated = program.update(&leaf(0), slice(20, 10, 20), &doubled);
    let plan = program.plan();
    let node = node_of(&updated);
    let no_copies = |finished: &mut Final| launch_of(finished, 0).copies = Vec::new().into();
    let found = defect(&plan, &[&updated], false, no_copies);
    assert_eq!(found, FinalDefect::Unwritten { node });
    let no_checks = |finished: &mut Final| launch_of(finished, 0).apart = Vec::new().into();
    let found = defect(&plan, &[&updated], true, no_checks);
    assert_eq!(found, FinalDefect::Unchecked { node });
}

#[test]
fn a_value_that_an_exchange_still_sends_is_not_overwritten() {
    // Two kernels share an exchange. The first is not needed, so another kernel runs between the
    // exchange and the kernel that waits for it.
    let mesh = Mesh::line(2);
    let split = [Sharding::even(&[20], 0, &mesh)];
    let mut program = Program::new(&[&[20]]);
    let [after, before] = [slice(20, 1, 20), slice(20, 0, 19)].map(|view| through(view, &leaf(0)));
    program.apply(Op::Subtract, &[&after, &before]);
    let sum = program.reduce(Monoid::Add, 0, &leaf(0));
    let all = AffineMap::identity(&[]).broadcast_to(&[19]).expect("a number");
    let scaled = program.apply(Op::Multiply, &[&after, &through(all, &sum)]);
    let last = program.apply(Op::Subtract, &[&scaled, &before]);
    let plan = program.plan_on(&mesh, &split);
    let found = defect(&plan, &[&last], true, |finished| {
        put(finished, &sum, Some(Place::Leaf(LeafId::new(0))));
    });
    let (node, exchange) = (node_of(&sum), ExchangeId::new(0));
    assert_eq!(found, FinalDefect::Sent { node, exchange });
}
