//! The table of structured operations.

use super::{
    Decomposition, Fft, Matmul, Put, ReduceAt, Rule, Scan, SearchSorted, Sort, Take, TakeAlong,
    linalg, sparse,
};
use crate::{DType, Shape};

/// A structured operation with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Structured {
    /// The matrix product.
    Matmul(Matmul),
    /// A Fourier transform along an axis.
    Fft(Fft),
    /// Sorting along an axis.
    Sort(Sort),
    /// Running combinations along an axis.
    Scan(Scan),
    /// Combinations of stretches of an axis.
    ReduceAt(ReduceAt),
    /// The elements at positions of an axis.
    Take(Take),
    /// The elements at positions that differ from line to line.
    TakeAlong(TakeAlong),
    /// Elements written at positions.
    Put(Put),
    /// Where values would stand in a sorted vector.
    SearchSorted(SearchSorted),
    /// A factorisation of matrices, or what is made of one.
    Decomposition(Decomposition),
    /// The product of a sparse matrix in rows and a vector.
    Spmv,
}

/// The shape and dtype of an operand.
pub type Operand<'a> = (&'a [usize], DType);

impl Structured {
    /// The name in plans.
    pub const fn name(&self) -> &'static str {
        match self {
            Structured::Matmul(_) => "matmul",
            Structured::Fft(_) => "fft",
            Structured::Sort(sort) => sort.name(),
            Structured::Scan(_) => "scan",
            Structured::ReduceAt(_) => "reduceat",
            Structured::Take(_) => "take",
            Structured::TakeAlong(_) => "take_along_axis",
            Structured::Put(_) => "put_along_axis",
            Structured::SearchSorted(_) => "searchsorted",
            Structured::Decomposition(decomposition) => decomposition.name(),
            Structured::Spmv => "spmv",
        }
    }

    /// The shape and dtype of the result for operands that were checked.
    pub fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        match self {
            Structured::Matmul(matmul) => matmul.result(operands),
            Structured::Fft(fft) => fft.result(operands),
            Structured::Sort(sort) => sort.result(operands),
            Structured::Scan(_) => (operands[0].0.into(), operands[0].1),
            Structured::ReduceAt(reduce) => reduce.result(operands),
            Structured::Take(take) => take.result(operands),
            Structured::TakeAlong(_) => (operands[1].0.into(), operands[0].1),
            Structured::Put(_) => (operands[0].0.into(), operands[0].1),
            Structured::SearchSorted(_) => (operands[1].0.into(), DType::I64),
            Structured::Decomposition(decomposition) => decomposition.result(operands),
            Structured::Spmv => sparse::result(operands),
        }
    }

    /// How the operands may be split. `shapes` are those of the operands.
    pub fn rule(&self, shapes: &[&[usize]]) -> Rule {
        match self {
            Structured::Matmul(matmul) => matmul.rule(shapes),
            Structured::Fft(fft) => Rule::along(fft.axis, shapes, 1),
            Structured::Sort(sort) => Rule::along(sort.axis, shapes, 1),
            Structured::Scan(scan) => Rule::along(scan.axis, shapes, 1),
            Structured::ReduceAt(reduce) => Rule::along(reduce.axis, shapes, 1),
            Structured::Take(take) => take.rule(shapes),
            Structured::TakeAlong(take) => take.rule(shapes),
            Structured::Put(put) => put.rule(shapes),
            Structured::SearchSorted(_) => SearchSorted::rule(shapes),
            Structured::Decomposition(decomposition) => linalg::rule(*decomposition, shapes),
            Structured::Spmv => sparse::rule(),
        }
    }

    /// The operand whose memory the result may have, where that has another use.
    pub const fn overwrites(&self) -> Option<usize> {
        match self {
            Structured::Put(_) => Some(0),
            Structured::Matmul(_) => Some(2),
            _ => None,
        }
    }

    /// Additions and multiplications for one element of the result, about; `shapes` are those of
    /// the operands.
    pub fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        let along = |axis: u8| shapes[0][usize::from(axis)].max(1);
        let logarithm = |extent: usize| u64::from(extent.max(2).ilog2());
        match self {
            Structured::Matmul(matmul) => 2 * matmul.sizes(shapes[0], shapes[1])[1] as u64,
            Structured::Fft(fft) => 5 * logarithm(along(fft.axis)),
            Structured::Sort(sort) => logarithm(along(sort.axis)),
            Structured::SearchSorted(_) => logarithm(shapes[0][0]),
            Structured::Scan(_) | Structured::Put(_) => 1,
            Structured::ReduceAt(reduce) => {
                (along(reduce.axis) / shapes[1].first().copied().unwrap_or(1).max(1)) as u64
            }
            Structured::Take(_) | Structured::TakeAlong(_) => 0,
            Structured::Decomposition(_) => shapes[0][shapes[0].len() - 1] as u64,
            Structured::Spmv => (2 * shapes[2][0] / shapes[0][0].max(1)) as u64,
        }
    }
}
