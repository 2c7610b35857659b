//! Integers in a range.

use super::Generator;
use super::parameters::{Size, integer};
use crate::array::Argument;
use crate::array::Array;
use crate::creation::{full, zeros};
use crate::manipulation::refused;
use crate::math::select;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Scalar, Shape, Weak};

/// Options of [`Generator::integers_as`]. A dtype alone excludes the upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntegerOptions {
    dtype: DType,
    is_closed: bool,
}

impl From<DType> for IntegerOptions {
    fn from(dtype: DType) -> IntegerOptions {
        IntegerOptions { dtype, is_closed: false }
    }
}

impl IntegerOptions {
    /// Whether the range includes the upper bound.
    #[must_use]
    pub const fn closed(self, is_closed: bool) -> IntegerOptions {
        IntegerOptions { is_closed, ..self }
    }
}

impl Generator {
    /// Integers from `low` up to, but not including, `high` (`i64`). The probabilities of the
    /// integers differ by at most `high - low` parts in 2⁶⁴. Each bound is a number, or an array of
    /// integers that broadcasts to the size and is read (Collective). Errors: `OpError::Argument`
    /// for an empty range, `OpError::Cast` for numbers that are not integers, `OpError::Dtype` for
    /// arrays of other dtypes, `OpError::Broadcast`, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn integers(
        &self,
        low: impl Into<Argument>,
        high: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let site = call_site();
        within(site, || self.integers_as(low, high, size, DType::I64))
    }

    /// As [`Generator::integers`], with options: another dtype, or a range that includes the upper
    /// bound. Errors: also `OpError::Dtype` for a dtype that is neither an integer nor bool,
    /// `OpError::Argument` for integers that the dtype cannot hold.
    #[track_caller]
    #[must_use]
    pub fn integers_as(
        &self,
        low: impl Into<Argument>,
        high: impl Into<Argument>,
        size: impl Into<Size>,
        options: impl Into<IntegerOptions>,
    ) -> Array {
        let (site, low, high, size) = (call_site(), low.into(), high.into(), size.into());
        let options = options.into();
        Array::catch(within(site, || {
            let dtype = options.dtype;
            if !matches!(dtype.kind(), Kind::Bool | Kind::Signed | Kind::Unsigned) {
                let (operation, dtypes) = ("integers", vec![dtype]);
                return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
            }
            let shape = size.shape_of_any(&[&low, &high], site)?;
            match (integer(&low, site)?, integer(&high, site)?) {
                (Some(low), Some(high)) => self.integers_of_one([low, high], &shape, options, site),
                _ => self.integers_of_each([low, high], &shape, options, site),
            }
        }))
    }

    /// Integers in one range for all elements.
    fn integers_of_one(
        &self,
        [low, high]: [i128; 2],
        shape: &Shape,
        options: IntegerOptions,
        site: Site,
    ) -> Result<Array, Error> {
        let dtype = options.dtype;
        let high = if options.is_closed { high.saturating_add(1) } else { high };
        if shape.contains(&0) {
            // NumPy does not check the range of an empty draw.
            return zeros(shape.as_slice(), dtype).into_result();
        }
        if low >= high {
            return Err(refused("integers", "range", format!("{low} to {high}"), site));
        }
        let (least, most) = limits(dtype);
        if low < least || high - 1 > most {
            let value = format!("{low} to {high} in {dtype}");
            return Err(refused("integers", "range", value, site));
        }
        let bits = self.bits(shape.as_slice());
        // A range of all 2⁶⁴ integers needs no remainder.
        let chosen = match u64::try_from(high - low) {
            Ok(count) => bits.remainder(Scalar::new(count)),
            Err(_) => bits,
        };
        // The sum and the conversion wrap. They keep the low bits, which are the bits of the
        // integer in any dtype.
        (chosen + Scalar::new(low as u64)).converted(dtype, site).into_result()
    }

    /// Integers in a range of its own for each element. Collective: the ranges are read.
    fn integers_of_each(
        &self,
        bounds: [Argument; 2],
        shape: &Shape,
        options: IntegerOptions,
        site: Site,
    ) -> Result<Array, Error> {
        let dtype = options.dtype;
        // Bounds of u64 need its range; all other dtypes fit i64.
        let wide = if dtype == DType::U64 { DType::U64 } else { DType::I64 };
        let (wide_least, wide_most) = limits(wide);
        let (mut arrays, mut beyond) = (Vec::with_capacity(2), Vec::new());
        let mut is_closed = options.is_closed;
        for (bound, is_high) in bounds.into_iter().zip([false, true]) {
            arrays.push(match (integer(&bound, site)?, bound) {
                (_, Argument::Array(array)) => {
                    let kind = array.dtype().kind();
                    if !matches!(kind, Kind::Bool | Kind::Signed | Kind::Unsigned) {
                        let (operation, dtypes) = ("integers", vec![array.dtype(), dtype]);
                        return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
                    }
                    match (kind, wide) {
                        (Kind::Signed, DType::U64) => beyond.push(array.less(0)),
                        (Kind::Unsigned, DType::I64) => beyond.push(array.greater(i64::MAX)),
                        _ => {}
                    }
                    array.converted(wide, site)
                }
                (number, _) => {
                    // An exclusive bound equals the inclusive bound one below it.
                    let number = number.unwrap_or_default();
                    let is_open = is_high && !options.is_closed;
                    let number = if is_open { number.saturating_sub(1) } else { number };
                    if number < wide_least || number > wide_most {
                        let value = format!("{number} in {dtype}");
                        return Err(refused("integers", "range", value, site));
                    }
                    is_closed |= is_open;
                    self.mesh.enter(|| full((), Weak::Int(number), wide)).into_result()?
                }
            });
        }
        let (low, high) = (&arrays[0], &arrays[1]);
        if shape.contains(&0) {
            return zeros(shape.as_slice(), dtype).into_result();
        }
        let (least, most) = limits(dtype);
        let (is_empty, is_above) = if is_closed {
            (low.greater(high), high.greater(Weak::Int(most)))
        } else {
            (low.greater_equal(high), (high - 1).greater(Weak::Int(most)))
        };
        let is_below = low.less(Weak::Int(least));
        let wrong = beyond.iter().fold(is_empty.logical_or(is_above), |a, b| a.logical_or(b));
        if wrong.logical_or(is_below).any_at(site)?.holds(site)? {
            let value = format!("arrays with an empty range, or one outside of {dtype}");
            return Err(refused("integers", "range", value, site));
        }
        let (count, bits) = ((high - low).converted(DType::U64, site), self.bits(shape.as_slice()));
        let chosen = if is_closed {
            // A range of all 2⁶⁴ integers has a count that wraps to 0.
            let count = count + Scalar::new(1u64);
            select(&count.equal(0), &bits, bits.remainder(&count))
        } else {
            bits.remainder(count)
        };
        (chosen + low.converted(DType::U64, site)).converted(dtype, site).into_result()
    }
}

/// The smallest and the largest integer of a dtype.
fn limits(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size() as u32;
    match dtype.kind() {
        Kind::Bool => (0, 1),
        Kind::Unsigned => (0, (1i128 << bits) - 1),
        _ => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    }
}
