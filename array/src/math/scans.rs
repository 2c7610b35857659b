//! Scans along an axis: NumPy's cumulative functions.
//!
//! If the scanned axis is split, every device combines its block, the totals go to all devices, and
//! each scans its block from the totals before it, which changes the rounding of sums. Lines of few
//! elements, sums in half types, and operations that are not associative, are scanned whole:
//! another axis is split instead, or a vector is gathered. The plan shows this.

use crate::array::{Array, is_reproducible};
use crate::creation::from_slice;
use crate::floating::{check_scan, warn_discarded};
use crate::manipulation::{along, concatenate, span, try_concatenate, with_extent};
use crate::recording::{
    line, line_axis, memory_order, record_along, record_structured, refuse_negative,
    try_elementwise,
};
use crate::reductions::keepdims;
use phalanx_graph::{Error, Site, call_site, in_place_of, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{ReduceAt, Scan};
use phalanx_ops::{DType, Index, Monoid, Op, Structured, Weak};
use std::ops::Range;

fn cumulative(
    array: &Array,
    op: Op,
    axis: Option<i64>,
    dtype: Option<DType>,
    site: Site,
) -> Result<Array, Error> {
    let (array, axis) = line(array, line_axis(array, axis), site)?;
    let dtype = dtype.unwrap_or_else(|| array.accumulator());
    warn_discarded(array.dtype(), dtype, site)?;
    scanned(op, &array.converted(dtype, site), axis, site)
}

/// The scan along an axis, in the dtype of the array.
fn scanned(op: Op, array: &Array, axis: usize, site: Site) -> Result<Array, Error> {
    let is_rounded = array.dtype().is_inexact() && op.is_free(array.dtype());
    if is_rounded && is_reproducible(&array.mesh()?) {
        return scanned_in_lines(op, array, axis, site);
    }
    let scan = |axis| Structured::Scan(Scan { op, axis, in_order: false });
    record_along(array, axis, memory_order, scan, site)
}

/// Elements that a reproducible scan combines strictly from left to right.
const LINE: usize = 2048;

/// The scan in reproducible mode: scans of lines of fixed length, combined with the scan of their
/// last elements, which is computed alike. Whole lines may be on different devices.
fn scanned_in_lines(op: Op, array: &Array, axis: usize, site: Site) -> Result<Array, Error> {
    let in_order = |array: &Array, axis: usize| {
        let scan = Scan { op, axis: axis as u8, in_order: true };
        record_structured(Structured::Scan(scan), &[array], site)
    };
    let (ndim, extent) = (array.ndim(), array.shape()[axis]);
    let lines = extent / LINE;
    if extent <= LINE {
        return in_order(array, axis);
    }
    let part = |array: &Array, axis: usize, start: usize, stop: usize| {
        within(site, || array.slice(along(array.ndim(), axis, span(start, stop))).into_result())
    };
    let mut shape = array.shape().to_vec();
    shape.splice(axis..=axis, [lines, LINE]);
    let whole = part(array, axis, 0, lines * LINE)?;
    let stacked = within(site, || whole.reshape(shape.as_slice()).into_result())?;
    let scanned = in_order(&stacked, axis + 1)?;
    let last = along(ndim + 1, axis + 1, Index::At(LINE as i64 - 1));
    let totals = within(site, || scanned.slice(last).into_result())?;
    let totals = scanned_in_lines(op, &totals, axis, site)?;
    // The first line stays as it is: not even an identity would keep all zeros and infinities.
    let joined =
        |before: &Array, line: &Array| try_elementwise(op, &[before.into(), line.into()], site);
    let before = part(&totals, axis, 0, lines - 1)?;
    let before = within(site, || before.expand_dims(axis as i64 + 1).into_result())?;
    let first = part(&scanned, axis, 0, 1)?;
    let others = joined(&before, &part(&scanned, axis, 1, lines)?)?;
    let unstacked = |lines: &Array| {
        let shape = with_extent(array.shape(), axis, lines.shape()[axis] * LINE);
        within(site, || lines.reshape(shape.as_slice()).into_result())
    };
    let mut parts = vec![unstacked(&first)?, unstacked(&others)?];
    if lines * LINE < extent {
        let rest = in_order(&part(array, axis, lines * LINE, extent)?, axis)?;
        parts.push(joined(&part(&totals, axis, lines - 1, lines)?, &rest)?);
    }
    let parts: Vec<&Array> = parts.iter().collect();
    within(site, || concatenate(&parts, axis as i64).into_result())
}

/// NumPy's `cumsum`: for each element, the sum of the elements up to it along an axis; without an
/// axis, of all elements in C order. Bools and integers narrower than 64 bits are summed in 64
/// bits.
///
/// Shape: that of the array; without an axis, a vector. Local (records a node). Errors:
/// `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn cumsum(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    cumulated(array, Op::Add, axis.into(), None, call_site())
}

/// NumPy's `cumprod`: for each element, the product of the elements up to it. See [`cumsum`].
#[track_caller]
#[must_use]
pub fn cumprod(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    cumulated(array, Op::Multiply, axis.into(), None, call_site())
}

/// [`cumsum`] or [`cumprod`] in `dtype`. `op` is `Op::Add` or `Op::Multiply`.
#[track_caller]
#[must_use]
pub fn cumulative_as(array: &Array, op: Op, axis: impl Into<Option<i64>>, dtype: DType) -> Array {
    cumulated(array, op, axis.into(), Some(dtype), call_site())
}

/// [`cumulative`] as called by the user, with checks for floating-point errors.
fn cumulated(array: &Array, op: Op, axis: Option<i64>, dtype: Option<DType>, site: Site) -> Array {
    let result = Array::catch(cumulative(array, op, axis, dtype, site));
    check_scan("accumulate", array, &result, site);
    result
}

/// [`cumsum`] and [`cumprod`] of the Array API standard: only vectors may leave out the axis, and
/// the result may start with the identity of the operation.
fn standard(
    op: Op,
    array: &Array,
    axis: Option<i64>,
    dtype: Option<DType>,
    include_initial: bool,
    site: Site,
) -> Result<Array, Error> {
    array.ok()?;
    if axis.is_none() && array.ndim() > 1 {
        let (operation, expected) = ("cumulative_sum or cumulative_prod without an axis", "1");
        return Err(Error::op(OpError::Ndim { operation, expected, ndim: array.ndim() }, site));
    }
    let vector =
        if array.ndim() == 0 { within(site, || array.reshape([1])) } else { array.clone() };
    let scanned = cumulative(&vector, op, Some(axis.unwrap_or(0)), dtype, site)?;
    if !include_initial {
        return Ok(scanned);
    }
    let place = scanned.axis(axis.unwrap_or(0), site)?;
    let shape = with_extent(scanned.shape(), place, 1);
    let identity = i64::from(op == Op::Multiply);
    let mesh = scanned.mesh()?;
    let first = mesh.enter(|| {
        within(site, || crate::creation::full(shape.as_slice(), identity, scanned.dtype()))
    });
    try_concatenate(&[&first, &scanned], &(place as i64).into(), None, site)
}

/// NumPy's `cumulative_sum`: [`cumsum`] along an axis, which only vectors may leave out, in `dtype`
/// if it is given. With `include_initial`, the sums start with a 0.
///
/// Local (records nodes). Errors: `OpError::Ndim`, `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn cumulative_sum(
    array: &Array,
    axis: impl Into<Option<i64>>,
    dtype: impl Into<Option<DType>>,
    include_initial: bool,
) -> Array {
    let site = call_site();
    let result = standard(Op::Add, array, axis.into(), dtype.into(), include_initial, site);
    let result = Array::catch(result);
    check_scan("accumulate", array, &result, site);
    result
}

/// NumPy's `cumulative_prod`: [`cumulative_sum`] with products, and with a 1 at the start.
#[track_caller]
#[must_use]
pub fn cumulative_prod(
    array: &Array,
    axis: impl Into<Option<i64>>,
    dtype: impl Into<Option<DType>>,
    include_initial: bool,
) -> Array {
    let site = call_site();
    let result = standard(Op::Multiply, array, axis.into(), dtype.into(), include_initial, site);
    let result = Array::catch(result);
    check_scan("accumulate", array, &result, site);
    result
}

/// NumPy's `nancumsum`: [`cumsum`] with NaN counted as 0.
#[track_caller]
#[must_use]
pub fn nancumsum(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    within(site, || cumsum(&array.without_nan(Weak::Int(0), site), axis))
}

/// NumPy's `nancumprod`: [`cumprod`] with NaN counted as 1.
#[track_caller]
#[must_use]
pub fn nancumprod(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    within(site, || cumprod(&array.without_nan(Weak::Int(1), site), axis))
}

/// [`nancumsum`] or [`nancumprod`] of the elements cast to `dtype`. `op` is `Op::Add` or
/// `Op::Multiply`.
#[track_caller]
#[must_use]
pub fn nancumulative_as(
    array: &Array,
    op: Op,
    axis: impl Into<Option<i64>>,
    dtype: DType,
) -> Array {
    let (site, axis) = (call_site(), axis.into());
    let cast = array.checked_astype_at(dtype, site);
    in_place_of(site, || match op {
        Op::Multiply => nancumprod(&cast, axis),
        _ => nancumsum(&cast, axis),
    })
}

/// The dtype of the loop of `op` for elements of `dtype` whose inputs and output have one dtype.
/// Errors: `OpError::Dtype` if there is none.
fn looped(op: Op, dtype: DType, site: Site) -> Result<DType, Error> {
    let wrong = || Error::op(OpError::Dtype { operation: op.name(), dtypes: vec![dtype] }, site);
    if op.arity() != 2 {
        return Err(wrong());
    }
    let arg = phalanx_ops::Arg::Strong(dtype);
    let signature = op.resolve(&[arg, arg]).map_err(|error| Error::op(error, site))?;
    let (inputs, output) = (signature.inputs(), signature.output);
    if inputs.iter().all(|input| *input == output) {
        return Ok(output);
    }
    // As in NumPy, logical operations continue with bools. Comparisons do so only for bools.
    if op.is_comparison() && dtype != DType::Bool {
        return Err(wrong());
    }
    let bools = phalanx_ops::Arg::Strong(DType::Bool);
    let of_bools = op.resolve(&[bools, bools]).map_err(|error| Error::op(error, site))?;
    if output == DType::Bool && of_bools.output == DType::Bool {
        return Ok(DType::Bool);
    }
    Err(wrong())
}

/// NumPy's `ufunc.accumulate` along an axis.
pub(crate) fn accumulate(
    op: Op,
    array: &Array,
    axis: i64,
    dtype: Option<DType>,
    site: Site,
) -> Result<Array, Error> {
    let axis = array.ok()?.axis(axis, site)?;
    let given = array.dtype();
    let dtype = combined_in(op, array, dtype, site)?;
    warn_discarded(given, dtype, site)?;
    let array = array.converted(dtype, site);
    if op == Op::Power && dtype.is_integer() && array.shape()[axis] > 1 {
        let exponents = along(array.ndim(), axis, span(1, array.shape()[axis]));
        let exponents = within(site, || array.slice(exponents).into_result())?;
        refuse_negative([given; 2], &exponents, site)?;
    }
    scanned(op, &array, axis, site)
}

/// The dtype in which the elements of an array are combined: `asked`, or the operation's default.
pub(crate) fn combined_in(
    op: Op,
    array: &Array,
    asked: Option<DType>,
    site: Site,
) -> Result<DType, Error> {
    match (op, asked) {
        (_, Some(asked)) if looped(op, asked, site)? != asked => {
            Err(Error::op(OpError::Dtype { operation: op.name(), dtypes: vec![asked] }, site))
        }
        (_, Some(asked)) => Ok(asked),
        (Op::Add | Op::Multiply, None) => Ok(array.accumulator()),
        (_, None) => looped(op, array.dtype(), site),
    }
}

/// NumPy's `ufunc.reduceat` along an axis.
pub(crate) fn reduce_at(
    op: Op,
    array: &Array,
    starts: &Array,
    axis: i64,
    dtype: Option<DType>,
    site: Site,
) -> Result<Array, Error> {
    let axis = array.ok()?.axis(axis, site)?;
    let in_order = is_reproducible(&array.mesh()?);
    if starts.ok()?.ndim() != 1 {
        let (expected, ndim) = ("1", starts.ndim());
        return Err(Error::op(OpError::Ndim { operation: "reduceat", expected, ndim }, site));
    }
    let dtype = combined_in(op, array, dtype, site)?;
    warn_discarded(array.dtype(), dtype, site)?;
    let extent = array.shape()[axis];
    let starts = crate::indexing::checked_positions(("reduceat", "starts"), starts, extent, site)?;
    let most = PIECE * array.mesh()?.mesh().devices() / dtype.size();
    // Pieces, whose number depends on the devices, are not summed in order.
    let may_be_cut = !in_order || !dtype.is_inexact();
    if may_be_cut
        && dtype.size() > array.dtype().size()
        && array.size() > most
        && let Some(combined) = reduce_in_pieces(op, (array, dtype), &starts, (axis, most), site)?
    {
        return Ok(combined);
    }
    let array = array.converted(dtype, site);
    let reduce = Structured::ReduceAt(ReduceAt { op, axis: axis as u8, in_order });
    record_structured(reduce, &[&array, &starts], site)
}

/// The bytes per device of the elements, in the wider dtype, that are combined at once.
const PIECE: usize = 1 << 28;
/// The largest number of pieces. With starts that do not ascend, each start is a piece.
const MOST_PIECES: usize = 1 << 10;

/// [`reduce_at`] for elements that take more memory in the dtype in which they are combined: `most`
/// elements at a time. `None` if that makes too many pieces. Collective: the starts are read.
fn reduce_in_pieces(
    op: Op,
    (array, dtype): (&Array, DType),
    starts: &Array,
    (axis, most): (usize, usize),
    site: Site,
) -> Result<Option<Array>, Error> {
    let in_order = is_reproducible(&array.mesh()?);
    let monoid = match op {
        Op::Add => Monoid::Add,
        Op::Multiply => Monoid::Multiply,
        _ => return Ok(None),
    };
    let extent = array.shape()[axis];
    let most = (most / (array.size() / extent).max(1)).max(1);
    let starts: Vec<usize> =
        within(site, || starts.to_vec::<i64>())?.into_iter().map(|start| start as usize).collect();
    let ends = starts.iter().skip(1).chain([&extent]);
    let stretches = starts.iter().zip(ends).map(|(&start, &end)| start..end.max(start + 1));
    // Adjacent stretches form a piece, up to the length `most`.
    let mut pieces: Vec<Vec<Range<usize>>> = Vec::new();
    for stretch in stretches {
        let last = pieces.last_mut().filter(|piece| {
            let follows = piece[piece.len() - 1].end == stretch.start;
            follows && stretch.end - piece[0].start <= most
        });
        match last {
            Some(piece) => piece.push(stretch),
            None => pieces.push(vec![stretch]),
        }
    }
    if pieces.len() > MOST_PIECES {
        return Ok(None);
    }
    let mut combined = Vec::new();
    for piece in pieces {
        let (first, last) = (piece[0].start, piece[piece.len() - 1].end);
        let part = within(site, || array.slice(along(array.ndim(), axis, span(first, last))));
        let result = if let [_] = *piece {
            // A reduction fuses with the cast into one kernel.
            part.reduce_with(monoid, dtype, &keepdims(axis as i64), site)?
        } else {
            let own: Vec<i64> = piece.iter().map(|range| (range.start - first) as i64).collect();
            let mesh = array.mesh()?;
            let own = within(site, || mesh.enter(|| from_slice(&own, [own.len()])));
            let reduce = Structured::ReduceAt(ReduceAt { op, axis: axis as u8, in_order });
            record_structured(reduce, &[&part.converted(dtype, site), &own], site)?
        };
        within(site, || result.evaluate())?;
        combined.push(result);
    }
    let combined: Vec<&Array> = combined.iter().collect();
    within(site, || concatenate(&combined, axis as i64).into_result().map(Some))
}
