//! The positions at which values would be inserted into a sorted vector.

use super::record::{Operand, Record, logarithm};
use super::{Follow, Rule, Work};
use crate::{Bytes, DType, Shape};

/// NumPy's `searchsorted`: operands (sorted, values) of one dtype; `sorted` is a vector. For each
/// value, the number (`i64`) of sorted elements that are less than it, or not greater.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SearchSorted {
    /// Whether the position is before or after equal elements.
    pub side: Side,
}

/// A side of equal elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Before them.
    Left,
    /// After them.
    Right,
}

impl Record for SearchSorted {
    fn name(&self) -> &'static str {
        "searchsorted"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[1].0.into(), DType::I64)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let mut rule = Rule::along(u8::MAX, shapes, 2);
        rule.operands[0][0] = Follow::Whole;
        rule
    }

    fn routed(&self, operands: &[Bytes], to: Bytes) -> Bytes {
        operands[1] + to
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        logarithm(shapes[0][0])
    }

    fn work(&self) -> Work {
        Work::Positions
    }
}
