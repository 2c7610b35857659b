//! Histograms of equal bins.

use super::counting::count_positions;
use crate::array::Array;
use crate::creation::linspace;
use crate::elementwise::check_shape;
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::refused;
use crate::math::{is_real, select};
use phalanx_ops::DType;

/// NumPy's `histogram` with `bins` equal bins: the counts (`i64`) and the `bins + 1` edges (`f64`).
///
/// Without a `range` the smallest and largest element are found first, which closes the window
/// (Collective). Elements outside the range (and NaN) are not counted; the last bin includes its
/// right edge. Bin for bin NumPy's answer: its corrections at the edges are applied. Errors:
/// `OpError::Argument` for no bins or a range that is not finite, `OpError::TooLarge`.
#[track_caller]
pub fn histogram(array: &Array, bins: usize, range: Option<(f64, f64)>) -> (Array, Array) {
    let site = call_site();
    match within(site, || try_histogram(array, bins, range, site)) {
        Ok(pair) => pair,
        Err(error) => (Array::broken(error.clone()), Array::broken(error)),
    }
}

fn try_histogram(
    array: &Array,
    bins: usize,
    range: Option<(f64, f64)>,
    site: Site,
) -> Result<(Array, Array), Error> {
    let (low, high) = range_of("histogram", array, bins, range, site)?;
    let edges = linspace(low, high, bins + 1);
    let value = array.astype_at(DType::F64, site);
    let step = (high - low) / bins as f64;
    let raw = ((&value - low) / (high - low) * bins as f64).astype_at(DType::I64, site);
    let bin = raw.minimum(bins as i64 - 1).maximum(0);
    // NumPy's corrections: an element below the edge of its bin, or at or above the next one, is
    // moved by one. Edges are those of `linspace`, computed here in place of looking them up.
    let edge = |bin: &Array| {
        let line = bin.astype_at(DType::F64, site) * step + low;
        select(&bin.equal(bins as i64), high, &line)
    };
    let down = value.less(edge(&bin)).astype_at(DType::I64, site);
    let bin = bin - down;
    let up = value.greater_equal(edge(&(&bin + 1))).logical_and(bin.not_equal(bins as i64 - 1));
    let bin = bin + up.astype_at(DType::I64, site);
    let inside = value.greater_equal(low).logical_and(value.less_equal(high));
    let counts = count_positions(&select(&inside, &bin, -1i64), bins, site)?;
    Ok((counts, in_dtype_of(array, edges, site)))
}

/// The edges of `bins` equal bins from the smallest to the largest element, or over `range`:
/// NumPy's `histogram_bin_edges`.
///
/// Shape `(bins + 1)`; dtype `f64`, or that of an array of a narrower float. Collectivity and
/// errors as [`histogram`].
#[track_caller]
#[must_use]
pub fn histogram_bin_edges(array: &Array, bins: usize, range: Option<(f64, f64)>) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let (low, high) = range_of("histogram_bin_edges", array, bins, range, site)?;
        let edges = linspace(low, high, bins + 1);
        Ok(in_dtype_of(array, edges, site))
    }))
}

/// The edges in the dtype of the elements, if these are floats.
pub(super) fn in_dtype_of(array: &Array, edges: Array, site: Site) -> Array {
    if array.dtype().is_inexact() { edges.converted(array.dtype(), site) } else { edges }
}

/// The smallest and the largest edge.
pub(super) fn range_of(
    operation: &'static str,
    array: &Array,
    bins: usize,
    range: Option<(f64, f64)>,
    site: Site,
) -> Result<(f64, f64), Error> {
    array.ok()?;
    if bins == 0 || !is_real(array.dtype()) {
        return Err(refused(operation, "bins", bins.to_string(), site));
    }
    check_shape(&[bins.saturating_add(1)], DType::F64, site)?;
    let (low, high) = match range {
        Some(range) => range,
        None if array.size() == 0 => (0.0, 1.0),
        None => {
            let (min, max) = (array.min(()), array.max(()));
            (min.item::<f64>()?, max.item::<f64>()?)
        }
    };
    if !(low.is_finite() && high.is_finite() && low <= high) {
        return Err(refused(operation, "range", format!("({low}, {high})"), site));
    }
    if low == high {
        return Ok((low - 0.5, high + 0.5));
    }
    Ok((low, high))
}
