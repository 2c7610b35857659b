//! Sorting along an axis, partitions, and routing by rank: ascending, stable, NaN last; complex
//! numbers lexicographically.

use super::record::{Operand, Record, extent_along, logarithm};
use super::rule::Rule;
use super::work::Work;
use crate::{Bytes, DType, Shape};

/// Sorting along an axis, or a partition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    /// The axis.
    pub axis: u8,
    /// The result.
    pub order: Order,
    /// The ranks of a partition; `None` sorts.
    pub ranks: Option<Ranks>,
    /// The number of ascending runs that each line consists of at most, if that is known.
    pub runs: Option<usize>,
}

/// Moves each element of sorted blocks to the device that has its rank: operands (keys) or (keys,
/// carried). Lines of keys are sorted within each block. Each block of the result holds the
/// elements of its ranks in the sorted whole, in one run from each device, in the order of the
/// devices; equal keys keep their order. The elements are the keys, or those carried beside them.
///
/// If one device holds the whole, the result is the operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Route {
    /// The axis, after which all axes have extent 1.
    pub axis: u8,
}

/// The ranks, from `first` up to and including `last`, that a partition puts in order. Elements of
/// lower rank are before them in any order, and those of higher rank after them; of values, NaN is
/// last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ranks {
    /// The lowest rank.
    pub first: usize,
    /// The highest rank.
    pub last: usize,
}

/// The shortest lines of which ranks are selected.
const SHORTEST: usize = 1 << 12;

impl Ranks {
    /// Whether selecting the ranks is faster than sorting: lines are long, the ranks are few, and
    /// elements are not counted instead, as short ones are.
    pub fn is_selected(self, order: Order, extent: usize, dtype: DType) -> bool {
        let is_selectable = match order {
            Order::Values => !dtype.is_complex() && dtype.size() >= size_of::<u32>(),
            Order::Positions => true,
            Order::Packed | Order::Unpacked => false,
        };
        is_selectable && extent >= SHORTEST && self.last - self.first < extent / 4
    }
}

impl Sort {
    /// Sorting along an axis.
    pub fn new(axis: u8, order: Order) -> Sort {
        Sort { axis, order, ranks: None, runs: None }
    }

    /// A partition along an axis of `extent` elements of a dtype. Where selecting is not faster,
    /// this is a sort, so that equal sorts are computed once.
    pub fn partition(axis: u8, order: Order, ranks: Ranks, extent: usize, dtype: DType) -> Sort {
        let ranks = ranks.is_selected(order, extent, dtype).then_some(ranks);
        Sort { axis, order, ranks, runs: None }
    }
}

/// The result of sorting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// The elements in order.
    Values,
    /// The original position of each element (`i64`) in the axis; of a block, in the axis of the
    /// whole.
    Positions,
    /// The order of each element and its original position in one number (`u64`), in order: the
    /// position, which counts as those of `Positions`, is in the low 32 bits. For dtypes of
    /// [`Order::is_packed`].
    Packed,
    /// The positions (`i64`) that packed numbers (`u64`) hold, in the order of these numbers.
    Unpacked,
}

impl Order {
    /// Whether lines of `extent` elements of a dtype can be sorted with their positions packed:
    /// the dtype is real and has at most four bytes, and positions fit in 32 bits.
    pub fn is_packed(dtype: DType, extent: usize) -> bool {
        !dtype.is_complex() && dtype.size() <= 4 && u32::try_from(extent).is_ok()
    }
}

impl Record for Sort {
    fn name(&self) -> &'static str {
        match (self.order, self.ranks, self.runs) {
            (Order::Values, None, None) => "sort",
            (Order::Positions, None, None) => "argsort",
            (Order::Values, Some(_), _) => "partition",
            (Order::Positions, Some(_), _) => "argpartition",
            (Order::Values, None, Some(_)) => "merge",
            (Order::Positions, None, Some(_)) => "argmerge",
            (Order::Packed, ..) => "sort_packed",
            (Order::Unpacked, _, None) => "sort_unpacked",
            (Order::Unpacked, _, Some(_)) => "merge_unpacked",
        }
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let (shape, dtype) = operands[0];
        match self.order {
            Order::Values => (shape.into(), dtype),
            Order::Positions | Order::Unpacked => (shape.into(), DType::I64),
            Order::Packed => (shape.into(), DType::U64),
        }
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::along(self.axis, shapes, 1)
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        match (self.ranks, self.runs) {
            // A selection reads each element a few times.
            (Some(Ranks { first, last }), _) => 4 + logarithm(last - first + 1),
            (None, Some(runs)) => logarithm(runs),
            (None, None) => logarithm(extent_along(shapes[0], self.axis)),
        }
    }

    fn work(&self) -> Work {
        match (self.ranks, self.runs) {
            (Some(_), _) => Work::Select,
            (None, Some(_)) => Work::Merge,
            (None, None) => match self.order {
                Order::Values | Order::Unpacked => Work::Sort,
                Order::Positions | Order::Packed => Work::SortPositions,
            },
        }
    }
}

impl Record for Route {
    fn name(&self) -> &'static str {
        "route"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let (shape, dtype) = operands[operands.len() - 1];
        (shape.into(), dtype)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::alike(shapes)
    }

    fn routed(&self, operands: &[Bytes], _to: Bytes) -> Bytes {
        operands[operands.len() - 1]
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        1
    }

    fn work(&self) -> Work {
        Work::Pass
    }
}
