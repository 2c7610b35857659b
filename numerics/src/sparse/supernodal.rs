//! Factors by blocks of columns with the same pattern, for solutions only.

use super::order::{narrow_starts, pattern};
use super::{Columns, Scalar, System, Unfactorised};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu,
};
use faer::sparse::linalg::{LuError, SupernodalThreshold};
use faer::traits::ComplexField;
use faer::{Conj, MatMut, Par};

/// The factors of a matrix in blocks.
#[derive(Debug)]
pub(super) struct Supernodal<T> {
    symbolic: SymbolicLu<u32>,
    numeric: NumericLu<u32, T>,
}

impl<T: Scalar + ComplexField> Supernodal<T> {
    /// The factors; `None` for a matrix that may be singular. Errors: `Unfactorised::Memory`.
    pub fn new(matrix: &Columns<T>) -> Result<Option<Supernodal<T>>, Unfactorised> {
        let n = matrix.extent();
        let starts = narrow_starts(matrix);
        let pattern = pattern(matrix, &starts);
        let parameters = LuSymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        // These fail only for lack of memory, of which the first one needs about the matrix.
        let none = |bytes: usize| move |_| Unfactorised::Memory { bytes };
        let own = matrix.rows.len().saturating_mul(size_of::<T>());
        let symbolic = factorize_symbolic_lu(pattern, parameters).map_err(none(own))?;
        let mut numeric = NumericLu::new();
        let scratch = symbolic.factorize_numeric_lu_scratch::<T>(Par::Seq, Default::default());
        let bytes = scratch.unaligned_bytes_required();
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| Unfactorised::Memory { bytes })?;
        let values = SparseColMatRef::new(pattern, &matrix.values);
        let stack = MemStack::new(&mut memory);
        symbolic
            .factorize_numeric_lu(&mut numeric, values, Par::Seq, stack, Default::default())
            .map_err(|error| match error {
                LuError::Generic(_) => Unfactorised::Memory { bytes },
                LuError::SymbolicSingular { index } => Unfactorised::Singular { column: index },
            })?;
        let factors = Supernodal { symbolic, numeric };
        // A pivot of zero makes the solution infinite or NaN.
        let mut ones = vec![T::of(1.0, 0.0); n];
        factors.solve(&mut ones, 1, System::Matrix);
        let is_finite = ones.iter().all(|it| it.parts().iter().all(|part| part.is_finite()));
        Ok(is_finite.then_some(factors))
    }

    /// Solves a system for the columns of a matrix in C order, in place.
    pub fn solve(&self, right: &mut [T], columns: usize, system: System) {
        let n = self.symbolic.nrows();
        let scratch = match system {
            System::Matrix => self.symbolic.solve_in_place_scratch::<T>(columns, Par::Seq),
            _ => self.symbolic.solve_transpose_in_place_scratch::<T>(columns, Par::Seq),
        };
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        let factors = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        let right = MatMut::from_row_major_slice_mut(right, n, columns);
        match system {
            System::Matrix => factors.solve_in_place_with_conj(Conj::No, right, Par::Seq, stack),
            System::Transpose => {
                factors.solve_transpose_in_place_with_conj(Conj::No, right, Par::Seq, stack);
            }
            System::Adjoint => {
                factors.solve_transpose_in_place_with_conj(Conj::Yes, right, Par::Seq, stack);
            }
        }
    }
}
