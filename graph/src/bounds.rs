//! The bounds of an operation's result, from those of its operands.

use crate::interval::Interval;
use crate::node::Operand;
use crate::operation::NodeOp;
use phalanx_ops::structured::{Order, Sort};
use phalanx_ops::{DType, Monoid, Structured};

impl Interval {
    fn of_operand(operand: &Operand) -> Option<Interval> {
        match operand {
            Operand::Scalar(scalar) => Interval::of_scalar(scalar),
            Operand::Value { node, .. } => node.interval(),
        }
    }

    /// The interval of the elements of an operation that is recorded now; `None` if it is unknown.
    pub(crate) fn of_result(
        op: &NodeOp,
        operands: &[Operand],
        shape: &[usize],
        dtype: DType,
    ) -> Option<Interval> {
        if !dtype.is_integer() {
            return None;
        }
        let operand = |position: usize| Interval::of_operand(&operands[position]);
        let found = match op {
            NodeOp::Index(axis) => Interval::new(0, (shape[*axis as usize] as i128 - 1).max(0)),
            // The same bytes in another dtype are other numbers.
            NodeOp::Reshape if operands[0].dtype() != dtype => None,
            NodeOp::Fill
            | NodeOp::Cast
            | NodeOp::Reshape
            | NodeOp::Compress
            | NodeOp::Reshard(_) => operand(0),
            NodeOp::Reduce { monoid: Monoid::Min | Monoid::Max, .. } => operand(0),
            NodeOp::Reduce { monoid: Monoid::ArgMin | Monoid::ArgMax, .. } => {
                Interval::non_negative(dtype)
            }
            NodeOp::Select => operand(1)?.hull(operand(2)?),
            NodeOp::Update(_) => operand(0)?.hull(operand(1)?),
            NodeOp::Elementwise(op) => match operands {
                [_] => operand(0)?.unary(*op),
                [_, _] => operand(0)?.binary(*op, operand(1)?),
                _ => None,
            },
            NodeOp::Structured(op) => match op {
                Structured::Sort(Sort { order: Order::Positions, axis, .. }) => {
                    Interval::new(0, (shape[*axis as usize] as i128 - 1).max(0))
                }
                Structured::SearchSorted(_) => Interval::non_negative(dtype),
                Structured::Sort(_) | Structured::Take(_) | Structured::TakeAlong(_) => operand(0),
                Structured::Put(put) if put.op.is_none() => operand(0)?.hull(operand(2)?),
                _ => None,
            },
            NodeOp::Special(_) | NodeOp::Reduce { .. } | NodeOp::Accumulate { .. } => None,
        }?;
        // Values that do not fit the dtype wrap around.
        let all = Interval::of_dtype(dtype)?;
        all.contains(found).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_ops::{Op, Scalar};

    fn interval(low: i64, high: i64) -> Interval {
        Interval::new(low.into(), high.into()).expect("bounds that fit")
    }

    #[test]
    fn values_that_wrap_are_not_known() {
        let scalar = |value: i64| Operand::Scalar(Scalar::new(value));
        let result = |op, operands: &[Operand], dtype| {
            Interval::of_result(&NodeOp::Elementwise(op), operands, &[], dtype)
        };
        let (large, one) = (scalar(i64::MAX), scalar(1));
        assert_eq!(result(Op::Add, &[large.clone(), one.clone()], DType::I64), None);
        assert_eq!(result(Op::Subtract, &[large, one], DType::I64), {
            Some(interval(i64::MAX - 1, i64::MAX - 1))
        });
        assert_eq!(result(Op::Absolute, &[scalar(i64::MIN)], DType::I64), None);
        let cast = |value, dtype| Interval::of_result(&NodeOp::Cast, &[scalar(value)], &[], dtype);
        assert_eq!(cast(200, DType::I8), None);
        assert_eq!(cast(100, DType::I8), Some(interval(100, 100)));
    }

    #[test]
    fn positions_of_a_sorted_axis_are_within_it() {
        let sort = Sort::new(1, Order::Positions);
        let op = NodeOp::Structured(Structured::Sort(sort));
        let of = |shape: &[usize]| Interval::of_result(&op, &[], shape, DType::I64);
        assert_eq!(of(&[7, 5]), Some(interval(0, 4)));
        assert_eq!(of(&[7, 0]), Some(interval(0, 0)));
    }
}
