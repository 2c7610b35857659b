//! Padding: an array with additional elements at the ends of its axes.
//!
//! The axes are padded one after the other, as in NumPy. Each step computes the new ends from the
//! elements inside, so the corners follow from the axes padded before.

use crate::array::{Argument, Array, dtype_of_number};
use crate::creation::index_of;
use crate::floating::warn_discarded;
use crate::manipulation::argument::{along, axis_of, refused, span};
use crate::manipulation::axes::moveaxis;
use crate::manipulation::join::{blank, write_part};
use phalanx_graph::{Error, Site, call_site, outside, within};
use phalanx_ops::{DType, Index, Scalar, Shape, Weak};

/// The number of elements added before and after each axis.
#[derive(Clone, Debug)]
pub enum PadWidths {
    /// The same widths before and after every axis.
    All((usize, usize)),
    /// For each axis, the widths before and after it.
    Each(Vec<(usize, usize)>),
    /// For some axes, which may count from the end; the other axes are not padded.
    ByAxis(Vec<(i64, (usize, usize))>),
}

impl From<usize> for PadWidths {
    fn from(width: usize) -> PadWidths {
        PadWidths::All((width, width))
    }
}
impl From<(usize, usize)> for PadWidths {
    fn from(widths: (usize, usize)) -> PadWidths {
        PadWidths::All(widths)
    }
}
impl<const N: usize> From<[(usize, usize); N]> for PadWidths {
    fn from(widths: [(usize, usize); N]) -> PadWidths {
        PadWidths::Each(widths.to_vec())
    }
}
impl From<Vec<(usize, usize)>> for PadWidths {
    fn from(widths: Vec<(usize, usize)>) -> PadWidths {
        PadWidths::Each(widths)
    }
}

impl PadWidths {
    fn resolve(
        &self,
        ndim: usize,
        argument: &'static str,
        site: Site,
    ) -> Result<Vec<(usize, usize)>, Error> {
        match self {
            PadWidths::All(pair) => Ok(vec![*pair; ndim]),
            PadWidths::Each(pairs) if pairs.len() == ndim => Ok(pairs.clone()),
            PadWidths::Each(pairs) if pairs.len() == 1 => Ok(vec![pairs[0]; ndim]),
            PadWidths::Each(pairs) => Err(refused("pad", argument, format!("{pairs:?}"), site)),
            PadWidths::ByAxis(given) => {
                let mut pairs = vec![(0, 0); ndim];
                for &(axis, pair) in given {
                    pairs[axis_of(axis, ndim, site)?] = pair;
                }
                Ok(pairs)
            }
        }
    }
}

/// The numbers for the ends of each axis.
#[derive(Clone, Debug)]
pub enum Ends {
    /// The same numbers before and after every axis.
    All((Weak, Weak)),
    /// For each axis, the numbers before and after it.
    Each(Vec<(Weak, Weak)>),
}

macro_rules! ends {
    ($($type:ty),*) => {$(
        impl From<$type> for Ends {
            fn from(value: $type) -> Ends { Ends::All((value.into(), value.into())) }
        }
        impl From<($type, $type)> for Ends {
            fn from((before, after): ($type, $type)) -> Ends {
                Ends::All((before.into(), after.into()))
            }
        }
        impl<const N: usize> From<[($type, $type); N]> for Ends {
            fn from(pairs: [($type, $type); N]) -> Ends {
                Ends::Each(pairs.iter().map(|&(b, a)| (b.into(), a.into())).collect())
            }
        }
    )*};
}
ends!(i64, f64, bool, num_complex::Complex64);

impl Ends {
    fn resolve(
        &self,
        ndim: usize,
        argument: &'static str,
        site: Site,
    ) -> Result<Vec<(Weak, Weak)>, Error> {
        match self {
            Ends::All(pair) => Ok(vec![*pair; ndim]),
            Ends::Each(pairs) if pairs.len() == ndim => Ok(pairs.clone()),
            Ends::Each(pairs) if pairs.len() == 1 => Ok(vec![pairs[0]; ndim]),
            Ends::Each(pairs) => Err(refused("pad", argument, format!("{pairs:?}"), site)),
        }
    }
}

/// A statistic of the elements at an end of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Statistic {
    /// The largest.
    Maximum,
    /// The smallest.
    Minimum,
    /// The mean, rounded for integers.
    Mean,
    /// The median, rounded for integers.
    Median,
}

/// The values of the new elements.
#[derive(Clone, Debug)]
pub enum PadMode {
    /// Unspecified (zeros).
    Empty,
    /// The given numbers.
    Constant(Ends),
    /// The outermost elements.
    Edge,
    /// Numbers that change linearly from the outermost elements to the given numbers.
    LinearRamp(Ends),
    /// A statistic of the elements at the end of the axis: of all elements, or of the given number
    /// of them.
    Statistic(Statistic, Option<PadWidths>),
    /// The elements mirrored at the outermost ones.
    Reflect {
        /// Whether the differences to the outermost elements change sign.
        odd: bool,
    },
    /// The elements mirrored at the ends, the outermost ones included.
    Symmetric {
        /// Whether the differences to the outermost elements change sign.
        odd: bool,
    },
    /// The elements from the other end, as if the axis were periodic.
    Wrap,
}

impl PadMode {
    /// Whether any number for an end is complex.
    fn has_complex_ends(&self) -> bool {
        let (PadMode::Constant(ends) | PadMode::LinearRamp(ends)) = self else { return false };
        let is_complex = |weak: &Weak| matches!(weak, Weak::Complex(_));
        let any = |(before, after): &(Weak, Weak)| is_complex(before) || is_complex(after);
        match ends {
            Ends::All(pair) => any(pair),
            Ends::Each(pairs) => pairs.iter().any(any),
        }
    }
}

/// The array with elements added before and after its axes.
///
/// Shapes: each axis grows by its two widths. Dtype: the dtype of the array. Local (records nodes).
/// Errors: `OpError::Argument` for a number of widths that does not fit, for a mode that needs
/// elements along an empty axis, or for a statistic of no elements; `OpError::Axis`;
/// `OpError::OutOfRange` for a constant that the dtype cannot hold.
#[track_caller]
#[must_use]
pub fn pad(array: &Array, widths: impl Into<PadWidths>, mode: PadMode) -> Array {
    let (site, widths) = (call_site(), widths.into());
    Array::catch((|| {
        array.ok()?;
        let widths = widths.resolve(array.ndim(), "pad_width", site)?;
        if mode.has_complex_ends() {
            warn_discarded(DType::C128, array.dtype(), site)?;
        }
        within(site, || try_pad(array, &widths, &mode, site))
    })())
}

/// NumPy's `pad` with a function. The array is padded with zeros. Then the function is called for
/// every line along every axis, with the line as a view, the widths of its two ends, and the axis.
/// Later calls see the elements that earlier calls wrote.
///
/// Collective if the function is. Errors: as for [`pad`], and the errors that the function returns.
#[track_caller]
#[must_use]
pub fn pad_by(
    array: &Array,
    widths: impl Into<PadWidths>,
    function: impl Fn(&Array, (usize, usize), usize) -> Result<(), Error>,
) -> Array {
    let (site, widths) = (call_site(), widths.into());
    Array::catch((|| {
        let ndim = array.ok()?.ndim();
        let widths = widths.resolve(ndim, "pad_width", site)?;
        let zeros = PadMode::Constant(Ends::from(0));
        let padded = within(site, || try_pad(array, &widths, &zeros, site))?;
        for (axis, pair) in widths.into_iter().enumerate() {
            let lines = within(site, || moveaxis(&padded, axis as i64, -1));
            let others = &lines.ok()?.shape()[..ndim - 1];
            for number in 0..others.iter().product() {
                // The index of the line; its last part counts fastest.
                let mut rest: usize = number;
                let mut index = vec![Index::Ellipsis];
                for &extent in others.iter().rev() {
                    index.insert(0, Index::At((rest % extent) as i64));
                    rest /= extent;
                }
                let line = within(site, || lines.slice(index));
                outside(|| function(&line, pair, axis))?;
            }
        }
        Ok(padded)
    })())
}

/// An array padded along one axis: the whole of the axes before it, and the old part of the axes
/// after.
struct Strip {
    roi: Array,
    axis: usize,
    site: Site,
}

impl Strip {
    fn extent(&self) -> usize {
        self.roi.shape()[self.axis]
    }

    fn part(&self, start: usize, stop: usize) -> Array {
        self.roi.slice(along(self.roi.ndim(), self.axis, span(start, stop)))
    }

    /// The elements from `last` down to `first`.
    fn reversed(&self, first: usize, last: usize) -> Array {
        let stop = (first > 0).then(|| first as i64 - 1);
        let part = Index::Range { start: Some(last as i64), stop, step: -1 };
        self.roi.slice(along(self.roi.ndim(), self.axis, part))
    }

    fn write(&self, start: usize, stop: usize, value: impl Into<Argument>) -> Result<(), Error> {
        let items = along(self.roi.ndim(), self.axis, span(start, stop));
        write_part(&self.roi, &items, value, self.site)
    }

    /// Writes the two ends.
    fn write_ends(
        &self,
        (before, after): (usize, usize),
        first: impl Into<Argument>,
        last: impl Into<Argument>,
    ) -> Result<(), Error> {
        self.write(0, before, first)?;
        self.write(self.extent() - after, self.extent(), last)
    }

    fn edges(&self, (before, after): (usize, usize)) -> (Array, Array) {
        let end = self.extent() - after;
        (self.part(before, before + 1), self.part(end - 1, end))
    }
}

fn try_pad(
    array: &Array,
    widths: &[(usize, usize)],
    mode: &PadMode,
    site: Site,
) -> Result<Array, Error> {
    let (ndim, dtype) = (array.ndim(), array.dtype());
    let continues = !matches!(mode, PadMode::Empty | PadMode::Constant(_));
    for (axis, &(before, after)) in widths.iter().enumerate() {
        if continues && array.shape()[axis] == 0 && before + after > 0 {
            return Err(refused("pad", "array", format!("an empty axis {axis}"), site));
        }
    }
    let ends = match mode {
        PadMode::Constant(ends) => ends.resolve(ndim, "constant_values", site)?,
        PadMode::LinearRamp(ends) => ends.resolve(ndim, "end_values", site)?,
        _ => Vec::new(),
    };
    let lengths = match mode {
        PadMode::Statistic(_, Some(lengths)) => Some(lengths.resolve(ndim, "stat_length", site)?),
        _ => None,
    };
    let shape: Shape = array
        .shape()
        .iter()
        .zip(widths)
        .map(|(&extent, &(before, after))| extent.saturating_add(before).saturating_add(after))
        .collect();
    let order: Option<Vec<usize>> = array.is_fortran()?.then(|| (0..ndim).rev().collect());
    let padded = blank(&array.mesh()?, &shape, dtype, order.as_deref(), site)?;
    let inside: Vec<Index> = widths
        .iter()
        .zip(array.shape())
        .map(|(&(before, _), &extent)| span(before, before + extent))
        .collect();
    write_part(&padded, &inside, array, site)?;
    if array.size() == 0 && continues {
        return Ok(padded);
    }
    for (axis, &pair) in widths.iter().enumerate().filter(|(_, pair)| **pair != (0, 0)) {
        let mut items = vec![Index::Range { start: None, stop: None, step: 1 }; axis + 1];
        items.extend_from_slice(&inside[axis + 1..]);
        let strip = Strip { roi: padded.slice(items), axis, site };
        match mode {
            PadMode::Empty => {}
            PadMode::Constant(_) => {
                // As NumPy, which makes an array of the values.
                let value = |weak| {
                    let scalar = Scalar::filled(dtype_of_number(weak), weak);
                    scalar.map_or(Argument::Weak(weak), Argument::Scalar)
                };
                strip.write_ends(pair, value(ends[axis].0), value(ends[axis].1))?;
            }
            PadMode::Edge => {
                let (first, last) = strip.edges(pair);
                strip.write_ends(pair, first, last)?;
            }
            PadMode::LinearRamp(_) => ramp(&strip, pair, ends[axis])?,
            PadMode::Statistic(statistic, _) => {
                let lengths = lengths.as_ref().map(|lengths| lengths[axis]);
                pad_statistic(&strip, pair, *statistic, lengths)?;
            }
            PadMode::Reflect { .. } | PadMode::Symmetric { .. } if array.shape()[axis] == 1 => {
                let (first, last) = strip.edges(pair);
                strip.write_ends(pair, first, last)?;
            }
            PadMode::Reflect { odd } => reflect(&strip, pair, array.shape()[axis], *odd, false)?,
            PadMode::Symmetric { odd } => reflect(&strip, pair, array.shape()[axis], *odd, true)?,
            PadMode::Wrap => wrap(&strip, pair)?,
        }
    }
    Ok(padded)
}

/// Writes both ends as lines from a number to the edge.
fn ramp(strip: &Strip, pair: (usize, usize), ends: (Weak, Weak)) -> Result<(), Error> {
    let dtype = strip.roi.dtype();
    let (first, last) = strip.edges(pair);
    let line = |edge: &Array, end: Weak, width: usize| -> Result<Array, Error> {
        let mut shape: Shape = smallvec::smallvec![1; strip.roi.ndim()];
        shape[strip.axis] = width;
        let mesh = strip.roi.mesh()?;
        let index = index_of(&shape, strip.axis, &mesh, strip.site)?;
        let end = crate::creation::widened(end);
        let line = (edge - end) / width as f64 * index.astype(DType::F64) + end;
        let line = if dtype.is_integer() { line.floor() } else { line };
        Ok(line.astype(dtype))
    };
    if pair.0 > 0 {
        strip.write(0, pair.0, line(&first, ends.0, pair.0)?)?;
    }
    if pair.1 > 0 {
        let falling = crate::manipulation::flip(&line(&last, ends.1, pair.1)?, strip.axis as i64);
        strip.write(strip.extent() - pair.1, strip.extent(), falling)?;
    }
    Ok(())
}

fn pad_statistic(
    strip: &Strip,
    pair: (usize, usize),
    statistic: Statistic,
    lengths: Option<(usize, usize)>,
) -> Result<(), Error> {
    let (start, stop) = (pair.0, strip.extent() - pair.1);
    let most = stop - start;
    let (left, right) = lengths.map_or((most, most), |(l, r)| (l.min(most), r.min(most)));
    let needs_some = matches!(statistic, Statistic::Maximum | Statistic::Minimum);
    if (left == 0 || right == 0) && needs_some {
        return Err(refused("pad", "stat_length", "0", strip.site));
    }
    let value = |part: Array| {
        let axes = crate::reductions::keepdims(strip.axis as i64);
        match statistic {
            Statistic::Maximum => part.max(axes),
            Statistic::Minimum => part.min(axes),
            Statistic::Mean if part.dtype().is_integer() => part.mean(axes).rint(),
            Statistic::Mean => part.mean(axes),
            Statistic::Median if part.dtype().is_integer() => {
                crate::statistics::median(&part, axes).rint()
            }
            Statistic::Median => crate::statistics::median(&part, axes),
        }
    };
    let first = value(strip.part(start, start + left));
    let last = if left == most && right == most {
        first.clone()
    } else {
        value(strip.part(stop - right, stop))
    };
    strip.write_ends(pair, first, last)
}

/// Mirrors the known elements into the ends, in as many rounds as the widths need.
fn reflect(
    strip: &Strip,
    (mut left, mut right): (usize, usize),
    period: usize,
    odd: bool,
    with_edge: bool,
) -> Result<(), Error> {
    let extent = strip.extent();
    let offset = usize::from(with_edge);
    while left > 0 || right > 0 {
        let known = extent - left - right;
        // Only whole periods are mirrored.
        let length = if with_edge {
            known / period * period
        } else {
            (known - 1) / (period - 1) * (period - 1)
        };
        if left > 0 {
            let count = length.min(left);
            let first = left + 1 - offset;
            let mut chunk = strip.reversed(first, first + count - 1);
            if odd {
                chunk = 2 * strip.part(left, left + 1) - chunk;
            }
            strip.write(left - count, left, chunk)?;
            left -= count;
        }
        if right > 0 {
            let count = length.min(right);
            let end = extent - right;
            let last = end + offset - 2;
            let mut chunk = strip.reversed(last + 1 - count, last);
            if odd {
                chunk = 2 * strip.part(end - 1, end) - chunk;
            }
            strip.write(end, end + count, chunk)?;
            right -= count;
        }
    }
    Ok(())
}

/// Continues the known elements periodically into the ends.
fn wrap(strip: &Strip, (mut left, mut right): (usize, usize)) -> Result<(), Error> {
    let extent = strip.extent();
    let original = extent - left - right;
    while left > 0 || right > 0 {
        let period = (extent - left - right) / original * original;
        let (before, after) = (left, right);
        if before > 0 {
            let count = period.min(before);
            let chunk = strip.part(before + period - count, before + period);
            strip.write(before - count, before, chunk)?;
            left -= count;
        }
        if after > 0 {
            let count = period.min(after);
            let end = extent - after;
            let chunk = strip.part(end - period, end - period + count);
            strip.write(end, end + count, chunk)?;
            right -= count;
        }
    }
    Ok(())
}
