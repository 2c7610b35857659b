//! Sorting along an axis: ascending, stable, NaN last; complex numbers lexicographically.

use super::record::{Operand, Record, extent_along, logarithm};
use super::rule::Rule;
use crate::{DType, Shape};

/// Sorting along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    /// The axis.
    pub axis: u8,
    /// The result.
    pub order: Order,
}

/// The result of sorting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// The elements in order.
    Values,
    /// The original position of each element (`i64`).
    Positions,
}

impl Record for Sort {
    fn name(&self) -> &'static str {
        match self.order {
            Order::Values => "sort",
            Order::Positions => "argsort",
        }
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let (shape, dtype) = operands[0];
        match self.order {
            Order::Values => (shape.into(), dtype),
            Order::Positions => (shape.into(), DType::I64),
        }
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::along(self.axis, shapes, 1)
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        logarithm(extent_along(shapes[0], self.axis))
    }
}
