//! Monoids: the associative combinations shared by reduce kernels and collectives.

use crate::dtype::{DType, Kind};
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! monoids {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// An associative combination with an identity.
        ///
        /// All but the compound ones (`ArgMin`, `ArgMax`, `Moments`, `Binned`) combine single
        /// elements.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Monoid { $(#[doc = $doc] $variant),* }

        impl Monoid {
            /// Every monoid, in table order.
            pub const ALL: &'static [Monoid] = &[$(Monoid::$variant),*];

            /// The name used in plans and kernels.
            pub const fn name(self) -> &'static str {
                match self { $(Monoid::$variant => $name),* }
            }
        }
    };
}

monoids! {
    Add "add" "Sum; on bool, logical or.";
    Multiply "multiply" "Product; on bool, logical and.";
    Min "min"
        "Smallest element; a NaN wins, as in NumPy. Complex numbers compare lexicographically.";
    Max "max"
        "Largest element; a NaN wins, as in NumPy. Complex numbers compare lexicographically.";
    Any "any" "Logical or of truth values (bool only).";
    All "all" "Logical and of truth values (bool only).";
    ArgMin "argmin"
        "Pair of smallest element and its index; the smaller index wins a tie; the first NaN wins.";
    ArgMax "argmax"
        "Pair of largest element and its index; the smaller index wins a tie; the first NaN wins.";
    LogAddExp "logaddexp" "log(exp(a) + exp(b)) (real floating point only).";
    BitAnd "bitwise_and" "Bitwise and (bool and integers).";
    BitOr "bitwise_or" "Bitwise or (bool and integers).";
    BitXor "bitwise_xor" "Bitwise exclusive or (bool and integers).";
    Moments "moments"
        "(count, mean, rest, squares) of numbers: the sums of the deviations from the rounded mean \
        and of their squares, combined by Chan's update (f32 and f64). A reduction gives the \
        squares.";
    Binned "binned"
        "(window, three sums, value) of f64 numbers: a sum whose bits do not depend on the order \
        (`Binned`). A reduction gives the value.";
}

impl Monoid {
    /// The cost of combining one element, in additions.
    pub const fn flops(self) -> u32 {
        match self {
            // Two deviations from the mean, and a division.
            Monoid::Moments => 12,
            // Three digits, each cut off and added.
            Monoid::Binned => 12,
            // As the elementwise operation.
            Monoid::LogAddExp => 45,
            Monoid::ArgMin | Monoid::ArgMax => 2,
            Monoid::Add
            | Monoid::Multiply
            | Monoid::Min
            | Monoid::Max
            | Monoid::Any
            | Monoid::All
            | Monoid::BitAnd
            | Monoid::BitOr
            | Monoid::BitXor => 1,
        }
    }

    /// The monoid of the given name.
    pub fn from_name(name: &str) -> Option<Monoid> {
        Monoid::ALL.iter().copied().find(|monoid| monoid.name() == name)
    }

    /// Whether one combined item is more than one element.
    pub const fn is_compound(self) -> bool {
        matches!(self, Monoid::ArgMin | Monoid::ArgMax | Monoid::Moments | Monoid::Binned)
    }

    /// Bytes of one combined item of `dtype`.
    ///
    /// `ArgMin`/`ArgMax`: the element at offset 0, its `i64` index at offset `max(8, size)`.
    /// `Moments`: count, mean, rest and squares as four elements of `dtype`, in this order.
    /// `Binned`: the window and three sums as `i64`, and the value.
    pub const fn item_size(self, dtype: DType) -> usize {
        match self {
            Monoid::ArgMin | Monoid::ArgMax => Self::index_offset(dtype) + 8,
            Monoid::Moments => 4 * dtype.size(),
            Monoid::Binned => 5 * 8,
            _ => dtype.size(),
        }
    }

    /// The byte offset of the index in an `ArgMin`/`ArgMax` item of `dtype`.
    pub const fn index_offset(dtype: DType) -> usize {
        if dtype.size() > 8 { dtype.size() } else { 8 }
    }

    /// The number of parts of an item. The last part is the result of a reduction: the index of
    /// `ArgMin`/`ArgMax`, the squares of `Moments`, the value of `Binned`.
    pub const fn parts(self) -> u8 {
        match self {
            Monoid::ArgMin | Monoid::ArgMax => 2,
            Monoid::Moments => 4,
            Monoid::Binned => 5,
            _ => 1,
        }
    }

    /// The byte offset of a part of an item of `dtype`.
    pub const fn part_offset(self, dtype: DType, part: u8) -> usize {
        match self {
            Monoid::ArgMin | Monoid::ArgMax if part > 0 => Self::index_offset(dtype),
            _ => part as usize * dtype.size(),
        }
    }

    /// Whether items of `dtype` can be combined.
    pub const fn accepts(self, dtype: DType) -> bool {
        match self {
            Monoid::Add | Monoid::Multiply | Monoid::Min | Monoid::Max => true,
            Monoid::ArgMin | Monoid::ArgMax => true,
            Monoid::Any | Monoid::All => matches!(dtype, DType::Bool),
            Monoid::LogAddExp => matches!(dtype.kind(), Kind::Float),
            Monoid::BitAnd | Monoid::BitOr | Monoid::BitXor => {
                matches!(dtype.kind(), Kind::Bool | Kind::Signed | Kind::Unsigned)
            }
            Monoid::Moments => matches!(dtype, DType::F32 | DType::F64),
            Monoid::Binned => matches!(dtype, DType::F64),
        }
    }
}

impl fmt::Display for Monoid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
