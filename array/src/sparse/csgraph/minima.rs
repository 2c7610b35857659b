//! Elements at positions and their minima, and the graph in which each edge leads both ways.

use super::gathered::NOWHERE;
use crate::array::{Argument, Array};
use crate::indexing::{AnyIndex, Mode, combine_at};
use crate::manipulation::try_concatenate;
use crate::math::select;
use crate::sparse::Csr;
use phalanx_graph::{Error, Site};
use phalanx_ops::{DType, Op};

/// The elements of a vector at positions that it has.
pub(super) fn at(array: &Array, positions: &Array) -> Array {
    // Without a check, which would end the window.
    array.take_with(positions, 0, Mode::Clip)
}

/// Lowers elements of a vector to values; of several values for an element, the least one counts.
pub(super) fn lower(
    array: &Array,
    positions: &Array,
    values: &Array,
    site: Site,
) -> Result<(), Error> {
    if positions.size() == 0 {
        return Ok(());
    }
    let items = [AnyIndex::Array(positions.clone())];
    combine_at(Op::Minimum, array, &items, Some(&Argument::from(values)), site)
}

/// Numbers in place of those for which a mask does not hold, which become larger than all.
pub(super) fn only_where(mask: &Array, numbers: &Array) -> Array {
    select(mask, numbers, NOWHERE)
}

/// The graph in which each edge leads both ways. A row has its own entries first, and then those of
/// its column.
pub(super) fn both_ways(graph: &Csr, site: Site) -> Result<Csr, Error> {
    let (rows, columns) = (graph.rows(), graph.columns().converted(DType::I64, site));
    let joined = |one: &Array, other: &Array| try_concatenate(&[one, other], &0.into(), None, site);
    let (from, to) = (joined(&rows, &columns)?, joined(&columns, &rows)?);
    Csr::from_triplets(&from, &to, &joined(graph.values(), graph.values())?, graph.shape())
}
