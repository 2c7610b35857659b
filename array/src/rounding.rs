//! Clipping and rounding.

use crate::array::Array;
use crate::elementwise::try_elementwise;
use crate::error::{Error, Site, call_site, within};
use crate::operand::Argument;
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Op, Weak};

/// A bound that may be missing: `()` is none.
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
    /// NumPy's `clip`: the elements, or the bound that they are beyond. `()` is no bound.
    ///
    /// Broadcasts; dtype that of `maximum` and `minimum`. An integer that the dtype does not hold
    /// is as good as the last one that it does. Local (records nodes).
    #[track_caller]
    #[must_use]
    pub fn clip(&self, low: impl Into<Bound>, high: impl Into<Bound>) -> Array {
        let (site, low, high) = (call_site(), low.into(), high.into());
        Array::catch((|| {
            let mut clipped = self.ok()?.clone();
            let is_free = low.0.is_none() && high.0.is_none();
            for (op, bound) in [(Op::Maximum, low.0), (Op::Minimum, high.0)] {
                let Some(bound) = bound else { continue };
                let bound = within_dtype(bound, self.dtype());
                clipped = try_elementwise(op, &[clipped.into(), bound], site)?;
            }
            if is_free {
                try_elementwise(Op::Positive, &[clipped.into()], site)
            } else {
                Ok(clipped)
            }
        })())
    }

    /// NumPy's `round`: to so many decimals, halves to the even digit; to tens, hundreds and so on
    /// if `decimals` is negative.
    ///
    /// Dtype that of the array (`f16` of bools). Local (records nodes). Errors: `OpError::Dtype`
    /// for bools and decimals other than 0.
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
            return self.rint().ok().cloned();
        }
        if dtype.is_complex() {
            let (real, imaginary) = (self.real().try_round(decimals, site)?, self.imag());
            let imaginary = imaginary.try_round(decimals, site)?;
            return Ok(crate::lens::complex(real, imaginary).converted(dtype, site));
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

    /// NumPy's `fix`: the integer next to each element towards zero. Local (records a node).
    #[track_caller]
    #[must_use]
    pub fn fix(&self) -> Array {
        self.trunc()
    }
}

/// The bound, or if it is an integer that `dtype` does not hold, the nearest that it does.
fn within_dtype(bound: Argument, dtype: DType) -> Argument {
    let Argument::Weak(Weak::Int(value)) = bound else { return bound };
    let bits = 8 * dtype.size() as u32;
    let (low, high) = match dtype.kind() {
        Kind::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        Kind::Unsigned => (0, (1i128 << bits) - 1),
        Kind::Bool | Kind::Float | Kind::Complex => return bound,
    };
    Argument::Weak(Weak::Int(value.clamp(low, high)))
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
