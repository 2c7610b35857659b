//! Elements of any dtype as numbers.

use phalanx::DType;

/// A number of any kind.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// A truth value or an integer.
    Whole(i128),
    /// A float.
    Real(f64),
    /// A complex number.
    Complex(f64, f64),
}

impl Number {
    /// The real and the imaginary part.
    pub fn parts(self) -> [f64; 2] {
        match self {
            Number::Whole(value) => [value as f64, 0.0],
            Number::Real(value) => [value, 0.0],
            Number::Complex(real, imaginary) => [real, imaginary],
        }
    }

    /// The modulus; 0 for numbers that are not finite.
    pub fn magnitude(self) -> f64 {
        let [real, imaginary] = self.parts();
        let modulus = real.hypot(imaginary);
        if modulus.is_finite() { modulus } else { 0.0 }
    }
}

/// The numbers that bytes hold.
pub fn numbers(dtype: DType, bytes: &[u8]) -> Vec<Number> {
    bytes.chunks_exact(dtype.size()).map(|chunk| number(dtype, chunk)).collect()
}

/// The number in the bytes of one element.
fn number(dtype: DType, bytes: &[u8]) -> Number {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes[..N].try_into().expect("bug: an element that is too short")
    }
    let single = |at: usize| f64::from(f32::from_ne_bytes(array(&bytes[at..])));
    let double = |at: usize| f64::from_ne_bytes(array(&bytes[at..]));
    match dtype {
        // Any byte except 0 is true: views of other elements contain such bytes.
        DType::Bool => Number::Whole(i128::from(bytes[0] != 0)),
        DType::I8 => Number::Whole(i8::from_ne_bytes(array(bytes)).into()),
        DType::I16 => Number::Whole(i16::from_ne_bytes(array(bytes)).into()),
        DType::I32 => Number::Whole(i32::from_ne_bytes(array(bytes)).into()),
        DType::I64 => Number::Whole(i64::from_ne_bytes(array(bytes)).into()),
        DType::U8 => Number::Whole(bytes[0].into()),
        DType::U16 => Number::Whole(u16::from_ne_bytes(array(bytes)).into()),
        DType::U32 => Number::Whole(u32::from_ne_bytes(array(bytes)).into()),
        DType::U64 => Number::Whole(u64::from_ne_bytes(array(bytes)).into()),
        DType::F16 => Number::Real(half(u16::from_ne_bytes(array(bytes)), 5)),
        DType::BF16 => Number::Real(half(u16::from_ne_bytes(array(bytes)), 8)),
        DType::F32 => Number::Real(single(0)),
        DType::F64 => Number::Real(double(0)),
        DType::C64 => Number::Complex(single(0), single(4)),
        DType::C128 => Number::Complex(double(0), double(8)),
    }
}

/// The number in 16 bits, of which `exponent_bits` are the exponent.
fn half(bits: u16, exponent_bits: u32) -> f64 {
    let fraction_bits = 15 - exponent_bits;
    let most = (1 << exponent_bits) - 1;
    let exponent = i32::from((bits & 0x7fff) >> fraction_bits);
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(1 - bias),
        _ if exponent != most => (1.0 + fraction) * 2f64.powi(exponent - bias),
        _ if fraction == 0.0 => f64::INFINITY,
        _ => f64::NAN,
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The distance from 1 to the next number of a dtype; 0 for integers.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        DType::F32 | DType::C64 => f32::EPSILON.into(),
        DType::F64 | DType::C128 => f64::EPSILON,
        _ => 0.0,
    }
}
