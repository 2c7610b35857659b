//! The product of a sparse matrix in rows (CSR) and a vector.
//!
//! Operands (starts, ends, columns, values, x): for each row where its entries start and end among
//! all entries (`i64`), the column (`i32` or `i64`) and value of each entry, and the vector, of the
//! values' dtype. The blocks of columns and values hold the entries of the rows of the block of
//! starts.

use super::table::Operand;
use super::{Follow, Rule};
use crate::{DType, Shape};

pub(super) fn result(operands: &[Operand<'_>]) -> (Shape, DType) {
    (operands[0].0.into(), operands[3].1)
}

pub(super) fn rule() -> Rule {
    let follows = [Follow::Result(0), Follow::Result(0), Follow::Own, Follow::Own, Follow::Whole];
    Rule { operands: follows.into_iter().map(|follow| [follow].into_iter().collect()).collect() }
}
