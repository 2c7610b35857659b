//! The loop of each operation and signature.

use super::comparison::{equal, greater, greater_equal, less, less_equal, not_equal};
use super::complex_loops::{BLOCK, Column, Component, complex_function};
use super::division::division;
use super::driver::{
    Loop, binary, bits, complexes, floats, for_type, inlined, integers, ordered, staged,
    staged_pair, unary, widths,
};
use super::equal_divisors::{Floor, Fmod, Remainder};
use super::functions::complex as usual;
use super::integer::Integer;
use super::integer_power::integer_power;
use super::real::Real;
use super::{complex, complex_functions, complex_inverse, complex_loops, half};
use crate::cpu::instructions::for_each_level;
use num_complex::{Complex, Complex32, Complex64};
use phalanx_ops::{DType, Op};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// A real function of the trait, or a complex one.
macro_rules! real_or_complex {
    ($dtype:expr, $real:ident, $usual:ident, $any:path) => {
        floats!($dtype, T => inlined!(T, $real))
            .or_else(|| complex_function!($dtype, usual::$usual, $any))
    };
}

/// Sine, cosine or tangent of real numbers, or a complex function.
macro_rules! trigonometric {
    ($dtype:expr, $near:ident, $far:ident, $usual:ident, $any:path) => {
        floats!($dtype, T => inlined!(T, $near unless is_far $far))
        .or_else(|| complex_function!($dtype, usual::$usual, $any))
    };
}

/// Loops over truth values, as bytes 0 and 1.
macro_rules! bools {
    ($dtype:expr, $T:ident => $make:expr) => {
        for_type!($dtype, [Bool u8], $T => $make)
    };
}

/// Loops over everything that has a truth value.
macro_rules! truths {
    ($dtype:expr, $T:ident => $make:expr) => {
        for_type!(
            $dtype,
            [
                Bool | I8 | U8 u8, I16 | U16 u16, I32 | U32 u32, I64 | U64 u64,
                F32 f32, F64 f64, C64 Complex32, C128 Complex64
            ],
            $T => $make
        )
    };
}

/// The loop of an operation whose operands have the given dtypes.
///
/// `None` if the operation has no such signature, and for half types that are computed like in
/// NumPy: operands widened to f32, the f32 loop, and its result rounded.
pub fn elementwise(op: Op, inputs: &[DType]) -> Option<Loop> {
    /// The loops of an operation, by the dtypes of its operands.
    type Table = Box<[Option<Loop>]>;
    static TABLES: [OnceLock<Table>; Op::ALL.len()] = [const { OnceLock::new() }; Op::ALL.len()];
    const DTYPES: usize = DType::ALL.len();
    let place = match *inputs {
        [only] if op.arity() == 1 => only as usize,
        [left, right] if op.arity() == 2 => left as usize * DTYPES + right as usize,
        _ => return None,
    };
    let table = TABLES[op as usize].get_or_init(|| {
        let all = DType::ALL.iter();
        match op.arity() {
            1 => all.map(|&only| choose(op, &[only])).collect(),
            _ => {
                let pairs = all.flat_map(|&left| DType::ALL.iter().map(move |&it| [left, it]));
                pairs.map(|pair| choose(op, &pair)).collect()
            }
        }
    });
    table[place]
}

/// The loop of an operation for operands of these dtypes, as many as it takes.
fn choose(op: Op, inputs: &[DType]) -> Option<Loop> {
    if !op.signatures().iter().any(|signature| signature.inputs() == inputs) {
        return None;
    }
    let dtype = inputs[0];
    match op {
        Op::Add => widths!(dtype, T => binary(|a: T, b: T| a.wrapping_add(b)))
            .or_else(|| floats!(dtype, T => binary(|a: T, b: T| a + b)))
            .or_else(|| complexes!(dtype, T => binary(|a: Complex<T>, b: Complex<T>| a + b)))
            .or_else(|| bools!(dtype, T => binary(|a: T, b: T| a | b))),
        Op::Subtract => widths!(dtype, T => binary(|a: T, b: T| a.wrapping_sub(b)))
            .or_else(|| floats!(dtype, T => binary(|a: T, b: T| a - b)))
            .or_else(|| complexes!(dtype, T => binary(|a: Complex<T>, b: Complex<T>| a - b))),
        Op::Multiply => widths!(dtype, T => binary(|a: T, b: T| a.wrapping_mul(b)))
            .or_else(|| floats!(dtype, T => binary(|a: T, b: T| a * b)))
            .or_else(|| complexes!(dtype, T => binary(complex::multiply::<T>)))
            .or_else(|| bools!(dtype, T => binary(|a: T, b: T| a & b))),
        Op::Divide => floats!(dtype, T => binary(|a: T, b: T| a / b))
            .or_else(|| complexes!(dtype, T => binary(complex::divide::<T>))),
        Op::FloorDivide => division::<Floor>(dtype)
            .or_else(|| floats!(dtype, T => binary(<T as Real>::floor_divide))),
        Op::Remainder => division::<Remainder>(dtype)
            .or_else(|| floats!(dtype, T => binary(<T as Real>::remainder))),
        Op::Fmod => {
            division::<Fmod>(dtype).or_else(|| floats!(dtype, T => binary(<T as Real>::fmod)))
        }
        Op::Power => integer_power(dtype).or_else(|| power(dtype)),
        Op::FloatPower => power(dtype),
        Op::Negative => widths!(dtype, T => unary(|a: T| a.wrapping_neg()))
            .or_else(|| floats!(dtype, T => unary(|a: T| -a)))
            .or_else(|| complexes!(dtype, T => unary(|a: Complex<T>| -a))),
        Op::Positive => copy(dtype),
        Op::Absolute => absolute(dtype),
        Op::Fabs => floats!(dtype, T => unary(<T as Real>::abs)),
        Op::Sign => integers!(dtype, T => unary(<T as Integer>::sign))
            .or_else(|| floats!(dtype, T => unary(<T as Real>::sign)))
            .or_else(|| complexes!(dtype, T => unary(complex::sign::<T>))),
        Op::Reciprocal => integers!(dtype, T => unary(<T as Integer>::reciprocal))
            .or_else(|| floats!(dtype, T => unary(|a: T| 1.0 / a)))
            .or_else(|| complexes!(dtype, T => unary(complex::reciprocal::<T>))),
        Op::Square => widths!(dtype, T => unary(|a: T| a.wrapping_mul(a)))
            .or_else(|| floats!(dtype, T => unary(|a: T| a * a)))
            .or_else(|| complexes!(dtype, T => unary(|a: Complex<T>| complex::multiply(a, a)))),
        Op::Sqrt => floats!(dtype, T => unary(<T as Real>::sqrt))
            .or_else(|| complex_function!(dtype, usual::sqrt, complex_functions::sqrt)),
        Op::Cbrt => floats!(dtype, T => inlined!(T, cbrt)),
        Op::Hypot => floats!(dtype, T => inlined!(T, T, hypot)),
        Op::Conjugate => complexes!(dtype, T => unary(|a: Complex<T>| Complex::new(a.re, -a.im)))
            .or_else(|| copy(dtype)),
        Op::Real => complexes!(dtype, T => unary(|a: Complex<T>| a.re)).or_else(|| copy(dtype)),
        Op::Imag => complexes!(dtype, T => unary(|a: Complex<T>| a.im)).or_else(|| zero(dtype)),
        Op::Complex => floats!(dtype, T => binary(|a: T, b: T| Complex::new(a, b))),

        Op::Exp => real_or_complex!(dtype, exp, exp, complex_functions::exp),
        Op::Exp2 => real_or_complex!(dtype, exp2, exp2, complex_functions::exp2),
        Op::Expm1 => real_or_complex!(dtype, expm1, expm1, complex_functions::expm1),
        Op::Log => real_or_complex!(dtype, log, log, complex_functions::log),
        Op::Log2 => real_or_complex!(dtype, log2, log2, complex_functions::log2),
        Op::Log10 => real_or_complex!(dtype, log10, log10, complex_functions::log10),
        Op::Log1p => real_or_complex!(dtype, log1p, log1p, complex_functions::log1p),
        Op::LogAddExp => floats!(dtype, T => inlined!(T, T, logaddexp)),
        Op::LogAddExp2 => floats!(dtype, T => inlined!(T, T, logaddexp2)),

        Op::Sin => trigonometric!(dtype, sin, sin_far, sin, complex_functions::sin),
        Op::Cos => trigonometric!(dtype, cos, cos_far, cos, complex_functions::cos),
        Op::Tan => trigonometric!(dtype, tan, tan_far, tan, complex_functions::tan),
        Op::Sinh => real_or_complex!(dtype, sinh, sinh, complex_functions::sinh),
        Op::Cosh => real_or_complex!(dtype, cosh, cosh, complex_functions::cosh),
        Op::Tanh => real_or_complex!(dtype, tanh, tanh, complex_functions::tanh),
        Op::Arcsin => real_or_complex!(dtype, asin, arcsin, complex_inverse::arcsin),
        Op::Arccos => real_or_complex!(dtype, acos, arccos, complex_inverse::arccos),
        Op::Arctan => real_or_complex!(dtype, atan, arctan, complex_inverse::arctan),
        Op::Arcsinh => real_or_complex!(dtype, asinh, arcsinh, complex_inverse::arcsinh),
        Op::Arccosh => real_or_complex!(dtype, acosh, arccosh, complex_inverse::arccosh),
        Op::Arctanh => real_or_complex!(dtype, atanh, arctanh, complex_inverse::arctanh),
        Op::Arctan2 => floats!(dtype, T => inlined!(T, T, atan2)),
        Op::Deg2rad | Op::Radians => floats!(dtype, T => unary(|a: T| a * <T as Real>::DEGREE)),
        Op::Rad2deg | Op::Degrees => floats!(dtype, T => unary(|a: T| a * <T as Real>::RADIAN)),

        Op::Floor => floats!(dtype, T => unary(<T as Real>::floor)).or_else(|| copy(dtype)),
        Op::Ceil => floats!(dtype, T => unary(<T as Real>::ceil)).or_else(|| copy(dtype)),
        Op::Trunc => floats!(dtype, T => unary(<T as Real>::trunc)).or_else(|| copy(dtype)),
        Op::ModfIntegral => floats!(dtype, T => unary(<T as Real>::trunc)),
        Op::Rint => floats!(dtype, T => unary(<T as Real>::rint)).or_else(|| {
            complexes!(dtype, T => unary(
                |a: Complex<T>| Complex::new(Real::rint(a.re), Real::rint(a.im))
            ))
        }),
        Op::ModfFractional => floats!(dtype, T => unary(<T as Real>::fraction)),
        Op::FrexpMantissa => floats!(dtype, T => unary(|a: T| Real::frexp(a).0)),
        Op::FrexpExponent => floats!(dtype, T => unary(|a: T| Real::frexp(a).1)),
        Op::Ldexp => ldexp(dtype, inputs[1]),
        Op::Copysign => floats!(dtype, T => binary(<T as Real>::copysign)),
        Op::Nextafter => nextafter(dtype),
        Op::Spacing => spacing(dtype),
        Op::Heaviside => floats!(dtype, T => binary(<T as Real>::heaviside)),

        Op::Equal => equal(inputs),
        Op::NotEqual => not_equal(inputs),
        Op::Less => less(inputs),
        Op::LessEqual => less_equal(inputs),
        Op::Greater => greater(inputs),
        Op::GreaterEqual => greater_equal(inputs),
        Op::Maximum => ordered!(dtype, T => binary(|a: T, b: T| a.max(b)))
            .or_else(|| floats!(dtype, T => binary(<T as Real>::maximum)))
            .or_else(|| complexes!(dtype, T => binary(complex::maximum::<T>))),
        Op::Minimum => ordered!(dtype, T => binary(|a: T, b: T| a.min(b)))
            .or_else(|| floats!(dtype, T => binary(<T as Real>::minimum)))
            .or_else(|| complexes!(dtype, T => binary(complex::minimum::<T>))),
        Op::Fmax => floats!(dtype, T => binary(<T as Real>::fmax))
            .or_else(|| complexes!(dtype, T => binary(complex::fmax::<T>)))
            .or_else(|| elementwise(Op::Maximum, inputs)),
        Op::Fmin => floats!(dtype, T => binary(<T as Real>::fmin))
            .or_else(|| complexes!(dtype, T => binary(complex::fmin::<T>)))
            .or_else(|| elementwise(Op::Minimum, inputs)),
        Op::Isnan => floats!(dtype, T => unary(<T as Real>::is_nan))
            .or_else(|| complexes!(dtype, T => unary(complex::is_nan::<T>)))
            .or_else(|| constant_of_integers(dtype, || unary(|_: u8| false))),
        Op::Isinf => floats!(dtype, T => unary(<T as Real>::is_infinite))
            .or_else(|| complexes!(dtype, T => unary(complex::is_infinite::<T>)))
            .or_else(|| constant_of_integers(dtype, || unary(|_: u8| false))),
        Op::Isfinite => floats!(dtype, T => unary(<T as Real>::is_finite))
            .or_else(|| complexes!(dtype, T => unary(complex::is_finite::<T>)))
            .or_else(|| constant_of_integers(dtype, || unary(|_: u8| true))),
        Op::Signbit => floats!(dtype, T => unary(<T as Real>::is_negative)),

        Op::LogicalAnd => truths!(dtype, T => binary(|a: T, b: T| a.truth() & b.truth())),
        Op::LogicalOr => truths!(dtype, T => binary(|a: T, b: T| a.truth() | b.truth())),
        Op::LogicalXor => truths!(dtype, T => binary(|a: T, b: T| a.truth() ^ b.truth())),
        Op::LogicalNot => truths!(dtype, T => unary(|a: T| !a.truth())),

        Op::BitwiseAnd => bits!(dtype, T => binary(|a: T, b: T| a & b)),
        Op::BitwiseOr => bits!(dtype, T => binary(|a: T, b: T| a | b)),
        Op::BitwiseXor => bits!(dtype, T => binary(|a: T, b: T| a ^ b)),
        Op::Invert => widths!(dtype, T => unary(|a: T| !a))
            .or_else(|| bools!(dtype, T => unary(|a: T| a ^ 1))),
        Op::LeftShift => integers!(dtype, T => binary(<T as Integer>::shift_left)),
        Op::RightShift => integers!(dtype, T => binary(<T as Integer>::shift_right)),
        Op::BitwiseCount => integers!(dtype, T => unary(<T as Integer>::bit_count)),
        Op::Gcd => integers!(dtype, T => binary(<T as Integer>::gcd)),
        Op::Philox => Some(binary(philox)),
        Op::Lcm => integers!(dtype, T => binary(<T as Integer>::lcm)),
    }
}

/// A value that is true unless it is zero; NaN is true.
trait Truth: Copy {
    fn truth(self) -> bool;
}

macro_rules! truth {
    ($($type:ty, $zero:expr;)*) => {$(
        impl Truth for $type {
            #[inline]
            fn truth(self) -> bool {
                self != $zero
            }
        }
    )*};
}
truth!(u8, 0; u16, 0; u32, 0; u64, 0; f32, 0.0; f64, 0.0;);

impl<T: Truth> Truth for Complex<T> {
    #[inline]
    fn truth(self) -> bool {
        self.re.truth() | self.im.truth()
    }
}

/// A constant answer for all integers and truth values; the loop reads bytes and ignores them.
fn constant_of_integers(dtype: DType, make: impl Fn() -> Loop) -> Option<Loop> {
    (!dtype.is_inexact()).then(make)
}

/// Copies the elements.
fn copy(dtype: DType) -> Option<Loop> {
    for_type!(
        dtype,
        [
            Bool | I8 | U8 u8, I16 | U16 u16, I32 | U32 | F32 u32, I64 | U64 | F64 | C64 u64,
            C128 Complex64
        ],
        T => unary(|a: T| a)
    )
}

/// Philox4x32-10 of a counter whose upper half is 0; the first two of the four words.
///
/// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
/// 1, 2, 3" (SC 2011).
#[inline]
fn philox(counter: u64, key: u64) -> u64 {
    let mut words = [counter as u32, (counter >> 32) as u32, 0, 0];
    let mut keys = [key as u32, (key >> 32) as u32];
    for _ in 0..10 {
        let (a, b) = (u64::from(words[0]) * 0xd251_1f53, u64::from(words[2]) * 0xcd9e_8d57);
        words = [
            (b >> 32) as u32 ^ words[1] ^ keys[0],
            b as u32,
            (a >> 32) as u32 ^ words[3] ^ keys[1],
            a as u32,
        ];
        keys = [keys[0].wrapping_add(0x9e37_79b9), keys[1].wrapping_add(0xbb67_ae85)];
    }
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// Zero for every element.
fn zero(dtype: DType) -> Option<Loop> {
    for_type!(
        dtype,
        [
            Bool | I8 | U8 u8, I16 | U16 u16, I32 | U32 | F32 u32, I64 | U64 | F64 u64
        ],
        T => unary(|_: T| T::MIN)
    )
}

fn power(dtype: DType) -> Option<Loop> {
    for_each_level! {
        fn block[][](a: &mut [Column; 2], b: &[Column; 2], usual: &mut [bool; BLOCK]) {
            let [re, im] = a;
            for at in 0..BLOCK {
                let (exponent_re, exponent_im) = (b[0][at], b[1][at]);
                (re[at], im[at], usual[at]) =
                    usual::power(re[at], im[at], exponent_re, exponent_im);
            }
        }
    }
    unsafe fn run<T: Component>(inputs: &[*const u8], output: *mut u8, count: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            complex_loops::run_pair::<T>(inputs, output, count, block, complex_functions::power)
        };
    }
    match dtype {
        DType::C64 => Some(run::<f32> as Loop),
        DType::C128 => Some(run::<f64> as Loop),
        _ => floats!(dtype, T => inlined!(T, T, pow)),
    }
}

fn absolute(dtype: DType) -> Option<Loop> {
    match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            integers!(dtype, T => unary(<T as Integer>::absolute))
        }
        DType::F32 | DType::F64 => floats!(dtype, T => unary(<T as Real>::abs)),
        DType::C64 | DType::C128 => {
            complexes!(dtype, T => unary(|a: Complex<T>| Real::hypot(a.re, a.im)))
        }
        _ => copy(dtype),
    }
}

fn ldexp(dtype: DType, exponent: DType) -> Option<Loop> {
    // Beyond these bounds every finite number becomes infinity or zero.
    let clamp = |exponent: i64| exponent.clamp(-100_000, 100_000) as i32;
    match exponent {
        DType::I32 => floats!(dtype, T => binary(|a: T, b: i32| Real::ldexp(a, b))),
        DType::I64 => floats!(dtype, T => binary(move |a: T, b: i64| Real::ldexp(a, clamp(b)))),
        _ => None,
    }
}

fn nextafter(dtype: DType) -> Option<Loop> {
    match dtype {
        DType::F16 => Some(binary(half::nextafter::<0x7c00>)),
        DType::BF16 => Some(binary(half::nextafter::<0x7f80>)),
        _ => floats!(dtype, T => binary(<T as Real>::nextafter)),
    }
}

fn spacing(dtype: DType) -> Option<Loop> {
    match dtype {
        DType::F16 => Some(unary(half::f16_spacing)),
        DType::BF16 => Some(unary(half::bf16_spacing)),
        _ => floats!(dtype, T => unary(<T as Real>::spacing)),
    }
}
