//! Medians and quantiles along axes, from sorted lines.

use super::methods::{Place, QuantileMethod, Rounding, places};
use crate::array::Array;
use crate::creation::{from_slice, full};
use crate::indexing::take_along_axis;
use crate::manipulation::{along, concatenate, moveaxis, refused, span};
use crate::math::{is_real, select};
use crate::recording::on_mesh_of;
use crate::reductions::{Axes, keepdims, nanmean, warn_of_empty, warn_of_nan};
use crate::sorting::{partitioned_at, sort};
use phalanx_graph::{Error, Site, call_site, room_on_host};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Order, Ranks};
use phalanx_ops::{Casting, DType, Weak, promote};

/// The quantiles to compute: one, or several. Several add their axes in front of those of the
/// result.
#[derive(Clone, Debug)]
pub enum Quantiles {
    /// One quantile. Its dtype follows that of the elements.
    One(f64),
    /// Several quantiles, in `f64`.
    List(Vec<f64>),
    /// An array with at most two axes, and with a dtype in which positions are computed.
    Array {
        /// The elements.
        values: Vec<f64>,
        /// The extents.
        shape: Vec<usize>,
        /// The dtype, of floats.
        dtype: DType,
    },
    /// Quantiles given as integers. As in NumPy, `quantile` with the linear method then returns
    /// elements in their own dtype: 0 gives the smallest and 1 the largest.
    Integers(Box<Quantiles>),
}

impl From<i64> for Quantiles {
    fn from(q: i64) -> Quantiles {
        Quantiles::Integers(Box::new(Quantiles::One(q as f64)))
    }
}

impl From<f64> for Quantiles {
    fn from(q: f64) -> Quantiles {
        Quantiles::One(q)
    }
}
impl From<&[f64]> for Quantiles {
    fn from(q: &[f64]) -> Quantiles {
        Quantiles::List(q.to_vec())
    }
}
impl From<Vec<f64>> for Quantiles {
    fn from(q: Vec<f64>) -> Quantiles {
        Quantiles::List(q)
    }
}
impl<const N: usize> From<[f64; N]> for Quantiles {
    fn from(q: [f64; N]) -> Quantiles {
        Quantiles::List(q.to_vec())
    }
}

impl Quantiles {
    /// The quantiles of an array of a dtype. Positions are computed in the dtype, and in `f64` for
    /// integers and bools.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::Quantiles;
    /// use phalanx_ops::DType;
    /// let halves = Quantiles::of_array(vec![0.5], vec![1], DType::F32);
    /// assert!(matches!(halves, Quantiles::Array { dtype: DType::F32, .. }));
    /// let ends = Quantiles::of_array(vec![0.0, 1.0], vec![2], DType::I64);
    /// assert!(matches!(ends, Quantiles::Integers(_)));
    /// ```
    #[must_use]
    pub fn of_array(values: Vec<f64>, shape: Vec<usize>, dtype: DType) -> Quantiles {
        if dtype.is_inexact() {
            return Quantiles::Array { values, shape, dtype };
        }
        Quantiles::Integers(Box::new(Quantiles::Array { values, shape, dtype: DType::F64 }))
    }

    pub(super) fn all(&self) -> &[f64] {
        match self {
            Quantiles::One(q) => std::slice::from_ref(q),
            Quantiles::List(values) | Quantiles::Array { values, .. } => values,
            Quantiles::Integers(these) => these.all(),
        }
    }

    /// The axes that the quantiles add to the result.
    pub(super) fn shape(&self) -> Vec<usize> {
        match self {
            Quantiles::One(_) => Vec::new(),
            Quantiles::List(list) => vec![list.len()],
            Quantiles::Array { shape, .. } => shape.clone(),
            Quantiles::Integers(these) => these.shape(),
        }
    }

    /// The dtype in which positions are computed.
    pub(super) fn dtype(&self) -> DType {
        match self {
            Quantiles::One(_) | Quantiles::List(_) => DType::F64,
            Quantiles::Array { dtype, .. } => *dtype,
            Quantiles::Integers(these) => these.dtype(),
        }
    }

    /// The method that an operation uses for these quantiles.
    fn method(&self, operation: &'static str, method: QuantileMethod) -> QuantileMethod {
        match self {
            Quantiles::Integers(_)
                if operation.ends_with("quantile") && method == QuantileMethod::Linear =>
            {
                QuantileMethod::Lower
            }
            _ => method,
        }
    }

    /// The dtype of the fractions between elements of a given dtype.
    fn of_fractions(&self, elements: DType) -> DType {
        match self {
            Quantiles::One(_) if elements.is_inexact() => elements,
            _ => self.dtype(),
        }
    }

    /// The quantiles as fractions of 1, given as fractions of `whole`.
    pub(super) fn checked(
        &self,
        operation: &'static str,
        whole: f64,
        site: Site,
    ) -> Result<Quantiles, Error> {
        if let Quantiles::Integers(these) = self {
            return these.checked(operation, whole, site);
        }
        // This process holds vectors of the fractions, positions and neighbours of all quantiles.
        room_on_host(self.all().len().saturating_mul(8 * size_of::<f64>()), Some(site))?;
        let rounding = Rounding(self.dtype());
        let parts: Vec<f64> = self.all().iter().map(|q| rounding.to(q / whole)).collect();
        if let Some(bad) = parts.iter().position(|part| !(0.0..=1.0).contains(part)) {
            return Err(refused(operation, "q", self.all()[bad].to_string(), site));
        }
        let shape = self.shape();
        if shape.len() > 2 || (shape.len() == 2 && parts.is_empty()) {
            return Err(refused(operation, "q", format!("of shape {shape:?}"), site));
        }
        Ok(match self {
            Quantiles::One(_) => Quantiles::One(parts[0]),
            Quantiles::List(_) => Quantiles::List(parts),
            &Quantiles::Array { dtype, .. } => Quantiles::Array { values: parts, shape, dtype },
            Quantiles::Integers(_) => unreachable!("bug: integers are handled above"),
        })
    }
}

/// An array whose reduced axes are merged into one axis.
pub(super) struct Lines {
    pub(super) array: Array,
    pub(super) axis: usize,
    /// The shape without the reduced axes, or with extent 1 for each of them.
    result: Vec<usize>,
}

impl Lines {
    pub(super) fn new(array: &Array, axes: &Axes, site: Site) -> Result<Lines, Error> {
        let reduced = axes.resolve_strictly(array.ndim(), site)?;
        let is_reduced = |axis: &usize| reduced.contains(&(*axis as u8));
        let kept: Vec<usize> = (0..array.ndim()).filter(|axis| !is_reduced(axis)).collect();
        let result = if axes.keepdims {
            let extent = |axis| if is_reduced(&axis) { 1 } else { array.shape()[axis] };
            (0..array.ndim()).map(extent).collect()
        } else {
            kept.iter().map(|&axis| array.shape()[axis]).collect()
        };
        let (array, axis) = match reduced.as_slice() {
            &[axis] => (array.clone(), usize::from(axis)),
            _ => {
                let mut shape: Vec<usize> = kept.iter().map(|&axis| array.shape()[axis]).collect();
                shape.push(reduced.iter().map(|&axis| array.shape()[usize::from(axis)]).product());
                if !kept.is_empty() && shape[..kept.len()].contains(&0) {
                    // NumPy fails here too: it cannot infer the extent of the merged axis.
                    let to = shape.iter().map(|&extent| extent as i64).collect();
                    let from = array.shape().into();
                    return Err(Error::op(OpError::Reshape { from, to }, site));
                }
                let order = kept.iter().copied().chain(reduced.iter().map(|&a| usize::from(a)));
                let order: Vec<i64> = order.map(|axis| axis as i64).collect();
                (array.transpose(order).reshape(shape.as_slice()), kept.len())
            }
        };
        array.ok()?;
        Ok(Lines { array, axis, result })
    }

    pub(super) fn extent(&self) -> usize {
        self.array.shape()[self.axis]
    }

    /// The elements of every line from position `start` up to, but not including, `stop`.
    pub(super) fn between(&self, array: &Array, start: usize, stop: usize) -> Array {
        array.slice(along(array.ndim(), self.axis, span(start, stop)))
    }

    /// Results for all quantiles, which are along the axis, in the shape of the whole result, in C
    /// order.
    pub(super) fn shaped(&self, found: &Array, q: &Quantiles) -> Array {
        let mut shape = q.shape();
        shape.extend(&self.result);
        moveaxis(found, self.axis as i64, 0).reshape(shape.as_slice())
    }

    /// A number for each quantile, along the axis.
    fn along<T: phalanx_ops::Element>(&self, numbers: &[T]) -> Array {
        let mut shape = vec![1; self.array.ndim()];
        shape[self.axis] = numbers.len();
        from_slice(numbers, shape.as_slice())
    }
}

/// Lines of which the elements of some ranks are in order.
struct Ordered {
    array: Array,
    /// The ranks that are kept, in runs, one after the other; `None` for all.
    runs: Option<Vec<Ranks>>,
}

/// The most runs of ranks for which a selection of each is faster than sorting.
const MOST_RUNS: usize = 4;

impl Lines {
    /// The elements of some ranks in order, and the last one of each line.
    fn ordered(&self, mut ranks: Vec<i64>) -> Ordered {
        let (extent, axis) = (self.extent(), self.axis as i64);
        ranks.sort_unstable();
        let mut runs: Vec<Ranks> = Vec::new();
        for rank in ranks.into_iter().map(|rank| rank as usize) {
            match runs.last_mut() {
                Some(run) if rank <= run.last + 1 => run.last = rank,
                _ => runs.push(Ranks { first: rank, last: rank }),
            }
        }
        // Positions that are computed in a narrow dtype may be beyond the end.
        let is_inside = runs.last().is_some_and(|run| run.last < extent);
        let dtype = self.array.dtype();
        let is_selected = |run: &Ranks| run.is_selected(Order::Values, extent, dtype);
        if !is_inside || runs.len() > MOST_RUNS || !runs.iter().all(is_selected) {
            return Ordered { array: sort(&self.array, axis), runs: None };
        }
        let mut parts = Vec::new();
        for &run in &runs {
            let part = partitioned_at(&self.array, axis, Order::Values, run);
            parts.push(self.between(&part, run.first, run.last + 1));
            if run == runs[runs.len() - 1] {
                parts.push(self.between(&part, extent - 1, extent));
            }
        }
        let parts: Vec<&Array> = parts.iter().collect();
        Ordered { array: concatenate(&parts, axis), runs: Some(runs) }
    }
}

impl Ordered {
    /// The position of a rank.
    fn position(&self, rank: i64) -> i64 {
        let Some(runs) = &self.runs else { return rank };
        let mut before = 0;
        for run in runs {
            if rank <= run.last as i64 {
                return before + rank - run.first as i64;
            }
            before += (run.last + 1 - run.first) as i64;
        }
        unreachable!("bug: rank {rank} is in none of {runs:?}")
    }

    /// The last element of each line, which is NaN if any is.
    fn last(&self, lines: &Lines) -> Array {
        let extent = self.array.shape()[lines.axis];
        lines.between(&self.array, extent - 1, extent)
    }
}

/// Interpolates from `low` to `high` by `fraction`, from the nearer end, so that the result is
/// monotone: NumPy's `_lerp`. Integers are converted first, because the difference of two may
/// overflow their dtype.
fn between(low: &Array, high: &Array, fraction: &Array, site: Site) -> Array {
    let dtype = promote(low.dtype(), fraction.dtype());
    let is_integer = low.dtype().is_integer();
    let wide =
        |array: &Array| if is_integer { array.converted(dtype, site) } else { array.clone() };
    let (low, high) = (&wide(low), &wide(high));
    let difference = high - low;
    let from_low = low + &difference * fraction;
    let from_high = high - &difference * (1.0 - fraction);
    select(&fraction.greater_equal(0.5), from_high, from_low)
}

fn check(operation: &'static str, array: &Array, site: Site) -> Result<(), Error> {
    if is_real(array.dtype()) {
        return Ok(());
    }
    Err(Error::op(OpError::Dtype { operation, dtypes: vec![array.dtype()] }, site))
}

/// The name of the operation, and the whole of which its `q` are fractions.
type Named = (&'static str, f64);

fn try_quantile(
    (operation, whole): Named,
    array: &Array,
    q: &Quantiles,
    axes: &Axes,
    method: QuantileMethod,
    site: Site,
) -> Result<Array, Error> {
    array.ok()?;
    if array.dtype().is_complex() {
        check(operation, array, site)?;
    }
    axes.allow(operation, &[], site)?;
    let method = q.method(operation, method);
    let q = q.checked(operation, whole, site)?;
    let lines = Lines::new(array, axes, site)?;
    if !method.selects() && array.dtype() == DType::Bool {
        // NumPy subtracts elements, which it does not define for bools.
        check(operation, array, site)?;
    }
    let extent = lines.extent();
    if extent == 0 {
        let error = OpError::Index { index: -1, axis: lines.axis, extent: 0 };
        return Err(Error::op(error, site));
    }
    let rounding = Rounding(q.dtype());
    let place = |&q: &f64| method.place(extent as f64, q, rounding);
    let places: Vec<Place> = q.all().iter().map(place).collect();
    let ranks = places.iter().flat_map(|place| [place.low, place.high]).collect();
    let ordered = lines.ordered(ranks);
    let take = |ranks: Vec<i64>| {
        let positions: Vec<i64> = ranks.iter().map(|&rank| ordered.position(rank)).collect();
        let count = positions.len();
        ordered.array.take(&from_slice(&positions, [count]), lines.axis as i64)
    };
    let low = take(places.iter().map(|place| place.low).collect());
    let mut found = if method.selects() {
        low
    } else {
        let high = take(places.iter().map(|place| place.high).collect());
        let fractions: Vec<f64> = places.iter().map(|place| place.fraction).collect();
        let fractions = lines.along(&fractions);
        between(&low, &high, &fractions.converted(q.of_fractions(array.dtype()), site), site)
    };
    if array.dtype().is_inexact() {
        let last = ordered.last(&lines);
        found = select(&last.isnan(), last, found);
    }
    in_c_order(lines.shaped(&found, &q))
}

/// Results in C order, as in NumPy's memory.
pub(super) fn in_c_order(found: Array) -> Result<Array, Error> {
    match found.ok()?.ndim() {
        0 => Ok(found),
        _ => crate::creation::ascontiguousarray(&found).into_result(),
    }
}

fn try_nanquantile(
    named: Named,
    array: &Array,
    q: &Quantiles,
    axes: &Axes,
    method: QuantileMethod,
    site: Site,
) -> Result<Array, Error> {
    let (operation, whole) = named;
    if array.ok()?.dtype().is_complex() {
        return try_quantile(named, array, q, axes, method, site);
    }
    axes.allow(operation, &[], site)?;
    if array.size() == 0 {
        q.checked(operation, whole, site)?;
        return nanmean(array, axes.clone()).into_result();
    }
    if !array.dtype().is_inexact() {
        return try_quantile(named, array, q, axes, method, site);
    }
    let method = q.method(operation, method);
    let q = q.checked(operation, whole, site)?;
    let lines = Lines::new(array, axes, site)?;
    let axis = lines.axis as i64;
    let sorted = sort(&lines.array, axis);
    let counts = sorted.isnan().logical_not().sum(keepdims(axis));
    let n = counts.astype_at(q.dtype(), site);
    let parts = lines.along(q.all()).converted(q.dtype(), site);
    let (low, high, fraction) = places(method, &n, &parts);
    let last = (lines.extent() - 1) as i64;
    let at = |index: &Array| {
        let position = index.astype_at(DType::I64, site).maximum(0).minimum(last);
        take_along_axis(&sorted, &position, axis)
    };
    let found = if method.selects() {
        at(&low)
    } else {
        let dtype = q.of_fractions(array.dtype());
        between(&at(&low), &at(&high), &fraction.converted(dtype, site), site)
    };
    let found = select(&counts.equal(0), Weak::Float(f64::NAN), found);
    lines.shaped(&found, &q).into_result()
}

/// NumPy's `quantile`: the values along axes below which the given fractions of the elements lie.
///
/// Shape: that of the quantiles, followed by that of the reduction. Dtype: the promotion of the
/// dtypes of elements and quantiles. A method that selects elements keeps their dtype, and so does
/// one quantile of floats. A line with NaN has NaN quantiles. Options: `keepdims`, and `out` with a
/// cast of the same kind. A line that is split is brought together, as by [`sort`]. Local (records
/// nodes). Errors: `OpError::Argument` for quantiles outside 0 to 1, `OpError::Dtype`,
/// `OpError::Axis`, `OpError::Index` for no elements, and those of [`Array::store_in`].
#[track_caller]
#[must_use]
pub fn quantile(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    method: QuantileMethod,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let named = ("quantile", 1.0);
    let found = on_mesh_of(array, site, || try_quantile(named, array, &q, &axes, method, site));
    found.stored(out, Casting::SameKind, site)
}

/// NumPy's `percentile` along axes and by any method: as [`quantile`], from 0 to 100. For all
/// elements of an array, [`percentile`](crate::percentile) needs less memory.
#[track_caller]
#[must_use]
pub fn percentile_along(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    method: QuantileMethod,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let named = ("percentile", 100.0);
    let found = on_mesh_of(array, site, || try_quantile(named, array, &q, &axes, method, site));
    found.stored(out, Casting::SameKind, site)
}

/// NumPy's `nanquantile`: as [`quantile`], of the elements that are not NaN. A line with NaN alone
/// gives NaN. An output takes any cast.
#[track_caller]
#[must_use]
pub fn nanquantile(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    method: QuantileMethod,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let named = ("nanquantile", 1.0);
    let found = on_mesh_of(array, site, || try_nanquantile(named, array, &q, &axes, method, site));
    warn_of_nan(array, &axes, &found, site);
    found.stored(out, Casting::Unsafe, site)
}

/// NumPy's `nanpercentile`: as [`nanquantile`], from 0 to 100.
#[track_caller]
#[must_use]
pub fn nanpercentile(
    array: &Array,
    q: impl Into<Quantiles>,
    axes: impl Into<Axes>,
    method: QuantileMethod,
) -> Array {
    let (site, q) = (call_site(), q.into());
    let (axes, out) = axes.into().split_out();
    let named = ("nanpercentile", 100.0);
    let found = on_mesh_of(array, site, || try_nanquantile(named, array, &q, &axes, method, site));
    warn_of_nan(array, &axes, &found, site);
    found.stored(out, Casting::Unsafe, site)
}

/// NumPy's `median` over `axes`: the middle element, or the mean of the two middle elements. The
/// median of no elements is NaN, and so is that of a line with NaN.
///
/// Dtype: `f64` for integers and bools. Options: `keepdims`, and `out` with a cast of the same
/// kind, or any cast of complex medians. A line that is split is brought together, as by [`sort`].
/// Local (records nodes). Errors: `OpError::Axis`, and those of [`Array::store_in`].
#[track_caller]
#[must_use]
pub fn median(array: &Array, axes: impl Into<Axes>) -> Array {
    let (site, (axes, out)) = (call_site(), axes.into().split_out());
    let middle = on_mesh_of(array, site, || {
        array.ok()?;
        axes.allow("median", &[], site)?;
        let lines = Lines::new(array, &axes, site)?;
        let (extent, axis) = (lines.extent(), lines.axis as i64);
        if extent == 0 {
            return array.mean(axes.clone()).into_result();
        }
        let ranks = Ranks { first: (extent - 1) / 2, last: extent / 2 };
        let sorted = partitioned_at(&lines.array, axis, Order::Values, ranks);
        let middle = lines.between(&sorted, ranks.first, ranks.last + 1);
        let mut found = middle.mean(keepdims(axis));
        if array.dtype().is_inexact() {
            let last = lines.between(&sorted, extent - 1, extent);
            found = select(&last.isnan(), last, found);
        }
        found.reshape(lines.result.as_slice()).into_result()
    });
    warn_of_empty(array, &axes, &middle, site);
    // NumPy refuses an output of integers if an element is NaN; here it is always refused.
    let is_complex = array.dtype().is_complex();
    let casting = if is_complex { Casting::Unsafe } else { Casting::SameKind };
    middle.stored(out, casting, site)
}

/// NumPy's `nanmedian`: as [`median`], of the elements that are not NaN. An output takes any cast.
#[track_caller]
#[must_use]
pub fn nanmedian(array: &Array, axes: impl Into<Axes>) -> Array {
    let (site, (axes, out)) = (call_site(), axes.into().split_out());
    let middle = on_mesh_of(array, site, || {
        array.ok()?;
        axes.allow("nanmedian", &[], site)?;
        if array.size() == 0 {
            return nanmean(array, axes.clone()).into_result();
        }
        if !array.dtype().is_inexact() {
            return median(array, axes.clone()).into_result();
        }
        let lines = Lines::new(array, &axes, site)?;
        let axis = lines.axis as i64;
        let sorted = sort(&lines.array, axis);
        let counts = sorted.isnan().logical_not().sum(keepdims(axis));
        let places = counts.clone() + lines.along(&[-1i64, 0]);
        let places = places.floor_divide(2).maximum(0).minimum((lines.extent() - 1) as i64);
        let found = take_along_axis(&sorted, &places, axis).mean(keepdims(axis));
        let nothing = full((), Weak::Float(f64::NAN), found.dtype());
        let found = select(&counts.equal(0), nothing, found);
        found.reshape(lines.result.as_slice()).into_result()
    });
    warn_of_nan(array, &axes, &middle, site);
    middle.stored(out, Casting::Unsafe, site)
}
