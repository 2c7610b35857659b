//! Bounds of integers that are known before the values are computed.
//!
//! Bounds follow from the program and from host data that all ranks declare equal, so all ranks
//! have the same bounds. A check of data is skipped where the bounds show that the operation cannot
//! fail. Here are the intervals and their arithmetic; `bounds` has the rule of each operation.

use phalanx_ops::{DType, Kind, Op, Scalar, Weak};

/// The smallest and the largest value that can occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    low: i64,
    high: i64,
}

impl Interval {
    /// The interval from `low` to `high`, if both fit `i64`.
    pub(crate) fn new(low: i128, high: i128) -> Option<Interval> {
        Some(Interval { low: low.try_into().ok()?, high: high.try_into().ok()? })
    }

    /// All values of the dtype; `None` for dtypes that are not integers and for `u64`, which
    /// exceeds `i64`.
    #[inline]
    pub(crate) fn of_dtype(dtype: DType) -> Option<Interval> {
        let bits = 8 * dtype.size() as u32;
        match dtype.kind() {
            Kind::Bool => Interval::new(0, 1),
            Kind::Unsigned => Interval::new(0, (1 << bits) - 1),
            Kind::Signed => Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Kind::Float | Kind::Complex => None,
        }
    }

    /// The non-negative values of a dtype.
    pub(crate) fn non_negative(dtype: DType) -> Option<Interval> {
        Interval::of_dtype(dtype).map(|all| Interval { low: 0, ..all })
    }

    /// The interval of one value; `None` if it is not an integer.
    pub(crate) fn of_scalar(scalar: &Scalar) -> Option<Interval> {
        match scalar.to_weak() {
            Weak::Int(value) => Interval::new(value, value),
            Weak::Bool(value) => Interval::new(value.into(), value.into()),
            Weak::Large(_) | Weak::Float(_) | Weak::Complex(_) => None,
        }
    }

    /// The interval of the elements of host data; `None` if they have no elements or if the dtype
    /// has no tighter bounds than its own.
    pub fn of_host(dtype: DType, bytes: &[u8]) -> Option<Interval> {
        macro_rules! bounds {
            ($type:ty) => {{
                let (elements, _) = bytes.as_chunks::<{ size_of::<$type>() }>();
                let read = |bytes: &[u8; size_of::<$type>()]| <$type>::from_ne_bytes(*bytes);
                let (low, high) = elements
                    .iter()
                    .map(read)
                    .fold((<$type>::MAX, <$type>::MIN), |(low, high), value| {
                        (low.min(value), high.max(value))
                    });
                if elements.is_empty() { None } else { Interval::new(low.into(), high.into()) }
            }};
        }
        match dtype {
            DType::I8 => bounds!(i8),
            DType::I16 => bounds!(i16),
            DType::I32 => bounds!(i32),
            DType::I64 => bounds!(i64),
            _ => None,
        }
    }

    /// Whether every value of `other` is in the interval.
    pub(crate) fn contains(self, other: Interval) -> bool {
        other.is_within(self.low, self.high)
    }

    /// Whether every value is from `low` to `high`.
    pub fn is_within(self, low: i64, high: i64) -> bool {
        low <= self.low && self.high <= high
    }

    /// Whether no element can be negative.
    #[inline]
    pub(crate) fn is_non_negative(self) -> bool {
        self.low >= 0
    }

    /// The smallest interval that contains both.
    pub(crate) fn hull(self, other: Interval) -> Option<Interval> {
        Some(Interval { low: self.low.min(other.low), high: self.high.max(other.high) })
    }

    /// The interval of the results of an operation of one operand.
    pub(crate) fn unary(self, op: Op) -> Option<Interval> {
        let (low, high) = (i128::from(self.low), i128::from(self.high));
        match op {
            Op::Positive => Some(self),
            Op::Negative => Interval::new(-high, -low),
            Op::Absolute if low >= 0 => Some(self),
            Op::Absolute => Interval::new(0, high.max(-low)),
            Op::Square => {
                let least = if low <= 0 && high >= 0 { 0 } else { (low * low).min(high * high) };
                Interval::new(least, (low * low).max(high * high))
            }
            _ => None,
        }
    }

    /// The interval of the results of an operation of two operands.
    pub(crate) fn binary(self, op: Op, other: Interval) -> Option<Interval> {
        let (low, high) = (i128::from(self.low), i128::from(self.high));
        let (least, most) = (i128::from(other.low), i128::from(other.high));
        match op {
            Op::Add => Interval::new(low + least, high + most),
            Op::Subtract => Interval::new(low - most, high - least),
            Op::Multiply => {
                let products = [low * least, low * most, high * least, high * most];
                Interval::new(*products.iter().min()?, *products.iter().max()?)
            }
            Op::Minimum => Interval::new(low.min(least), high.min(most)),
            Op::Maximum => Interval::new(low.max(least), high.max(most)),
            // The remainder has the sign of the divisor. The remainder of a division by zero is
            // zero.
            Op::Remainder if least >= 0 => Interval::new(0, (most - 1).max(0)),
            Op::FloorDivide if least >= 0 && low >= 0 => Interval::new(0, high),
            Op::RightShift if low >= 0 => Interval::new(0, high),
            Op::BitwiseAnd if low >= 0 && least >= 0 => Interval::new(0, high.min(most)),
            Op::BitwiseAnd if low >= 0 => Interval::new(0, high),
            Op::BitwiseAnd if least >= 0 => Interval::new(0, most),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: i64, high: i64) -> Interval {
        Interval { low, high }
    }

    /// Checks every operation on all values of all short intervals.
    #[test]
    fn intervals_hold_every_value() {
        let floor_divide = |a: i64, b: i64| if b == 0 { 0 } else { a.div_euclid(b) };
        let remainder = |a: i64, b: i64| if b == 0 { 0 } else { a.rem_euclid(b) };
        type Function<'a> = &'a dyn Fn(i64, i64) -> i64;
        let operations: [(Op, Function); 9] = [
            (Op::Add, &|a, b| a + b),
            (Op::Subtract, &|a, b| a - b),
            (Op::Multiply, &|a, b| a * b),
            (Op::Minimum, &|a, b| a.min(b)),
            (Op::Maximum, &|a, b| a.max(b)),
            (Op::BitwiseAnd, &|a, b| a & b),
            (Op::Remainder, &remainder),
            (Op::FloorDivide, &floor_divide),
            (Op::RightShift, &|a, b| a >> b.clamp(0, 63)),
        ];
        let all = || (-4..4).flat_map(|low| (low..4).map(move |high| interval(low, high)));
        for (op, function) in operations {
            let mut known = 0;
            for (left, right) in all().flat_map(|left| all().map(move |right| (left, right))) {
                let Some(found) = left.binary(op, right) else { continue };
                known += 1;
                for a in left.low..=left.high {
                    for b in right.low..=right.high {
                        let value = function(a, b);
                        let holds = found.low <= value && value <= found.high;
                        assert!(holds, "{op:?} of {a} in {left:?} and {b} in {right:?}: {found:?}");
                    }
                }
            }
            assert!(known > 0, "{op:?} has no rule");
        }
        for (op, function) in [
            (Op::Negative, (|a| -a) as fn(i64) -> i64),
            (Op::Absolute, i64::abs),
            (Op::Square, |a| a * a),
        ] {
            for of in all() {
                let found = of.unary(op).expect("a rule");
                let holds = |value: i64| found.low <= value && value <= found.high;
                assert!((of.low..=of.high).map(function).all(holds), "{op:?} of {of:?}");
            }
        }
    }

    #[test]
    fn host_data_have_their_least_and_largest() {
        let bytes: Vec<u8> = [3i16, -7, 0, 12].iter().flat_map(|v| v.to_ne_bytes()).collect();
        assert_eq!(Interval::of_host(DType::I16, &bytes), Some(interval(-7, 12)));
        assert_eq!(Interval::of_host(DType::I64, &[]), None);
        assert_eq!(Interval::of_host(DType::F64, &1f64.to_ne_bytes()), None);
    }
}
