//! Operations on sparse matrices in rows, on the CPU.

use super::{entries, fronts, merge, product, sampled, spgemm};
use crate::structured::Block;
use phalanx_ops::structured::Sparse;

/// Runs an operation on blocks, which are distributed as its rule says.
///
/// Panics (`bug:`) if a shape is not that of a block.
pub fn run(op: Sparse, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    if to.is_empty() {
        return;
    }
    match op {
        Sparse::Product { semiring, .. } => product::run(semiring, operands, to, pool),
        Sparse::ProductRows { semiring } => product::run_rows(semiring, operands, to, pool),
        Sparse::SampledProduct { .. } => sampled::run(operands, to, pool),
        Sparse::Spread => entries::spread(operands, to, pool),
        Sparse::Order => entries::order(operands, to, pool),
        Sparse::Pick => entries::pick(operands, to, pool),
        Sparse::Join => entries::join(operands, to),
        Sparse::Rises => entries::rises(operands, to, pool),
        Sparse::CountKept => entries::count_kept(operands, to, pool),
        Sparse::Group => entries::group(operands, to, pool),
        Sparse::CopyRows => entries::copy_rows(operands, to, pool),
        Sparse::Keep => entries::keep(operands, to, pool),
        Sparse::UnionCount => merge::union_count(operands, to, pool),
        Sparse::Union => merge::union_columns(operands, to, pool),
        Sparse::Align => merge::align(operands, to, pool),
        Sparse::ProductCount => spgemm::count(operands, to, pool),
        Sparse::ProductColumns => spgemm::columns(operands, to, pool),
        Sparse::ProductValues { semiring } => spgemm::values(semiring, operands, to, pool),
        Sparse::NeededCount => entries::needed_count(operands, to),
        Sparse::Needed => entries::needed(operands, to),
        Sparse::Renumber => entries::renumber(operands, to, pool),
        Sparse::Fold { op } => entries::fold(op, operands, to, pool),
        Sparse::AddFronts { .. } => fronts::add(operands, to, pool),
        Sparse::Place => fronts::place(operands, to, pool),
    }
}
