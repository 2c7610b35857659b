//! The distance between two elements.

use num_complex::Complex64;
use phalanx_ops::{DType, Kind, Scalar, Weak};

/// The distance of an element from the expected one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Distance {
    /// In units in the last place of the expected element (for complex numbers, of its larger
    /// component).
    Ulp(f64),
    /// Different for a reason that no unit measures.
    Other(&'static str),
}

impl Distance {
    pub fn within(self, ulp: f64) -> bool {
        matches!(self, Distance::Ulp(distance) if distance <= ulp)
    }

    /// The larger of two distances.
    pub fn larger(self, other: Distance) -> Distance {
        match (self, other) {
            (Distance::Ulp(a), Distance::Ulp(b)) => Distance::Ulp(a.max(b)),
            (Distance::Ulp(_), other) | (other, _) => other,
        }
    }
}

/// The distance between two elements of a dtype, given as their bytes.
pub fn distance(dtype: DType, computed: &[u8], expected: &[u8]) -> Distance {
    if dtype.kind() < Kind::Float {
        return if computed == expected {
            Distance::Ulp(0.0)
        } else {
            Distance::Other("not equal")
        };
    }
    match (weak(dtype, computed), weak(dtype, expected)) {
        (Weak::Float(computed), Weak::Float(expected)) => {
            Grid::of(dtype).distance(computed, expected, expected)
        }
        (Weak::Complex(computed), Weak::Complex(expected)) => {
            complex_distance(dtype, computed, expected)
        }
        _ => unreachable!("both elements are inexact and of one dtype"),
    }
}

/// The distance between two complex numbers.
pub fn complex_distance(dtype: DType, computed: Complex64, expected: Complex64) -> Distance {
    let grid = Grid::of(dtype);
    let finite = |value: f64| if value.is_finite() { value.abs() } else { 0.0 };
    let larger = finite(expected.re).max(finite(expected.im));
    // C does not specify the signs of zeros and infinities beside a NaN.
    let component = |computed: f64, expected: f64, beside: f64| {
        if beside.is_nan() && computed.abs() == expected.abs() {
            Distance::Ulp(0.0)
        } else {
            grid.distance(computed, expected, larger)
        }
    };
    let re = component(computed.re, expected.re, expected.im);
    let im = component(computed.im, expected.im, expected.re);
    re.larger(im)
}

/// The number that the bytes of an element encode.
pub fn weak(dtype: DType, element: &[u8]) -> Weak {
    Scalar::from_bytes(dtype, element).to_weak()
}

/// The grid of a floating-point format.
pub struct Grid {
    fraction_bits: i32,
    smallest_exponent: i32,
    largest: f64,
}

impl Grid {
    pub fn of(dtype: DType) -> Grid {
        match dtype {
            DType::F16 => Grid { fraction_bits: 10, smallest_exponent: -14, largest: 65504.0 },
            DType::F32 | DType::C64 => {
                Grid { fraction_bits: 23, smallest_exponent: -126, largest: f32::MAX.into() }
            }
            DType::F64 | DType::C128 => {
                Grid { fraction_bits: 52, smallest_exponent: -1022, largest: f64::MAX }
            }
            other => panic!("the data hold no {other}"),
        }
    }

    /// The unit in the last place of numbers as large as `scale`.
    fn unit(&self, scale: f64) -> f64 {
        let exponent = if scale == 0.0 { self.smallest_exponent } else { exponent(scale) };
        power_of_two(exponent.max(self.smallest_exponent) - self.fraction_bits)
    }

    /// The distance in units in the last place of numbers as large as `scale`.
    pub fn distance(&self, computed: f64, expected: f64, scale: f64) -> Distance {
        if computed.is_nan() || expected.is_nan() {
            return if computed.is_nan() && expected.is_nan() {
                Distance::Ulp(0.0)
            } else {
                Distance::Other("NaN on one side")
            };
        }
        if computed == expected {
            return if computed == 0.0 && computed.is_sign_negative() != expected.is_sign_negative()
            {
                Distance::Other("zeros of different sign")
            } else {
                Distance::Ulp(0.0)
            };
        }
        // Infinity is one step beyond the largest number.
        let step = self.unit(self.largest);
        let finite = |value: f64| match value {
            f64::INFINITY => self.largest,
            f64::NEG_INFINITY => -self.largest,
            value => value,
        };
        let steps = f64::from(computed.is_infinite() || expected.is_infinite());
        let difference = (finite(computed) - finite(expected)).abs();
        if difference > 1e6 * step && steps > 0.0 {
            return Distance::Other("infinite on one side");
        }
        // The division can overflow; no bound is that large.
        Distance::Ulp((difference / self.unit(scale.abs())).min(1e300) + steps)
    }
}

fn power_of_two(exponent: i32) -> f64 {
    if exponent < -1022 {
        f64::from_bits(1 << (exponent + 1074))
    } else {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    }
}

fn exponent(value: f64) -> i32 {
    let bits = ((value.to_bits() >> 52) & 0x7ff) as i32;
    if bits == 0 { -1022 } else { bits - 1023 }
}

#[test]
fn distances_count_steps_of_the_grid() {
    let f64s = |a: f64, b: f64| distance(DType::F64, &a.to_ne_bytes(), &b.to_ne_bytes());
    assert_eq!(f64s(1.0, 1.0 + f64::EPSILON), Distance::Ulp(1.0));
    assert_eq!(f64s(5e-324, 0.0), Distance::Ulp(1.0));
    assert_eq!(f64s(f64::MAX, f64::INFINITY), Distance::Ulp(1.0));
    assert_eq!(f64s(f64::NAN, -f64::NAN), Distance::Ulp(0.0));
    assert_eq!(f64s(1.0, f64::INFINITY), Distance::Other("infinite on one side"));
    assert_eq!(f64s(0.0, -0.0), Distance::Other("zeros of different sign"));
    let f32s = |a: f32, b: f32| distance(DType::F32, &a.to_ne_bytes(), &b.to_ne_bytes());
    assert_eq!(f32s(1.0, 1.0 + 2.0 * f32::EPSILON), Distance::Ulp(2.0));
    assert_eq!(f32s(1e-45, 0.0), Distance::Ulp(1.0));
}
