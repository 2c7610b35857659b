//! Elementwise functions as methods.

use crate::array::Argument;
use crate::array::Array;
use crate::floating::check_elementwise;
use crate::recording::{elementwise, record};
use phalanx_graph::{Error, NodeOp, Site, call_site};
use phalanx_ops::{DType, Kind, Op, Scalar, Weak, promote, promote_weak};

/// Records an operation that the user called, and checks it for floating-point errors.
pub(crate) fn checked(op: Op, operands: &[Argument], site: Site) -> Array {
    tracing::trace!(target: "phalanx::path", file = file!());
    let result = elementwise(op, operands, site);
    check_elementwise(op.name(), operands, &[(op, &result)], None, site);
    result
}

/// [`checked`] for an operation with two results.
fn checked_pair(
    name: &'static str,
    ops: [Op; 2],
    operands: &[Argument],
    site: Site,
) -> (Array, Array) {
    let [first, second] = ops.map(|op| elementwise(op, operands, site));
    check_elementwise(name, operands, &[(ops[0], &first), (ops[1], &second)], None, site);
    (first, second)
}

macro_rules! unary_methods {
    ($($name:ident $op:ident)*) => {
        impl Array {$(
            #[doc = concat!(
                "NumPy's `", stringify!($name), "`, elementwise; see `Op::", stringify!($op),
                "`. Local (records a node)."
            )]
            #[track_caller]
            #[must_use]
            pub fn $name(&self) -> Array {
                checked(Op::$op, &[Argument::Array(self.clone())], call_site())
            }
        )*}
        #[cfg(test)]
        const UNARY: &[Op] = &[$(Op::$op),*];
    };
}

macro_rules! binary_methods {
    ($($name:ident $op:ident)*) => {
        impl Array {$(
            #[doc = concat!(
                "NumPy's `", stringify!($name), "`, elementwise with broadcasting; see `Op::",
                stringify!($op), "`. Local (records a node)."
            )]
            #[track_caller]
            #[must_use]
            pub fn $name(&self, other: impl Into<Argument>) -> Array {
                let arguments = [Argument::Array(self.clone()), other.into()];
                checked(Op::$op, &arguments, call_site())
            }
        )*}
        #[cfg(test)]
        const BINARY: &[Op] = &[$(Op::$op),*];
    };
}

unary_methods! {
    negative Negative positive Positive absolute Absolute abs Absolute fabs Fabs sign Sign
    reciprocal Reciprocal square Square sqrt Sqrt cbrt Cbrt
    exp Exp exp2 Exp2 expm1 Expm1 log Log log2 Log2 log10 Log10 log1p Log1p sin Sin cos Cos tan Tan
    arcsin Arcsin arccos Arccos arctan Arctan sinh Sinh cosh Cosh tanh Tanh arcsinh Arcsinh
    arccosh Arccosh arctanh Arctanh degrees Degrees radians Radians rad2deg Rad2deg deg2rad Deg2rad
    floor Floor ceil Ceil trunc Trunc rint Rint isnan Isnan isinf Isinf isfinite Isfinite
    signbit Signbit spacing Spacing logical_not LogicalNot invert Invert bitwise_count BitwiseCount
    modf_fractional ModfFractional modf_integral ModfIntegral frexp_mantissa FrexpMantissa
    frexp_exponent FrexpExponent
}

binary_methods! {
    add Add subtract Subtract multiply Multiply divide Divide floor_divide FloorDivide
    remainder Remainder fmod Fmod float_power FloatPower hypot Hypot arctan2 Arctan2
    maximum Maximum minimum Minimum fmax Fmax fmin Fmin copysign Copysign nextafter Nextafter
    ldexp Ldexp logaddexp LogAddExp logaddexp2 LogAddExp2 heaviside Heaviside equal Equal
    not_equal NotEqual less Less less_equal LessEqual greater Greater greater_equal GreaterEqual
    logical_and LogicalAnd logical_or LogicalOr logical_xor LogicalXor bitwise_and BitwiseAnd
    bitwise_or BitwiseOr bitwise_xor BitwiseXor left_shift LeftShift right_shift RightShift gcd Gcd
    lcm Lcm
}

impl Array {
    /// NumPy's `divmod`: the quotient and the remainder of floor division. Local (records nodes).
    #[track_caller]
    #[must_use]
    pub fn divmod(&self, other: impl Into<Argument>) -> (Array, Array) {
        let arguments = [Argument::Array(self.clone()), other.into()];
        checked_pair("divmod", [Op::FloorDivide, Op::Remainder], &arguments, call_site())
    }

    /// NumPy's `modf`: the fractional and the integral parts. Local (records nodes).
    #[track_caller]
    #[must_use]
    pub fn modf(&self) -> (Array, Array) {
        let arguments = [Argument::Array(self.clone())];
        checked_pair("modf", [Op::ModfFractional, Op::ModfIntegral], &arguments, call_site())
    }

    /// NumPy's `frexp`: the mantissas and the exponents of 2. Local (records nodes).
    #[track_caller]
    #[must_use]
    pub fn frexp(&self) -> (Array, Array) {
        let arguments = [Argument::Array(self.clone())];
        checked_pair("frexp", [Op::FrexpMantissa, Op::FrexpExponent], &arguments, call_site())
    }

    /// NumPy's `**`, elementwise with broadcasting; see `Op::Power`.
    ///
    /// The scalar exponents 2, -1, 0.5 and 1 give `square`, `reciprocal`, `sqrt` and the elements
    /// themselves in the cases in which they do in NumPy. So bools to the power of the integer 2
    /// have the dtype `int8` of squares.
    ///
    /// Collectivity: Local (records a node). Exception: for integers to the power of an array of
    /// integers that may be negative, failure depends on data, so the call closes the window and is
    /// Collective over the mesh; see [`deferred_errors`](crate::deferred_errors). Exponents are
    /// known to be non-negative by their dtype or by their origin: host data, `arange`,
    /// `remainder`, `maximum` or `absolute`, for instance.
    ///
    /// Errors: `DataError::NegativePower` for integers to a negative integer power.
    #[track_caller]
    #[must_use]
    pub fn power(&self, exponent: impl Into<Argument>) -> Array {
        let (site, exponent) = (call_site(), exponent.into());
        // NumPy's `**` squares for the integer 2. Only for bools, the dtype is not that of a power.
        if matches!(exponent, Argument::Weak(Weak::Int(2))) {
            return checked(Op::Square, &[Argument::Array(self.clone())], site);
        }
        checked(Op::Power, &[Argument::Array(self.clone()), exponent], site)
    }

    /// Records the operation of any row of the table. Local.
    #[track_caller]
    #[must_use]
    pub fn apply(op: Op, arguments: &[Argument]) -> Array {
        checked(op, arguments, call_site())
    }
}

/// NumPy's `where(condition, x, y)`: `on_true` where `condition` holds, else `on_false`, with
/// broadcasting.
///
/// Dtype: `promote(x, y)`; an integer of at most 64 bits wraps in an integer dtype. A condition
/// that is not bool holds where it is not zero. Local (records a node). Errors:
/// `OpError::OutOfRange` for an integer of more than 64 bits in an integer dtype, or beyond `f64`;
/// `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn select(
    condition: &Array,
    on_true: impl Into<Argument>,
    on_false: impl Into<Argument>,
) -> Array {
    let site = call_site();
    let (on_true, on_false) = (on_true.into(), on_false.into());
    let dtype = match (&on_true, &on_false, on_true.strong(), on_false.strong()) {
        (_, _, Some(a), Some(b)) => promote(a, b),
        (Argument::Weak(weak), _, None, Some(dtype))
        | (_, Argument::Weak(weak), Some(dtype), None) => promote_weak(dtype, *weak),
        (Argument::Weak(a), Argument::Weak(b), ..) => promote(
            phalanx_ops::promote::default_dtype(*a),
            phalanx_ops::promote::default_dtype(*b),
        ),
        _ => unreachable!("bug: a weak argument has no dtype"),
    };
    let arguments = [Argument::Array(condition.clone()), on_true, on_false];
    for argument in &arguments {
        let checked = match argument {
            Argument::Array(array) => array.ok().map(|_| ()),
            Argument::Scalar(_) => Ok(()),
            Argument::Weak(weak) => {
                Scalar::wrapped(dtype, *weak).map(|_| ()).map_err(|error| Error::op(error, site))
            }
        };
        if let Err(error) = checked {
            return Array::broken(error);
        }
    }
    Array::catch(record(NodeOp::Select, &arguments, &[DType::Bool, dtype, dtype], dtype, site))
}

/// Whether numbers of this dtype are ordered: all but complex numbers.
pub(crate) const fn is_real(dtype: DType) -> bool {
    !matches!(dtype.kind(), Kind::Complex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_has_a_method() {
        for op in Op::ALL {
            // These have methods that are written out.
            let has_own = matches!(
                op,
                Op::Power | Op::Real | Op::Imag | Op::Complex | Op::Philox | Op::Conjugate
            );
            let methods = if op.arity() == 1 { UNARY } else { BINARY };
            assert!(methods.contains(op) || has_own, "{} has no method", op.name());
        }
    }
}
