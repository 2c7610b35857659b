//! Histograms.

use super::axis::Axis;
use super::bins::{Bins, HistogramOptions};
use super::counting::{count_positions, sum_weights};
use crate::array::Array;
use crate::manipulation::refused;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind};

/// NumPy's `histogram`: the number of elements (`i64`) in each bin, and the edges. `bins` is a
/// number of equal bins, a [`BinRule`](crate::BinRule), or an array of edges.
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
/// Counts have the dtype of the weights; densities are in `f64`. Edges of equal bins have the dtype
/// of an array of floats, else `f64`. Elements outside the range, and NaN, are not counted. The
/// last bin includes its right edge. Counts agree with NumPy in every bin: its corrections at the
/// edges are applied.
///
/// Collective for a rule, for equal bins without a range, which need the smallest and largest
/// element, and for edges, which must ascend; else Local. Errors: `OpError::Argument` for no bins,
/// for more bins than floats between the ends, for a range that is not finite, for weights of
/// another shape and for weights with a rule; `OpError::Dtype`, `OpError::Ndim` for edges that are
/// not a vector, `OpError::Cast` for bool weights with edges, `OpError::TooLarge`,
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
        Some(weights) => sums_of(weights, &position, &axis, site)?,
    };
    if options.is_density {
        counts = &counts / axis.widths() / counts.sum(());
    }
    Ok((counts.into_result()?, axis.edges.into_result()?))
}

/// The sum of the weights in each bin, in their dtype.
fn sums_of(weights: &Array, position: &Array, axis: &Axis, site: Site) -> Result<Array, Error> {
    let length = axis.count();
    let sums = |weights: &Array, dtype: DType| sum_weights(position, weights, length, dtype, site);
    let dtype = weights.dtype();
    match dtype.kind() {
        Kind::Complex => {
            let real = |part: &Array| sums(part, DType::F64);
            let (real, imaginary) = (real(&weights.real())?, real(&weights.imag())?);
            Ok(crate::math::complex(&real, &imaginary).converted(dtype, site))
        }
        // NumPy fails here too: differences of its running sums of bools are not bools.
        Kind::Bool if axis.range.is_none() => {
            Err(Error::op(OpError::cast(DType::I64, dtype), site))
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
    array.ok()?;
    if let Some(weights) = &options.weights {
        if weights.ok()?.shape() != array.shape() {
            return Err(refused(
                operation,
                "weights",
                format!("of shape {:?}", weights.shape()),
                site,
            ));
        }
        if matches!(bins, Bins::Rule(_)) {
            return Err(refused(operation, "weights", "given with a rule for bins", site));
        }
    }
    let range = options.ranges.first().copied().flatten();
    bins.of(operation, array, range, site)?.in_dtype_of(operation, array, site)
}

/// NumPy's `histogram_bin_edges`: the edges that [`histogram`] returns.
///
/// Shape: `(bins + 1)`. Dtype, collectivity and errors: as for [`histogram`].
#[track_caller]
#[must_use]
pub fn histogram_bin_edges(
    array: &Array,
    bins: impl Into<Bins>,
    options: impl Into<HistogramOptions>,
) -> Array {
    let (site, bins, options) = (call_site(), bins.into(), options.into());
    let axis = within(site, || of_all("histogram_bin_edges", array, &bins, &options, site));
    Array::catch(axis.and_then(|axis| axis.edges.into_result()))
}
