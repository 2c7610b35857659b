//! Values of images between their elements, by B-splines.

use super::record::{Operand, Record};
use super::{Follow, Rule, WINDOW_AXES, Work};
use crate::{DType, Shape};

/// The highest order of a spline.
pub const SPLINE_ORDER: u8 = 5;

/// The values of a spline at points: operands (coefficients, coordinates, coordinates, …).
///
/// Points have coordinates along the last `axes` axes of the coefficients; the others come first in
/// the result. The first axis of an operand with coordinates is that of the coefficients' axes, in
/// their order: one operand has the coordinates along all of them, or several have some each. Their
/// other axes are those of the points, of the extents of the points or 1, so they broadcast. All
/// of them have one dtype, `f32` or `f64`, and so have the coefficients. Values are computed in
/// `f64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interpolate {
    /// The number of axes with coordinates: 1 to [`WINDOW_AXES`].
    pub axes: u8,
    /// The order of the spline: 0 to [`SPLINE_ORDER`].
    pub order: u8,
    /// The points outside of the coefficients.
    pub outside: Outside,
    /// The value of points that are nowhere, and for some of `outside` the number there, as the
    /// bits of an `f64`.
    pub number: u64,
    /// The dtype of the result: `f32` or `f64`.
    pub dtype: DType,
}

/// The points outside of an image. The ends of an axis are its first and its last element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outside {
    /// The number is the value of each point that is outside.
    Constant,
    /// The number stands for all coefficients outside.
    Coefficient,
    /// The coefficient at the end stands for those outside.
    Nearest,
    /// Coefficients are reflected about the edges, half an element beyond the ends.
    Reflect,
    /// Coefficients are reflected about the ends.
    Mirror,
    /// Points outside are moved by the distance of the ends.
    Wrap,
    /// Coefficients repeat.
    Repeat,
}

impl Interpolate {
    /// The number of axes of the coefficients that come first in the result.
    fn leading(&self, coefficients: &[usize]) -> usize {
        assert!((1..=WINDOW_AXES).contains(&usize::from(self.axes)), "bug: axes of points");
        coefficients.len() - usize::from(self.axes)
    }
}

/// The extents of points whose coordinates have these shapes.
fn extents<'a>(coordinates: impl Iterator<Item = &'a [usize]>) -> Shape {
    let mut extents = Shape::new();
    for shape in coordinates.map(|shape| &shape[1..]) {
        extents.resize(shape.len(), 1);
        let pairs = extents.iter_mut().zip(shape);
        pairs.filter(|(_, own)| **own != 1).for_each(|(extent, &own)| *extent = own);
    }
    extents
}

impl Record for Interpolate {
    fn name(&self) -> &'static str {
        "interpolate"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let mut shape: Shape = operands[0].0[..self.leading(operands[0].0)].into();
        shape.extend(extents(operands[1..].iter().map(|operand| operand.0)));
        (shape, self.dtype)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let leading = self.leading(shapes[0]);
        let extents = extents(shapes[1..].iter().copied());
        let follow = |operand: usize, axis: usize| match operand {
            0 if axis < leading => Follow::Result(axis as u8),
            0 => Follow::Whole,
            // The coordinates of a point stay together.
            _ if axis == 0 => Follow::Whole,
            // A coordinate that is the same for all points of an axis.
            _ if shapes[operand][axis] != extents[axis - 1] => Follow::Whole,
            _ => Follow::Result((leading + axis - 1) as u8),
        };
        let axes = |(operand, shape): (usize, &&[usize])| {
            (0..shape.len()).map(|axis| follow(operand, axis)).collect()
        };
        Rule { operands: shapes.iter().enumerate().map(axes).collect() }
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        let (taps, axes) = (u64::from(self.order) + 1, u64::from(self.axes));
        2 * taps.pow(axes as u32) + axes * 4 * taps
    }

    fn work(&self) -> Work {
        Work::Positions
    }
}
