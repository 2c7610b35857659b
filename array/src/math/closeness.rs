//! Equality of arrays, exact or within a tolerance, and the replacement of NaN and infinities.

use super::methods::select;
use crate::array::{Argument, Array, assigned_number};
use crate::creation::{full, full_like};
use crate::recording::try_elementwise;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::broadcast;
use phalanx_ops::{Casting, DType, Op, Scalar, Weak, can_cast, promote};

/// The largest difference at which two numbers count as close: NumPy's `rtol`, `atol` and
/// `equal_nan`. `()` is 1e-5, 1e-8 and false; a pair gives `rtol` and `atol`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    relative: f64,
    absolute: f64,
    equal_nan: bool,
}

impl From<()> for Tolerance {
    fn from((): ()) -> Tolerance {
        Tolerance { relative: 1e-5, absolute: 1e-8, equal_nan: false }
    }
}

impl From<(f64, f64)> for Tolerance {
    fn from((relative, absolute): (f64, f64)) -> Tolerance {
        Tolerance { relative, absolute, equal_nan: false }
    }
}

impl Tolerance {
    /// NaN counts as close to NaN.
    #[must_use]
    pub fn equal_nan(self) -> Tolerance {
        Tolerance { equal_nan: true, ..self }
    }
}

/// NumPy's `isclose`: whether `|a - b| <= atol + rtol * |b|`, elementwise with broadcasting. Equal
/// infinities are close.
///
/// Dtype bool. Local (records nodes). Errors: `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn isclose(a: &Array, b: impl Into<Argument>, tolerance: impl Into<Tolerance>) -> Array {
    let (site, b, tolerance) = (call_site(), b.into(), tolerance.into());
    Array::catch(close(a, b, tolerance, site))
}

/// NumPy's `allclose`: whether all elements are close, as a 0-d array. See [`isclose`].
#[track_caller]
#[must_use]
pub fn allclose(a: &Array, b: impl Into<Argument>, tolerance: impl Into<Tolerance>) -> Array {
    let (site, b, tolerance) = (call_site(), b.into(), tolerance.into());
    let close = close(a, b, tolerance, site);
    Array::catch(close.and_then(|close| within(site, || close.all(())).into_result()))
}

impl Array {
    /// NumPy's `value in a`: whether any element equals a value, as a 0-d array. Local (records
    /// nodes). Errors: those of [`Array::equal`].
    #[track_caller]
    #[must_use]
    pub fn contains(&self, value: impl Into<Argument>) -> Array {
        within(call_site(), || self.equal(value).any(()))
    }

    /// NumPy's `a == None`, or `a != None` for `Op::NotEqual`: no element equals an object that is
    /// no number. Local (records a node).
    #[track_caller]
    #[must_use]
    pub fn compared_with_none(&self, op: Op) -> Array {
        within(call_site(), || full_like(self, op == Op::NotEqual, DType::Bool))
    }
}

fn close(a: &Array, b: Argument, tolerance: Tolerance, site: Site) -> Result<Array, Error> {
    a.ok()?;
    let op = |op, arguments: &[Argument]| try_elementwise(op, arguments, site);
    let b = match b {
        Argument::Array(b) => {
            let dtype = if b.ok()?.dtype().is_inexact() { b.dtype() } else { DType::F64 };
            Argument::Array(b.converted(dtype, site))
        }
        Argument::Scalar(b) if !b.dtype().is_inexact() => Argument::Scalar(b.cast(DType::F64)),
        Argument::Weak(Weak::Int(b)) => Argument::Weak(Weak::Float(b as f64)),
        Argument::Weak(Weak::Large(b)) if b.is_finite() => Argument::Weak(Weak::Float(b)),
        Argument::Weak(Weak::Bool(b)) => Argument::Weak(Weak::Float(b.into())),
        other => other,
    };
    let (a, float) = (Argument::from(a), |value: f64| Argument::Weak(Weak::Float(value)));
    let far = op(Op::Absolute, &[op(Op::Subtract, &[a.clone(), b.clone()])?.into()])?;
    let b_array = within_zero(&b, site)?;
    let allowed = op(Op::Absolute, &[b_array.clone().into()])?;
    let allowed = op(Op::Multiply, &[allowed.into(), float(tolerance.relative)])?;
    let allowed = op(Op::Add, &[allowed.into(), float(tolerance.absolute)])?;
    let is_near = op(Op::LessEqual, &[far.into(), allowed.into()])?;
    let is_finite = op(Op::Isfinite, &[b_array.clone().into()])?;
    let mut close = op(Op::LogicalAnd, &[is_near.into(), is_finite.into()])?;
    let equal = op(Op::Equal, &[a.clone(), b])?;
    close = op(Op::LogicalOr, &[close.into(), equal.into()])?;
    if tolerance.equal_nan {
        let (left, right) = (op(Op::Isnan, &[a])?, op(Op::Isnan, &[b_array.into()])?);
        let both = op(Op::LogicalAnd, &[left.into(), right.into()])?;
        close = op(Op::LogicalOr, &[close.into(), both.into()])?;
    }
    Ok(close)
}

/// The argument as an array.
fn within_zero(argument: &Argument, site: Site) -> Result<Array, Error> {
    within(site, || super::differences::as_array(argument)).into_result()
}

/// NumPy's `array_equal`: whether two arrays have the same shape and elements, as a 0-d array.
/// Local (records nodes).
#[track_caller]
#[must_use]
pub fn array_equal(a: &Array, b: &Array, equal_nan: bool) -> Array {
    let site = call_site();
    Array::catch((|| {
        a.ok()?;
        b.ok()?;
        equal_everywhere(a, b, a.shape() == b.shape(), equal_nan, site)
    })())
}

/// NumPy's `array_equiv`: whether two arrays are equal after broadcasting, as a 0-d array. It is
/// false if their shapes do not broadcast. Local (records nodes).
#[track_caller]
#[must_use]
pub fn array_equiv(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        a.ok()?;
        b.ok()?;
        let fits = broadcast(a.shape(), b.shape()).is_ok();
        equal_everywhere(a, b, fits, false, site)
    })())
}

fn equal_everywhere(
    a: &Array,
    b: &Array,
    fits: bool,
    equal_nan: bool,
    site: Site,
) -> Result<Array, Error> {
    let mesh = a.mesh()?;
    mesh.enter(|| {
        within(site, || {
            if !fits {
                return full((), Weak::Bool(false), DType::Bool).into_result();
            }
            let mut equal = a.equal(b);
            if equal_nan && a.dtype().is_inexact() && b.dtype().is_inexact() {
                equal = equal.logical_or(a.isnan().logical_and(b.isnan()));
            }
            equal.all(()).into_result()
        })
    })
}

/// The values that [`nan_to_num`] writes in place of NaN and infinities. `()` is zero for NaN and
/// the largest and smallest numbers of the dtype for infinities; a number replaces NaN.
#[derive(Clone, Default)]
pub struct Replacements {
    nan: Option<Argument>,
    positive: Option<Argument>,
    negative: Option<Argument>,
}

impl From<()> for Replacements {
    fn from((): ()) -> Replacements {
        Replacements::default()
    }
}

impl From<f64> for Replacements {
    fn from(nan: f64) -> Replacements {
        Replacements::from(()).nan(nan)
    }
}

impl Replacements {
    /// Replaces NaN by this: a number, or an array that broadcasts to the array.
    #[must_use]
    pub fn nan(self, value: impl Into<Argument>) -> Replacements {
        Replacements { nan: Some(value.into()), ..self }
    }

    /// Replaces infinity by this.
    #[must_use]
    pub fn posinf(self, value: impl Into<Argument>) -> Replacements {
        Replacements { positive: Some(value.into()), ..self }
    }

    /// Replaces negative infinity by this.
    #[must_use]
    pub fn neginf(self, value: impl Into<Argument>) -> Replacements {
        Replacements { negative: Some(value.into()), ..self }
    }
}

/// NumPy's `nan_to_num`: a copy in which numbers replace NaN and infinities. Both parts of complex
/// numbers are replaced.
///
/// Shape and dtype are those of the array. Local (records nodes). Errors: `OpError::BroadcastInto`
/// for replacements that do not fit the array, `OpError::Cast`.
#[track_caller]
#[must_use]
pub fn nan_to_num(array: &Array, replacements: impl Into<Replacements>) -> Array {
    let (site, replacements) = (call_site(), replacements.into());
    Array::catch(within(site, || {
        let dtype = array.ok()?.dtype();
        if !dtype.is_inexact() {
            return array.astype_at(dtype, site).into_result();
        }
        let largest = match dtype.real() {
            DType::F16 => f64::from(half::f16::MAX),
            DType::BF16 => f64::from(half::bf16::MAX),
            DType::F32 => f64::from(f32::MAX),
            _ => f64::MAX,
        };
        let value = |given: &Option<Argument>, default: f64| -> Result<Argument, Error> {
            let real = dtype.real();
            Ok(match given {
                None => Scalar::from_weak(real, Weak::Float(default)).into(),
                Some(Argument::Weak(weak)) => assigned_number(real, *weak, site)?.into(),
                Some(given) => {
                    let (from, to) = (given.strong().unwrap_or(real), real);
                    if !can_cast(from, to, Casting::SameKind) {
                        return Err(Error::op(OpError::cast(from, to), site));
                    }
                    match given {
                        Argument::Array(values) => {
                            array.check_mask(values.ok()?, site)?;
                            values.converted(real, site).into()
                        }
                        other => other.clone(),
                    }
                }
            })
        };
        let nan = value(&replacements.nan, 0.0)?;
        let positive = value(&replacements.positive, largest)?;
        let negative = value(&replacements.negative, -largest)?;
        let replace = |part: &Array| {
            let finite = select(&part.isnan(), nan.clone(), part);
            let finite = select(&part.equal(f64::INFINITY), positive.clone(), &finite);
            select(&part.equal(f64::NEG_INFINITY), negative.clone(), &finite)
        };
        let replaced = if dtype.is_complex() {
            crate::math::complex(replace(&array.real()), replace(&array.imag()))
        } else {
            replace(array)
        };
        replaced.converted(dtype, site).into_result()
    }))
}

macro_rules! infinities {
    ($($name:ident $value:ident $sign:literal)*) => {$(
        #[doc = concat!(
            "NumPy's `", stringify!($name), "`: whether each element is ", $sign, " infinity. \
             Local (records a node). Errors: `OpError::Dtype` for complex numbers."
        )]
        #[track_caller]
        #[must_use]
        pub fn $name(array: &Array) -> Array {
            let site = call_site();
            Array::catch((|| {
                let dtype = array.ok()?.dtype();
                if dtype.is_complex() {
                    let (operation, dtypes) = (stringify!($name), vec![dtype]);
                    return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
                }
                let wide = array.converted(promote(dtype, DType::F16), site);
                let infinity = Weak::Float(f64::$value).into();
                try_elementwise(Op::Equal, &[wide.into(), infinity], site)
            })())
        }
    )*};
}

infinities! { isposinf INFINITY "positive" isneginf NEG_INFINITY "negative" }
