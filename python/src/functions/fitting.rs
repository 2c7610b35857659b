//! Polynomials from their roots and through points, and their quotients.

use crate::functions;

functions! { FUNCTIONS, a =>
    "poly(seq_of_zeros)",
    "The coefficients of the polynomial with given roots, or of a matrix.":
    phalanx::poly(&a.array("seq_of_zeros")?);

    "polydiv(u, v)",
    "The quotient and the remainder of polynomials.":
    phalanx::polydiv(&a.array("u")?, &a.array("v")?);

    "polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False)",
    "The coefficients of the polynomial that is nearest to points.":
    {
        a.only("full", "False")?;
        a.only("cov", "False")?;
        let weights = a.optional_array("w")?;
        phalanx::polyfit(
            &a.array("x")?,
            &a.array("y")?,
            a.count("deg")?,
            a.optional_float("rcond")?,
            weights.as_ref(),
        )
    };
}
