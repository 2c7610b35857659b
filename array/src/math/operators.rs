//! Operators, and operations in place.

use super::methods::checked;
use crate::array::Argument;
use crate::array::Array;
use crate::floating::check_elementwise;
use crate::recording::try_elementwise;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, Op, can_cast};

impl Array {
    /// Writes the result of any row of the table, for this array and `other`, into this array
    /// through the view. Local (records nodes). On an error the array keeps its elements. Errors:
    /// those of [`Array::try_assign`], and `OpError::Cast` if the cast of the result is not of the
    /// same kind.
    #[track_caller]
    pub fn try_apply_in_place(&self, op: Op, other: impl Into<Argument>) -> Result<(), Error> {
        in_place(op, self, other.into(), call_site())
    }
}

/// `x op= y`: computed in NumPy's result dtype, cast back under the rule `same_kind`, and written
/// through the view.
fn in_place(op: Op, target: &Array, other: Argument, site: Site) -> Result<(), Error> {
    target.ok()?;
    target.check_writable(site)?;
    let kinds = [target.into(), other.clone()].map(|argument: Argument| argument.kind());
    if let Ok(signature) = op.resolve(&kinds) {
        let (from, to) = (signature.output, target.dtype());
        if !can_cast(from, to, Casting::SameKind) {
            return Err(Error::op(OpError::cast(from, to), site));
        }
        if target.update_few(op, &signature, &other, site)? {
            return Ok(());
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
