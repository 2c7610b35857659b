//! Folds: the canonical order of combination, the combination of operands in it, and fast loops for
//! whole leaves, for rows of memory and for the best of a block.

mod best;
pub(super) mod binned;
mod combine;
mod identity;
mod leaf;
mod operation;
mod order;
mod rows;

pub(super) use best::{BestLoop, Indices, best};
pub(super) use combine::{Combine, Counter, Item, MOST_BYTES};
pub(crate) use identity::identity;
pub(super) use leaf::{LeafLoop, gap_sum, gaps, leaf, narrow_sum, product_sum};
pub(super) use order::{LANES, LEAF, accumulators, is_ordered};
pub(super) use rows::{
    ROWS, Rows, RowsLoop, TREE, gap_rows, is_tree, narrow_rows, row_tree, rows, scaled_rows,
};
