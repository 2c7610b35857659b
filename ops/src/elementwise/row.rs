//! The row of the elementwise table, and the loop type strings that rows share.

use crate::elementwise::Algebra;
use crate::scalar::Weak;

/// One row of the elementwise table.
#[derive(Debug)]
pub struct Row {
    /// NumPy's name. Rows for one output of a function with several, and for the constructor of
    /// complex numbers, have names of our own.
    pub name: &'static str,
    /// Further names of the same operation.
    pub aliases: &'static [&'static str],
    /// The number of operands.
    pub arity: usize,
    /// The loops in NumPy's order, as NumPy type strings, several in a string; `E` is bfloat16.
    pub loops: &'static [&'static str],
    /// The identity of a reduction with the operation.
    pub identity: Option<Weak>,
    /// How the operation treats partial values.
    pub algebra: Algebra,
    /// The cost of one element, in additions.
    pub flops: u32,
    /// Largest error on real dtypes, in units in the last place of the exact result. For
    /// `logaddexp` and `logaddexp2`, in units of the larger of the result and the larger operand,
    /// because the two terms may cancel.
    pub ulp: u32,
    /// Largest error on complex dtypes, in units in the last place of the larger component of the
    /// result. For powers, times `|x2| (1 + |log x1|)`, because they use the logarithm in the
    /// dtype's own precision. For quotients and `sign`, only if no intermediate result leaves the
    /// range of the dtype.
    pub complex_ulp: u32,
    /// A description of the operation's result.
    pub doc: &'static str,
}

// Each name states the kind of the inputs and their number; the result of `TEST` loops is bool.
pub(super) const BOOL1: &str = "?->?";
pub(super) const INT1: &str = "b->b B->B h->h H->H i->i I->I l->l L->L";
pub(super) const FLOAT1: &str = "e->e E->E f->f d->d";
pub(super) const COMPLEX1: &str = "F->F D->D";
pub(super) const MODULUS1: &str = "F->f D->d";
pub(super) const PARTS2: &str = "ff->F dd->D";
pub(super) const KEYED2: &str = "LL->L";
pub(super) const COUNT1: &str = "b->B B->B h->B H->B i->B I->B l->B L->B";
pub(super) const EXPONENT1: &str = "e->i E->i f->i d->i";
pub(super) const BOOL_TEST1: &str = "?->?";
pub(super) const INT_TEST1: &str = "b->? B->? h->? H->? i->? I->? l->? L->?";
pub(super) const FLOAT_TEST1: &str = "e->? E->? f->? d->?";
pub(super) const COMPLEX_TEST1: &str = "F->? D->?";
pub(super) const BOOL2: &str = "??->?";
pub(super) const INT2: &str = "bb->b BB->B hh->h HH->H ii->i II->I ll->l LL->L";
pub(super) const FLOAT2: &str = "ee->e EE->E ff->f dd->d";
pub(super) const COMPLEX2: &str = "FF->F DD->D";
pub(super) const DOUBLE2: &str = "dd->d DD->D";
pub(super) const BOOL_TEST2: &str = "??->?";
pub(super) const INT_TEST2: &str = "bb->? BB->? hh->? HH->? ii->? II->? ll->? LL->?";
pub(super) const MIXED_TEST2: &str = "lL->? Ll->?";
pub(super) const FLOAT_TEST2: &str = "ee->? EE->? ff->? dd->?";
pub(super) const COMPLEX_TEST2: &str = "FF->? DD->?";
pub(super) const LOAD_EXPONENT2: &str = "ei->e Ei->E fi->f el->e El->E fl->f di->d dl->d";
