//! The factors of a matrix, and solutions by them.

use super::{Columns, Scalar};

/// Which system is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// That of the matrix.
    Matrix,
    /// That of its transpose.
    Transpose,
    /// That of its conjugate transpose.
    Adjoint,
}

/// `P A Q = L U`.
#[derive(Clone, Debug)]
pub struct Factors<T> {
    /// `L`, with ones on its diagonal.
    pub lower: Columns<T>,
    /// `U`.
    pub upper: Columns<T>,
    /// The row of `P A` that has each row of `A`.
    pub row_positions: Vec<u32>,
    /// The column of `A Q` that has each column of `A`.
    pub column_positions: Vec<u32>,
}

impl<T: Scalar> Factors<T> {
    /// Solves a system for the columns of a matrix in C order, in place.
    pub(super) fn solve(&self, right: &mut [T], columns: usize, system: System) {
        let n = self.lower.extent();
        let (before, after) = match system {
            System::Matrix => (&self.row_positions, &self.column_positions),
            _ => (&self.column_positions, &self.row_positions),
        };
        let mut vector = vec![T::default(); n];
        for column in 0..columns {
            for (row, &position) in before.iter().enumerate() {
                vector[position as usize] = right[row * columns + column];
            }
            match system {
                System::Matrix => {
                    forwards(&self.lower, &mut vector);
                    backwards(&self.upper, &mut vector);
                }
                _ => {
                    let is_adjoint = system == System::Adjoint;
                    forwards_transposed(&self.upper, &mut vector, is_adjoint);
                    backwards_transposed(&self.lower, &mut vector, is_adjoint);
                }
            }
            for (row, &position) in after.iter().enumerate() {
                right[row * columns + column] = vector[position as usize];
            }
        }
    }
}

/// Solves `L y = x` in place. The first entry of a column is that of the diagonal.
fn forwards<T: Scalar>(lower: &Columns<T>, x: &mut [T]) {
    for column in 0..x.len() {
        let value = x[column];
        if value == T::default() {
            continue;
        }
        for (row, factor) in lower.column(column).skip(1) {
            x[row] -= factor * value;
        }
    }
}

/// Solves `U y = x` in place. The last entry of a column is that of the diagonal.
fn backwards<T: Scalar>(upper: &Columns<T>, x: &mut [T]) {
    for column in (0..x.len()).rev() {
        let mut entries = upper.column(column).rev();
        let Some((_, pivot)) = entries.next() else { continue };
        let value = x[column] / pivot;
        x[column] = value;
        for (row, factor) in entries {
            x[row] -= factor * value;
        }
    }
}

fn maybe_conjugate<T: Scalar>(value: T, is_adjoint: bool) -> T {
    if is_adjoint { value.conjugate() } else { value }
}

/// Solves with the transpose of `U` in place.
fn forwards_transposed<T: Scalar>(upper: &Columns<T>, x: &mut [T], is_adjoint: bool) {
    for column in 0..x.len() {
        let mut entries = upper.column(column).rev();
        let Some((_, pivot)) = entries.next() else { continue };
        let mut sum = x[column];
        for (row, factor) in entries {
            sum -= maybe_conjugate(factor, is_adjoint) * x[row];
        }
        x[column] = sum / maybe_conjugate(pivot, is_adjoint);
    }
}

/// Solves with the transpose of `L` in place.
fn backwards_transposed<T: Scalar>(lower: &Columns<T>, x: &mut [T], is_adjoint: bool) {
    for column in (0..x.len()).rev() {
        let mut sum = x[column];
        for (row, factor) in lower.column(column).skip(1) {
            sum -= maybe_conjugate(factor, is_adjoint) * x[row];
        }
        x[column] = sum;
    }
}
