//! Where values would stand in a sorted vector.

use super::{Follow, Rule};

/// NumPy's `searchsorted`: operands (sorted, values) of one dtype, the former a vector. Gives the
/// number (`i64`) of its elements that are less than each value, or not greater.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SearchSorted {
    /// Before or after equal elements.
    pub side: Side,
}

/// A side of equal elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Before them.
    Left,
    /// After them.
    Right,
}

impl SearchSorted {
    pub(super) fn rule(shapes: &[&[usize]]) -> Rule {
        let mut rule = Rule::along(u8::MAX, shapes, 2);
        rule.operands[0][0] = Follow::Whole;
        rule
    }
}
