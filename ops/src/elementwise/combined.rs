//! The operation by which each monoid combines.

use super::table::Op;
use crate::monoid::Monoid;

impl Monoid {
    /// The operation that combines two elements; `None` for the compound monoids.
    pub const fn operation(self) -> Option<Op> {
        match self {
            Monoid::Add => Some(Op::Add),
            Monoid::Multiply => Some(Op::Multiply),
            Monoid::Min => Some(Op::Minimum),
            Monoid::Max => Some(Op::Maximum),
            Monoid::Any => Some(Op::LogicalOr),
            Monoid::All => Some(Op::LogicalAnd),
            Monoid::LogAddExp => Some(Op::LogAddExp),
            Monoid::BitAnd => Some(Op::BitwiseAnd),
            Monoid::BitOr => Some(Op::BitwiseOr),
            Monoid::BitXor => Some(Op::BitwiseXor),
            Monoid::ArgMin | Monoid::ArgMax | Monoid::Moments | Monoid::Binned => None,
        }
    }
}
