//! Convolutions and correlations of vectors, as sums of shifted vectors.

use super::methods::select;
use crate::array::Array;
use crate::creation::{from_slice, zeros};
use crate::manipulation::refused;
use crate::recording::taken;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, promote};
use std::ops::Range;

/// The part of a convolution that is returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConvolveMode {
    /// The positions at which the vectors overlap by at least one element.
    Full,
    /// The middle of the convolution, with as many elements as the longer vector.
    Same,
    /// The positions at which the vectors overlap completely.
    Valid,
}

impl ConvolveMode {
    /// The mode with this NumPy name.
    pub fn from_name(name: &str) -> Option<ConvolveMode> {
        match name {
            "full" => Some(ConvolveMode::Full),
            "same" => Some(ConvolveMode::Same),
            "valid" => Some(ConvolveMode::Valid),
            _ => None,
        }
    }

    /// The start of the part in the whole convolution, and its length, for vectors of `long` and
    /// `short` elements.
    const fn part(self, long: usize, short: usize) -> (usize, usize) {
        match self {
            ConvolveMode::Full => (0, long + short - 1),
            ConvolveMode::Same => (short - 1 - short / 2, long),
            ConvolveMode::Valid => (short - 1, long - short + 1),
        }
    }
}

/// NumPy's `convolve` of two vectors.
///
/// Dtype `promote(a, b)`, in which integers wrap. The work is the product of the lengths. One
/// product is recorded for each element of the shorter vector. Use it for kernels of some tens of
/// elements: they fuse into one pass over the longer vector. A few products are summed as the rows
/// of a matrix. Sharding: that of the longer vector; elements at the borders of blocks move. Local
/// (records nodes). Errors: `OpError::Ndim`, `OpError::Argument` for a vector without elements.
#[track_caller]
#[must_use]
pub fn convolve(a: &Array, v: &Array, mode: ConvolveMode) -> Array {
    let site = call_site();
    Array::catch((|| {
        check("convolve", a, v, site)?;
        let (long, short) = if a.size() < v.size() { (v, a) } else { (a, v) };
        a.mesh()?.enter(|| within(site, || sum_of_shifted(long, short, mode)))
    })())
}

/// NumPy's `correlate` of two vectors, with the second one conjugated. See [`convolve`].
#[track_caller]
#[must_use]
pub fn correlate(a: &Array, v: &Array, mode: ConvolveMode) -> Array {
    let site = call_site();
    Array::catch((|| {
        check("correlate", a, v, site)?;
        a.mesh()?.enter(|| {
            within(site, || {
                if a.size() >= v.size() {
                    return sum_of_shifted(a, &reversed(&v.conjugate_if_complex()), mode);
                }
                // Exchanging the vectors reverses and conjugates the correlation.
                let (short, long) = (reversed(&a.conjugate_if_complex()), v);
                let other = sum_of_shifted(long, &short, mode)?;
                Ok(reversed(&other).conjugate_if_complex().copy())
            })
        })
    })())
}

impl Array {
    fn conjugate_if_complex(&self) -> Array {
        if self.dtype().is_complex() { self.conjugate() } else { self.clone() }
    }
}

fn reversed(vector: &Array) -> Array {
    vector.slice([Index::Range { start: None, stop: None, step: -1 }])
}

fn check(operation: &'static str, a: &Array, v: &Array, site: Site) -> Result<(), Error> {
    for (argument, vector) in [("a", a), ("v", v)] {
        vector.ok()?;
        if vector.ndim() > 1 || vector.ndim() == 0 && operation == "correlate" {
            let ndim = vector.ndim();
            let error = OpError::Ndim { operation, expected: "1", ndim };
            return Err(Error::op(error, site));
        }
        if vector.size() == 0 {
            return Err(refused(operation, argument, "no elements", site));
        }
    }
    Ok(())
}

/// The part `mode` of the convolution; `short` is not longer than `long`.
fn sum_of_shifted(long: &Array, short: &Array, mode: ConvolveMode) -> Result<Array, Error> {
    let dtype = promote(long.dtype(), short.dtype());
    let (long, short) = (long.reshape([-1i64]), short.reshape([-1i64]));
    let (start, length) = mode.part(long.size(), short.size());
    let middle = short.size() - 1..long.size();
    if dtype.is_inexact() && short.size() > 1 && mode != ConvolveMode::Valid {
        if length.saturating_mul(short.size()) <= FEW_PRODUCTS {
            return by_windows(&long, &short, start..start + length);
        }
        // With zeros around the vector, infinities of the shorter one would give NaN.
        let result = zeros(length, dtype);
        let write = |part: Range<usize>, values: &Array| {
            let place = range(part.start - start, part.end - start);
            result.slice([place]).try_assign(values)
        };
        write(middle.clone(), &shifted(&long, &short, middle.start, middle.len())?)?;
        for part in [start..middle.start, middle.end..start + length] {
            if !part.is_empty() {
                write(part.clone(), &at_border(&long, &short, part)?)?;
            }
        }
        return Ok(result);
    }
    // The longer vector is padded with zeros as far as the part extends beyond it.
    let before = (short.size() - 1).saturating_sub(start);
    let after = (start + length).saturating_sub(long.size());
    let padded = if before + after == 0 {
        long.clone()
    } else {
        let padded = zeros(before + long.size() + after, dtype);
        padded.slice([range(before, before + long.size())]).try_assign(&long)?;
        padded
    };
    shifted(&padded, &short, start + before, length)
}

fn range(start: usize, stop: usize) -> Index {
    Index::Range { start: Some(start as i64), stop: Some(stop as i64), step: 1 }
}

/// `length` sums: sum `i` adds `long[start + i - place] * short[place]` over all `place`.
fn shifted(long: &Array, short: &Array, start: usize, length: usize) -> Result<Array, Error> {
    // Element `start + i` of the convolution uses element `start + i - place` of the longer vector.
    sum_of_terms(short, |place| {
        let elements = long.slice([range(start - place, start - place + length)]);
        elements * short.slice([Index::At(place as i64)])
    })
}

/// A convolution of up to this many products is computed from a matrix of the products, and so are
/// borders of up to so many: the matrix takes a few operations, sums of shifted vectors take two
/// and more for each element of the shorter vector.
const FEW_PRODUCTS: usize = 1 << 12;
const FEW_AT_BORDER: usize = 1 << 16;

/// The sums at `part` of the convolution, each of a row of a matrix of products. Terms outside of
/// the longer vector are left out.
fn by_windows(long: &Array, short: &Array, part: Range<usize>) -> Result<Array, Error> {
    let (size, terms) = (long.size(), short.size());
    let from = part.start.saturating_sub(terms - 1)..part.end.min(size);
    let shape = [part.len(), terms];
    let mut positions: Vec<i64> = Vec::with_capacity(part.len() * terms);
    let mut holds: Vec<bool> = Vec::with_capacity(part.len() * terms);
    for at in part {
        for place in 0..terms {
            let found = at.checked_sub(place).filter(|&found| found < size);
            positions.push(found.map_or(0, |found| (found - from.start) as i64));
            holds.push(found.is_some());
        }
    }
    let positions = from_slice(&positions, [positions.len()]).into_result()?;
    let these = long.slice([range(from.start, from.end)]).into_result()?;
    let windows = taken(&these, &positions, call_site())?.reshape(shape);
    let products = &windows * short;
    if holds.contains(&false) {
        return select(&from_slice(&holds, shape), products, 0).sum(-1).into_result();
    }
    products.sum(-1).into_result()
}

/// The sums at `part` of the convolution, for which some terms are outside of the longer vector.
fn at_border(long: &Array, short: &Array, part: Range<usize>) -> Result<Array, Error> {
    if part.len().saturating_mul(short.size()) <= FEW_AT_BORDER {
        return by_windows(long, short, part);
    }
    // Zeros replace the missing elements, and their products are masked out.
    let (before, length) = (short.size() - 1, part.len());
    let from = part.start.saturating_sub(before)..part.end.min(long.size());
    let place = range(from.start + before - part.start, from.end + before - part.start);
    let padded = zeros(before + length, long.dtype());
    padded.slice([place]).try_assign(long.slice([range(from.start, from.end)]))?;
    let holds = zeros(before + length, DType::Bool);
    holds.slice([place]).try_assign(true)?;
    sum_of_terms(short, |place| {
        let these = range(before - place, before - place + length);
        let product = padded.slice([these]) * short.slice([Index::At(place as i64)]);
        select(&holds.slice([these]), product, 0)
    })
}

fn sum_of_terms(short: &Array, term: impl Fn(usize) -> Array) -> Result<Array, Error> {
    let first = term(0);
    (1..short.size()).fold(first, |sum, place| sum + term(place)).into_result()
}
