//! Special functions of real numbers, elementwise.

use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};

/// A special function of one or more operands of the dtype of the result, `f32` or `f64`. They have
/// one shape, or no axes. Each device computes its block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Special {
    /// SciPy's name.
    pub function: &'static str,
    /// The dtype of the operands and of the result.
    pub dtype: DType,
}

impl Record for Special {
    fn name(&self) -> &'static str {
        self.function
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let longest = operands.iter().map(|operand| operand.0).max_by_key(|shape| shape.len());
        (longest.unwrap_or_default().into(), self.dtype)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let follow = |shape: &&[usize]| (0..shape.len() as u8).map(Follow::Result).collect();
        Rule { operands: shapes.iter().map(follow).collect() }
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        // Rational approximations have tens of terms, series more.
        100
    }

    fn work(&self) -> Work {
        Work::Arithmetic
    }
}
