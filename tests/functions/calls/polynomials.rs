//! Polynomials as vectors of coefficients.

use phalanx::{polyadd, polyder, polyint, polymul, polysub, polyval, roots};

calls! { a =>
    "roots": roots(&a.array(0)),
    "polyval": polyval(&a.array(0), &a.array(1)),
    "polyadd": polyadd(&a.array(0), &a.array(1)),
    "polysub": polysub(&a.array(0), &a.array(1)),
    "polymul": polymul(&a.array(0), &a.array(1)),
    "polyder": polyder(&a.array(0), a.int_or("m", 1)),
    "polyint": polyint(&a.array(0), a.int_or("m", 1), a.optional_array("k").as_ref()),
}
