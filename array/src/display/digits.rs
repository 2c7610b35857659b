//! Decimal digits of floats: the fewest digits that identify a value in its own dtype, or a given
//! number of digits.

use half::{bf16, f16};
use phalanx_ops::DType;

/// The dtype of a float, or of the parts of a complex number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Brain,
    Half,
    Single,
    Double,
}

impl Precision {
    /// The precision of the elements of a floating or complex dtype.
    pub(super) fn of(dtype: DType) -> Precision {
        match dtype {
            DType::BF16 => Precision::Brain,
            DType::F16 => Precision::Half,
            DType::F32 | DType::C64 => Precision::Single,
            _ => Precision::Double,
        }
    }

    /// The power of ten up to which every integer is exact, as NumPy counts. NumPy has no bfloat16;
    /// it is printed by the rules of float16.
    pub(super) fn decimals(self) -> i32 {
        match self {
            Precision::Brain | Precision::Half => 3,
            Precision::Single => 6,
            Precision::Double => 15,
        }
    }

    /// The value of this precision nearest to `value`.
    pub(super) fn round(self, value: f64) -> f64 {
        match self {
            Precision::Brain => bf16::from_f64(value).to_f64(),
            Precision::Half => f16::from_f64(value).to_f64(),
            Precision::Single => f64::from(value as f32),
            Precision::Double => value,
        }
    }

    /// The value of this precision that is nearest to a decimal number.
    fn read(self, decimal: &Decimal) -> f64 {
        let digits: String = decimal.digits.iter().map(|&digit| char::from(b'0' + digit)).collect();
        let text = format!("{digits}e{}", decimal.exponent + 1 - digits.len() as i32);
        // Single precision is parsed directly: parsing through double precision would round twice.
        // For the narrower dtypes, a short decimal number is never close enough to the middle of
        // two values for that to matter.
        match self {
            Precision::Single => text.parse::<f32>().map(f64::from),
            _ => text.parse::<f64>().map(|value| self.round(value)),
        }
        .expect("bug: digits and an exponent are no number")
    }
}

/// A decimal number. Its first digit has the weight `10^exponent`. Neither the first nor the last
/// digit is zero, except that zero has the single digit zero.
#[derive(Clone)]
pub(super) struct Decimal {
    digits: Vec<u8>,
    exponent: i32,
}

impl Decimal {
    fn new(mut digits: Vec<u8>, exponent: i32) -> Decimal {
        while digits.len() > 1 && digits.last() == Some(&0) {
            digits.pop();
        }
        Decimal { digits, exponent }
    }

    /// All digits of the absolute value of a finite number.
    pub(super) fn exact(value: f64) -> Decimal {
        let magnitude = value.abs();
        // No double has more than 767 digits. Doubles of usual size have at most 17 digits before
        // the point and 66 after it.
        let most = if (1e-4..1e17).contains(&magnitude) { 90 } else { 770 };
        let text = format!("{magnitude:.most$e}");
        let (mantissa, exponent) =
            text.split_once('e').expect("bug: scientific notation without an exponent");
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
        Decimal::new(digits, exponent.parse().expect("bug: an exponent that is no number"))
    }

    /// The two neighbours with `count` digits of this number, which has more digits: the lower and
    /// the upper one.
    fn around(&self, count: usize) -> [Decimal; 2] {
        let below = &self.digits[..count];
        let mut above = below.to_vec();
        let mut exponent = self.exponent;
        match above.iter().rposition(|&digit| digit < 9) {
            Some(last) => {
                above[last] += 1;
                above.truncate(last + 1);
            }
            None => {
                above = vec![1];
                exponent += 1;
            }
        }
        [Decimal::new(below.to_vec(), self.exponent), Decimal::new(above, exponent)]
    }

    /// The number with `count` digits for this exact value, and whether it reads back as the value.
    /// If both or neither of the two candidates read back, it is the nearer one; if both are
    /// equally near, it is the one with an even last digit.
    fn cut(&self, value: f64, precision: Precision, count: usize) -> (Decimal, bool) {
        if self.digits.len() <= count {
            return (self.clone(), true);
        }
        let [below, above] = self.around(count);
        let reads_back = |decimal| precision.read(decimal) == value.abs();
        let (low, high) = (reads_back(&below), reads_back(&above));
        let up = if low == high {
            let odd = self.digits[count - 1] % 2 == 1;
            let half = self.digits[count] == 5 && self.digits.len() == count + 1;
            if half { odd } else { self.digits[count] >= 5 }
        } else {
            high
        };
        (if up { above } else { below }, low || high)
    }

    /// The fewest digits that read back as `value`.
    pub(super) fn shortest(value: f64, precision: Precision) -> Decimal {
        let exact = Decimal::exact(value);
        let mut count = 1;
        loop {
            // The loop ends because all the digits read back as the value.
            let (decimal, alone) = exact.cut(value, precision, count);
            if alone {
                return decimal;
            }
            count += 1;
        }
    }

    /// The digits of `value`, rounded to `count` of them.
    pub(super) fn rounded(value: f64, precision: Precision, count: usize) -> Decimal {
        Decimal::exact(value).cut(value, precision, count).0
    }

    /// The number of digits.
    pub(super) fn count(&self) -> usize {
        self.digits.len()
    }

    /// The power of ten of the first digit.
    pub(super) fn exponent(&self) -> i32 {
        self.exponent
    }

    /// The digits before and after the point in positional notation.
    pub(super) fn positional(&self) -> [String; 2] {
        let digit = |power: i32| {
            let place = usize::try_from(self.exponent - power).ok();
            char::from(b'0' + place.and_then(|at| self.digits.get(at)).copied().unwrap_or(0))
        };
        let last = (self.exponent + 1 - self.digits.len() as i32).min(0);
        let before = (0..=self.exponent.max(0)).rev().map(digit).collect();
        [before, (last..0).rev().map(digit).collect()]
    }

    /// The first digit and the others.
    pub(super) fn mantissa(&self) -> [String; 2] {
        let text: String = self.digits.iter().map(|&digit| char::from(b'0' + digit)).collect();
        [text[..1].to_owned(), text[1..].to_owned()]
    }
}
