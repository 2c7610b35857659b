//! Constants of C and CUDA.

use super::types::Type;
use super::values::Value;
use phalanx_ops::DType;
use std::f64::consts;

/// Constants of the type `double`; those of CUDA's header have the same names with an `F` for
/// `float`.
const REALS: [(&str, f64); 38] = [
    ("M_PI", consts::PI),
    ("M_PI_2", consts::FRAC_PI_2),
    ("M_PI_4", consts::FRAC_PI_4),
    ("M_1_PI", consts::FRAC_1_PI),
    ("M_2_PI", consts::FRAC_2_PI),
    ("M_2_SQRTPI", consts::FRAC_2_SQRT_PI),
    ("M_E", consts::E),
    ("M_SQRT2", consts::SQRT_2),
    ("M_SQRT1_2", consts::FRAC_1_SQRT_2),
    ("M_LN2", consts::LN_2),
    ("M_LN10", consts::LN_10),
    ("M_LOG2E", consts::LOG2_E),
    ("M_LOG10E", consts::LOG10_E),
    ("HUGE_VAL", f64::INFINITY),
    ("DBL_MAX", f64::MAX),
    ("DBL_MIN", f64::MIN_POSITIVE),
    ("DBL_EPSILON", f64::EPSILON),
    ("DBL_TRUE_MIN", 5e-324),
    ("DBL_DENORM_MIN", 5e-324),
    ("CUDART_PI", consts::PI),
    ("CUDART_INF", f64::INFINITY),
    ("CUDART_NAN", f64::NAN),
    ("CUDART_SQRT_TWO", consts::SQRT_2),
    ("CUDART_LNTWO", consts::LN_2),
    ("CUDART_L2E", consts::LOG2_E),
    ("CUDART_PIO2", consts::FRAC_PI_2),
    ("CUDART_PIO4", consts::FRAC_PI_4),
    ("CUDART_2OPI", consts::FRAC_2_PI),
    ("CUDART_3PIO4", 3.0 * consts::FRAC_PI_4),
    ("CUDART_ZERO", 0.0),
    ("CUDART_NEG_ZERO", -0.0),
    ("CUDART_ONE", 1.0),
    ("CUDART_SQRT_HALF", consts::FRAC_1_SQRT_2),
    ("CUDART_THIRD", 1.0 / 3.0),
    ("CUDART_L2T", consts::LOG2_10),
    ("CUDART_LG2", consts::LOG10_2),
    ("CUDART_LGE", consts::LOG10_E),
    ("CUDART_LNT", consts::LN_10),
];

/// Constants of the type `float`.
const SINGLES: [(&str, f32); 11] = [
    ("INFINITY", f32::INFINITY),
    ("HUGE_VALF", f32::INFINITY),
    ("NAN", f32::NAN),
    ("FLT_MAX", f32::MAX),
    ("FLT_MIN", f32::MIN_POSITIVE),
    ("FLT_EPSILON", f32::EPSILON),
    ("FLT_TRUE_MIN", f32::from_bits(1)),
    ("FLT_DENORM_MIN", f32::from_bits(1)),
    ("CUDART_MAX_NORMAL_F", f32::MAX),
    ("CUDART_MIN_DENORM_F", f32::from_bits(1)),
    ("CUDART_LN2_F", consts::LN_2 as f32),
];

/// Constants that are integers. `char` has a sign, as on GPUs.
const INTEGERS: [(&str, i128, DType); 46] = [
    ("CHAR_BIT", 8, DType::I32),
    ("CHAR_MIN", i8::MIN as i128, DType::I32),
    ("CHAR_MAX", i8::MAX as i128, DType::I32),
    ("SCHAR_MIN", i8::MIN as i128, DType::I32),
    ("SCHAR_MAX", i8::MAX as i128, DType::I32),
    ("UCHAR_MAX", u8::MAX as i128, DType::I32),
    ("SHRT_MIN", i16::MIN as i128, DType::I32),
    ("SHRT_MAX", i16::MAX as i128, DType::I32),
    ("USHRT_MAX", u16::MAX as i128, DType::I32),
    ("INT_MIN", i32::MIN as i128, DType::I32),
    ("INT_MAX", i32::MAX as i128, DType::I32),
    ("UINT_MAX", u32::MAX as i128, DType::U32),
    ("LONG_MIN", i64::MIN as i128, DType::I64),
    ("LONG_MAX", i64::MAX as i128, DType::I64),
    ("ULONG_MAX", u64::MAX as i128, DType::U64),
    ("LLONG_MIN", i64::MIN as i128, DType::I64),
    ("LLONG_MAX", i64::MAX as i128, DType::I64),
    ("ULLONG_MAX", u64::MAX as i128, DType::U64),
    ("INT8_MIN", i8::MIN as i128, DType::I32),
    ("INT8_MAX", i8::MAX as i128, DType::I32),
    ("UINT8_MAX", u8::MAX as i128, DType::I32),
    ("INT16_MIN", i16::MIN as i128, DType::I32),
    ("INT16_MAX", i16::MAX as i128, DType::I32),
    ("UINT16_MAX", u16::MAX as i128, DType::I32),
    ("INT32_MIN", i32::MIN as i128, DType::I32),
    ("INT32_MAX", i32::MAX as i128, DType::I32),
    ("UINT32_MAX", u32::MAX as i128, DType::U32),
    ("INT64_MIN", i64::MIN as i128, DType::I64),
    ("INT64_MAX", i64::MAX as i128, DType::I64),
    ("UINT64_MAX", u64::MAX as i128, DType::U64),
    ("SIZE_MAX", u64::MAX as i128, DType::U64),
    ("FLT_RADIX", 2, DType::I32),
    ("FLT_DIG", f32::DIGITS as i128, DType::I32),
    ("FLT_DECIMAL_DIG", 9, DType::I32),
    ("FLT_MANT_DIG", f32::MANTISSA_DIGITS as i128, DType::I32),
    ("FLT_MIN_EXP", f32::MIN_EXP as i128, DType::I32),
    ("FLT_MAX_EXP", f32::MAX_EXP as i128, DType::I32),
    ("FLT_MIN_10_EXP", f32::MIN_10_EXP as i128, DType::I32),
    ("FLT_MAX_10_EXP", f32::MAX_10_EXP as i128, DType::I32),
    ("DBL_DIG", f64::DIGITS as i128, DType::I32),
    ("DBL_DECIMAL_DIG", 17, DType::I32),
    ("DBL_MANT_DIG", f64::MANTISSA_DIGITS as i128, DType::I32),
    ("DBL_MIN_EXP", f64::MIN_EXP as i128, DType::I32),
    ("DBL_MAX_EXP", f64::MAX_EXP as i128, DType::I32),
    ("DBL_MIN_10_EXP", f64::MIN_10_EXP as i128, DType::I32),
    ("DBL_MAX_10_EXP", f64::MAX_10_EXP as i128, DType::I32),
];

/// The value of a name that C or CUDA defines.
pub(super) fn constant(name: &str) -> Option<Value> {
    let real = |name: &str| REALS.iter().find(|(known, _)| *known == name).map(|(_, it)| *it);
    if let "true" | "false" = name {
        return Some(Value::bool(name == "true"));
    }
    if let Some(number) = real(name) {
        return Some(Value::real(number, Type(DType::F64)));
    }
    let single = SINGLES.iter().find(|(known, _)| *known == name);
    let single = single.map(|(_, number)| f64::from(*number));
    let of_header = || real(name.strip_suffix("_F").filter(|name| name.starts_with("CUDART_"))?);
    if let Some(number) = single.or_else(of_header) {
        return Some(Value::real(number, Type(DType::F32)));
    }
    let integer = INTEGERS.iter().find(|(known, ..)| *known == name);
    integer.map(|(_, number, of)| Value::integer(*number, Type(*of)))
}
