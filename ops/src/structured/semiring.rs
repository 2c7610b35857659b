//! The operations in place of addition and multiplication in products of sparse matrices.

use crate::{DType, Monoid, Op};
use std::fmt;

macro_rules! semirings {
    ($($(#[$of:meta])? $variant:ident $name:literal $add:ident $multiply:ident $doc:literal;)*) => {
        /// What combines the products of a row and what multiplies elements in the product of
        /// sparse matrices.
        ///
        /// Source: J. Kepner, J. Gilbert (editors), "Graph Algorithms in the Language of Linear
        /// Algebra" (2011), chapter 2.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub enum Semiring { $(#[doc = $doc] $(#[$of])? $variant),* }

        impl Semiring {
            /// Every semiring, in table order.
            pub const ALL: &'static [Semiring] = &[$(Semiring::$variant),*];

            /// The name: that of the combination and that of the multiplication.
            pub const fn name(self) -> &'static str {
                match self { $(Semiring::$variant => $name),* }
            }

            /// The name of a product with a vector or a matrix in plans.
            pub(super) const fn product_name(self) -> &'static str {
                match self {
                    Semiring::PlusTimes => "spmm",
                    $(#[allow(unreachable_patterns, reason = "the first row is above")]
                    Semiring::$variant => concat!("spmm_", $name)),*
                }
            }

            /// The name of a product with a vector in some rows in plans.
            pub(super) const fn rows_name(self) -> &'static str {
                match self {
                    Semiring::PlusTimes => "spmm_rows",
                    $(#[allow(unreachable_patterns, reason = "the first row is above")]
                    Semiring::$variant => concat!("spmm_rows_", $name)),*
                }
            }

            /// The name of a product of sparse matrices in plans.
            pub(super) const fn values_name(self) -> &'static str {
                match self {
                    Semiring::PlusTimes => "spgemm_values",
                    $(#[allow(unreachable_patterns, reason = "the first row is above")]
                    Semiring::$variant => concat!("spgemm_values_", $name)),*
                }
            }

            /// What combines products. Its identity is the element of a row without entries.
            pub const fn add(self) -> Monoid {
                match self { $(Semiring::$variant => Monoid::$add),* }
            }

            /// What multiplies two elements.
            pub const fn multiply(self) -> Op {
                match self { $(Semiring::$variant => Op::$multiply),* }
            }
        }
    };
}

semirings! {
    #[default] PlusTimes "plus_times" Add Multiply
        "The ordinary product; the identity is 0. On bool, the same as `OrAnd`.";
    MinPlus "min_plus" Min Add
        "The least sum, for shortest paths; the identity is infinity or the largest integer.";
    MaxPlus "max_plus" Max Add
        "The largest sum; the identity is minus infinity or the smallest integer.";
    MinTimes "min_times" Min Multiply
        "The least product; the identity is infinity or the largest integer.";
    MaxTimes "max_times" Max Multiply
        "The largest product, for the most reliable paths; the identity is minus infinity or the \
        smallest integer.";
    MinMax "min_max" Min Maximum
        "The least maximum, for paths with the smallest largest edge; the identity is infinity or \
        the largest integer.";
    MaxMin "max_min" Max Minimum
        "The largest minimum, for the widest paths; the identity is minus infinity or the smallest \
        integer.";
    OrAnd "or_and" Any LogicalAnd
        "Whether any pair of elements are both true (bool alone); the identity is false.";
}

impl Semiring {
    /// The semiring of the given name.
    pub fn from_name(name: &str) -> Option<Semiring> {
        Semiring::ALL.iter().copied().find(|semiring| semiring.name() == name)
    }

    /// Whether elements of a dtype can be multiplied and combined. Complex numbers have no order
    /// that multiplication keeps.
    pub const fn accepts(self, dtype: DType) -> bool {
        match self {
            Semiring::PlusTimes => true,
            Semiring::OrAnd => matches!(dtype, DType::Bool),
            _ => !matches!(dtype, DType::C64 | DType::C128),
        }
    }
}

impl fmt::Display for Semiring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_operations_accept_the_dtypes() {
        for &semiring in Semiring::ALL {
            assert_eq!(Semiring::from_name(semiring.name()), Some(semiring));
            for &dtype in DType::ALL.iter().filter(|&&dtype| semiring.accepts(dtype)) {
                assert!(semiring.add().accepts(dtype), "{semiring} of {dtype}");
            }
        }
        assert_eq!(Semiring::from_name("times_plus"), None);
        assert_eq!(Semiring::default(), Semiring::PlusTimes);
        assert_eq!(Semiring::PlusTimes.product_name(), "spmm");
        assert_eq!(Semiring::MinPlus.product_name(), "spmm_min_plus");
    }
}
