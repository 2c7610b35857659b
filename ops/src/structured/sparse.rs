//! The product of a sparse matrix in rows (CSR) and a vector.
//!
//! Operands (starts, ends, columns, values, x): the start and end of each row's entries among all
//! entries (`i64`), the column (`i32` or `i64`) and value of each entry, and the vector, of the
//! values' dtype. A device's blocks of columns and values hold the entries of the rows in its block
//! of starts.

use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{DType, Shape};

/// The record of the product.
pub(super) struct Spmv;

impl Record for Spmv {
    fn name(&self) -> &'static str {
        "spmv"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), operands[3].1)
    }

    fn rule(&self, _shapes: &[&[usize]]) -> Rule {
        let follows =
            [Follow::Result(0), Follow::Result(0), Follow::Own, Follow::Own, Follow::Whole];
        Rule { operands: follows.into_iter().map(|one| [one].into_iter().collect()).collect() }
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        (2 * shapes[2][0] / shapes[0][0].max(1)) as u64
    }

    fn work(&self) -> Work {
        Work::Pass
    }
}
