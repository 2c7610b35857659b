//! The inputs. Those of `numpy_peer.py` have the same bits.

use phalanx::{Array, DType, Element, from_slice};

/// The precision of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Precision {
    pub fn name(self) -> &'static str {
        self.dtype().name()
    }

    pub fn dtype(self) -> DType {
        match self {
            Precision::Single => DType::F32,
            Precision::Double => DType::F64,
        }
    }

    /// The unit of the last place of 1.
    pub fn epsilon(self) -> f64 {
        match self {
            Precision::Single => f64::from(f32::EPSILON),
            Precision::Double => f64::EPSILON,
        }
    }
}

/// An input: random numbers from `low` up to but not including `high`.
pub struct Input {
    pub shape: &'static [usize],
    pub low: f64,
    pub high: f64,
}

/// An input of numbers from 0 up to but not including 1.
pub const fn unit(shape: &'static [usize]) -> Input {
    Input { shape, low: 0.0, high: 1.0 }
}

impl Input {
    /// The evaluated array; `number` distinguishes the inputs of a case.
    pub fn array(&self, number: usize, precision: Precision) -> Result<Array, String> {
        let array = match precision {
            Precision::Single => self.filled(number, |value| value as f32),
            Precision::Double => self.filled(number, |value| value),
        };
        array.evaluate().map_err(|error| error.to_string())?;
        Ok(array)
    }

    fn filled<T: Element>(&self, number: usize, convert: impl Fn(f64) -> T) -> Array {
        let size: usize = self.shape.iter().product();
        let start = (number as u64) << 40;
        let value = |index: u64| self.low + (self.high - self.low) * fraction(start + index);
        let values: Vec<T> = (0..size as u64).map(|index| convert(value(index))).collect();
        from_slice(&values, self.shape.to_vec())
    }
}

/// A number from 0 up to but not including 1, with 24 bits, which every precision holds exactly.
///
/// Source: the mixing function of Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
/// generators".
fn fraction(index: u64) -> f64 {
    let mut mixed = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 40) as f64 / f64::from(1 << 24)
}
