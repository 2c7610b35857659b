//! Histograms.

use super::bins::{Axis, Bins, HistogramOptions};
use super::counting::{accumulate, count_positions};
use crate::array::Array;
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::refused;
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind};

/// NumPy's `histogram`: how many elements (`i64`) lie in each of the `bins`, so many equal ones, as
/// many as a [`BinRule`](crate::BinRule) says, or those between edges, and the edges.
///
/// ```
/// # use phalanx_array as phalanx;
/// # use phalanx::{Array, HistogramOptions, histogram};
/// # fn example(a: &Array, edges: &Array, weights: &Array) {
/// let (counts, edges_found) = histogram(a, 10, ());
/// let (counts, _) = histogram(a, 10, (-1.0, 1.0));
/// let (density, _) = histogram(a, edges, HistogramOptions::default().density().weights(weights));
/// # }
/// ```
///
/// Counts have the dtype of the weights, densities are in `f64`; edges of equal bins have the dtype
/// of an array of floats, else `f64`. Elements outside the range (and NaN) are not counted; the
/// last bin includes its right edge. Bin for bin NumPy's answer: its corrections at the edges are
/// applied. Collective for equal bins without a range, whose smallest and largest element are found
/// first, and for edges, which must ascend; else Local. Errors: `OpError::Argument` for no bins,
/// for more than there are floats between the ends, for a range that is not finite and for weights
/// of another shape, `OpError::Dtype`, `OpError::Ndim` for edges that are no vector,
/// `OpError::Cast` for weights of bool between edges, `OpError::TooLarge`,
/// `DataError::NotMonotone`.
#[track_caller]
pub fn histogram(
    array: &Array,
    bins: impl Into<Bins>,
    options: impl Into<HistogramOptions>,
) -> (Array, Array) {
    let (site, bins, options) = (call_site(), bins.into(), options.into());
    match within(site, || counted(array, &bins, &options, site)) {
        Ok(pair) => pair,
        Err(error) => (Array::broken(error.clone()), Array::broken(error)),
    }
}

fn counted(
    array: &Array,
    bins: &Bins,
    options: &HistogramOptions,
    site: Site,
) -> Result<(Array, Array), Error> {
    let operation = "histogram";
    let axis = of_all(operation, array, bins, options, site)?;
    let (position, length) = (axis.bins_of(array, site), axis.count());
    let mut counts = match &options.weights {
        None => count_positions(&position, length, site)?,
        Some(weights) if weights.ok()?.shape() != array.shape() => {
            let value = format!("of shape {:?}", weights.shape());
            return Err(refused(operation, "weights", value, site));
        }
        Some(weights) => sums_of(weights, &position, &axis, site)?,
    };
    if options.is_density {
        counts = &counts / axis.widths() / counts.sum(());
    }
    Ok((counts.ok()?.clone(), axis.edges.ok()?.clone()))
}

/// The sum of the weights in each bin, in their dtype.
fn sums_of(weights: &Array, position: &Array, axis: &Axis, site: Site) -> Result<Array, Error> {
    let length = axis.count();
    let sums = |weights: &Array, dtype: DType| {
        accumulate(position, weights.converted(dtype, site).operand(site)?, length, dtype, site)
    };
    let dtype = weights.dtype();
    match dtype.kind() {
        Kind::Complex => {
            let real = |part: &Array| sums(part, DType::F64);
            let (real, imaginary) = (real(&weights.real())?, real(&weights.imag())?);
            Ok(crate::lens::complex(&real, &imaginary).converted(dtype, site))
        }
        // As NumPy, whose differences of running sums of bools are no bools.
        Kind::Bool if axis.range.is_none() => {
            Err(Error::op(OpError::Cast { from: DType::I64, to: dtype }, site))
        }
        Kind::Bool | Kind::Signed => Ok(sums(weights, DType::I64)?.converted(dtype, site)),
        Kind::Unsigned => Ok(sums(weights, DType::U64)?.converted(dtype, site)),
        Kind::Float => Ok(sums(weights, DType::F64)?.converted(dtype, site)),
    }
}

fn of_all(
    operation: &'static str,
    array: &Array,
    bins: &Bins,
    options: &HistogramOptions,
    site: Site,
) -> Result<Axis, Error> {
    if options.ranges.len() > 1 {
        return Err(refused(operation, "ranges", options.ranges.len().to_string(), site));
    }
    if options.weights.is_some() && matches!(bins, Bins::Rule(_)) {
        return Err(refused(operation, "weights", "with a rule for bins", site));
    }
    let range = options.ranges.first().copied().flatten();
    Axis::new(operation, array, bins, range, site)?.in_dtype_of(operation, array, site)
}

/// NumPy's `histogram_bin_edges`: the edges that [`histogram`] gives.
///
/// Shape `(bins + 1)`; dtype, collectivity and errors as [`histogram`].
#[track_caller]
#[must_use]
pub fn histogram_bin_edges(
    array: &Array,
    bins: impl Into<Bins>,
    options: impl Into<HistogramOptions>,
) -> Array {
    let (site, bins, options) = (call_site(), bins.into(), options.into());
    let axis = within(site, || of_all("histogram_bin_edges", array, &bins, &options, site));
    Array::catch(axis.and_then(|axis| axis.edges.ok().cloned()))
}
