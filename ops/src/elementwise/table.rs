//! The table itself.

use super::algebra::Algebra::{
    self, Combines, Linear, LinearInEach, LinearInFirst, NonDecreasing, NonIncreasing, Opaque,
};
use super::row::*;
use crate::monoid::Monoid;
use crate::scalar::Weak;

const NONE: Option<Weak> = None;
const ZERO: Option<Weak> = Some(Weak::Int(0));
const ONE: Option<Weak> = Some(Weak::Int(1));
const MINUS_ONE: Option<Weak> = Some(Weak::Int(-1));
const FALSE: Option<Weak> = Some(Weak::Bool(false));
const TRUE: Option<Weak> = Some(Weak::Bool(true));
const MINUS_INFINITY: Option<Weak> = Some(Weak::Float(f64::NEG_INFINITY));

macro_rules! elementwise {
    ($($variant:ident $name:literal [$($alias:literal)*] $arity:literal [$($loops:ident)*]
        $identity:ident $algebra:expr, $flops:literal
        ($ulp:literal $complex_ulp:literal) $doc:literal;)*) => {
        /// An elementwise operation: a row of the table.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op { $(#[doc = $doc] $variant),* }

        impl Op {
            /// Every operation, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];
        }

        pub(super) const ROWS: [Row; Op::ALL.len()] = [$(Row {
            name: $name,
            aliases: &[$($alias),*],
            arity: $arity,
            loops: &[$($loops),*],
            identity: $identity,
            algebra: { const ALGEBRA: Algebra = $algebra; ALGEBRA },
            flops: $flops,
            ulp: $ulp,
            complex_ulp: $complex_ulp,
            doc: $doc,
        }),*];
    };
}

// variant, name, [aliases], arity, [loops], identity, algebra, flops, (ulp, complex ulp), doc
elementwise! {
    // Arithmetic.
    Add "add" [] 2 [BOOL2 INT2 FLOAT2 COMPLEX2] ZERO Linear, 1 (0 0)
        "Sum; on bool, logical or. Integers wrap.";
    Subtract "subtract" [] 2 [INT2 FLOAT2 COMPLEX2] NONE Linear, 1 (0 0)
        "Difference. Integers wrap.";
    Multiply "multiply" [] 2 [BOOL2 INT2 FLOAT2 COMPLEX2] ONE LinearInEach, 1 (0 2)
        "Product; on bool, logical and. Integers wrap.";
    Divide "divide" ["true_divide"] 2 [FLOAT2 COMPLEX2] NONE LinearInFirst, 4 (0 4)
        "Quotient; integers and bools are divided as f64.";
    FloorDivide "floor_divide" [] 2 [INT2 FLOAT2] NONE Opaque, 8 (0 0)
        "Largest integer not above the quotient; an integer divided by zero gives 0.";
    Remainder "remainder" ["mod"] 2 [INT2 FLOAT2] NONE Opaque, 8 (0 0)
        "The remainder of floor division, with the sign of the divisor.";
    Fmod "fmod" [] 2 [INT2 FLOAT2] NONE Opaque, 8 (0 0)
        "The remainder of truncated division, with the sign of the dividend.";
    Power "power" ["pow"] 2 [INT2 FLOAT2 COMPLEX2] NONE Opaque, 40 (1 32)
        "x1 to the power of x2. A negative power of an integer is an error in the data.";
    FloatPower "float_power" [] 2 [DOUBLE2] NONE Opaque, 40 (1 32)
        "Power computed in f64 or c128.";
    Negative "negative" [] 1 [INT1 FLOAT1 COMPLEX1] NONE Linear, 1 (0 0)
        "The number with the opposite sign.";
    Positive "positive" [] 1 [INT1 FLOAT1 COMPLEX1] NONE Linear, 0 (0 0)
        "The number itself.";
    Absolute "absolute" ["abs"] 1 [BOOL1 INT1 FLOAT1 MODULUS1] NONE Opaque, 1 (0 1)
        "Absolute value; of a complex number its modulus, which is real.";
    Fabs "fabs" [] 1 [FLOAT1] NONE Opaque, 1 (0 0)
        "Absolute value in floating point.";
    Sign "sign" [] 1 [INT1 FLOAT1 COMPLEX1] NONE NonDecreasing, 1 (0 2)
        "-1, 0 or 1 as the number is below, at or above zero; of a complex number z / |z|.";
    Reciprocal "reciprocal" [] 1 [INT1 FLOAT1 COMPLEX1] NONE Opaque, 4 (0 4)
        "1 / x; of integers truncated, and of zero unspecified.";
    Square "square" [] 1 [INT1 FLOAT1 COMPLEX1] NONE Opaque, 1 (0 2)
        "x * x.";
    Sqrt "sqrt" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 4 (0 2)
        "Principal square root.";
    Cbrt "cbrt" [] 1 [FLOAT1] NONE NonDecreasing, 20 (1 0)
        "Real cube root.";
    Hypot "hypot" [] 2 [FLOAT2] ZERO Opaque, 10 (1 0)
        "sqrt(x1 * x1 + x2 * x2) without intermediate overflow.";
    Conjugate "conjugate" ["conj"] 1 [INT1 FLOAT1 COMPLEX1] NONE Linear, 0 (0 0)
        "The complex number with the opposite imaginary part; a real number itself.";
    Real "real" [] 1 [BOOL1 INT1 FLOAT1 MODULUS1] NONE Linear, 0 (0 0)
        "The real part of a complex number; a real number itself.";
    Imag "imag" [] 1 [BOOL1 INT1 FLOAT1 MODULUS1] NONE Linear, 0 (0 0)
        "The imaginary part of a complex number; of a real number 0.";
    Complex "complex" [] 2 [PARTS2] NONE Linear, 0 (0 0)
        "The complex number with real part x1 and imaginary part x2.";

    // Exponentials and logarithms.
    Exp "exp" [] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 20 (1 4)
        "e to the power of x.";
    Exp2 "exp2" [] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 20 (1 6)
        "2 to the power of x.";
    Expm1 "expm1" [] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 20 (1 4)
        "exp(x) - 1, exact near zero.";
    Log "log" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 4)
        "Natural logarithm.";
    Log2 "log2" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 4)
        "Logarithm to base 2.";
    Log10 "log10" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 4)
        "Logarithm to base 10.";
    Log1p "log1p" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 4)
        "log(1 + x), exact near zero.";
    LogAddExp "logaddexp" [] 2 [FLOAT2] MINUS_INFINITY Combines(Monoid::LogAddExp), 45 (4 0)
        "log(exp(x1) + exp(x2)) without intermediate overflow.";
    LogAddExp2 "logaddexp2" [] 2 [FLOAT2] MINUS_INFINITY Opaque, 45 (4 0)
        "log2(exp2(x1) + exp2(x2)) without intermediate overflow.";

    // Trigonometry.
    Sin "sin" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 4)
        "Sine of an angle in radians.";
    Cos "cos" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 4)
        "Cosine of an angle in radians.";
    Tan "tan" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 25 (1 6)
        "Tangent of an angle in radians.";
    Arcsin "arcsin" ["asin"] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 6)
        "Angle in [-pi/2, pi/2] whose sine is x.";
    Arccos "arccos" ["acos"] 1 [FLOAT1 COMPLEX1] NONE Opaque, 20 (1 6)
        "Angle in [0, pi] whose cosine is x.";
    Arctan "arctan" ["atan"] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 20 (1 4)
        "Angle in [-pi/2, pi/2] whose tangent is x.";
    Arctan2 "arctan2" ["atan2"] 2 [FLOAT2] NONE Opaque, 25 (1 0)
        "Angle in [-pi, pi] of the point with ordinate x1 and abscissa x2.";
    Sinh "sinh" [] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 25 (2 4)
        "Hyperbolic sine.";
    Cosh "cosh" [] 1 [FLOAT1 COMPLEX1] NONE Opaque, 25 (1 4)
        "Hyperbolic cosine.";
    Tanh "tanh" [] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 25 (2 6)
        "Hyperbolic tangent.";
    Arcsinh "arcsinh" ["asinh"] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 25 (2 6)
        "Inverse hyperbolic sine.";
    Arccosh "arccosh" ["acosh"] 1 [FLOAT1 COMPLEX1] NONE Opaque, 25 (2 6)
        "Inverse hyperbolic cosine, not negative.";
    Arctanh "arctanh" ["atanh"] 1 [FLOAT1 COMPLEX1] NONE Opaque, 25 (2 4)
        "Inverse hyperbolic tangent.";
    Deg2rad "deg2rad" [] 1 [FLOAT1] NONE Linear, 1 (1 0)
        "Degrees to radians.";
    Radians "radians" [] 1 [FLOAT1] NONE Linear, 1 (1 0)
        "Degrees to radians.";
    Rad2deg "rad2deg" [] 1 [FLOAT1] NONE Linear, 1 (1 0)
        "Radians to degrees.";
    Degrees "degrees" [] 1 [FLOAT1] NONE Linear, 1 (1 0)
        "Radians to degrees.";

    // Rounding and the parts of floating-point numbers.
    Floor "floor" [] 1 [BOOL1 INT1 FLOAT1] NONE NonDecreasing, 1 (0 0)
        "Largest integer not above x.";
    Ceil "ceil" [] 1 [BOOL1 INT1 FLOAT1] NONE NonDecreasing, 1 (0 0)
        "Smallest integer not below x.";
    Trunc "trunc" [] 1 [BOOL1 INT1 FLOAT1] NONE NonDecreasing, 1 (0 0)
        "x without its fraction.";
    Rint "rint" [] 1 [FLOAT1 COMPLEX1] NONE NonDecreasing, 1 (0 0)
        "Nearest integer; halves go to the even one.";
    ModfFractional "modf_fractional" [] 1 [FLOAT1] NONE Opaque, 2 (0 0)
        "The fraction of x, with the sign of x: first output of `modf`.";
    ModfIntegral "modf_integral" [] 1 [FLOAT1] NONE NonDecreasing, 1 (0 0)
        "x without its fraction: second output of `modf`.";
    FrexpMantissa "frexp_mantissa" [] 1 [FLOAT1] NONE Opaque, 4 (0 0)
        "The m of x = m * 2**e with 0.5 <= |m| < 1: first output of `frexp`.";
    FrexpExponent "frexp_exponent" [] 1 [EXPONENT1] NONE Opaque, 4 (0 0)
        "The e of x = m * 2**e with 0.5 <= |m| < 1: second output of `frexp`.";
    Ldexp "ldexp" [] 2 [LOAD_EXPONENT2] NONE LinearInFirst, 4 (0 0)
        "x1 * 2**x2.";
    Copysign "copysign" [] 2 [FLOAT2] NONE Opaque, 1 (0 0)
        "x1 with the sign of x2.";
    Nextafter "nextafter" [] 2 [FLOAT2] NONE Opaque, 4 (0 0)
        "The number next to x1 in the direction of x2.";
    Spacing "spacing" [] 1 [FLOAT1] NONE Opaque, 4 (0 0)
        "Distance from x to the next number away from zero, with the sign of x.";
    Heaviside "heaviside" [] 2 [FLOAT2] NONE Opaque, 2 (0 0)
        "0 for x1 below zero, 1 above, x2 at zero.";

    // Comparison.
    Equal "equal" [] 2 [BOOL_TEST2 INT_TEST2 MIXED_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        NONE Opaque, 1 (0 0) "x1 == x2.";
    NotEqual "not_equal" [] 2 [BOOL_TEST2 INT_TEST2 MIXED_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        NONE Opaque, 1 (0 0) "x1 != x2.";
    Less "less" [] 2 [BOOL_TEST2 INT_TEST2 MIXED_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        NONE Opaque, 1 (0 0) "x1 < x2; complex numbers compare lexicographically.";
    LessEqual "less_equal" [] 2 [BOOL_TEST2 INT_TEST2 MIXED_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        NONE Opaque, 1 (0 0) "x1 <= x2; complex numbers compare lexicographically.";
    Greater "greater" [] 2 [BOOL_TEST2 INT_TEST2 MIXED_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        NONE Opaque, 1 (0 0) "x1 > x2; complex numbers compare lexicographically.";
    GreaterEqual "greater_equal" [] 2 [BOOL_TEST2 INT_TEST2 MIXED_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        NONE Opaque, 1 (0 0) "x1 >= x2; complex numbers compare lexicographically.";
    Maximum "maximum" [] 2 [BOOL2 INT2 FLOAT2 COMPLEX2] NONE Combines(Monoid::Max), 1 (0 0)
        "The larger operand; NaN if either is.";
    Minimum "minimum" [] 2 [BOOL2 INT2 FLOAT2 COMPLEX2] NONE Combines(Monoid::Min), 1 (0 0)
        "The smaller operand; NaN if either is.";
    Fmax "fmax" [] 2 [BOOL2 INT2 FLOAT2 COMPLEX2] NONE Opaque, 1 (0 0)
        "The larger operand; NaN only if both are.";
    Fmin "fmin" [] 2 [BOOL2 INT2 FLOAT2 COMPLEX2] NONE Opaque, 1 (0 0)
        "The smaller operand; NaN only if both are.";
    Isnan "isnan" [] 1 [BOOL_TEST1 INT_TEST1 FLOAT_TEST1 COMPLEX_TEST1] NONE Opaque, 1 (0 0)
        "Whether x is NaN.";
    Isinf "isinf" [] 1 [BOOL_TEST1 INT_TEST1 FLOAT_TEST1 COMPLEX_TEST1] NONE Opaque, 1 (0 0)
        "Whether x is infinite.";
    Isfinite "isfinite" [] 1 [BOOL_TEST1 INT_TEST1 FLOAT_TEST1 COMPLEX_TEST1]
        NONE Opaque, 1 (0 0) "Whether x is neither NaN nor infinite.";
    Signbit "signbit" [] 1 [FLOAT_TEST1] NONE Opaque, 1 (0 0)
        "Whether the sign bit is set.";

    // Logic on truth values.
    LogicalAnd "logical_and" [] 2 [BOOL_TEST2 INT_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        TRUE Combines(Monoid::All), 1 (0 0) "Whether both operands are true.";
    LogicalOr "logical_or" [] 2 [BOOL_TEST2 INT_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        FALSE Combines(Monoid::Any), 1 (0 0) "Whether an operand is true.";
    LogicalXor "logical_xor" [] 2 [BOOL_TEST2 INT_TEST2 FLOAT_TEST2 COMPLEX_TEST2]
        FALSE Opaque, 1 (0 0) "Whether exactly one operand is true.";
    LogicalNot "logical_not" [] 1 [BOOL_TEST1 INT_TEST1 FLOAT_TEST1 COMPLEX_TEST1]
        NONE Opaque, 1 (0 0) "Whether x is false.";

    // Bits and integers.
    BitwiseAnd "bitwise_and" [] 2 [BOOL2 INT2] MINUS_ONE Combines(Monoid::BitAnd), 1 (0 0)
        "Bits set in both operands.";
    BitwiseOr "bitwise_or" [] 2 [BOOL2 INT2] ZERO Combines(Monoid::BitOr), 1 (0 0)
        "Bits set in an operand.";
    BitwiseXor "bitwise_xor" [] 2 [BOOL2 INT2] ZERO Combines(Monoid::BitXor), 1 (0 0)
        "Bits set in exactly one operand.";
    Invert "invert" ["bitwise_not" "bitwise_invert"] 1 [BOOL1 INT1]
        NONE NonIncreasing, 1 (0 0) "Every bit flipped; on bool, logical not.";
    LeftShift "left_shift" ["bitwise_left_shift"] 2 [INT2] NONE LinearInFirst, 1 (0 0)
        "Bits moved up, zeros moved in; a shift by the width or more gives 0.";
    RightShift "right_shift" ["bitwise_right_shift"] 2 [INT2] NONE Opaque, 1 (0 0)
        "Bits moved down, the sign moved in; a shift by the width or more gives 0 or -1.";
    BitwiseCount "bitwise_count" [] 1 [COUNT1] NONE Opaque, 4 (0 0)
        "The number of set bits of the absolute value.";
    Gcd "gcd" [] 2 [INT2] ZERO Opaque, 60 (0 0)
        "Greatest common divisor, not negative.";
    Philox "philox" [] 2 [KEYED2] NONE Opaque, 60 (0 0)
        "64 random bits: half of the block of Philox4x32-10 for the counter x1 and the key x2.";
    Lcm "lcm" [] 2 [INT2] NONE Opaque, 70 (0 0)
        "Least common multiple, not negative.";
}
