//! Promotion: the common dtype of two dtypes, as in NumPy 2 (NEP 50), with bfloat16 added.
//!
//! bfloat16 with bool or 8-bit integers gives bfloat16; with f16, 16-bit integers or f32, f32; with
//! wider integers or f64, f64; with a complex dtype, that dtype.

use crate::dtype::{DType, Kind};
use crate::scalar::Weak;

const DTYPES: usize = DType::ALL.len();

const PROMOTIONS: &[[DType; DTYPES]; DTYPES] = &promotions();

/// The dtype that NumPy's `result_type` returns for two dtypes.
pub const fn promote(a: DType, b: DType) -> DType {
    PROMOTIONS[a as usize][b as usize]
}

/// The dtype that NumPy's `result_type` returns for an array dtype and a Python number.
///
/// The value of the number never matters. Its kind matters only if it is above the dtype's kind.
pub const fn promote_weak(dtype: DType, weak: Weak) -> DType {
    match (weak.kind(), dtype.kind()) {
        (Kind::Bool, _) => dtype,
        (Kind::Signed | Kind::Unsigned, Kind::Bool) => DType::I64,
        (Kind::Signed | Kind::Unsigned, _) => dtype,
        (Kind::Float, Kind::Float | Kind::Complex) => dtype,
        (Kind::Float, Kind::Bool | Kind::Signed | Kind::Unsigned) => DType::F64,
        (Kind::Complex, Kind::Complex) => dtype,
        (Kind::Complex, Kind::Float) => match dtype {
            DType::F64 => DType::C128,
            _ => DType::C64,
        },
        (Kind::Complex, Kind::Bool | Kind::Signed | Kind::Unsigned) => DType::C128,
    }
}

/// The dtype of a Python number without an array: bool, i64, f64 or c128.
pub const fn default_dtype(weak: Weak) -> DType {
    match weak {
        Weak::Bool(_) => DType::Bool,
        Weak::Int(_) | Weak::Large(_) => DType::I64,
        Weak::Float(_) => DType::F64,
        Weak::Complex(_) => DType::C128,
    }
}

const fn promotions() -> [[DType; DTYPES]; DTYPES] {
    let mut table = [[DType::Bool; DTYPES]; DTYPES];
    let mut a = 0;
    while a < DTYPES {
        let mut b = 0;
        while b < DTYPES {
            table[a][b] = computed(DType::ALL[a], DType::ALL[b]);
            b += 1;
        }
        a += 1;
    }
    table
}

const fn computed(a: DType, b: DType) -> DType {
    if a as u8 == b as u8 {
        return a;
    }
    match (a.kind(), b.kind()) {
        (Kind::Bool, _) => b,
        (_, Kind::Bool) => a,
        (Kind::Signed, Kind::Signed)
        | (Kind::Unsigned, Kind::Unsigned)
        | (Kind::Complex, Kind::Complex) => {
            if a.size() > b.size() {
                a
            } else {
                b
            }
        }
        (Kind::Signed, Kind::Unsigned) => signed_with_unsigned(a, b),
        (Kind::Unsigned, Kind::Signed) => signed_with_unsigned(b, a),
        (Kind::Float, Kind::Float) if a.size() == b.size() => DType::F32,
        (Kind::Float, Kind::Float) => {
            if a.size() > b.size() {
                a
            } else {
                b
            }
        }
        (Kind::Float, Kind::Signed | Kind::Unsigned) => float_with_integer(a, b),
        (Kind::Signed | Kind::Unsigned, Kind::Float) => float_with_integer(b, a),
        (Kind::Complex, _) => complex_with_real(a, b),
        (_, Kind::Complex) => complex_with_real(b, a),
    }
}

const fn signed_with_unsigned(signed: DType, unsigned: DType) -> DType {
    if signed.size() > unsigned.size() {
        return signed;
    }
    match unsigned.size() {
        1 => DType::I16,
        2 => DType::I32,
        4 => DType::I64,
        _ => DType::F64,
    }
}

const fn float_with_integer(float: DType, integer: DType) -> DType {
    let exact = match integer.size() {
        1 => return float,
        2 => DType::F32,
        _ => DType::F64,
    };
    if float.size() > exact.size() { float } else { exact }
}

const fn complex_with_real(complex: DType, real: DType) -> DType {
    let wide = matches!(real, DType::F64) || (real.is_integer() && real.size() >= 4);
    if wide { DType::C128 } else { complex }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    #[test]
    fn bfloat16_follows_its_rules() {
        use DType::*;
        let expected = [
            (Bool, BF16),
            (I8, BF16),
            (I16, F32),
            (I32, F64),
            (I64, F64),
            (U8, BF16),
            (U16, F32),
            (U32, F64),
            (U64, F64),
            (F16, F32),
            (BF16, BF16),
            (F32, F32),
            (F64, F64),
            (C64, C64),
            (C128, C128),
        ];
        for (other, result) in expected {
            assert_eq!(promote(BF16, other), result, "bf16 with {other}");
            assert_eq!(promote(other, BF16), result, "{other} with bf16");
        }
        assert_eq!(promote_weak(BF16, Weak::Int(1)), BF16);
        assert_eq!(promote_weak(BF16, Weak::Float(1.0)), BF16);
        assert_eq!(promote_weak(BF16, Weak::Complex(Complex64::new(0.0, 1.0))), C64);
    }

    #[test]
    fn promotion_is_commutative_and_never_narrows() {
        for &a in DType::ALL {
            for &b in DType::ALL {
                let promoted = promote(a, b);
                assert_eq!(promoted, promote(b, a), "{a} with {b}");
                assert!(promoted.kind() >= a.kind().max(b.kind()), "{a} with {b}");
                assert!(promoted.size() >= a.size().max(b.size()), "{a} with {b}");
            }
        }
    }
}
