//! Orders of columns in which factors have few entries.

use super::{Columns, Scalar};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::{amd, colamd};

/// How the columns of a matrix are ordered before it is factorised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    /// As they are.
    Natural,
    /// By approximate minimum degrees in the product of the transposed matrix and the matrix, which
    /// bounds the entries for any choice of pivots (T. A. Davis et al., ACM TOMS 30(3), 2004).
    OfProduct,
    /// By approximate minimum degrees in the sum of the matrix and its transpose, for pivots on the
    /// diagonal (P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl. 17(4), 1996).
    OfSum,
}

/// The starts of columns as `faer` has them.
pub(super) fn narrow_starts<T: Scalar>(matrix: &Columns<T>) -> Vec<u32> {
    matrix.starts.iter().map(|&start| start as u32).collect()
}

/// The pattern of a matrix as `faer` has it.
pub(super) fn pattern<'a, T: Scalar>(
    matrix: &'a Columns<T>,
    starts: &'a [u32],
) -> SymbolicSparseColMatRef<'a, u32> {
    let n = matrix.extent();
    SymbolicSparseColMatRef::new_unsorted_checked(n, n, starts, None, &matrix.rows)
}

impl ColumnOrder {
    /// The columns of a matrix in this order.
    pub(super) fn of<T: Scalar>(self, matrix: &Columns<T>) -> Vec<u32> {
        let n = matrix.extent();
        if self == ColumnOrder::Natural || n == 0 {
            return (0..n as u32).collect();
        }
        let starts = narrow_starts(matrix);
        let pattern = pattern(matrix, &starts);
        let (mut order, mut positions) = (vec![0; n], vec![0; n]);
        let entries = matrix.rows.len();
        let result = if self == ColumnOrder::OfProduct {
            let mut memory = MemBuffer::new(colamd::order_scratch::<u32>(n, n, entries));
            let stack = MemStack::new(&mut memory);
            colamd::order(&mut order, &mut positions, pattern, Default::default(), stack)
        } else {
            let mut memory = MemBuffer::new(amd::order_maybe_unsorted_scratch::<u32>(n, entries));
            let stack = MemStack::new(&mut memory);
            let control = Default::default();
            amd::order_maybe_unsorted(&mut order, &mut positions, pattern, control, stack)
                .map(|_| ())
        };
        // Orders fail if numbers of entries exceed positions; any order is right.
        if result.is_err() { (0..n as u32).collect() } else { order }
    }
}
