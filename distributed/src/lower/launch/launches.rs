//! The lowering of `Lend`, `Launch` and `Returned`.

use super::super::call::{Call, PlacedOperand};
use super::super::lowering::Lowering;
use super::super::rule;
use crate::placement::{OperandShardings, Placement};
use crate::policy::Layout;
use phalanx_ops::structured::{Launch, Lend, Share};
use phalanx_ops::{Bounds, Sharding, Split, Structured};
use smallvec::SmallVec;

/// The lowering of launches. The mark of a launch resides where the kernel runs.
pub(crate) struct Launches;

impl Lowering for Launches {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let first = || {
            let mesh_axes = (0..layout.mesh.ndim() as u8).collect();
            on_first(shape, &mesh_axes, layout.mesh.devices())
        };
        Placement::on(match op {
            Structured::Lend(Lend { share: Share::First }) => first(),
            Structured::Launch(Launch { entry }) if entry.share == Share::First => first(),
            Structured::Launch(_) => Sharding::replicated(shape.len()),
            _ => operands[0].sharding.clone(),
        })
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match (call.op, &placement.output.axes[..]) {
            (Structured::Launch(_), [Some(split)]) => {
                let parts = split.bounds.parts();
                let wanted = |shape: &[usize]| match shape {
                    // The numbers of the call.
                    [] => Sharding::replicated(0),
                    shape => on_first(shape, &split.mesh_axes, parts),
                };
                call.operands.iter().map(|(shape, _)| Some(wanted(shape))).collect()
            }
            // The mark is where the kernel runs, and nothing reads it.
            (Structured::Returned(_), _) => {
                [Some(placement.output.clone()), None].into_iter().collect()
            }
            _ => rule::operands(call, placement),
        }
    }
}

/// The sharding of a value that the first of `devices` devices holds.
fn on_first(shape: &[usize], mesh_axes: &SmallVec<[u8; 2]>, devices: usize) -> Sharding {
    let mut sharding = Sharding::replicated(shape.len());
    let mut sizes = vec![0; devices];
    sizes[0] = shape[0];
    let (mesh_axes, bounds) = (mesh_axes.clone(), Bounds::explicit(&sizes));
    sharding.axes[0] = Some(Split { mesh_axes, bounds });
    sharding
}
