//! Casting rules: the casts that are allowed, as in NumPy's `can_cast`, with bfloat16 added.

use crate::dtype::{DType, Kind};
use crate::promote::promote;

/// How much information a cast may lose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Casting {
    /// The dtypes are equal.
    No,
    /// Only the byte order changes. Phalanx has only native order, so this equals `No`.
    Equiv,
    /// Every value is preserved (NumPy includes 64-bit integers to f64).
    Safe,
    /// Safe, or within a kind, or to a higher kind.
    SameKind,
    /// Every cast is allowed.
    Unsafe,
}

impl Casting {
    /// Every rule, strictest first.
    pub const ALL: &'static [Casting] =
        &[Casting::No, Casting::Equiv, Casting::Safe, Casting::SameKind, Casting::Unsafe];

    /// NumPy's name of the rule.
    pub const fn name(self) -> &'static str {
        match self {
            Casting::No => "no",
            Casting::Equiv => "equiv",
            Casting::Safe => "safe",
            Casting::SameKind => "same_kind",
            Casting::Unsafe => "unsafe",
        }
    }

    /// The rule of the given NumPy name.
    pub fn from_name(name: &str) -> Option<Casting> {
        Casting::ALL.iter().copied().find(|casting| casting.name() == name)
    }
}

/// Whether the rule allows casting `from` to `to`.
pub const fn can_cast(from: DType, to: DType, casting: Casting) -> bool {
    match casting {
        Casting::No | Casting::Equiv => from as u8 == to as u8,
        Casting::Safe => promote(from, to) as u8 == to as u8,
        Casting::SameKind => {
            can_cast(from, to, Casting::Safe) || rank(from.kind()) <= rank(to.kind())
        }
        Casting::Unsafe => true,
    }
}

/// The order of kinds for NumPy's `same_kind`: a cast may go to an equal or higher kind, so
/// unsigned to signed, but not back.
const fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Bool => 0,
        Kind::Unsigned => 1,
        Kind::Signed => 2,
        Kind::Float => 3,
        Kind::Complex => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bfloat16_casts_safely_only_where_every_value_is_kept() {
        use DType::*;
        let from: Vec<_> =
            DType::ALL.iter().copied().filter(|&to| can_cast(BF16, to, Casting::Safe)).collect();
        let to: Vec<_> = DType::ALL
            .iter()
            .copied()
            .filter(|&from| can_cast(from, BF16, Casting::Safe))
            .collect();
        assert_eq!(from, [BF16, F32, F64, C64, C128]);
        assert_eq!(to, [Bool, I8, U8, BF16]);
        assert!(can_cast(F64, BF16, Casting::SameKind));
        assert!(!can_cast(C64, BF16, Casting::SameKind));
    }

    #[test]
    fn a_looser_rule_allows_what_a_stricter_one_does() {
        for &from in DType::ALL {
            for &to in DType::ALL {
                for pair in Casting::ALL.windows(2) {
                    assert!(
                        !can_cast(from, to, pair[0]) || can_cast(from, to, pair[1]),
                        "{from} to {to}: {:?} but not {:?}",
                        pair[0],
                        pair[1]
                    );
                }
            }
        }
    }
}
