//! Transforms of vectors in four steps.
//!
//! A vector of `r c` elements is a matrix of `r` rows and `c` columns. Transforms of the columns, a
//! product with `exp(∓2πi k j / (r c))` in row `k` and column `j`, and transforms of the rows give
//! the transform in transposed order.

use super::super::call::Call;
use super::super::expansion::{Expansion, Phase, PhaseInput, PhaseSource};
use crate::placement::{OperandShardings, Placement};
use num_complex::{Complex32, Complex64};
use phalanx_graph::NodeOp;
use phalanx_ops::structured::{Fft, Transform};
use phalanx_ops::{AffineMap, Bounds, DType, Index, Op, Scalar, Sharding, Split, Structured};
use smallvec::SmallVec;
use std::sync::Arc;

/// The matrix as which a vector is transformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// The matrix nearest to a square for the vector of a transform. `None` if it has fewer rows
    /// or columns than there are `parts` of the vector.
    pub fn of(fft: Fft, operand: &[usize], result: &[usize], parts: usize) -> Option<Matrix> {
        let extent = match fft.transform {
            Transform::Forward | Transform::Inverse => result[0],
            Transform::RealForward => operand[0],
            Transform::RealInverse { extent } => extent as usize,
        };
        let rows = (parts.max(2)..=extent.isqrt()).rev().find(|&rows| extent % rows == 0)?;
        Some(Matrix { rows, columns: extent / rows })
    }

    fn len(self) -> usize {
        self.rows * self.columns
    }
}

/// A sharding of two axes, one of which is split evenly.
fn split_evenly(axis: usize, extent: usize, split: &Split) -> Sharding {
    let bounds = Bounds::even(extent, split.bounds.parts());
    let mut axes: SmallVec<[Option<Split>; 4]> = [None, None].into_iter().collect();
    axes[axis] = Some(Split { mesh_axes: split.mesh_axes.clone(), bounds });
    Sharding { axes, partial: None }
}

/// The sharding of a vector over the mesh axes of `split`.
fn vector(bounds: Bounds, split: &Split) -> Sharding {
    let split = Split { mesh_axes: split.mesh_axes.clone(), bounds };
    Sharding { axes: [Some(split)].into_iter().collect(), partial: None }
}

/// The sharding of a vector whose blocks are whole rows of a matrix.
fn in_rows(rows: usize, columns: usize, split: &Split) -> Sharding {
    vector(Bounds::even(rows, split.bounds.parts()).scaled(columns), split)
}

/// The sharding of the result, a vector of `extent` elements.
pub(super) fn output(extent: usize, matrix: Matrix, split: &Split) -> Sharding {
    if extent == matrix.len() {
        return in_rows(matrix.columns, matrix.rows, split);
    }
    vector(Bounds::even(extent, split.bounds.parts()), split)
}

/// The phases so far.
#[derive(Default)]
struct Phases(Vec<Phase>);

impl Phases {
    fn add(
        &mut self,
        op: NodeOp,
        inputs: impl IntoIterator<Item = PhaseInput>,
        operands: impl IntoIterator<Item = Option<Sharding>>,
        (shape, dtype): (&[usize], DType),
        placement: Placement,
    ) -> PhaseInput {
        let inputs: SmallVec<[PhaseInput; 2]> = inputs.into_iter().collect();
        let mut operands: OperandShardings = operands.into_iter().collect();
        operands.resize(inputs.len(), None);
        self.0.push(Phase { op, inputs, operands, shape: shape.into(), dtype, placement });
        PhaseInput::from(PhaseSource::Phase(self.0.len() as u32 - 1))
    }

    /// An operation on each element.
    fn each(
        &mut self,
        op: NodeOp,
        inputs: impl IntoIterator<Item = PhaseInput>,
        (shape, dtype): (&[usize], DType),
        on: &Sharding,
    ) -> PhaseInput {
        self.add(op, inputs, [], (shape, dtype), Placement::on(on.clone()))
    }

    /// `exp(sign 2πi k j / n)` in row `k` and column `j`.
    fn factors(&mut self, matrix: Matrix, sign: f64, dtype: DType, on: &Sharding) -> PhaseInput {
        let shape = [matrix.rows, matrix.columns];
        let constant = |number: Scalar| PhaseInput::from(PhaseSource::Constant(number));
        let n = matrix.len();
        let [row, column] =
            [0, 1].map(|axis| self.each(NodeOp::Index(axis), [], (&shape, DType::I64), on));
        let integers = (&shape[..], DType::I64);
        let elementwise = NodeOp::Elementwise;
        let turns = self.each(elementwise(Op::Multiply), [row, column], integers, on);
        // Angles of at most half a turn have the smaller rounding error.
        let half = constant(Scalar::new((n / 2) as i64));
        let is_more =
            self.each(elementwise(Op::Greater), [turns.clone(), half], (&shape, DType::Bool), on);
        let all = constant(Scalar::new(n as i64));
        let less = self.each(elementwise(Op::Subtract), [turns.clone(), all], integers, on);
        let turns = self.each(NodeOp::Select, [is_more, less, turns], integers, on);
        let reals = (&shape[..], DType::F64);
        let turns = self.each(NodeOp::Cast, [turns], reals, on);
        let step = constant(Scalar::new(sign * std::f64::consts::TAU / n as f64));
        let angle = self.each(elementwise(Op::Multiply), [turns, step], reals, on);
        let complex = (&shape[..], DType::C128);
        let [real, imaginary] = [Op::Cos, Op::Sin].map(|op| {
            let part = self.each(elementwise(op), [angle.clone()], reals, on);
            self.each(NodeOp::Cast, [part], complex, on)
        });
        let i = constant(Scalar::new(Complex64::I));
        let imaginary = self.each(elementwise(Op::Multiply), [imaginary, i], complex, on);
        let sum = self.each(elementwise(Op::Add), [real, imaginary], complex, on);
        self.each(NodeOp::Cast, [sum], (&shape, dtype), on)
    }

    /// A value with the elements of a view written.
    fn update(
        &mut self,
        old: PhaseInput,
        view: AffineMap,
        value: PhaseInput,
        of: (&[usize], DType),
        on: &Sharding,
    ) -> PhaseInput {
        let space = on.through(&view);
        let placement = Placement { space: space.clone(), ..Placement::on(on.clone()) };
        let op = NodeOp::Update(Arc::new(view));
        self.add(op, [old, value], [None, Some(space)], of, placement)
    }

    /// The whole spectrum of real numbers, of which the operand has half.
    fn spectrum(&mut self, (half, n): (usize, usize), dtype: DType, on: &Sharding) -> PhaseInput {
        let whole = AffineMap::identity(&[n]);
        let range = |map: &AffineMap, start: usize, stop: usize| {
            let range =
                Index::Range { start: Some(start as i64), stop: Some(stop as i64), step: 1 };
            map.index(&[range]).unwrap_or_else(|error| unreachable!("bug: {error}"))
        };
        let zero = match dtype {
            DType::C64 => Scalar::new(Complex32::ZERO),
            _ => Scalar::new(Complex64::ZERO),
        };
        let zero = PhaseInput::from(PhaseSource::Constant(zero));
        let vector = (&[n][..], dtype);
        let nothing = self.each(NodeOp::Fill, [zero], vector, on);
        let operand = PhaseInput::from(PhaseSource::Operand(0));
        let known = self.update(nothing, range(&whole, 0, half), operand, vector, on);
        // The rest has the conjugate elements in reversed order.
        let view = range(&whole, half, n);
        let reversed = range(&AffineMap::identity(&[half]), 1, n - half + 1);
        let back = Index::Range { start: None, stop: None, step: -1 };
        let reversed = reversed.index(&[back]).unwrap_or_else(|error| unreachable!("bug: {error}"));
        let source = PhaseInput { source: PhaseSource::Operand(0), map: Some(reversed) };
        let rest = (&[n - half][..], dtype);
        let conjugate = NodeOp::Elementwise(Op::Conjugate);
        let rest = self.each(conjugate, [source], rest, &on.through(&view));
        self.update(known, view, rest, vector, on)
    }
}

/// The phases of a transform whose vector has the mesh axes of `split`.
pub(super) fn expand(fft: Fft, call: Call<'_>, matrix: Matrix, split: &Split) -> Expansion {
    let (result, dtype) = call.result;
    let (operand, from) = call.operands[0];
    let complex = if from.is_complex() { from } else { dtype };
    let Matrix { rows, columns } = matrix;
    let (n, by_row) = (matrix.len(), [rows, columns]);
    let (sign, transform) = match fft.transform {
        Transform::Forward | Transform::RealForward => (-1.0, Transform::Forward),
        Transform::Inverse | Transform::RealInverse { .. } => (1.0, Transform::Inverse),
    };
    let vector = in_rows(rows, columns, split);
    let mut phases = Phases::default();
    let along = |axis| NodeOp::Structured(Structured::Fft(Fft { axis, transform, ..fft }));

    let own = PhaseInput::from(PhaseSource::Operand(0));
    let all = match fft.transform {
        Transform::Forward | Transform::Inverse => own,
        Transform::RealForward => phases.each(NodeOp::Cast, [own], (&[n], complex), &vector),
        Transform::RealInverse { .. } => phases.spectrum((operand[0], n), complex, &vector),
    };
    let split_rows = split_evenly(0, rows, split);
    let split_columns = split_evenly(1, columns, split);
    let placement = Placement { space: vector.clone(), ..Placement::on(split_rows.clone()) };
    let value = phases.add(NodeOp::Reshape, [all], [Some(vector)], (&by_row, complex), placement);
    let value = phases.add(
        along(0),
        [value],
        [Some(split_columns.clone())],
        (&by_row, complex),
        Placement::on(split_columns.clone()),
    );
    let factors = phases.factors(matrix, sign, complex, &split_columns);
    let multiply = NodeOp::Elementwise(Op::Multiply);
    let value = phases.each(multiply, [value, factors], (&by_row, complex), &split_columns);
    let value = phases.add(
        along(1),
        [value],
        [Some(split_rows.clone())],
        (&by_row, complex),
        Placement::on(split_rows),
    );
    let turned = AffineMap::identity(&by_row).transpose(&[1, 0]);
    let value = PhaseInput { map: Some(turned), ..value };
    let (by_column, split_turned) = ([columns, rows], split_evenly(0, columns, split));
    let value = phases.each(NodeOp::Cast, [value], (&by_column, complex), &split_turned);
    let ordered = in_rows(columns, rows, split);
    let placement = Placement { space: split_turned.clone(), ..Placement::on(ordered) };
    let value =
        phases.add(NodeOp::Reshape, [value], [Some(split_turned)], (&[n], complex), placement);
    let output = output(result[0], matrix, split);
    match fft.transform {
        Transform::Forward | Transform::Inverse => {}
        Transform::RealForward => {
            let mut first = AffineMap::identity(&[n]);
            first.shape[0] = result[0];
            let value = PhaseInput { map: Some(first), ..value };
            phases.each(NodeOp::Cast, [value], (result, dtype), &output);
        }
        Transform::RealInverse { .. } => {
            phases.each(NodeOp::Elementwise(Op::Real), [value], (result, dtype), &output);
        }
    }
    Expansion { phases: phases.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_nearly_a_square_and_has_a_row_for_each_device() {
        let of = |extent: usize, parts: usize| {
            let fft = Fft::new(0, Transform::Forward);
            Matrix::of(fft, &[extent], &[extent], parts).map(|it| (it.rows, it.columns))
        };
        assert_eq!(of(4096, 2), Some((64, 64)));
        assert_eq!(of(1 << 27, 8), Some((1 << 13, 1 << 14)));
        assert_eq!(of(4095, 3), Some((63, 65)));
        assert_eq!(of(2 * 1009, 2), Some((2, 1009)));
        assert_eq!(of(2 * 1009, 3), None, "two rows for three devices");
        for prime in [2, 3, 1009, 1_000_003] {
            assert_eq!(of(prime, 2), None);
        }
        assert_eq!(of(8, 3), None);
        let real = Fft::new(0, Transform::RealForward);
        assert_eq!(Matrix::of(real, &[100], &[51], 2).map(Matrix::len), Some(100));
        let back = Fft::new(0, Transform::RealInverse { extent: 101 * 101 });
        assert_eq!(Matrix::of(back, &[5101], &[10201], 2).map(Matrix::len), Some(10201));
    }
}
