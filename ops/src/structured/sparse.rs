//! Operations on sparse matrices in rows (CSR).
//!
//! A matrix is (starts, ends, columns, values): for each row, the numbers of its first entry and
//! after its last one among all entries (`i64`), and for each entry, its column (`i32` or `i64`)
//! and its value. The rows of a matrix are split among devices, and a device's blocks of columns
//! and values hold the entries of the rows in its block of starts. Each operation reads and writes
//! the rows of one device, so matrices with equal splits of rows are combined without
//! communication.

use super::record::{Operand, Record};
use super::{Follow, Rule, Semiring, Work};
use crate::{DType, Op, Shape};
use smallvec::SmallVec;

/// An operation on sparse matrices. `columns` of `A`, `B` or of the result have one dtype.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sparse {
    /// The product with a vector or with the columns of a matrix: operands (starts, ends, columns,
    /// values, x) where `x` has the dtype of the values, which the semiring accepts.
    Product {
        /// Whether `x` is split, and columns are numbers of rows in the device's block of `x`; else
        /// every device needs the whole `x`.
        is_local: bool,
        /// Whether no row has far more entries than others. The result is the same; routines that
        /// share rows among threads are slow for other matrices.
        is_even: bool,
        /// What multiplies and combines elements.
        semiring: Semiring,
    },
    /// The product with a vector in some rows, of which the vector has two parts: operands (into,
    /// rows, starts, ends, columns, values, x, received). `rows` are positions (`i64`) in the
    /// device's block of rows, ascending and different; other elements of `into` stay. The columns
    /// are numbers of elements in the device's block of `x`, followed by those in its block of
    /// `received`.
    ProductRows {
        /// What multiplies and combines elements.
        semiring: Semiring,
    },
    /// For each entry, its value times the product of its row of `x` and a row of `y`: operands
    /// (columns, starts, ends, values, x, y), all of one dtype. `x` has the device's rows.
    SampledProduct {
        /// Whether `y` is split, and columns are numbers of rows in the device's block of `y`; else
        /// every device needs the whole `y`.
        is_local: bool,
    },
    /// For each entry, the element of its row: operands (columns, starts, ends, x).
    Spread,
    /// The order that sorts the entries of each row by their columns, those of one column as they
    /// are: operands (columns, starts, ends). Positions (`i64`) in the device's block of entries.
    Order,
    /// The elements at positions in the device's block of the second operand: operands (positions,
    /// source). Positions may have several axes, of which the first is split.
    Pick,
    /// The device's blocks of two operands, one behind the other: operands (like, a, b), of which
    /// `like` has the shape of the result. The blocks may have several axes.
    Join,
    /// For each entry, 2 if it is the first of its row or its column is greater than that of the
    /// entry before, 1 if they are equal, else 0 (`u8`): operands (columns, starts, ends).
    Rises,
    /// The number of entries of each row for which a mask holds: operands (starts, ends, mask).
    CountKept,
    /// The order that groups entries by their rows, those of one row as they are: operands (starts,
    /// ends) of the groups and (rows) of the entries. Positions (`i64`). On one device alone.
    Group,
    /// Neighbouring elements for each row: operands (into, starts, ends) of the result, and
    /// (begins, source), where `begins` has the position (`i64`) of each row's first element in the
    /// device's block of the source.
    CopyRows,
    /// The elements of entries for which a mask holds: operands (into, starts, ends) of the result,
    /// (starts, ends, mask, source) of the matrix. `into` is memory for the result.
    Keep,
    /// The number of columns of each row that have an entry in either matrix, for sorted rows
    /// without duplicates: operands (starts, ends, columns) of A and of B.
    UnionCount,
    /// The columns of the union: operands (into, starts, ends) of the result, and (starts, ends,
    /// columns) of A and of B.
    Union,
    /// The values of a matrix at the entries of another one, 0 where it has none: operands
    /// (columns, starts, ends) of the entries and (starts, ends, columns, values) of the matrix,
    /// whose rows are sorted; its duplicates are added.
    Align,
    /// The number of entries of each row of a product: operands (starts, ends, columns) of A and of
    /// B. The columns of A are numbers of rows in the device's block of B.
    ProductCount,
    /// The columns of a product, sorted: operands (into, starts, ends) of the result, and (starts,
    /// ends, columns) of A and of B.
    ProductColumns,
    /// The values of a product: operands (columns, starts, ends) of the result, and (starts, ends,
    /// columns, values) of A and of B.
    ProductValues {
        /// What multiplies and combines elements.
        semiring: Semiring,
    },
    /// How many different columns a device's entries have: operands (into, columns); `into` has one
    /// element for each device.
    NeededCount,
    /// The different columns of a device's entries, ascending: operands (into, columns).
    Needed,
    /// The position of the column of each entry among those that its device needs (`i32`): operands
    /// (columns, needed).
    Renumber,
    /// The combination of the values of each row, 0 for a row without entries: operands (starts,
    /// ends, values).
    Fold {
        /// The operation that combines values.
        op: Op,
    },
    /// The sums of matrices and of elements of others: operands (into, slots, rows, columns,
    /// source), shapes `(f, m, n), (f), (f, m), (f, n), (g, p, q)`. To each element of matrix `f`
    /// of `into` is added that of matrix `slots[f]` (`i64`) of the device's block of the source in
    /// row `rows[f, m]` and column `columns[f, n]` (`i32`), and nothing where one of them is
    /// outside, as -1 is.
    AddFronts {
        /// Whether the source is split as slots are; else every device needs the whole source.
        is_local: bool,
    },
    /// Elements of the device's block of matrices in their places: operands (into, places, values),
    /// places (`i64`) among the elements of the block.
    Place,
}

impl Record for Sparse {
    fn name(&self) -> &'static str {
        match self {
            Sparse::Product { semiring, .. } => semiring.product_name(),
            Sparse::ProductRows { semiring } => semiring.rows_name(),
            Sparse::SampledProduct { .. } => "sddmm",
            Sparse::Spread => "spread_rows",
            Sparse::Order => "sort_rows",
            Sparse::Pick => "take_in_block",
            Sparse::Join => "join_blocks",
            Sparse::Rises => "rises",
            Sparse::CountKept => "count_kept",
            Sparse::Group => "group_rows",
            Sparse::CopyRows => "copy_rows",
            Sparse::Keep => "keep",
            Sparse::UnionCount => "union_count",
            Sparse::Union => "union_columns",
            Sparse::Align => "align_rows",
            Sparse::ProductCount => "spgemm_count",
            Sparse::ProductColumns => "spgemm_columns",
            Sparse::ProductValues { semiring } => semiring.values_name(),
            Sparse::NeededCount => "needed_count",
            Sparse::Needed => "needed",
            Sparse::Renumber => "renumber",
            Sparse::Fold { .. } => "fold_rows",
            Sparse::AddFronts { .. } => "add_fronts",
            Sparse::Place => "place",
        }
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let vector = |operand: usize| Shape::from(operands[operand].0);
        match self {
            Sparse::Product { .. } => {
                let mut shape = vector(4);
                shape[0] = operands[0].0[0];
                (shape, operands[3].1)
            }
            Sparse::Spread | Sparse::SampledProduct { .. } => (vector(0), operands[3].1),
            Sparse::Order | Sparse::CountKept | Sparse::UnionCount | Sparse::ProductCount => {
                (vector(0), DType::I64)
            }
            Sparse::NeededCount | Sparse::Needed => (vector(0), DType::I64),
            Sparse::Group => (vector(2), DType::I64),
            Sparse::Pick | Sparse::Join => (vector(0), operands[1].1),
            Sparse::Rises => (vector(0), DType::U8),
            Sparse::Keep | Sparse::CopyRows | Sparse::Union | Sparse::ProductColumns => {
                (vector(0), operands[0].1)
            }
            Sparse::Align | Sparse::ProductValues { .. } => (vector(0), operands[6].1),
            Sparse::Renumber => (vector(0), DType::I32),
            Sparse::Fold { .. } => (vector(0), operands[2].1),
            Sparse::ProductRows { .. } | Sparse::AddFronts { .. } | Sparse::Place => {
                (vector(0), operands[0].1)
            }
        }
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        // Starts and ends of the result's rows, or its entries.
        let alike = match self {
            Sparse::Product { .. }
            | Sparse::CountKept
            | Sparse::Fold { .. }
            | Sparse::UnionCount
            | Sparse::ProductCount => 2,
            _ => 1,
        };
        let follow = |operand: usize, axis: usize| match self {
            Sparse::Product { is_local: false, .. } if operand == 4 => Follow::Whole,
            Sparse::SampledProduct { is_local: false } if operand == 5 => Follow::Whole,
            Sparse::Group => Follow::Whole,
            Sparse::AddFronts { is_local } => match (operand, axis) {
                (4, 0) if *is_local => Follow::Own,
                (4, _) => Follow::Whole,
                (3, 1) => Follow::Result(2),
                _ => Follow::Result(axis as u8),
            },
            Sparse::Place if axis > 0 => Follow::Whole,
            _ if operand < alike => Follow::Result(axis as u8),
            _ => Follow::Own,
        };
        let all = |(operand, shape): (usize, &&[usize])| {
            (0..shape.len()).map(|axis| follow(operand, axis)).collect::<SmallVec<_>>()
        };
        Rule { operands: shapes.iter().enumerate().map(all).collect() }
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        let of_row = |entries: usize, rows: usize| (entries / rows.max(1)) as u64;
        match self {
            Sparse::Product { .. } | Sparse::Fold { .. } => 2 * of_row(shapes[2][0], shapes[0][0]),
            Sparse::ProductRows { .. } => {
                // Of each element, since only some rows are computed.
                let entries = 2 * of_row(shapes[5][0], shapes[2][0]);
                (entries * shapes[1][0] as u64).div_ceil(shapes[2][0].max(1) as u64)
            }
            Sparse::UnionCount => of_row(shapes[2][0].saturating_add(shapes[5][0]), shapes[0][0]),
            Sparse::ProductCount => {
                of_row(shapes[2][0], shapes[0][0]) * of_row(shapes[5][0], shapes[3][0])
            }
            Sparse::ProductValues { .. } => 2 * of_row(shapes[9][0], shapes[7][0]),
            Sparse::SampledProduct { .. } => 2 * shapes[4][1] as u64,
            _ => 1,
        }
    }

    fn work(&self) -> Work {
        match self {
            Sparse::Order | Sparse::Needed | Sparse::Group => Work::Sort,
            // It reads a small part of the bytes of its operands.
            Sparse::ProductRows { .. } => Work::Arithmetic,
            Sparse::Pick
            | Sparse::SampledProduct { .. }
            | Sparse::ProductCount
            | Sparse::ProductColumns
            | Sparse::ProductValues { .. }
            | Sparse::Renumber
            | Sparse::Place => Work::Positions,
            _ => Work::Pass,
        }
    }

    fn overwrites(&self) -> Option<usize> {
        match self {
            Sparse::Keep
            | Sparse::CopyRows
            | Sparse::Union
            | Sparse::ProductColumns
            | Sparse::NeededCount
            | Sparse::Needed
            | Sparse::ProductRows { .. }
            | Sparse::AddFronts { .. }
            | Sparse::Place => Some(0),
            _ => None,
        }
    }
}
