//! The lowering of Fourier transforms.

use super::super::call::{Call, PlacedOperand};
use super::super::expansion::Expansion;
use super::super::lowering::Lowering;
use super::super::rule;
use super::four_steps::{self, Matrix};
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::{Bytes, Split, Structured};

/// The lowering of Fourier transforms.
pub(crate) struct Transforms;

impl Lowering for Transforms {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        match split(op, &operands[0], shape, layout) {
            Some((split, matrix)) => {
                let output = four_steps::output(shape[0], matrix, &split);
                Placement { schedule: Schedule::Blocks, ..Placement::on(output) }
            }
            None => rule::place(op, operands, shape, layout),
        }
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            // Phases copy what they read.
            Schedule::Blocks => [None].into_iter().collect(),
            _ => rule::operands(call, placement),
        }
    }

    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        let Structured::Fft(fft) = *call.op else { return None };
        if placement.schedule != Schedule::Blocks {
            return None;
        }
        let split = placement.output.axes[0].as_ref()?;
        let matrix = Matrix::of(fft, call.operands[0].0, call.result.0, split.bounds.parts())?;
        Some(four_steps::expand(fft, call, matrix, split))
    }
}

/// Two devices transform vectors of up to this many bytes whole: they would receive more bytes in
/// four steps, three times a quarter instead of one half.
const WHOLE: Bytes = Bytes(1 << 30);

/// The split of a vector that is transformed in four steps, and its matrix; `None` if it is
/// transformed by rule: a vector that devices have whole, a small one, or one of a prime length.
fn split(
    op: &Structured,
    operand: &PlacedOperand<'_>,
    shape: &[usize],
    layout: Layout<'_>,
) -> Option<(Split, Matrix)> {
    let Structured::Fft(fft) = *op else { return None };
    if fft.in_order || shape.len() != 1 {
        return None;
    }
    operand.sharding.axes[0].as_ref()?;
    let standard = layout.policy.sharding(operand.shape, layout.mesh);
    let split = standard.axes[0].clone()?;
    let parts = split.bounds.parts();
    if parts <= 2 && Bytes::of(operand.shape[0], operand.dtype.size()) <= WHOLE {
        return None;
    }
    let matrix = Matrix::of(fft, operand.shape, shape, parts)?;
    Some((split, matrix))
}
