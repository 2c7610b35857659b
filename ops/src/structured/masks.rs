//! Connected elements of masks, and the nearest elements along lines.

use super::record::{Operand, Record, extent_along};
use super::{Follow, Rule, WINDOW_AXES, Work};
use crate::{DType, Shape};

/// The connected parts of a device's block of a mask: operands (mask, structure), both `bool`. The
/// structure has three elements along each axis of the mask, and is symmetric about its centre: an
/// element is connected to those around it where the structure is true.
///
/// The result is, for each true element, the position in the whole mask (in C order) of the first
/// element of its part in the block; -1 for the others. It is `i32`, or `i64` for masks of more
/// than 2**30 elements: places just outside of a mask need room, too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Components {
    /// The extents of the mask, which blocks do not tell.
    pub extents: [u64; WINDOW_AXES],
}

/// The nearest element along each line: operand (costs), `f64`. For place `i` of a line, the place
/// `k` (`i64`) of the least `costs[k] + (spacing * (i - k))**2`; -1 if all costs are infinite.
///
/// Of two such places, any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Nearest {
    /// The axis of the lines.
    pub axis: u8,
    /// The distance of neighbours, as the bits of an `f64`.
    pub spacing: u64,
}

impl Components {
    /// The dtype of positions in the whole mask.
    pub fn positions(&self, axes: usize) -> DType {
        let elements =
            self.extents[..axes].iter().try_fold(1u64, |count, &extent| count.checked_mul(extent));
        let is_short = elements.is_some_and(|count| count <= 1 << 30);
        if is_short { DType::I32 } else { DType::I64 }
    }

    /// Whether a block of this shape is the whole mask.
    pub fn is_whole(&self, shape: &[usize]) -> bool {
        self.extents.iter().zip(shape).all(|(&whole, &own)| whole == own as u64)
    }
}

impl Record for Components {
    fn name(&self) -> &'static str {
        "components"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), self.positions(operands[0].0.len()))
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let of_mask = (0..shapes[0].len() as u8).map(Follow::Result).collect();
        let of_structure = shapes[1].iter().map(|_| Follow::Whole).collect();
        Rule { operands: [of_mask, of_structure].into_iter().collect() }
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        4 * shapes[1].iter().product::<usize>() as u64
    }

    fn work(&self) -> Work {
        Work::Positions
    }

    fn is_divisible(&self) -> bool {
        false
    }
}

impl Record for Nearest {
    fn name(&self) -> &'static str {
        "nearest"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), DType::I64)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::along(self.axis, shapes, 1)
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        // Most elements have a near one.
        8 * (extent_along(shapes[0], self.axis) as u64).min(16)
    }

    fn work(&self) -> Work {
        Work::Arithmetic
    }
}
