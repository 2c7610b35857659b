//! Expansions: the phases of an operation that takes more than one step.

use crate::placement::{OperandShardings, Placement};
use phalanx_graph::NodeOp;
use phalanx_ops::{AffineMap, DType, Scalar, Shape};
use smallvec::SmallVec;

/// A small graph that computes an operation: its inputs are the operation's operands, and its last
/// phase gives the operation's result.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The phases, each of which may read those before it.
    pub phases: Vec<Phase>,
}

/// One step of an expansion.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The operation.
    pub op: NodeOp,
    /// The inputs of the operation.
    pub inputs: SmallVec<[PhaseInput; 2]>,
    /// The sharding that each input must have. The planner copies inputs that reside otherwise.
    pub operands: OperandShardings,
    /// The shape of the value.
    pub shape: Shape,
    /// The dtype of the value.
    pub dtype: DType,
    /// Where the phase runs and where its value resides.
    pub placement: Placement,
}

/// An input of a phase.
#[derive(Clone, Debug)]
pub struct PhaseInput {
    /// The value.
    pub source: PhaseSource,
    /// The view of the value that is read, for an operand on top of the operation's own view;
    /// `None` for all of it.
    pub map: Option<AffineMap>,
}

/// A value that a phase reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PhaseSource {
    /// An operand of the operation.
    Operand(u8),
    /// The value of an earlier phase.
    Phase(u32),
    /// A number.
    Constant(Scalar),
}

impl From<PhaseSource> for PhaseInput {
    fn from(source: PhaseSource) -> PhaseInput {
        PhaseInput { source, map: None }
    }
}

impl Expansion {
    /// The numbers that the phases read, in order.
    pub fn constants(&self) -> impl Iterator<Item = Scalar> {
        let inputs = self.phases.iter().flat_map(|phase| &phase.inputs);
        inputs.filter_map(|input| match input.source {
            PhaseSource::Constant(number) => Some(number),
            PhaseSource::Operand(_) | PhaseSource::Phase(_) => None,
        })
    }

    /// Whether both have the same phases, up to numbers. An extent of 0 or 1 is no number: kernels
    /// leave such axes out, as those of a window's own nodes.
    pub fn is_like(&self, other: &Expansion) -> bool {
        let pairs = self.phases.iter().zip(&other.phases);
        self.phases.len() == other.phases.len()
            && pairs.into_iter().all(|(one, other)| {
                let are_alike = |one: &[usize], other: &[usize]| {
                    let short = |shape: &[usize]| shape.iter().map(|&it| it.min(2)).collect();
                    let [one, other]: [SmallVec<[usize; 4]>; 2] = [short(one), short(other)];
                    one == other
                };
                let inputs = one.inputs.iter().zip(&other.inputs);
                let is_same = |(one, other): (&PhaseInput, &PhaseInput)| {
                    let is_same_source = match (one.source, other.source) {
                        (PhaseSource::Constant(one), PhaseSource::Constant(other)) => {
                            one.dtype() == other.dtype()
                        }
                        (one, other) => one == other,
                    };
                    let is_same_view = match (&one.map, &other.map) {
                        (Some(one), Some(other)) => are_alike(&one.shape, &other.shape),
                        (one, other) => one.is_none() && other.is_none(),
                    };
                    is_same_source && is_same_view
                };
                std::mem::discriminant(&one.op) == std::mem::discriminant(&other.op)
                    && one.dtype == other.dtype
                    && are_alike(&one.shape, &other.shape)
                    && one.inputs.len() == other.inputs.len()
                    && inputs.into_iter().all(is_same)
            })
    }
}
