//! Linear recurrences along lines: recursive filters.

use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};

/// Linear recurrences along the last axis, one after the other: operands (signal, numerators,
/// denominators, states), all of the dtype of the result: `f32`, `f64`, `c64` or `c128`.
///
/// Numerators and denominators are matrices with a row for each recurrence and at least 2 columns.
/// The rows of a recurrence are `b` and `a`; `a[0]` counts as 1. Each line has a state for each
/// recurrence, of an element less than a row, `z`; those of a line follow each other. For each
/// sample x of a line, in order (the transposed direct form II: Oppenheim and Schafer,
/// Discrete-Time Signal Processing): `y = b[0] x + z[0]` and `z[k] = z[k + 1] + b[k + 1] x - a[k +
/// 1] y`. The next recurrence gets y.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Recurrence {
    /// What is the result.
    pub gives: Filtered,
}

/// The result of a recurrence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filtered {
    /// The signal y, of the shape of the signal x.
    Signal,
    /// The states after the last sample, of the shape of the states.
    States,
}

impl Record for Recurrence {
    fn name(&self) -> &'static str {
        match self.gives {
            Filtered::Signal => "recurrence",
            Filtered::States => "recurrence states",
        }
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let like = if self.gives == Filtered::Signal { 0 } else { 3 };
        (operands[like].0.into(), operands[0].1)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let lines = shapes[0].len() - 1;
        let follow = |operand: usize, axis: usize| match operand {
            0 | 3 if axis < lines => Follow::Result(axis as u8),
            _ => Follow::Whole,
        };
        let axes = |(operand, shape): (usize, &&[usize])| {
            (0..shape.len()).map(|axis| follow(operand, axis)).collect()
        };
        Rule { operands: shapes.iter().enumerate().map(axes).collect() }
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        let (samples, coefficients) = (shapes[0].last(), shapes[1].iter().product::<usize>());
        let of_state = samples.map_or(1, |&samples| samples.max(1) as u64);
        4 * match self.gives {
            Filtered::Signal => coefficients as u64,
            Filtered::States => of_state,
        }
    }

    fn work(&self) -> Work {
        Work::Arithmetic
    }
}
