//! The bins of an axis of a histogram, and the bin of each element.

use crate::array::Argument;
use crate::array::Array;
use crate::creation::{full, linspace};
use crate::dtypes::epsilon;
use crate::manipulation::refused;
use crate::math::{diff, is_real, select};
use crate::recording::{check_shape, on_mesh_of};
use crate::sorting::{Side, searchsorted};
use phalanx_graph::{DataError, Error, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, Scalar};

/// The bins of an axis, with all edges computed.
pub(super) struct Axis {
    pub(super) edges: Array,
    /// For equal bins, the ends from which the edges follow.
    pub(super) range: Option<Ends>,
}

/// The smallest and the largest edge of equal bins.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    low: f64,
    high: f64,
    /// The dtype in which the edges between the ends are computed, as in NumPy: the dtype of an
    /// array of `f16` or `f32` if the ends are its smallest and largest element, else `f64`.
    computed: DType,
}

impl Ends {
    fn new(array: &Array, (low, high): (f64, f64), is_given: bool) -> Ends {
        let dtype = array.dtype();
        let is_found = !is_given && array.size() > 0;
        let is_narrow = matches!(dtype, DType::F16 | DType::F32);
        // If the distance of the ends overflows the dtype, edges in that dtype would be NaN.
        let is_near = rounded(high - low, dtype).is_finite();
        let computed = if is_found && is_narrow && is_near { dtype } else { DType::F64 };
        Ends { low: rounded(low, computed), high: rounded(high, computed), computed }
    }

    /// Whether the bins are about as narrow as the spacing of floats of a dtype, so that some bins
    /// may have no width.
    fn are_near(self, count: usize, dtype: DType) -> bool {
        let smallest = match dtype {
            DType::F16 => 2f64.powi(-24),
            DType::F32 => 2f64.powi(-149),
            _ => f64::from_bits(1),
        };
        let apart = (epsilon(dtype) * self.low.abs().max(self.high.abs())).max(smallest);
        (self.high - self.low) / count as f64 <= 4.0 * apart
    }

    fn edges(self, count: usize) -> Array {
        let end = |end: f64| match self.computed {
            DType::F64 => Argument::from(end),
            dtype => Argument::Scalar(Scalar::new(end).cast(dtype)),
        };
        linspace(end(self.low), end(self.high), count + 1)
    }

    /// The distance between neighbouring edges of `count` bins.
    fn step(self, count: usize) -> f64 {
        match self.computed {
            DType::F32 => f64::from((self.high as f32 - self.low as f32) / count as f32),
            _ => (self.high - self.low) / count as f64,
        }
    }
}

/// A number, rounded to a dtype of floats.
fn rounded(number: f64, dtype: DType) -> f64 {
    Scalar::new(number).cast(dtype).to_weak().to_complex().re
}

impl Axis {
    /// A number of equal bins of the elements of an array. Without a range, they are between the
    /// smallest and the largest element.
    pub(super) fn of_count(
        operation: &'static str,
        array: &Array,
        count: usize,
        range: Option<(f64, f64)>,
        site: Site,
    ) -> Result<Axis, Error> {
        let ends = ends_of(operation, array, count, range, site)?;
        Axis::equal(array, ends, range.is_some(), count, site)
    }

    /// Equal bins between two ends, for the elements of an array. `is_given` says that a caller
    /// gave the ends.
    pub(super) fn equal(
        array: &Array,
        ends: (f64, f64),
        is_given: bool,
        count: usize,
        site: Site,
    ) -> Result<Axis, Error> {
        let ends = Ends::new(array, ends, is_given);
        let edges = array.mesh()?.enter(|| within(site, || ends.edges(count)));
        Ok(Axis { edges, range: Some(ends) })
    }

    /// The bins between edges.
    pub(super) fn between(
        operation: &'static str,
        edges: &Array,
        site: Site,
    ) -> Result<Axis, Error> {
        check_edges(operation, edges, site)?;
        Ok(Axis { edges: edges.clone(), range: None })
    }

    /// The bins with edges in the dtype of the elements, if that is a dtype of floats.
    pub(super) fn converted_to(self, array: &Array, site: Site) -> Axis {
        if array.dtype().is_inexact() && self.range.is_some() {
            Axis { edges: self.edges.converted(array.dtype(), site), ..self }
        } else {
            self
        }
    }

    /// The bins with edges in the dtype of the elements, if that is a dtype of floats. Errors:
    /// `OpError::Argument` if two edges are equal in that dtype.
    pub(super) fn in_dtype_of(
        self,
        operation: &'static str,
        array: &Array,
        site: Site,
    ) -> Result<Axis, Error> {
        let Some(ends) = self.range else { return Ok(self) };
        let edges = self.converted_to(array, site).edges;
        let count = edges.size() - 1;
        if ends.are_near(count, edges.dtype()) {
            let (low, high) = (ends.low, ends.high);
            let is_narrow = within(site, || {
                let (before, after) = (edges.slice(crate::s![..-1]), edges.slice(crate::s![1..]));
                before.greater_equal(&after).any(()).holds(site)
            })?;
            if is_narrow {
                let value = format!("{count} between {low} and {high}");
                return Err(refused(operation, "bins", value, site));
            }
        }
        Ok(Axis { edges, range: Some(ends) })
    }

    /// The bins with edges to be looked up, if some bins may have no width. The bin of an element
    /// does not follow from the ends then.
    pub(super) fn looked_up_if_narrow(self) -> Axis {
        let dtype = self.edges.dtype();
        match self.range {
            Some(ends) if ends.are_near(self.count(), dtype) => Axis { range: None, ..self },
            _ => self,
        }
    }

    /// The number of bins.
    pub(super) fn count(&self) -> usize {
        self.edges.size().saturating_sub(1)
    }

    /// The widths of the bins, in `f64`.
    pub(super) fn widths(&self) -> Array {
        diff(&self.edges, ()).astype(DType::F64)
    }

    /// The bin (`i64`) of each element; -1 for an element outside all bins.
    pub(super) fn bins_of(&self, array: &Array, site: Site) -> Array {
        within(site, || match self.range {
            // Edges in half precision differ too much from the exact edges to be computed.
            Some(ends) if ends.computed != DType::F16 => self.equal_bins_of(array, ends, site),
            _ if self.count() == 0 => {
                on_mesh_of(array, site, || full(array.shape(), -1, DType::I64).into_result())
            }
            _ => {
                let last = self.edges.slice([Index::At(-1)]);
                let right = searchsorted(&self.edges, array, Side::Right);
                let bin = right - array.equal(last).astype(DType::I64) - 1;
                select(&bin.less(self.count() as i64), &bin, -1i64)
            }
        })
    }

    /// As [`Axis::bins_of`], with computed edges instead of edges that are looked up.
    fn equal_bins_of(&self, array: &Array, ends: Ends, site: Site) -> Array {
        let (count, Ends { low, high, computed }) = (self.count(), ends);
        let value = array.astype_at(DType::F64, site);
        let step = ends.step(count);
        let raw = ((&value - low) / (high - low) * count as f64).astype_at(DType::I64, site);
        let bin = raw.minimum(count as i64 - 1).maximum(0);
        // NumPy's corrections: an element below the lower edge of its bin, or not below the upper
        // edge, moves by one bin.
        let edge = |bin: &Array| {
            let line = bin.astype_at(computed, site) * step + low;
            let line = select(&bin.equal(count as i64), high, &line);
            match self.edges.dtype() {
                DType::F64 => line,
                narrow => line.converted(narrow, site).converted(DType::F64, site),
            }
        };
        let down = value.less(edge(&bin)).astype_at(DType::I64, site);
        let bin = bin - down;
        let next = &bin + 1;
        let is_inner = bin.not_equal(count as i64 - 1);
        let up = value.greater_equal(edge(&next)).logical_and(is_inner);
        let bin = bin + up.astype_at(DType::I64, site);
        let (first, last) = (rounded(low, self.edges.dtype()), rounded(high, self.edges.dtype()));
        let inside = value.greater_equal(first).logical_and(value.less_equal(last));
        select(&inside, &bin, -1i64)
    }
}

/// Returns an error for edges that are not a vector, are not real, or descend.
fn check_edges(operation: &'static str, edges: &Array, site: Site) -> Result<(), Error> {
    let ndim = edges.ok()?.ndim();
    if ndim != 1 {
        return Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site));
    }
    if !is_real(edges.dtype()) {
        let dtypes = vec![edges.dtype()];
        return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
    }
    within(site, || {
        let (before, after) = (edges.slice(crate::s![..-1]), edges.slice(crate::s![1..]));
        let error = Error::data(DataError::NotMonotone { expected: "increasing" }, site);
        before.greater(&after).any(()).refuse(error, site).map(drop)
    })
}

/// The smallest and largest edge.
pub(super) fn ends_of(
    operation: &'static str,
    array: &Array,
    bins: usize,
    range: Option<(f64, f64)>,
    site: Site,
) -> Result<(f64, f64), Error> {
    if bins == 0 {
        return Err(refused(operation, "bins", bins.to_string(), site));
    }
    check_shape(&[bins.saturating_add(1)], DType::F64, site)?;
    let (low, high) = match range {
        Some(range) => range,
        None if array.size() == 0 => (0.0, 1.0),
        None => within(site, || {
            let (min, max) = (array.min(()), array.max(()));
            Ok((min.item::<f64>()?, max.item::<f64>()?))
        })?,
    };
    if !(low.is_finite() && high.is_finite() && low <= high) {
        return Err(refused(operation, "range", format!("({low}, {high})"), site));
    }
    if low == high {
        return Ok((low - 0.5, high + 0.5));
    }
    Ok((low, high))
}
