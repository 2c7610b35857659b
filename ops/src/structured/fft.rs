//! Fourier transforms along one axis, unnormalised.

use super::record::{Operand, Record, extent_along, logarithm};
use super::rule::Rule;
use super::work::Work;
use crate::{DType, Shape};

/// A discrete Fourier transform along an axis: `X[k] = Σ x[j] exp(∓2πi jk / n)`, without a factor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fft {
    /// The axis.
    pub axis: u8,
    /// The kind of transform.
    pub transform: Transform,
    /// Whether devices transform whole lines, so that the result has the same bits on any number of
    /// them.
    pub in_order: bool,
}

impl Fft {
    /// A transform that devices may share in any way.
    pub fn new(axis: u8, transform: Transform) -> Fft {
        Fft { axis, transform, in_order: false }
    }
}

/// The kind of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transform {
    /// Complex to complex, with the negative exponent.
    Forward,
    /// Complex to complex, with the positive exponent.
    Inverse,
    /// Real to complex: `n / 2 + 1` elements of the forward transform.
    RealForward,
    /// Complex to real: the inverse of the transform of this many real numbers; the operand has
    /// half as many elements and one more.
    RealInverse {
        /// The extent of the result.
        extent: u64,
    },
}

impl Record for Fft {
    fn name(&self) -> &'static str {
        "fft"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let (shape, dtype) = operands[0];
        let mut shape: Shape = shape.into();
        let axis = usize::from(self.axis);
        match self.transform {
            Transform::Forward | Transform::Inverse => (shape, dtype),
            Transform::RealForward => {
                shape[axis] = shape[axis] / 2 + 1;
                (shape, if dtype == DType::F32 { DType::C64 } else { DType::C128 })
            }
            Transform::RealInverse { extent } => {
                shape[axis] = extent as usize;
                (shape, dtype.real())
            }
        }
    }
    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::along(self.axis, shapes, 1)
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        5 * logarithm(extent_along(shapes[0], self.axis))
    }

    fn work(&self) -> Work {
        Work::Transform
    }
}
