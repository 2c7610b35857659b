//! Combinations of the elements around each element: filters and morphology of images.
//!
//! Each element of the result combines a window of elements of the value. Devices keep the split of
//! the value, and fetch the elements beyond their blocks (the halo).

use super::halo::{Beyond, Halo};
use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};

/// The most axes of a value with neighbourhoods.
pub const WINDOW_AXES: usize = 8;

/// The combination of the elements in a window around each element: operands (value, window) or
/// (value, window, heights). The window has as many axes as the value.
///
/// Element `i` of the result combines the elements `i + j - before` of the value, for each `j` in
/// the window. The result has the shape of the value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Neighbourhood {
    /// What is computed from the elements of a window.
    pub combine: WindowCombine,
    /// The elements outside of the value.
    pub border: Border,
    /// For each axis, the elements of the window before the one at the place of the result. Less
    /// than the extent of the window.
    pub before: [u32; WINDOW_AXES],
    /// The extents of the value, which blocks do not tell.
    pub extents: [u64; WINDOW_AXES],
    /// Whether there are heights.
    pub has_heights: bool,
    /// The dtype of the result.
    pub dtype: DType,
}

/// What is computed from the elements of a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WindowCombine {
    /// The sum of the products with the elements of the window (`f64`), in the order of the window.
    /// Elements of the window that are 0 count not at all. The sum is `f64`, and is then truncated
    /// to the dtype of the result.
    Sum,
    /// As `Sum`, for a window along one axis. All elements of the window count. If it is symmetric
    /// about its middle, pairs of elements are added first, and if it is antisymmetric, subtracted;
    /// the outermost pair comes after the middle. Else the last product comes first.
    Line,
    /// The mean of the elements of the value where the window (`bool`) is true, as `Sum`.
    Mean,
    /// The smallest element where the window (`bool`) is true. The heights (`f64`), if there are
    /// any, are subtracted first. As in SciPy, the first of them is subtracted as a number; the
    /// others in the dtype of the value, where integers wrap. The result is then truncated.
    Minimum,
    /// The largest element where the window (`bool`) is true. The heights (`f64`), if there are
    /// any, are added first, in the same way.
    Maximum,
    /// The element of this rank, from 0, among those where the window (`bool`) is true.
    Rank(u32),
}

/// The elements outside of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Border {
    /// A number, as the bits of an `f64`.
    Constant(u64),
    /// The nearest element.
    Nearest,
    /// The value reflected about its edges: `c b a | a b c | c b a`.
    Reflect,
    /// The value reflected about its first and last elements: `c b | a b c | b a`.
    Mirror,
    /// The value repeated.
    Wrap,
}

impl Border {
    /// A number outside of the value.
    pub const fn constant(number: f64) -> Border {
        Border::Constant(number.to_bits())
    }

    /// The position in an axis of `extent` elements that stands for position `at`, inside or
    /// outside; `None` for the number, and if the axis has no elements.
    pub fn position(self, at: i64, extent: usize) -> Option<usize> {
        let n = extent as i64;
        if (0..n).contains(&at) {
            return Some(at as usize);
        }
        if n == 0 {
            return None;
        }
        let place = match self {
            Border::Constant(_) => return None,
            Border::Nearest => at.clamp(0, n - 1),
            Border::Wrap => at.rem_euclid(n),
            Border::Reflect => {
                let place = at.rem_euclid(2 * n);
                place.min(2 * n - 1 - place)
            }
            Border::Mirror if n == 1 => 0,
            Border::Mirror => {
                let place = at.rem_euclid(2 * n - 2);
                place.min(2 * n - 2 - place)
            }
        };
        Some(place as usize)
    }

    /// The number outside of the value; 0 if elements stand there.
    pub fn number(self) -> f64 {
        if let Border::Constant(bits) = self { f64::from_bits(bits) } else { 0.0 }
    }

    /// The elements that stand outside of an axis.
    const fn beyond(self) -> Beyond {
        match self {
            Border::Constant(_) | Border::Nearest => Beyond::Edge,
            Border::Reflect | Border::Mirror => Beyond::Folded,
            Border::Wrap => Beyond::Wrapped,
        }
    }
}

impl Record for Neighbourhood {
    fn name(&self) -> &'static str {
        match self.combine {
            WindowCombine::Sum | WindowCombine::Line => "window sum",
            WindowCombine::Mean => "window mean",
            WindowCombine::Minimum => "window minimum",
            WindowCombine::Maximum => "window maximum",
            WindowCombine::Rank(_) => "window rank",
        }
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), self.dtype)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let follow = |operand: usize, axis: usize| match operand {
            0 => Follow::Result(axis as u8),
            _ => Follow::Whole,
        };
        let axes = |(operand, shape): (usize, &&[usize])| {
            (0..shape.len()).map(|axis| follow(operand, axis)).collect()
        };
        Rule { operands: shapes.iter().enumerate().map(axes).collect() }
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        2 * shapes[1].iter().product::<usize>().max(1) as u64
    }

    fn work(&self) -> Work {
        Work::Arithmetic
    }

    fn is_divisible(&self) -> bool {
        false
    }

    fn halo(&self, operand: usize, shapes: &[&[usize]]) -> Option<Halo> {
        let sides = |(axis, &extent): (usize, &usize)| {
            let before = self.before[axis] as usize;
            (before, extent.saturating_sub(1 + before))
        };
        (operand == 0).then(|| Halo {
            sides: shapes[1].iter().enumerate().map(sides).collect(),
            beyond: self.border.beyond(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_outside_stand_for_those_that_scipy_reads() {
        let read = |border: Border, extent: usize| -> String {
            let letter =
                |at| border.position(at, extent).map_or('-', |at| char::from(b'a' + at as u8));
            (-7..10).map(letter).collect()
        };
        assert_eq!(read(Border::Constant(0), 4), "-------abcd------");
        assert_eq!(read(Border::Nearest, 4), "aaaaaaaabcddddddd");
        assert_eq!(read(Border::Reflect, 4), "bcddcbaabcddcbaab");
        assert_eq!(read(Border::Mirror, 4), "babcdcbabcdcbabcd");
        assert_eq!(read(Border::Wrap, 4), "bcdabcdabcdabcdab");
        for border in [Border::Nearest, Border::Reflect, Border::Mirror, Border::Wrap] {
            assert_eq!(read(border, 1), "a".repeat(17), "{border:?}");
            assert_eq!(border.position(3, 0), None);
        }
    }
}
