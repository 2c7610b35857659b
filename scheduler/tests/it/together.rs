//! A routine that communicates while it runs, added from outside: prefix sums of a split vector in
//! one step. Each device sums its block, the devices exchange the sums of their blocks through the
//! communicator that the routine holds, and each adds the sums of the blocks before its own.

use crate::vectors::{numbers, session_of, shardings, sums, vector};
use phalanx_array::{MeshHandle, cumsum};
use phalanx_device::Buffer;
use phalanx_distributed::{
    Call, Layout, Lowering, Lowerings, OperandShardings, PlacedOperand, Placement, Schedule,
};
use phalanx_kernels::structured;
use phalanx_ops::structured::Scan;
use phalanx_ops::{Bounds, DType, Mesh, Monoid, Op, Sharding, Split, Structured};
use phalanx_scheduler::{CollectiveRoutine, RoutineCall, Routines, RunError, SessionOptions};
use std::sync::atomic::{AtomicUsize, Ordering};

struct SumsTogether;

impl Lowering for SumsTogether {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let own = &operands[0].sharding;
        let output = match own.axes.as_slice() {
            [Some(split)] if split.bounds.is_ascending() => own.clone(),
            [Some(_)] => Sharding::even(shape, 0, layout.mesh),
            _ => return Lowerings::default().of(op).place(op, operands, shape, layout),
        };
        let Some(split) = &output.axes[0] else { unreachable!("bug: a vector that is not split") };
        Placement {
            schedule: Schedule::Together(split.mesh_axes.clone()),
            ..Placement::on(output.clone())
        }
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.together() {
            Some(_) => [Some(placement.output.clone())].into_iter().collect(),
            None => Lowerings::default().of(call.op).operands(call, placement),
        }
    }
}

impl CollectiveRoutine for SumsTogether {
    fn run(&self, step: &RoutineCall<'_>) -> Result<(), RunError> {
        structured::run(step.op, step.operands, &[], step.to, None, None);
        let (count, rank) = (step.to.len(), step.communicator.rank());
        let mut bytes = vec![0; count * 8];
        step.to.buffer.read(0, &mut bytes);
        let mut own: Vec<i64> = bytes
            .chunks_exact(8)
            .map(|item| i64::from_ne_bytes(item.try_into().unwrap()))
            .collect();
        // Each device writes the sum of its block at its place, and the others leave zeros there.
        let mut totals = vec![0i64; step.communicator.size()];
        totals[rank] = own.last().copied().unwrap_or(0);
        let table = totals.iter().flat_map(|sum| sum.to_ne_bytes()).collect();
        let table = Buffer::from_vec(table).whole();
        step.communicator.all_reduce(&table, DType::I64, Monoid::Add)?.wait().expect("a table");
        let mut before = vec![0; rank * 8];
        table.buffer.read(0, &mut before);
        let items = before.chunks_exact(8).map(|item| i64::from_ne_bytes(item.try_into().unwrap()));
        let offset: i64 = items.sum();
        own.iter_mut().for_each(|sum| *sum += offset);
        let bytes: Vec<u8> = own.iter().flat_map(|sum| sum.to_ne_bytes()).collect();
        step.to.buffer.write(0, &bytes);
        Ok(())
    }
}

/// The same, and it counts its runs.
struct Counted;

static RUNS: AtomicUsize = AtomicUsize::new(0);

impl CollectiveRoutine for Counted {
    fn run(&self, call: &RoutineCall<'_>) -> Result<(), RunError> {
        RUNS.fetch_add(1, Ordering::SeqCst);
        SumsTogether.run(call)
    }
}

fn options() -> SessionOptions {
    SessionOptions {
        lowerings: Lowerings::new(|op| match op {
            Structured::Scan(Scan { op: Op::Add, axis: 0, .. }) => &SumsTogether,
            other => Lowerings::default().of(other),
        }),
        routines: Routines::new(|op| match op {
            Structured::Scan(Scan { op: Op::Add, axis: 0, .. }) => Some(&SumsTogether),
            _ => None,
        }),
        ..SessionOptions::default()
    }
}

#[test]
fn sums_that_devices_make_together_are_the_sums_of_the_whole() {
    for devices in [1, 2, 3, 4, 8] {
        MeshHandle::new(session_of(devices, options())).enter(|| {
            for count in [1, 2, 7, 8, 1000] {
                for sharding in shardings(count, devices) {
                    let given = numbers(count);
                    let value = vector(&given).with_sharding(sharding.clone());
                    let doubled = cumsum(&(&value * 2), 0) + 1;
                    let should: Vec<i64> = sums(&given).iter().map(|sum| 2 * sum + 1).collect();
                    let what = format!("{count} elements on {devices} devices by {sharding:?}");
                    assert_eq!(doubled.to_vec::<i64>().expect("sums"), should, "{what}");
                }
            }
        });
    }
}

#[test]
fn the_plan_says_that_a_routine_communicates() {
    MeshHandle::new(session_of(4, options())).enter(|| {
        let value = vector(&numbers(1000));
        value.evaluate().expect("a vector");
        let plan = cumsum(&value, 0).explain().expect("a plan");
        assert!(plan.contains("= scan(") && plan.contains(", exchanged over "), "{plan}");
        assert!(!plan.contains("gather of"), "{plan}");
    });
}

#[test]
fn a_schedule_without_its_routine_is_an_error() {
    let options = SessionOptions { routines: Routines::default(), ..options() };
    MeshHandle::new(session_of(2, options)).enter(|| {
        let error = cumsum(&vector(&numbers(9)), 0).evaluate().expect_err("no routine");
        assert_eq!(error.code(), "PX033");
        assert!(error.to_string().contains("scan has no routine that communicates"), "{error}");
    });
}

/// One process may have dropped the value while another has not: all must run the routine.
#[test]
fn a_routine_that_communicates_runs_though_its_value_was_dropped() {
    let routines = Routines::new(|op| match op {
        Structured::Scan(Scan { op: Op::Add, axis: 0, .. }) => Some(&Counted),
        _ => None,
    });
    MeshHandle::new(session_of(3, SessionOptions { routines, ..options() })).enter(|| {
        let value = vector(&numbers(100));
        drop(cumsum(&value, 0));
        let other = &value + 1;
        other.evaluate().expect("a sum");
        assert_eq!(RUNS.load(Ordering::SeqCst), 3);
    });
}

#[test]
fn the_communicator_has_the_devices_along_the_axes_of_the_schedule() {
    let mesh = Some(Mesh::new(&[("x", 2), ("y", 2)]));
    MeshHandle::new(session_of(4, SessionOptions { mesh, ..options() })).enter(|| {
        for axis in [0, 1] {
            let split =
                Split { mesh_axes: [axis].into_iter().collect(), bounds: Bounds::even(7, 2) };
            let sharding = Sharding { axes: [Some(split)].into_iter().collect(), partial: None };
            let given = numbers(7);
            let value = vector(&given).with_sharding(sharding);
            assert_eq!(cumsum(&value, 0).to_vec::<i64>().expect("sums"), sums(&given));
        }
    });
}
