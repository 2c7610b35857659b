//! The ufuncs and their names.

use super::methods::Ufunc;
use phalanx_ops::Op;
use phalanx_ops::elementwise::{MULTI_OUTPUT, MultiOutput};

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
        Ufunc::all().find(|ufunc| ufunc.names().any(|one| one == name))
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
        // Operations that compute one of two results have no further names.
        std::iter::once(self.name).chain(self.op.row().aliases.iter().copied())
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
    fn every_name_leads_to_its_ufunc_alone() {
        let mut names = std::collections::BTreeSet::new();
        for ufunc in Ufunc::all() {
            for name in ufunc.names() {
                assert_eq!(Ufunc::from_name(name).expect(name).name(), ufunc.name());
                assert!(names.insert(name), "{name} names two ufuncs");
            }
        }
        assert!(names.contains("true_divide") && names.contains("mod"));
        assert!(Ufunc::from_name("modf_integral").is_none());
        assert!(Ufunc::from_name("frobnicate").is_none());
    }
}
