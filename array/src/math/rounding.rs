//! Clipping and rounding.

use crate::array::Argument;
use crate::array::Array;
use crate::dtypes::result_type;
use crate::recording::{elementwise_by, try_elementwise};
use crate::ufunc::{Ufunc, UfuncOptions};
use phalanx_graph::{Error, Site, call_site, in_place_of, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Kind, Op, Weak};

/// A bound that may be missing: `()` is no bound.
#[derive(Clone)]
pub struct Bound(pub(crate) Option<Argument>);

impl From<()> for Bound {
    fn from((): ()) -> Bound {
        Bound(None)
    }
}

impl<T: Into<Argument>> From<T> for Bound {
    fn from(bound: T) -> Bound {
        Bound(Some(bound.into()))
    }
}

impl Array {
    /// NumPy's `clip`: each element, or the bound that it exceeds. `()` is no bound.
    ///
    /// Broadcasts. Dtype: the promotion of the array and both bounds. An integer as lower bound is
    /// ignored if it is at or below the least number of an integer dtype of the array; likewise an
    /// upper bound at or above the greatest. Local (records nodes). Errors: `OpError::OutOfRange`
    /// for other integers that do not fit the dtype, `OpError::Dtype`.
    #[track_caller]
    #[must_use]
    pub fn clip(&self, low: impl Into<Bound>, high: impl Into<Bound>) -> Array {
        let (site, low, high) = (call_site(), low.into(), high.into());
        Array::catch((|| {
            let own = self.ok()?.dtype();
            let low = low.0.filter(|bound| !is_beyond(bound, own, true));
            let high = high.0.filter(|bound| !is_beyond(bound, own, false));
            if low.is_none() && high.is_none() {
                return try_elementwise(Op::Positive, &[self.into()], site);
            }
            // The dtype depends on both bounds, so it is found before either is applied.
            let bounds = low.iter().chain(&high).cloned();
            let all: Vec<Argument> = bounds.chain([self.into()]).collect();
            let dtype = within(site, || result_type(&all))?;
            let mut clipped = self.converted(dtype, site);
            for (op, bound) in [(Op::Maximum, low), (Op::Minimum, high)] {
                let Some(bound) = bound else { continue };
                clipped = try_elementwise(op, &[clipped.into(), bound], site)?;
            }
            Ok(clipped)
        })())
    }

    /// [`Array::clip`] of the elements and bounds cast to `dtype`, as far as `casting` allows.
    /// Errors: `OpError::Cast`.
    #[track_caller]
    #[must_use]
    pub fn clip_as(
        &self,
        low: impl Into<Bound>,
        high: impl Into<Bound>,
        dtype: DType,
        casting: Casting,
    ) -> Array {
        let site = call_site();
        let bounds = [(Op::Maximum, low.into()), (Op::Minimum, high.into())];
        Array::catch((|| {
            let mut clipped: Argument = self.ok()?.into();
            for (op, bound) in bounds {
                let Some(bound) = bound.0 else { continue };
                clipped = elementwise_by(
                    op,
                    &[clipped, bound],
                    &[None, None, Some(dtype)],
                    casting,
                    site,
                )?
                .into();
            }
            match clipped {
                Argument::Array(array) if array.dtype() == dtype => Ok(array),
                other => {
                    elementwise_by(Op::Positive, &[other], &[None, Some(dtype)], casting, site)
                }
            }
        })())
    }

    /// [`Array::clip`] with the options of a ufunc: NumPy's `clip(where=, out=, dtype=)`.
    ///
    /// Local (records nodes). Errors: those of [`Array::clip`], `OpError::Cast`, and those of
    /// [`Ufunc::call`](crate::Ufunc::call) for the mask and the output.
    #[track_caller]
    pub fn clip_with(
        &self,
        low: impl Into<Bound>,
        high: impl Into<Bound>,
        options: &UfuncOptions,
    ) -> Result<Array, Error> {
        let site = call_site();
        let clipped = in_place_of(site, || match options.dtype {
            Some(dtype) => self.clip_as(low, high, dtype, options.casting),
            None => self.clip(low, high),
        });
        let clipped = clipped.into_result()?;
        Ufunc::finished("clip", clipped, &[self.into()], options, site)
    }

    /// NumPy's `round`: rounds to `decimals` decimals, halves to the even digit. Negative
    /// `decimals` round to tens, hundreds and so on.
    ///
    /// Dtype: that of the array (`f16` for bools). Local (records nodes). Errors: `OpError::Dtype`
    /// for bools and `decimals` other than 0.
    #[track_caller]
    #[must_use]
    pub fn round(&self, decimals: i32) -> Array {
        let site = call_site();
        Array::catch(within(site, || self.try_round(decimals, site)))
    }

    fn try_round(&self, decimals: i32, site: Site) -> Result<Array, Error> {
        let dtype = self.ok()?.dtype();
        if dtype == DType::Bool && decimals != 0 {
            return Err(Error::op(
                OpError::Dtype { operation: "round", dtypes: vec![dtype] },
                site,
            ));
        }
        let is_integer = matches!(dtype.kind(), Kind::Signed | Kind::Unsigned);
        if is_integer && decimals >= 0 {
            return Ok(self.astype_at(dtype, site));
        }
        if decimals == 0 {
            return self.rint().into_result();
        }
        if dtype.is_complex() {
            let (real, imaginary) = (self.real().try_round(decimals, site)?, self.imag());
            let imaginary = imaginary.try_round(decimals, site)?;
            return Ok(crate::math::complex(real, imaginary).converted(dtype, site));
        }
        let scale = 10f64.powi(decimals.abs());
        let rounded = if decimals > 0 {
            (self * scale).rint() / scale
        } else {
            (self / scale).rint() * scale
        };
        Ok(rounded.converted(dtype, site))
    }

    /// Another name of [`Array::round`].
    #[track_caller]
    #[must_use]
    pub fn around(&self, decimals: i32) -> Array {
        self.round(decimals)
    }

    /// NumPy's `fix`: each element rounded to an integer towards zero. Local (records a node).
    #[track_caller]
    #[must_use]
    pub fn fix(&self) -> Array {
        self.trunc()
    }
}

/// Whether a lower or upper bound is an integer that no element of `dtype` can exceed.
fn is_beyond(bound: &Argument, dtype: DType, is_lower: bool) -> bool {
    let value = match *bound {
        Argument::Weak(Weak::Int(value)) => value,
        // Larger than every element, as the last `i128` of its sign is.
        Argument::Weak(Weak::Large(value)) if value < 0.0 => i128::MIN,
        Argument::Weak(Weak::Large(_)) => i128::MAX,
        _ => return false,
    };
    let bits = 8 * dtype.size() as u32;
    let (least, greatest) = match dtype.kind() {
        Kind::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        Kind::Unsigned => (0, (1i128 << bits) - 1),
        Kind::Bool | Kind::Float | Kind::Complex => return false,
    };
    if is_lower { value <= least } else { value >= greatest }
}

/// NumPy's `clip`; see [`Array::clip`].
#[track_caller]
#[must_use]
pub fn clip(array: &Array, low: impl Into<Bound>, high: impl Into<Bound>) -> Array {
    array.clip(low, high)
}

/// NumPy's `round`; see [`Array::round`].
#[track_caller]
#[must_use]
pub fn round(array: &Array, decimals: i32) -> Array {
    array.round(decimals)
}

/// NumPy's `around`; see [`Array::round`].
#[track_caller]
#[must_use]
pub fn around(array: &Array, decimals: i32) -> Array {
    array.round(decimals)
}

/// NumPy's `fix`; see [`Array::fix`].
#[track_caller]
#[must_use]
pub fn fix(array: &Array) -> Array {
    array.fix()
}
