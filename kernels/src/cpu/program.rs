//! A lowered kernel: executor steps over registers, for one choice of SIMD lanes.
//!
//! The executor works on *lane blocks*. A SIMD lane is one point of the axes that were chosen as
//! SIMD lanes: the grid's axes, or the axes of a top-level loop (`LaneChoice`). A value that
//! differs between SIMD lanes is in a block register (one element for each SIMD lane of the lane
//! block); any other value is *uniform* and is in a 16-byte slot.
//!
//! A program is a sequence of phases. With grid lanes there is one phase, which runs the whole
//! body. With loop lanes the grid points are visited one after the other, and each runs all phases:
//! a lane phase for each top-level loop, a uniform phase for the statements between them.

use super::folds::{BestLoop, Combine, LeafLoop, MOST_BYTES, RowsLoop};
use super::loops::{FillLoop, Loop, SelectLoop, SpecialLoop};
use crate::ir::{AccessId, AxisId, GuardId, ScalarId};
use phalanx_ops::{DType, Monoid, Op, Scalar};
use smallvec::SmallVec;

/// A register of a program.
pub(super) type RegisterId = usize;

/// Which points are the SIMD lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneChoice {
    /// The points of the grid; loops run one point after the other.
    Grid,
    /// The points of each top-level loop; the grid runs one point after the other.
    Loops,
}

/// How many elements a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// One for all SIMD lanes.
    Uniform,
    /// One for each SIMD lane of the lane block.
    Block,
}

/// The memory of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// Not yet decided. Stays so if no remaining executor step computes the register.
    Open,
    /// In the 16-byte slot of this number.
    Slot(usize),
    /// In the arena at this many bytes per SIMD lane.
    Arena(usize),
    /// In the accumulator of a fold; the fold sets the register's address.
    Fold,
}

/// A register.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub width: Width,
    pub size: usize,
    pub home: Home,
}

/// A kernel lowered for one choice of SIMD lanes.
#[derive(Debug)]
pub(super) struct Program {
    pub lanes: LaneChoice,
    pub registers: Vec<Register>,
    /// Bytes of the lane block registers, per SIMD lane.
    pub bytes_per_lane: usize,
    /// Bytes of those that a lane block has in use, per SIMD lane, if each block is inside of one
    /// guard of selections and outside of the others, as most blocks of a join are.
    pub busy_bytes_per_lane: usize,
    /// How many uniform slots there are.
    pub slots: usize,
    /// Uniform registers that hold launch scalars or constants.
    pub constants: Vec<(RegisterId, ConstantSource)>,
    /// Fills of lane block registers with constants, run once by each worker.
    pub constant_fills: Vec<Step>,
    pub phases: Vec<Phase>,
    /// How many loops run sequentially; they are numbered.
    pub loops: usize,
    /// The lane block folds, for the layout of their accumulators; they are numbered.
    pub fold_sizes: Vec<FoldSize>,
    /// Axes whose index some executor step reads: they are never merged with others.
    pub indexed: Vec<bool>,
    /// The statements that accumulate into tables.
    pub tables: Vec<TableUse>,
}

/// The sizes of the accumulators of one lane block fold.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoldSize {
    pub width: Width,
    pub size: usize,
    pub ordered: bool,
    /// Whether the accumulator also carries an index.
    pub index: bool,
    /// Whether the loop visits its points in ascending order.
    pub natural: bool,
}

/// One accumulating statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableUse {
    pub access: AccessId,
    pub length: ScalarId,
    pub size: usize,
    pub dtype: DType,
    pub monoid: Monoid,
    pub combine: Loop,
    pub identity: [u8; MOST_BYTES],
    /// Whether the order of combination shows in the result.
    pub ordered: bool,
    /// The phase that holds the statement.
    pub phase: usize,
    /// Whether the statement is in a sequential loop of its phase.
    pub in_loop: bool,
    /// Whether it is in any loop of the kernel.
    pub looped: bool,
}

/// The source of a constant register's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum ConstantSource {
    Argument(ScalarId),
    Text(Scalar),
}

/// A part of the body that runs with one set of SIMD lanes.
#[derive(Debug, Default)]
pub(super) struct Phase {
    /// The axes of the SIMD lanes; `None` for a uniform phase.
    pub lanes: Option<Vec<AxisId>>,
    /// Fills that are done once before the first lane block.
    pub prologue: Vec<Step>,
    /// Executor steps that run for each lane block (once in a uniform phase).
    pub steps: Vec<Step>,
    /// Folds over the SIMD lanes.
    pub folds: Vec<LaneFold>,
    /// Uniform executor steps after the folds.
    pub epilogue: Vec<Step>,
    /// The accesses that the phase uses.
    pub accesses: Vec<AccessId>,
    /// The guards that the phase uses.
    pub guards: Vec<GuardId>,
    /// Whether SIMD lanes must be visited in the order of the axes.
    pub ordered: bool,
}

/// One executor step.
#[derive(Debug)]
pub(super) enum Step {
    Apply(Apply),
    Load(Load),
    /// The global index along an axis.
    Index {
        axis: AxisId,
        output: RegisterId,
        width: Width,
    },
    /// Whether the point is inside a guard. If only selections by the guard read it, it is written
    /// for lane blocks that are partly inside.
    Inside {
        guard: GuardId,
        output: RegisterId,
        width: Width,
        is_selected: bool,
    },
    Store(Store),
    Accumulate(Accumulate),
    Loop(Box<LoopStep>),
}

/// The code of an `Apply`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    Elementwise(Loop),
    Special(SpecialLoop),
    Select(SelectLoop),
    Fill(FillLoop),
}

/// A typed loop over registers.
#[derive(Debug)]
pub(super) struct Apply {
    pub code: Code,
    pub inputs: SmallVec<[RegisterId; 4]>,
    pub output: RegisterId,
    pub width: Width,
    /// The access that stores the result next: if it is contiguous, the result is written there
    /// directly.
    pub destination: Option<AccessId>,
    /// The operation and dtype, if it may be fused with another.
    pub arithmetic: Option<(Op, DType)>,
    /// The guard that is the condition of a selection: lane blocks that are all inside or all
    /// outside of it take the operand itself.
    pub guard: Option<GuardId>,
}

/// A load.
#[derive(Debug)]
pub(super) struct Load {
    pub access: AccessId,
    pub guard: Option<GuardId>,
    pub output: RegisterId,
    pub width: Width,
    pub size: usize,
    /// Whether a store may run between the load and its last use, so that memory may have changed
    /// by then.
    pub late: bool,
    /// Whether only selections by the guard read it, so that blocks outside need no values.
    pub is_selected: bool,
}

/// A store.
#[derive(Debug)]
pub(super) struct Store {
    pub access: AccessId,
    pub input: RegisterId,
    pub width: Width,
    pub size: usize,
}

/// A combination into a table; `table` indexes `Program::tables`.
#[derive(Debug)]
pub(super) struct Accumulate {
    pub table: usize,
    pub position: RegisterId,
    pub value: RegisterId,
    pub width: Width,
}

/// A loop that runs one point after the other.
#[derive(Debug)]
pub(super) struct LoopStep {
    pub number: usize,
    pub axes: Vec<AxisId>,
    pub steps: Vec<Step>,
    pub folds: Vec<BlockFold>,
    /// Whether some fold's result depends on the order.
    pub ordered: bool,
    /// Whether the points must be visited in their own order.
    pub natural: bool,
    /// The accesses of the body whose address depends on the loop's axes.
    pub accesses: Vec<AccessId>,
    /// How the loop folds many rows at once, if it does nothing else.
    pub rows: Option<RowFold>,
    /// How each fold folds a line of memory for each SIMD lane, if the loop does nothing else.
    pub lines: Vec<LineFold>,
}

impl LoopStep {
    /// The load at a position of the loop's steps.
    pub fn load(&self, at: usize) -> &Load {
        match &self.steps[at] {
            Step::Load(load) => load,
            other => panic!("bug: {other:?} is no load"),
        }
    }

    /// The number of an access among those of the loop; `None` if it does not depend on the loop.
    pub fn access_number(&self, access: AccessId) -> Option<usize> {
        self.accesses.iter().position(|&other| other == access)
    }
}

/// A loop that only folds rows of memory.
#[derive(Debug)]
pub(super) struct RowFold {
    pub code: RowsLoop,
    /// The sum of a few rows by halving.
    pub tree: Option<RowsLoop>,
    /// The positions in the loop's steps of the loads of a row and of the element with which it is
    /// paired, in any order; the same if there is no such element.
    pub loads: [usize; 2],
}

/// A fold of a loop that only folds lines of memory, one for each SIMD lane.
#[derive(Debug)]
pub(super) struct LineFold {
    pub code: LineCode,
    /// The positions in the loop's steps of the loads of a line and of its factors; the same if it
    /// has none.
    pub loads: [usize; 2],
    /// The size of a line's elements.
    pub size: usize,
}

/// The fold of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineCode {
    /// By leaves.
    Leaves(LeafLoop),
    /// The best element with its index along an axis.
    Best(BestLoop, AxisId),
}

/// How the values of a fold are in memory if nothing but a load computes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryFold {
    pub form: MemoryForm,
    /// The size of the elements in memory.
    pub size: usize,
    /// The folds of rows, of a tree of rows, of lines and of the best element, where there are
    /// faster ways.
    pub rows: Option<RowsLoop>,
    pub tree: Option<RowsLoop>,
    pub leaf: Option<LeafLoop>,
    pub best: Option<BestLoop>,
}

/// What is folded of elements in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryForm {
    Elements,
    /// Elements of another dtype.
    Casts,
    /// The products of pairs of elements.
    Products,
    /// The squares of the differences of pairs of elements.
    Gaps,
}

/// A fold over the points of a sequential loop.
#[derive(Debug)]
pub(super) struct BlockFold {
    pub number: usize,
    pub code: Combine,
    pub value: RegisterId,
    /// The value before it is made an accumulator; the value itself if it is not.
    pub plain: RegisterId,
    pub index: Option<RegisterId>,
    pub output: RegisterId,
    pub index_output: Option<RegisterId>,
    pub width: Width,
    pub size: usize,
    pub ordered: bool,
    /// Faster ways to fold what is in memory.
    pub memory: MemoryFold,
    /// Whether the value is loaded directly and its memory is unchanged at the next point.
    pub loaded: bool,
    pub identity: [u8; MOST_BYTES],
}

/// A fold over the SIMD lanes of a phase.
#[derive(Debug)]
pub(super) struct LaneFold {
    pub monoid: Monoid,
    pub code: Combine,
    /// The fold of a whole leaf, where there is a faster way.
    pub leaf: Option<LeafLoop>,
    /// The fold of many pairs into one, where there is a faster way.
    pub best: Option<BestLoop>,
    pub value: RegisterId,
    /// What is folded is computed of the values and this register's elements.
    pub factor: Option<Factor>,
    pub index: Option<RegisterId>,
    /// The axis whose index the register `index` gets, if only this fold reads it and counts along
    /// the axis where it can.
    pub counted: Option<AxisId>,
    pub output: RegisterId,
    pub index_output: Option<RegisterId>,
    /// The size of the register `value`'s elements, which `leaf` may widen.
    pub value_size: usize,
    pub size: usize,
    pub ordered: bool,
    pub identity: [u8; MOST_BYTES],
}

/// The second operand of the products or of the squares of differences that a fold sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub register: RegisterId,
    /// Computes what is summed, where the leaf loop does not apply.
    pub term: Loop,
}

impl BlockFold {
    /// The registers that the fold reads.
    pub fn reads(&self) -> impl Iterator<Item = RegisterId> + use<> {
        [Some(self.value), self.index].into_iter().flatten()
    }
}

impl LaneFold {
    /// The registers that the fold reads.
    pub fn reads(&self) -> impl Iterator<Item = RegisterId> + use<> {
        let factor = self.factor.map(|factor| factor.register);
        [Some(self.value), factor, self.index].into_iter().flatten()
    }
}

impl Step {
    /// Whether a lane block that is all inside or all outside of a guard does not write the
    /// register of the executor step: it takes an operand's memory, or no values.
    pub fn is_passed_over(&self) -> bool {
        match self {
            Step::Load(load) => load.is_selected,
            Step::Apply(apply) => apply.guard.is_some(),
            Step::Inside { is_selected, .. } => *is_selected,
            _ => false,
        }
    }

    /// The registers that the executor step reads; of a loop, also those that its body reads.
    pub fn reads(&self, into: &mut Vec<RegisterId>) {
        match self {
            Step::Apply(apply) => into.extend_from_slice(&apply.inputs),
            Step::Load(_) | Step::Index { .. } | Step::Inside { .. } => {}
            Step::Store(store) => into.push(store.input),
            Step::Accumulate(accumulate) => into.extend([accumulate.position, accumulate.value]),
            Step::Loop(step) => {
                step.steps.iter().for_each(|inner| inner.reads(into));
                step.folds.iter().for_each(|fold| into.extend(fold.reads()));
            }
        }
    }

    /// The register that the executor step itself writes.
    pub fn output(&self) -> Option<RegisterId> {
        match self {
            Step::Apply(apply) => Some(apply.output),
            Step::Load(load) => Some(load.output),
            Step::Index { output, .. } | Step::Inside { output, .. } => Some(*output),
            Step::Store(_) | Step::Accumulate(_) | Step::Loop(_) => None,
        }
    }

    /// Whether the executor step stores.
    pub fn has_store(&self) -> bool {
        match self {
            Step::Store(_) => true,
            Step::Loop(inner) => inner.steps.iter().any(Step::has_store),
            _ => false,
        }
    }
}
