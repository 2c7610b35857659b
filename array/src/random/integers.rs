//! Integers of a range.

use super::Generator;
use super::parameters::{Size, integer};
use crate::array::Array;
use crate::creation::{full, zeros};
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::refused;
use crate::math::select;
use crate::operand::Argument;
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Scalar, Shape, Weak};

/// How [`Generator::integers_as`] draws integers: a dtype alone says that the upper bound is not
/// among them.
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
    /// Whether the upper bound is among the integers.
    #[must_use]
    pub const fn closed(self, is_closed: bool) -> IntegerOptions {
        IntegerOptions { is_closed, ..self }
    }
}

impl Generator {
    /// Integers from `low` to before `high` (`i64`), each equally often but for a part in 2⁶⁴ of
    /// their number. The bounds are numbers, or arrays of integers that broadcast to the size and
    /// are looked at (Collective). Errors: `OpError::Argument` for no integers, `OpError::Cast` for
    /// bounds that are no integers, `OpError::Dtype` for arrays of others, `OpError::Broadcast`,
    /// `OpError::BroadcastInto`.
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

    /// As [`Generator::integers`], of another dtype, or with the upper bound. Errors: also
    /// `OpError::Dtype` for a dtype that is neither an integer nor bool, `OpError::Argument` for
    /// integers that it has not.
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

    /// Integers of one range.
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
            // As NumPy, which looks at no range to draw nothing.
            return zeros(shape.as_slice(), dtype).ok().cloned();
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
        // All there are of 64 bits need no remainder.
        let chosen = match u64::try_from(high - low) {
            Ok(count) => bits.remainder(Scalar::new(count)),
            Err(_) => bits,
        };
        // Sums and conversions keep the last bits, which are those of the integer in any dtype.
        (chosen + Scalar::new(low as u64)).converted(dtype, site).ok().cloned()
    }

    /// Integers of ranges of their own for elements. Collective: the ranges are looked at.
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
                    // The number before an open end is the end itself, closed.
                    let number = number.unwrap_or_default();
                    let is_open = is_high && !options.is_closed;
                    let number = if is_open { number.saturating_sub(1) } else { number };
                    if number < wide_least || number > wide_most {
                        let value = format!("{number} in {dtype}");
                        return Err(refused("integers", "range", value, site));
                    }
                    is_closed |= is_open;
                    self.mesh.enter(|| full((), Weak::Int(number), wide)).ok()?.clone()
                }
            });
        }
        let (low, high) = (&arrays[0], &arrays[1]);
        if shape.contains(&0) {
            return zeros(shape.as_slice(), dtype).ok().cloned();
        }
        let (least, most) = limits(dtype);
        let (is_empty, is_above) = match is_closed {
            true => (low.greater(high), high.greater(Weak::Int(most))),
            false => (low.greater_equal(high), (high - 1).greater(Weak::Int(most))),
        };
        let is_below = low.less(Weak::Int(least));
        let wrong = beyond.iter().fold(is_empty.logical_or(is_above), |a, b| a.logical_or(b));
        if wrong.logical_or(is_below).any_at(site)?.holds(site)? {
            let value = format!("one of the arrays, in {dtype}");
            return Err(refused("integers", "range", value, site));
        }
        let (count, bits) = ((high - low).converted(DType::U64, site), self.bits(shape.as_slice()));
        let chosen = match is_closed {
            // Of all that there are of 64 bits, the number is 0 again.
            true => {
                let count = count + Scalar::new(1u64);
                select(&count.equal(0), &bits, bits.remainder(&count))
            }
            false => bits.remainder(count),
        };
        (chosen + low.converted(DType::U64, site)).converted(dtype, site).ok().cloned()
    }
}

/// The least and the largest integer of a dtype.
fn limits(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size() as u32;
    match dtype.kind() {
        Kind::Bool => (0, 1),
        Kind::Unsigned => (0, (1i128 << bits) - 1),
        _ => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    }
}
