//! The ufuncs and their names.

use super::methods::Ufunc;
use phalanx_ops::Op;
use phalanx_ops::elementwise::{MULTI_OUTPUT, MultiOutput};

/// Further NumPy names of ufuncs, and the first name of each.
const ALIASES: &[(&str, &str)] = &[
    ("abs", "absolute"),
    ("acos", "arccos"),
    ("acosh", "arccosh"),
    ("asin", "arcsin"),
    ("asinh", "arcsinh"),
    ("atan", "arctan"),
    ("atan2", "arctan2"),
    ("atanh", "arctanh"),
    ("bitwise_invert", "invert"),
    ("bitwise_left_shift", "left_shift"),
    ("bitwise_not", "invert"),
    ("bitwise_right_shift", "right_shift"),
    ("conj", "conjugate"),
    ("mod", "remainder"),
    ("pow", "power"),
    ("true_divide", "divide"),
];

impl Ufunc {
    /// NumPy's `divmod`.
    pub const DIVMOD: Ufunc = Ufunc::of_two(&MULTI_OUTPUT[0]);
    /// NumPy's `modf`.
    pub const MODF: Ufunc = Ufunc::of_two(&MULTI_OUTPUT[1]);
    /// NumPy's `frexp`.
    pub const FREXP: Ufunc = Ufunc::of_two(&MULTI_OUTPUT[2]);

    /// Every ufunc. Local.
    pub fn all() -> impl Iterator<Item = Ufunc> {
        let is_own = |op: &Op| !is_part(*op) && !matches!(op, Op::Philox | Op::Complex);
        let of_one_result = Op::ALL.iter().copied().filter(is_own).map(super::ufunc);
        of_one_result.chain(MULTI_OUTPUT.iter().map(Ufunc::of_two))
    }

    /// The ufunc with this NumPy name. Local.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// let divmod = phalanx::Ufunc::from_name("divmod").unwrap();
    /// assert_eq!((divmod.nin(), divmod.nout()), (2, 2));
    /// assert_eq!(phalanx::Ufunc::from_name("mod").unwrap().name(), "remainder");
    /// ```
    pub fn from_name(name: &str) -> Option<Ufunc> {
        let first = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, of)| *of);
        Ufunc::all().find(|ufunc| ufunc.name() == first)
    }

    const fn of_two(row: &'static MultiOutput) -> Ufunc {
        Ufunc { name: row.name, op: row.outputs[0], second: Some(row.outputs[1]) }
    }

    /// The name. Local.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// All NumPy names of the ufunc. Local.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let aliases = ALIASES.iter().filter(move |(_, of)| *of == self.name);
        std::iter::once(self.name).chain(aliases.map(|(alias, _)| *alias))
    }

    /// The number of operands. Local.
    pub const fn nin(self) -> usize {
        self.op.arity()
    }

    /// The number of results. Local.
    pub const fn nout(self) -> usize {
        if self.second.is_some() { 2 } else { 1 }
    }

    /// The operation that computes each result. Local.
    pub fn ops(self) -> impl Iterator<Item = Op> {
        std::iter::once(self.op).chain(self.second)
    }
}

/// Whether an operation computes one of two results under its own name, such as `modf_integral`.
fn is_part(op: Op) -> bool {
    MULTI_OUTPUT.iter().any(|multi| {
        let rest = op.name().strip_prefix(multi.name);
        multi.outputs.contains(&op) && rest.is_some_and(|rest| !rest.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_names_a_ufunc() {
        for (alias, name) in ALIASES {
            let found = Ufunc::from_name(alias).expect(alias);
            assert_eq!(found.name(), *name);
            assert!(found.names().any(|one| one == *alias));
        }
        assert!(Ufunc::from_name("modf_integral").is_none());
        assert!(Ufunc::from_name("frobnicate").is_none());
    }
}
