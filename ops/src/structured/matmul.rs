//! The matrix product: shapes `(…, m, k), (…, k, n) -> (…, m, n)` with equal leading extents, of
//! one floating-point or complex dtype. A third operand of the result's shape is added to the
//! product.

use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};

/// A matrix product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Matmul {
    /// For the left and the right operand, whether its matrices are stored transposed: as
    /// `(…, k, m)` and `(…, n, k)`.
    pub transposed: [bool; 2],
    /// Whether each element is summed from the first term to the last by fused multiply-adds, so
    /// that it has the same bits whatever block of the result a device computes.
    pub in_order: bool,
}

impl Matmul {
    /// The sizes `[m, k, n]` of the product of matrices of these shapes.
    pub fn sizes(self, left: &[usize], right: &[usize]) -> [usize; 3] {
        let [left_rows, right_rows] = self.rows(left.len());
        let other = |rows: usize| 2 * left.len() - 3 - rows;
        [left[left_rows], left[other(left_rows)], right[other(right_rows)]]
    }

    /// The axes that count the rows of the matrices of both operands.
    fn rows(self, ndim: usize) -> [usize; 2] {
        self.transposed.map(|transposed| ndim - if transposed { 1 } else { 2 })
    }
}

impl Record for Matmul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let mut shape: Shape = operands[0].0.into();
        let ndim = shape.len();
        let [m, _, n] = self.sizes(operands[0].0, operands[1].0);
        (shape[ndim - 2], shape[ndim - 1]) = (m, n);
        (shape, operands[0].1)
    }

    /// Rows of the left and columns of the right operand may be split, and so may leading axes.
    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let ndim = shapes[0].len();
        let [left_rows, right_rows] = self.rows(ndim);
        let follow = |operand: usize, axis: usize| match (operand, axis) {
            (0, axis) if axis == left_rows => Follow::Result((ndim - 2) as u8),
            (1, axis) if axis == right_rows => Follow::Whole,
            (0, axis) if axis + 2 >= ndim => Follow::Whole,
            (1, axis) if axis + 2 >= ndim => Follow::Result((ndim - 1) as u8),
            _ => Follow::Result(axis as u8),
        };
        let axes = |operand: usize| (0..ndim).map(|axis| follow(operand, axis)).collect();
        Rule { operands: (0..shapes.len()).map(axes).collect() }
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        2 * self.sizes(shapes[0], shapes[1])[1] as u64
    }

    fn work(&self) -> Work {
        Work::Product
    }

    fn overwrites(&self) -> Option<usize> {
        Some(2)
    }

    fn is_transposed(&self, operand: usize) -> bool {
        self.transposed.get(operand) == Some(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_operands_give_the_product_of_what_they_are_transposes_of() {
        let plain: [&[usize]; 2] = [&[7, 2, 3], &[7, 3, 5]];
        let swapped: [&[usize]; 2] = [&[7, 3, 2], &[7, 5, 3]];
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            let matmul = Matmul { transposed, in_order: false };
            let shapes = [0, 1].map(|at| if transposed[at] { swapped[at] } else { plain[at] });
            assert_eq!(matmul.sizes(shapes[0], shapes[1]), [2, 3, 5]);
            let (shape, dtype) = matmul.result(&shapes.map(|shape| (shape, DType::F32)));
            assert_eq!((&shape[..], dtype), (&[7, 2, 5][..], DType::F32));
            let rule = matmul.rule(&[shapes[0], shapes[1], &[7, 2, 5]]);
            let of = |operand: usize, extent: usize| {
                let axis = shapes[operand].iter().position(|&other| other == extent);
                rule.operands[operand][axis.expect("an axis of this extent")]
            };
            assert_eq!([of(0, 7), of(0, 2)], [Follow::Result(0), Follow::Result(1)]);
            assert_eq!([of(1, 7), of(1, 5)], [Follow::Result(0), Follow::Result(2)]);
            assert_eq!([of(0, 3), of(1, 3)], [Follow::Whole; 2]);
            assert_eq!(rule.operands[2][..], [0, 1, 2].map(Follow::Result));
        }
    }
}
