//! An operation in several phases, added from outside through the lowering seam: prefix sums of a
//! split vector. Each device holds only its own block and one number for each block.
//!
//! Each device sums its block (`local`) and adds the block's sum to a table (`totals`), which a
//! collective combines. The sum of the blocks before its own is then added to every element.

use crate::vectors::{numbers, session_of, shardings, sums, vector};
use phalanx_array::{MeshHandle, cumsum};
use phalanx_distributed::{
    Call, Expansion, Layout, Lowering, Lowerings, OperandShardings, Phase, PhaseInput, PhaseSource,
    PlacedOperand, Placement, Schedule,
};
use phalanx_graph::NodeOp;
use phalanx_ops::structured::{Scan, Take};
use phalanx_ops::{DType, Monoid, Op, Partial, Scalar, Shape, Sharding, Split, Structured};
use phalanx_scheduler::{Session, SessionOptions};
use std::sync::Arc;

struct PrefixSums;

/// The lowering that follows the operation's rule.
struct ByRule;

impl Lowering for ByRule {}

fn by_rule(op: &Structured) -> &'static dyn Lowering {
    match op {
        Structured::Scan(_) => &ByRule,
        other => Lowerings::default().of(other),
    }
}

/// The split of a split vector.
fn split_of(sharding: &Sharding) -> Option<&Split> {
    match sharding.axes.as_slice() {
        [Some(split)] => Some(split),
        _ => None,
    }
}

impl Lowering for PrefixSums {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let own = &operands[0].sharding;
        let output = match split_of(own) {
            Some(split) if split.bounds.is_ascending() => own.clone(),
            // A reversed view: the first device has its end.
            Some(_) => Sharding::even(shape, 0, layout.mesh),
            None => return by_rule(op).place(op, operands, shape, layout),
        };
        Placement { schedule: Schedule::Blocks, ..Placement::on(output) }
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            Schedule::Blocks => [Some(placement.output.clone())].into_iter().collect(),
            _ => by_rule(call.op).operands(call, placement),
        }
    }

    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        let split =
            split_of(&placement.output).filter(|_| placement.schedule == Schedule::Blocks)?;
        Some(Phases::of(call, placement, split).expansion)
    }
}

/// The phases made so far.
struct Phases {
    expansion: Expansion,
}

impl Phases {
    fn of(call: Call<'_>, placement: &Placement, split: &Split) -> Phases {
        let (shape, dtype) = call.result;
        let (blocks, count) = (Placement::on(placement.output.clone()), split.bounds.parts());
        let mut phases = Phases { expansion: Expansion { phases: Vec::new() } };
        let own = |op, inputs: &[PhaseSource], dtype| Phase {
            op,
            inputs: inputs.iter().map(|&source| PhaseInput::from(source)).collect(),
            operands: inputs.iter().map(|_| None).collect(),
            shape: shape.into(),
            dtype,
            placement: blocks.clone(),
        };
        let value = PhaseSource::Operand(0);
        // The number of an element's block: how many blocks, without the first, start at or before
        // it.
        let index = phases.add(own(NodeOp::Index(0), &[], DType::I64));
        let mut block = None;
        for number in 1..count {
            let start = PhaseSource::Constant(Scalar::new(split.bounds.block(number).start as i64));
            let reached = NodeOp::Elementwise(Op::GreaterEqual);
            let reached = phases.add(own(reached, &[index, start], DType::Bool));
            let reached = phases.add(own(NodeOp::Cast, &[reached], DType::I64));
            block = Some(match block {
                None => reached,
                Some(sum) => {
                    phases.add(own(NodeOp::Elementwise(Op::Add), &[sum, reached], DType::I64))
                }
            });
        }
        let block = block.expect("a split vector has several blocks");
        let local = phases.add(Phase {
            operands: [Some(placement.output.clone())].into_iter().collect(),
            placement: Placement { schedule: Schedule::Blocks, ..blocks.clone() },
            ..own(NodeOp::Structured(*call.op), &[value], dtype)
        });
        let partial = Partial { monoid: Monoid::Add, mesh_axes: split.mesh_axes.clone() };
        let everywhere = Placement::on(Sharding::replicated(1));
        let table = |phase: Phase| Phase { shape: Shape::from_slice(&[count]), ..phase };
        let totals = phases.add(table(Phase {
            placement: Placement {
                space: placement.output.clone(),
                output: Sharding::replicated(1),
                schedule: Schedule::Partial(partial),
            },
            ..own(NodeOp::Accumulate { monoid: Monoid::Add }, &[block, value], dtype)
        }));
        let up_to = phases.add(table(Phase {
            operands: [Some(Sharding::replicated(1))].into_iter().collect(),
            placement: everywhere.clone(),
            ..own(NodeOp::Structured(*call.op), &[totals], dtype)
        }));
        let before = phases.add(table(Phase {
            placement: everywhere,
            ..own(NodeOp::Elementwise(Op::Subtract), &[up_to, totals], dtype)
        }));
        let take = NodeOp::Structured(Structured::Take(Take { axis: 0 }));
        let offset = phases.add(Phase {
            operands: [Some(Sharding::replicated(1)), Some(placement.output.clone())]
                .into_iter()
                .collect(),
            ..own(take, &[before, block], dtype)
        });
        phases.add(own(NodeOp::Elementwise(Op::Add), &[local, offset], dtype));
        phases
    }

    fn add(&mut self, phase: Phase) -> PhaseSource {
        self.expansion.phases.push(phase);
        PhaseSource::Phase(self.expansion.phases.len() as u32 - 1)
    }
}

/// The crate's lowerings, except for sums along the axis of a vector.
fn lowerings() -> Lowerings {
    Lowerings::new(|op| match op {
        Structured::Scan(Scan { op: Op::Add, axis: 0, .. }) => &PrefixSums,
        other => by_rule(other),
    })
}

fn session(devices: usize, lowerings: Lowerings) -> Arc<Session> {
    session_of(devices, SessionOptions { lowerings, ..SessionOptions::default() })
}

#[test]
fn sums_of_blocks_are_the_sums_of_the_whole() {
    for devices in [1, 2, 3, 4, 8] {
        MeshHandle::new(session(devices, lowerings())).enter(|| {
            for count in [1, 2, 7, 8, 1000] {
                for sharding in shardings(count, devices) {
                    let given = numbers(count);
                    let value = vector(&given).with_sharding(sharding.clone());
                    // The operand is a fused operation or a view, and the sums are used in a fused
                    // one.
                    let doubled = cumsum(&(&value * 2), 0) + 1;
                    let backwards = cumsum(&value.slice(phalanx_array::s![..; -1]), 0);
                    let should: Vec<i64> = sums(&given).iter().map(|sum| 2 * sum + 1).collect();
                    let turned: Vec<i64> = given.iter().rev().copied().collect();
                    let what = format!("{count} elements on {devices} devices by {sharding:?}");
                    assert_eq!(doubled.to_vec::<i64>().expect("sums"), should, "{what}");
                    assert_eq!(backwards.to_vec::<i64>().expect("sums"), sums(&turned), "{what}");
                }
            }
        });
    }
}

/// The plan shows phases that no other operation has, and sends a number for each block.
#[test]
fn the_plan_has_the_phases() {
    MeshHandle::new(session(4, lowerings())).enter(|| {
        let value = vector(&numbers(1000));
        value.evaluate().expect("a vector");
        let plan = cumsum(&value, 0).explain().expect("a plan");
        assert!(plan.contains("by add over") && !plan.contains("gather"), "{plan}");
        assert!(plan.contains("= scan(") && plan.contains("= take("), "{plan}");
        let sent = plan.lines().find(|line| line.contains("sent")).expect("a summary");
        assert!(sent.contains("sent 32 B"), "{plan}");
    });
    MeshHandle::new(session(4, Lowerings::default())).enter(|| {
        let value = vector(&numbers(1000));
        value.evaluate().expect("a vector");
        let plan = cumsum(&value, 0).explain().expect("a plan");
        assert!(plan.contains("= reduceat("), "{plan}");
        let sent = plan.lines().find(|line| line.contains("sent")).expect("a summary");
        assert!(sent.contains("sent 24 B"), "{plan}");
    });
}

/// Windows with other numbers reuse a plan of phases.
#[test]
fn phases_are_refilled() {
    let session = session(3, lowerings());
    MeshHandle::new(session.clone()).enter(|| {
        for count in 20..60 {
            let given = numbers(count);
            let sums_now = cumsum(&vector(&given), 0).to_vec::<i64>().expect("sums");
            assert_eq!(sums_now, sums(&given));
        }
    });
    let plans = session.counters().plans;
    assert!(plans <= 2, "{plans} plans of 40 windows");
}

/// A scan of one more phase, on any number of devices: zero is added to the sums.
struct ScanAndZero;

impl Lowering for ScanAndZero {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        by_rule(op).place(op, operands, shape, layout)
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        by_rule(call.op).operands(call, placement)
    }

    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        let (shape, dtype) = call.result;
        let own = |op, inputs: &[PhaseSource]| Phase {
            op,
            inputs: inputs.iter().map(|&source| PhaseInput::from(source)).collect(),
            operands: inputs.iter().map(|_| None).collect(),
            shape: shape.into(),
            dtype,
            placement: placement.clone(),
        };
        let scan = Phase {
            operands: self.operands(call, placement),
            ..own(NodeOp::Structured(*call.op), &[PhaseSource::Operand(0)])
        };
        let zero = PhaseSource::Constant(Scalar::new(0i64));
        let sum = own(NodeOp::Elementwise(Op::Add), &[PhaseSource::Phase(0), zero]);
        Some(Expansion { phases: vec![scan, sum] })
    }
}

/// Refilling a plan with phases failed on one device, where placements were not computed.
#[test]
fn phases_of_one_device_are_refilled() {
    let lowerings = Lowerings::new(|op| match op {
        Structured::Scan(Scan { op: Op::Add, axis: 0, .. }) => &ScanAndZero,
        other => by_rule(other),
    });
    for devices in [1, 3] {
        let session = session(devices, lowerings);
        MeshHandle::new(session.clone()).enter(|| {
            for count in 20..60 {
                let given = numbers(count);
                let sums_now = cumsum(&vector(&given), 0).to_vec::<i64>().expect("sums");
                assert_eq!(sums_now, sums(&given));
            }
        });
        let plans = session.counters().plans;
        assert!(plans <= 2, "{plans} plans of 40 windows on {devices} devices");
    }
}

/// Sums of halves stop growing at 2048 in order; in blocks they would stop later.
#[test]
fn halves_are_summed_in_order_on_any_number_of_devices() {
    for devices in [1, 3] {
        MeshHandle::new(session(devices, Lowerings::default())).enter(|| {
            let ones = vector(&[1; 9000]).astype(DType::F16);
            let sums = cumsum(&ones, 0).astype(DType::I64).to_vec::<i64>().expect("sums");
            assert_eq!(sums.last(), Some(&2048), "on {devices} devices");
        });
    }
}
