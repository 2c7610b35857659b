//! Histograms over several axes.

use super::axis::Axis;
use super::bins::{Bins, HistogramOptions};
use super::counting::{count_positions, sum_weights};
use crate::array::{Array, check_casting_at};
use crate::manipulation::{atleast_2d, refused};
use crate::math::select;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, promote};

/// NumPy's `histogramdd`: the number of samples, which are the rows of a matrix, in each bin
/// (`f64`), and the edges along each column. A vector is a matrix of one column.
///
/// The last bin of an axis includes its right edge; samples outside the edges are not counted. If
/// edges coincide, a sample at them counts for the last of the bins without width. Collective over
/// the mesh: the edges depend on data. Errors: `OpError::Ndim`, `OpError::Argument` for bins,
/// ranges and weights that do not fit, `OpError::Dtype`, `DataError::NotMonotone`.
#[track_caller]
pub fn histogramdd(
    samples: &Array,
    bins: &[Bins],
    options: impl Into<HistogramOptions>,
) -> Result<(Array, Vec<Array>), Error> {
    let (site, options) = (call_site(), options.into());
    samples.mesh()?.enter(|| {
        within(site, || {
            let samples = match samples.ok()?.ndim() {
                0 | 1 => &atleast_2d(samples).t(),
                _ => samples,
            };
            if samples.ndim() != 2 {
                let (operation, ndim) = ("histogramdd", samples.ndim());
                return Err(Error::op(OpError::Ndim { operation, expected: "2", ndim }, site));
            }
            let column = |place: i64| samples.slice(crate::s![.., place]);
            let columns: Vec<Array> = (0..samples.shape()[1] as i64).map(column).collect();
            counted("histogramdd", &columns, bins, &options, site)
        })
    })
}

/// NumPy's `histogram2d`: the number of points in each bin (`f64`), and the edges along both axes.
/// Collectivity and errors: as for [`histogramdd`].
#[track_caller]
pub fn histogram2d(
    x: &Array,
    y: &Array,
    bins: [Bins; 2],
    options: impl Into<HistogramOptions>,
) -> Result<(Array, Array, Array), Error> {
    let (site, options) = (call_site(), options.into());
    x.mesh()?.enter(|| {
        within(site, || {
            x.ok()?;
            y.ok()?;
            let dtype = promote(x.dtype(), y.dtype());
            let columns = [x.converted(dtype, site), y.converted(dtype, site)];
            let (counts, edges) = counted("histogram2d", &columns, &bins, &options, site)?;
            Ok((counts, edges[0].clone(), edges[1].clone()))
        })
    })
}

fn counted(
    operation: &'static str,
    columns: &[Array],
    bins: &[Bins],
    options: &HistogramOptions,
    site: Site,
) -> Result<(Array, Vec<Array>), Error> {
    let refuse =
        |argument, value: usize| Err(refused(operation, argument, value.to_string(), site));
    if bins.len() != columns.len() {
        return refuse("bins", bins.len());
    }
    if !options.ranges.is_empty() && options.ranges.len() != columns.len() {
        return refuse("ranges", options.ranges.len());
    }
    let samples = columns.first().map_or(0, Array::size);
    let mut axes = Vec::new();
    for (number, (column, bins)) in columns.iter().zip(bins).enumerate() {
        if column.ok()?.ndim() != 1 || column.size() != samples {
            return refuse("samples", column.size());
        }
        let range = options.ranges.get(number).copied().flatten();
        let axis = bins.of(operation, column, range, site)?;
        if axis.edges.size() == 0 {
            return refuse("bins", 0);
        }
        // NumPy gives the edges the dtype of the ends.
        let is_found = range.is_none() && samples > 0;
        let axis = if is_found { axis.converted_to(column, site) } else { axis };
        axes.push(axis.looked_up_if_narrow());
    }
    if let Some(weights) = options.weights.as_ref().filter(|weights| weights.shape() != [samples]) {
        return refuse("weights", weights.ok()?.size());
    }
    if let Some(weights) = options.weights.as_ref().filter(|it| it.dtype().is_complex()) {
        check_casting_at(weights.dtype(), DType::F64, Casting::Safe, site)?;
    }
    let extents: Vec<usize> = axes.iter().map(Axis::count).collect();
    crate::recording::check_shape(&extents, DType::F64, site)?;
    let mut found: Option<(Array, Array)> = None;
    for ((column, axis), &extent) in columns.iter().zip(&axes).zip(&extents) {
        let bin = axis.bins_of(column, site);
        let is_inside = bin.greater_equal(0);
        found = Some(match found.take() {
            Some((sum, inside)) => (sum * extent as i64 + bin, inside.logical_and(is_inside)),
            None => (bin, is_inside),
        });
    }
    let Some((position, inside)) = found else { return refuse("samples", 0) };
    let position = select(&inside, &position, -1i64);
    let length = extents.iter().product();
    let counts = match &options.weights {
        None => count_positions(&position, length, site)?,
        Some(weights) => sum_weights(&position, weights, length, DType::F64, site)?,
    };
    let mut counts = counts.reshape(extents.as_slice()).astype(DType::F64);
    if options.is_density {
        let sum = counts.sum(());
        for (number, axis) in axes.iter().enumerate() {
            let mut shape = vec![1; extents.len()];
            shape[number] = extents[number];
            counts = counts.divide(axis.widths().reshape(shape.as_slice()));
        }
        counts = counts.divide(sum);
    }
    Ok((counts.into_result()?, axes.into_iter().map(|axis| axis.edges).collect()))
}
