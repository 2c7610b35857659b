//! Tests of instances: what the verifier finds in instances that are broken on purpose.

use super::verify::{InstanceDefect, verify_collectives, verify_messages, verify_sizes};
use super::*;
use crate::finalise::{Final, Liveness, Place, finalise};
use crate::ids::{ExchangeId, SlotId};
use crate::plan::Plan;
use crate::samples::{Program, leaf, slice, through};
use phalanx_graph::NodeOp;
use phalanx_ops::{AffineMap, Bytes, DType, Index, Mesh, Monoid, Op, Sharding};
use std::sync::Arc;

/// A sum of a vector, which two devices combine, and differences of its neighbours, for which they
/// exchange an element: device 0 sends it.
fn instances() -> (Plan, Final, Vec<Instance>) {
    let mesh = Mesh::line(2);
    let mut program = Program::new(&[&[20]]);
    program.reduce(Monoid::Add, 0, &leaf(0));
    let [after, before] = [slice(20, 1, 20), slice(20, 0, 19)].map(|view| through(view, &leaf(0)));
    program.apply(Op::Subtract, &[&after, &before]);
    let plan = program.plan_on(&mesh, &[Sharding::even(&[20], 0, &mesh)]);
    let liveness = Liveness { nodes: vec![true; 2], donated: [false].into() };
    let finished = finalise(&plan, &liveness);
    let instances = [0, 1].map(|device| instantiate(&plan, &finished, &mesh, device));
    (plan, finished, instances.into())
}

/// Breaks the instances and returns the rule that the verifier finds broken.
fn defect(damage: impl FnOnce(&mut [Instance])) -> InstanceDefect {
    let (plan, finished, mut instances) = instances();
    let mesh = Mesh::line(2);
    let verify = |instances: &[Instance]| {
        for (device, instance) in instances.iter().enumerate() {
            verify_sizes(&plan, &finished, &mesh, device, instance)?;
            verify_messages(&finished, instance)?;
        }
        verify_collectives(&mesh, instances)
    };
    assert_eq!(verify(&instances), Ok(()));
    damage(&mut instances);
    verify(&instances).expect_err("a broken rule")
}

fn position(instance: &Instance, is_wanted: fn(&LocalStep) -> bool) -> usize {
    instance.steps.iter().position(is_wanted).expect("a step of this kind")
}

fn is_start(step: &LocalStep) -> bool {
    matches!(step, LocalStep::Start { .. })
}

fn is_wait(step: &LocalStep) -> bool {
    matches!(step, LocalStep::Wait { .. })
}

fn is_combine(step: &LocalStep) -> bool {
    matches!(step, LocalStep::Combine { .. })
}

/// The messages that a device sends and those that it receives.
fn messages(instance: &mut Instance) -> (&mut Vec<Packet>, &mut Vec<Packet>) {
    let start = position(instance, is_start);
    match &mut instance.steps[start] {
        LocalStep::Start { sends, receives, .. } => (sends, receives),
        step => panic!("{step:?}"),
    }
}

#[test]
fn a_value_larger_than_its_slot_is_found() {
    let found = defect(|all| all[1].slots[0] = Bytes(1));
    let place = Place::Slot(SlotId::new(0));
    let InstanceDefect::Size { device: 1, place: at, found: Bytes(1), .. } = found else {
        panic!("{found}")
    };
    assert_eq!(at, place);
}

#[test]
fn a_step_that_does_not_wait_for_messages_is_found() {
    let exchange = ExchangeId::new(0);
    // The wait follows the kernel that reads what is received.
    let late = defect(|all| {
        let wait = position(&all[1], is_wait);
        let wait = all[1].steps.remove(wait);
        all[1].steps.push(wait);
    });
    assert!(matches!(late, InstanceDefect::Unwaited { memory: Memory::Local(_), .. }), "{late}");
    // A message's memory changes before the message has been sent.
    let changed = defect(|all| {
        let memory = messages(&mut all[0]).0[0].memory;
        let start = position(&all[0], is_start);
        all[0].steps.insert(start + 1, LocalStep::Zero { memory, bytes: Bytes(8) });
    });
    assert!(matches!(changed, InstanceDefect::Unwaited { .. }), "{changed}");
    let endless = defect(|all| {
        let wait = position(&all[1], is_wait);
        all[1].steps.remove(wait);
        all[1].steps.truncate(wait);
    });
    assert_eq!(endless, InstanceDefect::Unpaired { exchange });
    let twice = defect(|all| {
        let wait = position(&all[1], is_wait);
        let again = all[1].steps[wait].clone();
        all[1].steps.push(again);
    });
    assert_eq!(twice, InstanceDefect::Unpaired { exchange });
    let unfilled = defect(|all| messages(&mut all[1]).1.clear());
    assert!(matches!(unfilled, InstanceDefect::Unfilled { .. }), "{unfilled}");
}

#[test]
fn devices_that_meet_different_collectives_are_found() {
    let kinds: [fn(&mut Instance); 4] = [
        |one| {
            let (start, combine) = (position(one, is_start), position(one, is_combine));
            one.steps.swap(start, combine);
        },
        |one| {
            let combine = position(one, is_combine);
            one.steps.remove(combine);
        },
        |one| {
            let combine = position(one, is_combine);
            let LocalStep::Combine { dtype, .. } = &mut one.steps[combine] else { return };
            *dtype = DType::F32;
        },
        |one| {
            let combine = position(one, is_combine);
            let LocalStep::Combine { monoid, .. } = &mut one.steps[combine] else { return };
            *monoid = Monoid::Max;
        },
    ];
    for damage in kinds {
        // The order in which a device prepares messages does not matter here.
        let (_, _, mut all) = instances();
        damage(&mut all[1]);
        let found = verify_collectives(&Mesh::line(2), &all);
        assert!(matches!(found, Err(InstanceDefect::Kinds { device: 1, .. })), "{found:?}");
    }
}

#[test]
fn devices_that_give_a_collective_different_bytes_are_found() {
    let counts = defect(|all| {
        let combine = position(&all[1], is_combine);
        let LocalStep::Combine { parts, .. } = &mut all[1].steps[combine] else { return };
        parts[0].1 = Bytes(16);
    });
    assert!(matches!(counts, InstanceDefect::Counts { device: 1, other: 0, .. }), "{counts}");
    let longer = defect(|all| messages(&mut all[0]).0[0].bytes = Bytes(16));
    let (sent, received) = (vec![Bytes(16)], vec![Bytes(8)]);
    assert_eq!(longer, InstanceDefect::Messages { number: 0, from: 0, to: 1, sent, received });
    let missing = defect(|all| messages(&mut all[0]).0.clear());
    let (sent, received) = (Vec::new(), vec![Bytes(8)]);
    assert_eq!(missing, InstanceDefect::Messages { number: 0, from: 0, to: 1, sent, received });
}

/// The instances of a box of a matrix of 9 rows that moves from rows to another sharding.
fn moved(target: Sharding) -> (Plan, Final, Vec<Instance>) {
    let mesh = Mesh::line(2);
    let mut program = Program::new(&[&[9, 8]]);
    let rows = Index::Range { start: Some(1), stop: None, step: 1 };
    let view = AffineMap::identity(&[9, 8]).index(&[rows]).expect("a matrix has rows");
    let moved =
        program.record(NodeOp::Reshard(Arc::new(target)), &[&through(view, &leaf(0))], &[8, 8]);
    program.reduce(Monoid::Add, 0, &moved);
    let plan = program.plan_on(&mesh, &[Sharding::even(&[9, 8], 0, &mesh)]);
    let liveness = Liveness { nodes: vec![true; 2], donated: [false].into() };
    let finished = finalise(&plan, &liveness);
    let instances = [0, 1].map(|device| instantiate(&plan, &finished, &mesh, device));
    assert_sound(&plan, &finished, &mesh, 0..2, &instances);
    (plan, finished, instances.into())
}

#[test]
fn messages_arrive_in_the_memory_of_a_moved_value() {
    let mesh = Mesh::line(2);
    for target in [Sharding::even(&[8, 8], 1, &mesh), Sharding::replicated(2)] {
        let (_, finished, mut instances) = moved(target.clone());
        let columns = if target.is_replicated() { 8 } else { 4 };
        let slot = Memory::Slot(SlotId::new(0));
        assert!(finished.landings[0].is_some());
        // Rows 0 to 3 and 4 to 7 of the moved value are on the devices; row 0 of the source is cut.
        for (device, (first, rows)) in [(4, 4), (0, 4)].into_iter().enumerate() {
            let (_, receives) = messages(&mut instances[device]);
            let [packet] = receives.as_slice() else { panic!("{receives:?}") };
            assert_eq!((packet.memory, packet.copy.is_none()), (slot, true));
            let row = columns * 8;
            assert_eq!((packet.offset, packet.bytes), (Bytes(first * row), Bytes(rows * row)));
            // The kernel copies what the device had, and nothing copies what arrives.
            let launches = instances[device]
                .steps
                .iter()
                .filter(|step| matches!(step, LocalStep::Launch { kernel: 0, .. }));
            assert_eq!(launches.count(), 1);
        }
    }
}

#[test]
fn a_step_that_touches_what_arrives_is_found() {
    let (_, finished, mut instances) = moved(Sharding::replicated(2));
    let wait = position(&instances[0], is_wait);
    let early = instances[0].steps.remove(wait);
    assert!(matches!(
        verify_messages(&finished, &instances[0]),
        Err(InstanceDefect::Unwaited { .. })
    ));
    instances[0].steps.insert(wait, early);
    assert_eq!(verify_messages(&finished, &instances[0]), Ok(()));
}
