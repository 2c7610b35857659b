//! Elementwise functions as methods, and operators.

use super::elementwise::{elementwise, mesh_of, record, try_elementwise};
use crate::array::Argument;
use crate::array::Array;
use crate::floating::check_elementwise;
use crate::manipulation::refused;
use phalanx_graph::{Error, NodeOp, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Kind, Op, Scalar, Weak, can_cast, promote, promote_weak};

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

    /// Records the operation of any row of the table. Local.
    #[track_caller]
    #[must_use]
    pub fn apply(op: Op, arguments: &[Argument]) -> Array {
        checked(op, arguments, call_site())
    }

    /// Writes the result of any row of the table, for this array and `other`, into this array
    /// through the view. Local (records nodes). On an error the array keeps its elements. Errors:
    /// those of [`Array::try_assign`], and `OpError::Cast` if the cast of the result is not of the
    /// same kind.
    #[track_caller]
    pub fn try_apply_in_place(&self, op: Op, other: impl Into<Argument>) -> Result<(), Error> {
        in_place(op, self, other.into(), call_site())
    }
}

/// NumPy's `where(condition, x, y)`: `on_true` where `condition` holds, else `on_false`, with
/// broadcasting.
///
/// Dtype: `promote(x, y)`; a number of at most 64 bits wraps in it. A condition that is not bool
/// holds where it is not zero. Local (records a node). Errors: `OpError::OutOfRange` for an integer
/// of more than 64 bits, `OpError::Broadcast`.
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
            // As NumPy, which makes a 64-bit array of the number before it casts it.
            Argument::Weak(weak @ Weak::Int(value)) if dtype.is_integer() => {
                let own = if *value < 0 { DType::I64 } else { DType::U64 };
                Scalar::filled(own, *weak).map(|_| ()).map_err(|error| Error::op(error, site))
            }
            Argument::Weak(_) => Ok(()),
        };
        if let Err(error) = checked {
            return Array::broken(error);
        }
    }
    Array::catch(record(NodeOp::Select, &arguments, &[DType::Bool, dtype, dtype], dtype, site))
}

/// The value without its surplus leading axes, if their extent is 1, for a write into an array of
/// `ndim` axes.
pub(crate) fn without_leading(value: &Array, ndim: usize) -> Array {
    let extra = value.ndim().saturating_sub(ndim);
    if extra > 0 && value.shape()[..extra].iter().all(|&extent| extent == 1) {
        return value.reshape(&value.shape()[extra..]);
    }
    value.clone()
}

/// `x op= y`: computed in NumPy's result dtype, cast back under the rule `same_kind`, and written
/// through the view.
pub(crate) fn in_place(op: Op, target: &Array, other: Argument, site: Site) -> Result<(), Error> {
    target.ok()?;
    target.check_writable(site)?;
    let kinds = [target.into(), other.clone()].map(|argument: Argument| argument.kind());
    if let Ok(signature) = op.resolve(&kinds) {
        let (from, to) = (signature.output, target.dtype());
        if !can_cast(from, to, Casting::SameKind) {
            return Err(Error::op(OpError::cast(from, to), site));
        }
    }
    let operands = [Argument::Array(target.clone()), other];
    let result = try_elementwise(op, &operands, site)?;
    // A write drops surplus leading axes of extent 1; an operator in place refuses them.
    if result.shape() != target.shape() {
        let (value, target) = (result.shape().into(), target.shape().into());
        return Err(Error::op(OpError::BroadcastInto { value, target }, site));
    }
    check_elementwise(op.name(), &operands, &[(op, &result)], None, site);
    target.assign_at(&result, Casting::SameKind, site)
}

impl Array {
    /// Writes `value`, broadcast to this array's shape, into this array through the view: NumPy's
    /// `a[...] = value`.
    ///
    /// Arrays and scalars with a dtype are cast as by `astype`, so floats are truncated for an
    /// integer array. Plain numbers must fit the dtype.
    ///
    /// Local (records a node). On an error, this array and all its views carry the error. See
    /// [`Array::try_assign`] for the errors.
    #[track_caller]
    pub fn assign(&self, value: impl Into<Argument>) {
        if let Err(error) = self.assign_argument(&value.into(), call_site()) {
            self.poison(error);
        }
    }

    /// [`Array::assign`], but on an error the array keeps its elements and the error is returned.
    ///
    /// Errors: `OpError::BroadcastInto`, `OpError::OutOfRange` for a number that does not fit an
    /// integer dtype, `OpError::Cast` for a complex number and a real dtype, `OpError::Argument`
    /// for a view that cannot be written, `OpError::Meshes`.
    #[track_caller]
    pub fn try_assign(&self, value: impl Into<Argument>) -> Result<(), Error> {
        self.assign_argument(&value.into(), call_site())
    }

    fn assign_argument(&self, value: &Argument, site: Site) -> Result<(), Error> {
        mesh_of(&[Argument::Array(self.clone()), value.clone()], site)?;
        match value {
            Argument::Array(array) => self.assign_at(array, Casting::Unsafe, site),
            Argument::Weak(weak) => {
                let scalar = Scalar::assigned(self.dtype(), *weak);
                self.write_scalar(scalar.map_err(|error| Error::op(error, site))?, site)
            }
            Argument::Scalar(scalar) => self.write_scalar(scalar.cast(self.dtype()), site),
        }
    }

    fn write_scalar(&self, scalar: Scalar, site: Site) -> Result<(), Error> {
        self.check_writable(site)?;
        self.write(phalanx_graph::Operand::Scalar(scalar), site)
    }

    pub(crate) fn check_writable(&self, site: Site) -> Result<(), Error> {
        let text = match (self.is_element(), self.base_view()?.is_read_only) {
            (false, false) => return Ok(()),
            (true, _) => "an element, which never changes",
            (false, true) => "a read-only view",
        };
        Err(refused("assign", "target", text, site))
    }

    /// Writes an array, cast under the rule `casting`.
    pub(crate) fn assign_at(
        &self,
        value: &Array,
        casting: Casting,
        site: Site,
    ) -> Result<(), Error> {
        value.ok()?;
        self.ok()?;
        let (from, to) = (value.dtype(), self.dtype());
        if !can_cast(from, to, casting) {
            return Err(Error::op(OpError::Cast { from, to, casting }, site));
        }
        self.check_writable(site)?;
        let value = within(site, || without_leading(value, self.ndim()));
        let fits = value.ndim() <= self.ndim()
            && value
                .shape()
                .iter()
                .rev()
                .zip(self.shape().iter().rev())
                .all(|(&v, &t)| v == t || v == 1);
        if !fits {
            let error =
                OpError::BroadcastInto { value: value.shape().into(), target: self.shape().into() };
            return Err(Error::op(error, site));
        }
        let value = if from == to { value } else { value.checked_astype_at(to, site) };
        self.write(value.operand(site)?, site)
    }
}

macro_rules! assigning_methods {
    ($($name:ident $op:ident)*) => {
        impl Array {$(
            #[doc = concat!(
                "NumPy's in-place `", stringify!($op),
                "`, through the view. Local (records nodes). Errors as [`Array::assign`]."
            )]
            #[track_caller]
            pub fn $name(&self, other: impl Into<Argument>) {
                if let Err(error) = in_place(Op::$op, self, other.into(), call_site()) {
                    self.poison(error);
                }
            }
        )*}
    };
}

macro_rules! assigning_operators {
    ($($trait:ident $method:ident $op:ident)*) => {$(
        impl<T: Into<Argument>> std::ops::$trait<T> for Array {
            #[track_caller]
            fn $method(&mut self, other: T) {
                if let Err(error) = in_place(Op::$op, self, other.into(), call_site()) {
                    self.poison(error);
                }
            }
        }
    )*};
}

assigning_methods! {
    add_assign Add subtract_assign Subtract multiply_assign Multiply divide_assign Divide
    floor_divide_assign FloorDivide remainder_assign Remainder power_assign Power
    bitwise_and_assign BitwiseAnd bitwise_or_assign BitwiseOr bitwise_xor_assign BitwiseXor
    left_shift_assign LeftShift right_shift_assign RightShift
}

assigning_operators! {
    AddAssign add_assign Add
    SubAssign sub_assign Subtract
    MulAssign mul_assign Multiply
    DivAssign div_assign Divide
    RemAssign rem_assign Remainder
    BitAndAssign bitand_assign BitwiseAnd
    BitOrAssign bitor_assign BitwiseOr
    BitXorAssign bitxor_assign BitwiseXor
    ShlAssign shl_assign LeftShift
    ShrAssign shr_assign RightShift
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident)*) => {$(
        impl<T: Into<Argument>> std::ops::$trait<T> for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: T) -> Array {
                let arguments = [Argument::Array(self.clone()), other.into()];
                checked(Op::$op, &arguments, call_site())
            }
        }
        impl<T: Into<Argument>> std::ops::$trait<T> for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: T) -> Array {
                checked(Op::$op, &[Argument::Array(self), other.into()], call_site())
            }
        }
        operators!(@left $trait $method $op f64 i64 i32);
    )*};
    (@left $trait:ident $method:ident $op:ident $($number:ty)*) => {$(
        impl std::ops::$trait<&Array> for $number {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: &Array) -> Array {
                let arguments = [self.into(), Argument::Array(other.clone())];
                checked(Op::$op, &arguments, call_site())
            }
        }
        impl std::ops::$trait<Array> for $number {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: Array) -> Array {
                checked(Op::$op, &[self.into(), Argument::Array(other)], call_site())
            }
        }
    )*};
}

operators! {
    Add add Add
    Sub sub Subtract
    Mul mul Multiply
    Div div Divide
    Rem rem Remainder
    BitAnd bitand BitwiseAnd
    BitOr bitor BitwiseOr
    BitXor bitxor BitwiseXor
}

macro_rules! unary_operators {
    ($($trait:ident $method:ident $op:ident)*) => {$(
        impl std::ops::$trait for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self) -> Array {
                checked(Op::$op, &[Argument::Array(self.clone())], call_site())
            }
        }
        impl std::ops::$trait for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self) -> Array {
                checked(Op::$op, &[Argument::Array(self)], call_site())
            }
        }
    )*};
}

unary_operators! { Neg neg Negative Not not Invert }

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
