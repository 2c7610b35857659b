//! The seam between structured operations and the planner.

use super::expansion::Expansion;
use super::{matmul, rule};
use crate::placement::Placement;
use crate::setup::Setup;
use phalanx_ops::structured::Operand;
use phalanx_ops::{AffineMap, Sharding, Structured};
use smallvec::SmallVec;
use std::fmt;

/// An operand and where it resides.
#[derive(Clone, Debug)]
pub struct PlacedOperand<'a> {
    /// The sharding, seen through the view that the operation reads.
    pub sharding: Sharding,
    /// The shape of that view.
    pub shape: &'a [usize],
    /// Bytes of an element.
    pub item: usize,
}

/// A structured operation with the shapes and dtypes of its operands and of its result.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The operation, as it was recorded.
    pub op: &'a Structured,
    /// The operands, through the views that the operation reads.
    pub operands: &'a [Operand<'a>],
    /// The result.
    pub result: Operand<'a>,
}

impl<'a> Call<'a> {
    /// The shapes of the operands.
    pub fn shapes(&self) -> SmallVec<[&'a [usize]; 3]> {
        self.operands.iter().map(|(shape, _)| *shape).collect()
    }
}

/// For each operand, the sharding that it must have; `None` if any will do.
pub type OperandShardings = SmallVec<[Option<Sharding>; 3]>;

/// How the devices share a structured operation.
///
/// All methods are pure functions of their arguments, so every rank plans alike. Plans are refilled
/// with other numbers: for two calls that differ only in extents, starts and bounds, results may
/// differ only in such numbers, unless the placements differ too.
pub trait Lowering: Sync {
    /// Where the operation runs and how the devices share it. Not called on a mesh of one device,
    /// where the placement has the schedule `Rule`.
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        setup: Setup<'_>,
    ) -> Placement {
        rule::place(op, operands, shape, setup)
    }

    /// The sharding that each operand must have for a placement that `place` has chosen.
    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        rule::operands(call, placement)
    }

    /// Reads an operand through a view of a value of shape `base` without a copy: returns the
    /// operation that does so, and the sharding that the value must have for it. `wanted` is the
    /// sharding that the view must have. `None` if the view must be copied.
    ///
    /// The result may depend only on the pattern of the view and on which extents are equal, so
    /// windows of one pattern agree on it.
    fn read_through(
        &self,
        op: &Structured,
        operand: usize,
        (view, base): (&AffineMap, &[usize]),
        wanted: &Sharding,
    ) -> Option<(Structured, Sharding)> {
        let _ = (op, operand, view, base, wanted);
        None
    }

    /// The phases that compute the operation; the last one computes its result. `None` if the
    /// operation is one step.
    ///
    /// To refill a plan, the planner expands the operation again with the new numbers. The phases
    /// must then be the same, up to extents, starts and bounds.
    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        let _ = (call, placement);
        None
    }
}

/// The lowering of each structured operation.
#[derive(Clone, Copy)]
pub struct Lowerings(fn(&Structured) -> &'static dyn Lowering);

impl Lowerings {
    /// The lowerings that `find` returns. On all ranks, it must return the same for equal
    /// operations.
    pub const fn new(find: fn(&Structured) -> &'static dyn Lowering) -> Lowerings {
        Lowerings(find)
    }

    /// The lowering of an operation.
    pub fn of(self, op: &Structured) -> &'static dyn Lowering {
        (self.0)(op)
    }
}

impl Default for Lowerings {
    fn default() -> Lowerings {
        Lowerings::new(standard)
    }
}

impl fmt::Debug for Lowerings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lowerings")
    }
}

/// The lowerings of this crate: by rule, unless the operation has a folder of its own.
fn standard(op: &Structured) -> &'static dyn Lowering {
    match op {
        Structured::Matmul(_) => &matmul::Products,
        _ => &rule::ByRule,
    }
}
