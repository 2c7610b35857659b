//! The table of structured operations.

use super::halo::Halo;
use super::record::{Operand, Record};
use super::work::Work;
use super::{
    Components, Decomposition, Fft, Interpolate, Launch, Lend, Matmul, Nearest, Neighbourhood, Put,
    Recurrence, ReduceAt, Returned, Route, Rule, Scan, SearchSorted, Sort, Sparse, Take, TakeAlong,
    TreeSearch,
};
use crate::{Bytes, DType, Shape};

/// A structured operation with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Structured {
    /// The matrix product.
    Matmul(Matmul),
    /// A Fourier transform along an axis.
    Fft(Fft),
    /// Sorting along an axis.
    Sort(Sort),
    /// Elements of sorted blocks moved to the devices that have their ranks.
    Route(Route),
    /// Running combinations along an axis.
    Scan(Scan),
    /// Combinations of ranges of an axis.
    ReduceAt(ReduceAt),
    /// The elements at positions of an axis.
    Take(Take),
    /// The elements at positions that differ from line to line.
    TakeAlong(TakeAlong),
    /// Elements written at positions.
    Put(Put),
    /// The positions at which values would be inserted into a sorted vector.
    SearchSorted(SearchSorted),
    /// A factorisation of matrices, or a result computed from one.
    Decomposition(Decomposition),
    /// Combinations of the elements around each element.
    Neighbourhood(Neighbourhood),
    /// The values of splines at points.
    Interpolate(Interpolate),
    /// Linear recurrences along lines.
    Recurrence(Recurrence),
    /// The connected parts of masks.
    Components(Components),
    /// The nearest elements along lines.
    Nearest(Nearest),
    /// The nearest points of a tree.
    TreeSearch(TreeSearch),
    /// An operation on sparse matrices in rows.
    Sparse(Sparse),
    /// Memory for a value that a kernel of the user's own may write.
    Lend(Lend),
    /// The launch of a kernel of the user's own.
    Launch(Launch),
    /// The value of lent memory after a launch.
    Returned(Returned),
}

impl Structured {
    fn record(&self) -> &dyn Record {
        match self {
            Structured::Matmul(op) => op,
            Structured::Fft(op) => op,
            Structured::Sort(op) => op,
            Structured::Route(op) => op,
            Structured::Scan(op) => op,
            Structured::ReduceAt(op) => op,
            Structured::Take(op) => op,
            Structured::TakeAlong(op) => op,
            Structured::Put(op) => op,
            Structured::SearchSorted(op) => op,
            Structured::Decomposition(op) => op,
            Structured::Neighbourhood(op) => op,
            Structured::Interpolate(op) => op,
            Structured::Recurrence(op) => op,
            Structured::Components(op) => op,
            Structured::Nearest(op) => op,
            Structured::TreeSearch(op) => op,
            Structured::Sparse(op) => op,
            Structured::Lend(op) => op,
            Structured::Launch(op) => op,
            Structured::Returned(op) => op,
        }
    }

    /// The name in plans.
    pub fn name(&self) -> &'static str {
        self.record().name()
    }

    /// The shape and dtype of the result, for checked operands.
    pub fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        self.record().result(operands)
    }

    /// How the operands may be split. `shapes` are those of the operands.
    pub fn rule(&self, shapes: &[&[usize]]) -> Rule {
        self.record().rule(shapes)
    }

    /// The operand whose memory the result may use if nothing else needs that memory.
    pub fn overwrites(&self) -> Option<usize> {
        self.record().overwrites()
    }

    /// The bytes of a device's blocks that go through a routine which communicates while it runs,
    /// for random elements; 0 for operations that have none. Each goes to any of the devices.
    pub fn routed(&self, operands: &[Bytes], to: Bytes) -> Bytes {
        self.record().routed(operands, to)
    }

    /// Whether the result is the first operand, so that nothing is done in that operand's memory.
    pub fn passes_on(&self) -> bool {
        self.record().passes_on()
    }

    /// Whether each recorded operation counts, also one that equals another.
    pub fn is_apart(&self) -> bool {
        self.record().is_apart()
    }

    /// Whether the operation runs also if nothing needs its result.
    pub fn has_effects(&self) -> bool {
        self.record().has_effects()
    }

    /// Whether a part of the device's block of the result follows from the same part of the
    /// operands that are split alike.
    pub fn is_divisible(&self) -> bool {
        self.record().is_divisible()
    }

    /// The elements of an operand that a device reads beyond the block that the rule assigns to it;
    /// `None` if there are none. `shapes` are those of the operands.
    pub fn halo(&self, operand: usize, shapes: &[&[usize]]) -> Option<Halo> {
        self.record().halo(operand, shapes)
    }

    /// Whether the matrices of an operand are stored transposed.
    pub fn is_transposed(&self, operand: usize) -> bool {
        self.record().is_transposed(operand)
    }

    /// The approximate number of additions and multiplications for one element of the result;
    /// `shapes` are those of the operands.
    pub fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        self.record().flops_of_element(shapes)
    }

    /// The kind of work, which decides the price.
    pub fn work(&self) -> Work {
        self.record().work()
    }
}
