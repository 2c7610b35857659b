//! How a matrix is factorised by columns, and that it cannot be.

use super::ColumnOrder;

/// What an incomplete factorisation drops (ILUTP; Y. Saad, Iterative Methods for Sparse Linear
/// Systems, 2nd ed., section 10.4). Pivots stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropping {
    /// Elements of `U` that are smaller than this multiple of the largest element of their column
    /// of the matrix are dropped, and elements of `L` that are smaller than it.
    pub threshold: f64,
    /// A column of both factors keeps its largest elements, at most this multiple of the mean
    /// number of entries of a column of the matrix.
    pub fill: f64,
}

/// How a matrix is factorised by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How columns are ordered.
    pub order: ColumnOrder,
    /// The element of the diagonal becomes the pivot if its magnitude is at least this multiple of
    /// the largest one.
    pub diagonal_threshold: f64,
    /// What an incomplete factorisation drops.
    pub dropping: Option<Dropping>,
}

impl Default for Options {
    fn default() -> Options {
        Options { order: ColumnOrder::OfProduct, diagonal_threshold: 1.0, dropping: None }
    }
}

/// Why a matrix has no factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfactorised {
    /// No element of a column can be its pivot: all are zero, or one is not finite.
    Singular {
        /// The column.
        column: usize,
    },
    /// There is too little memory for the factors.
    Memory {
        /// The bytes of the memory that could not be had.
        bytes: usize,
    },
}
