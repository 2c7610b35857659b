//! Searches in trees of points.

use super::record::{Operand, Record, logarithm};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};

/// The nearest points of a tree: operands (points, boxes, leaves, members, extents), all but
/// `members` (`i64`) of `f64`.
///
/// `points` are those to search for, one in each row. The tree is binary and complete. Node 0 is
/// its root, and nodes `2 * i + 1` and `2 * i + 2` are the parts of node `i`; the last ones are the
/// leaves. `boxes[i]` has the least and the greatest coordinates of a node's points. `leaves[l]`
/// has the coordinates of a leaf's points, one in each column, and `members[l]` their numbers;
/// `absent` or more marks an empty place. `extents` are those of a periodic space for
/// each coordinate, 0 where it is not periodic; in a space that is nowhere periodic there are none.
///
/// Each row of the result (`i64`) has the numbers of the `count` nearest points, in the order of
/// their distances and then of their numbers; `absent` where there are fewer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TreeSearch {
    /// The points to find for each point.
    pub count: u64,
    /// The number that stands for none.
    pub absent: u64,
    /// The exponent of the norm, at least 1 and maybe infinite, as the bits of an `f64`.
    pub norm: u64,
    /// The distance that all found points are below, to the power of a finite exponent, as the bits
    /// of an `f64`.
    pub limit: u64,
}

impl Record for TreeSearch {
    fn name(&self) -> &'static str {
        "tree search"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (Shape::from_slice(&[operands[0].0[0], self.count as usize]), DType::I64)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let follow = |operand: usize, axis: usize| match (operand, axis) {
            (0, 0) => Follow::Result(0),
            _ => Follow::Whole,
        };
        let axes = |(operand, shape): (usize, &&[usize])| {
            (0..shape.len()).map(|axis| follow(operand, axis)).collect()
        };
        Rule { operands: shapes.iter().enumerate().map(axes).collect() }
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        // The boxes of both parts of each node on the way to a leaf, and the points of a few
        // leaves.
        let [_, boxes, leaves, ..] = shapes else { unreachable!("bug: operands of a tree search") };
        let (dimensions, width) = (leaves[1] as u64, leaves[2] as u64);
        let of_point = 6 * dimensions * (2 * logarithm(boxes[0]) + 4 * width);
        of_point / self.count.max(1) + 3 * dimensions
    }

    fn work(&self) -> Work {
        Work::Positions
    }
}
