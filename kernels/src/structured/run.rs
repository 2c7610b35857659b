//! The routine of each structured operation.

use super::Block;
use super::{fft, linalg, matmul, sparse};
use super::{gather, scan, search, sort};
use phalanx_ops::Structured;

/// Computes the block `to` of the result of an operation from blocks of its operands, which lie as
/// `Structured::rule` says.
///
/// Nothing else touches the blocks meanwhile (condition 2 of `Buffer`), and `to` shares no memory
/// with an operand but the one that `Structured::overwrites` names, whose block it may be. Panics
/// (`bug:`) where a shape is not that of a block.
pub fn run(
    op: &Structured,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    match op {
        Structured::Matmul => matmul::cpu::run(operands, to, pool),
        Structured::Fft(fft) => fft::cpu::run(fft, operands, to, pool),
        Structured::Sort(sort) => sort::cpu::run(*sort, operands, to, pool),
        Structured::Scan(scan) => scan::cpu::run(*scan, operands, to, pool),
        Structured::ReduceAt(reduce) => scan::cpu::reduce_at(*reduce, operands, to, pool),
        Structured::Take(take) => gather::cpu::take(*take, operands, to, pool),
        Structured::TakeAlong(take) => gather::cpu::take_along(*take, operands, to, pool),
        Structured::Put(put) => gather::cpu::put(*put, operands, to, pool),
        Structured::SearchSorted(search) => search::cpu::run(*search, operands, to, pool),
        Structured::Decomposition(decomposition) => {
            linalg::cpu::run(decomposition, operands, to, pool);
        }
        Structured::Spmv => sparse::cpu::run(operands, to, pool),
    }
}
