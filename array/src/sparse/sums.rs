//! Sums at positions.

use crate::array::{Argument, Array};
use crate::creation::zeros;
use crate::indexing::{AnyIndex, combine_at};
use phalanx_graph::{Error, Site};
use phalanx_ops::{DType, Op};

/// Zeros, as many as `extent`, to which values, or one number, are added at positions.
pub(super) fn sums_at(
    extent: usize,
    dtype: DType,
    positions: &Array,
    values: impl Into<Argument>,
    site: Site,
) -> Result<Array, Error> {
    let sums = positions.mesh()?.enter(|| zeros([extent], dtype)).into_result()?;
    if positions.size() > 0 {
        let items = [AnyIndex::Array(positions.clone())];
        combine_at(Op::Add, &sums, &items, Some(&values.into()), site)?;
    }
    Ok(sums)
}
