//! Histograms over several axes.

use super::counting::{accumulate, count_positions};
use super::histogram::{in_dtype_of, range_of};
use crate::array::Array;
use crate::creation::linspace;
use crate::differences::diff;
use crate::error::{DataError, Error, Site, call_site, within};
use crate::manipulation::refused;
use crate::math::is_real;
use crate::sorting::{Side, searchsorted};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, promote};

/// The bins of an axis: so many equal ones, or those between edges.
#[derive(Clone)]
pub enum Bins {
    /// Equal bins.
    Count(usize),
    /// The edges, which ascend.
    Edges(Array),
}

impl From<usize> for Bins {
    fn from(count: usize) -> Bins {
        Bins::Count(count)
    }
}

impl From<&Array> for Bins {
    fn from(edges: &Array) -> Bins {
        Bins::Edges(edges.clone())
    }
}

/// The further arguments of a histogram over several axes; `()` stands for none.
#[derive(Clone, Default)]
pub struct HistogramOptions {
    ranges: Vec<Option<(f64, f64)>>,
    is_density: bool,
    weights: Option<Array>,
}

impl From<()> for HistogramOptions {
    fn from((): ()) -> HistogramOptions {
        HistogramOptions::default()
    }
}

impl HistogramOptions {
    /// The smallest and the largest edge of each axis, instead of the smallest and the largest
    /// element.
    #[must_use]
    pub fn ranges(self, ranges: &[Option<(f64, f64)>]) -> HistogramOptions {
        HistogramOptions { ranges: ranges.to_vec(), ..self }
    }

    /// The density of the samples, whose integral is 1.
    #[must_use]
    pub fn density(self) -> HistogramOptions {
        HistogramOptions { is_density: true, ..self }
    }

    /// How much each sample counts.
    #[must_use]
    pub fn weights(self, weights: &Array) -> HistogramOptions {
        HistogramOptions { weights: Some(weights.clone()), ..self }
    }
}

/// NumPy's `histogramdd`: how many samples, the rows of a matrix, lie in each bin (`f64`), and the
/// edges along each column.
///
/// The last bin of an axis includes its right edge; samples outside are not counted. Collective
/// over the mesh: the edges depend on data. Errors: `OpError::Ndim`, `OpError::Argument` for bins,
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

/// NumPy's `histogram2d`: how many points lie in each bin (`f64`), and the edges along both axes.
/// As [`histogramdd`].
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
    let mut edges = Vec::new();
    for (axis, (column, bins)) in columns.iter().zip(bins).enumerate() {
        if column.ok()?.ndim() != 1 || column.size() != samples {
            return refuse("samples", column.size());
        }
        if !is_real(column.dtype()) {
            let dtypes = vec![column.dtype()];
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        edges.push(match bins {
            Bins::Count(bins) => {
                let range = options.ranges.get(axis).copied().flatten();
                let (low, high) = range_of(operation, column, *bins, range, site)?;
                let edges = linspace(low, high, *bins + 1);
                // As NumPy, whose edges have the dtype of the ends.
                let is_found = range.is_none() && samples > 0;
                if is_found { in_dtype_of(column, edges, site) } else { edges }
            }
            Bins::Edges(edges) => {
                if edges.ok()?.ndim() != 1 || edges.size() < 2 {
                    return refuse("bins", edges.size());
                }
                if diff(edges, ()).less(0).any(()).item::<bool>()? {
                    return Err(Error::data(DataError::NotMonotone, site));
                }
                edges.clone()
            }
        });
    }
    if let Some(weights) = options.weights.as_ref().filter(|weights| weights.shape() != [samples]) {
        return refuse("weights", weights.ok()?.size());
    }
    // One bin more at each end of an axis takes what is outside.
    let extents: Vec<usize> = edges.iter().map(|edges| edges.size() + 1).collect();
    crate::elementwise::check_shape(&extents, DType::F64, site)?;
    let mut position: Option<Array> = None;
    for ((column, edges), &extent) in columns.iter().zip(&edges).zip(&extents) {
        let last = edges.slice([Index::At(-1)]);
        let bin = searchsorted(edges, column, Side::Right) - column.equal(last).astype(DType::I64);
        position = Some(match position.take() {
            Some(sum) => sum * extent as i64 + bin,
            None => bin,
        });
    }
    let Some(position) = position else { return refuse("samples", 0) };
    let length = extents.iter().product();
    let counts = match &options.weights {
        None => count_positions(&position, length, site)?,
        Some(weights) => {
            let weights = weights.converted(DType::F64, site).operand(site)?;
            accumulate(&position, weights, length, DType::F64, site)?
        }
    };
    let inside = vec![Index::Range { start: Some(1), stop: Some(-1), step: 1 }; extents.len()];
    let mut counts = counts.reshape(extents.as_slice()).slice(inside).astype(DType::F64);
    if options.is_density {
        let sum = counts.sum(());
        for (axis, edges) in edges.iter().enumerate() {
            let mut shape = vec![1; extents.len()];
            shape[axis] = extents[axis] - 2;
            counts = counts.divide(diff(edges, ()).reshape(shape.as_slice()));
        }
        counts = counts.divide(sum);
    }
    Ok((counts.ok()?.clone(), edges))
}
