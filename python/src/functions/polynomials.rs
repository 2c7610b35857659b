//! Polynomials as vectors of coefficients, that of the highest power first.

use crate::errors::value_error;
use crate::functions;
use crate::mistakes::Mistake;
use phalanx::{
    poly, polyadd, polyder, polydiv, polyfit, polyint, polymul, polysub, polyval, roots,
};

functions! { FUNCTIONS, a =>
    "poly(seq_of_zeros)",
    "The coefficients of the polynomial with these roots.":
    poly(&a.array("seq_of_zeros")?);

    "roots(p)",
    "Where a polynomial is 0. Collective.":
    roots(&a.array("p")?);

    "polyadd(a1, a2)",
    "The sum of two polynomials.":
    polyadd(&a.array("a1")?, &a.array("a2")?);

    "polysub(a1, a2)",
    "The difference of two polynomials.":
    polysub(&a.array("a1")?, &a.array("a2")?);

    "polymul(a1, a2)",
    "The product of two polynomials.":
    polymul(&a.array("a1")?, &a.array("a2")?);

    "polydiv(u, v)",
    "The quotient and the remainder of two polynomials.":
    polydiv(&a.array("u")?, &a.array("v")?);

    "polyder(p, m=1)",
    "The derivative of some order.":
    polyder(&a.array("p")?, a.integer_or("m", 1)?);

    "polyint(p, m=1, k=None)",
    "The integral of some order, with constants.":
    polyint(&a.array("p")?, a.integer_or("m", 1)?, a.optional_array("k")?.as_ref());

    "polyval(p, x)",
    "The values of a polynomial.":
    polyval(&a.array("p")?, &a.array("x")?);

    "polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False)",
    "The polynomial of some degree that is closest to points.":
    {
        a.only("full", "False")?;
        a.only("cov", "False")?;
        let weights = a.optional_array("w")?;
        let degree = usize::try_from(a.integer("deg")?)
            .map_err(|_| value_error(Mistake::Value, "expected deg >= 0"))?;
        let rcond = a.optional_float("rcond")?;
        polyfit(&a.array("x")?, &a.array("y")?, degree, rcond, weights.as_ref())
    };
}
