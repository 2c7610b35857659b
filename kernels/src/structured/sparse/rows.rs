//! The rows of a device's block of a sparse matrix.

use crate::structured::{Block, Plain};
use std::ops::Range;

/// A column of an entry.
pub(super) trait Column: Plain + Ord {
    /// The number of the column.
    fn number(self) -> i64;
}

impl Column for i32 {
    fn number(self) -> i64 {
        i64::from(self)
    }
}

impl Column for i64 {
    fn number(self) -> i64 {
        self
    }
}

/// Runs an expression in which a name is the type of the columns in a block.
macro_rules! by_column {
    ($block:expr, $name:ident => $body:expr) => {
        match $block.dtype {
            phalanx_ops::DType::I32 => {
                type $name = i32;
                $body
            }
            _ => {
                type $name = i64;
                $body
            }
        }
    };
}
pub(super) use by_column;

/// The ranges of the entries of rows, as positions in the device's block of entries.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    starts: &'a [i64],
    ends: &'a [i64],
    entries: usize,
}

impl<'a> Rows<'a> {
    /// The rows of a block with this number of entries. Panics (`bug:`) if the starts and ends do
    /// not match.
    pub fn of(starts: &'a Block<'_>, ends: &'a Block<'_>, entries: usize) -> Rows<'a> {
        assert_eq!(starts.len(), ends.len(), "bug: starts and ends of other rows");
        // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
        let [starts, ends] = [starts, ends].map(|block| unsafe { block.elements::<i64>() });
        Rows { starts, ends, entries }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The entries of a row. Those outside of the block are left out.
    pub fn get(&self, row: usize) -> Range<usize> {
        let within = |position: i64| {
            let position = position.saturating_sub(self.starts[0]).max(0);
            usize::try_from(position).map_or(self.entries, |at| at.min(self.entries))
        };
        let start = within(self.starts[row]);
        start..within(self.ends[row]).max(start)
    }
}

/// The elements of an operand.
pub(super) fn elements<'a, T: Plain>(block: &'a Block<'_>) -> &'a [T] {
    // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`), except where an
    // operation says so, which does not read the operand.
    unsafe { block.elements::<T>() }
}
