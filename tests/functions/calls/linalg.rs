//! Factorisations of matrices and what is made of them.

use crate::arguments::{Arguments, inexpressible};
use phalanx::linalg::{
    QrMode, Triangle, cholesky, det, eigh, eigvalsh, inv, qr, slogdet, solve, svd, svdvals,
};

calls! { a =>
    "linalg.cholesky": cholesky(&a.array(0), a.flag("upper")),
    "linalg.inv": inv(&a.array(0)),
    "linalg.solve": solve(&a.array(0), &a.array(1)),
    "linalg.det": det(&a.array(0)),
    "linalg.slogdet": slogdet(&a.array(0)),
    "linalg.qr": qr(&a.array(0), match a.optional_text("mode").as_deref() {
        None | Some("reduced") => QrMode::Reduced,
        Some("complete") => QrMode::Complete,
        Some(other) => inexpressible(format!("mode {other}")),
    }),
    "linalg.svd": svd(&a.array(0), a.flag_or("full_matrices", true))
        .map(|found| (found.u, found.s, found.vh)),
    "linalg.svdvals": svdvals(&a.array(0)),
    "linalg.eigh": eigh(&a.array(0), triangle(a)),
    "linalg.eigvalsh": eigvalsh(&a.array(0), triangle(a)),
}

fn triangle(a: &Arguments) -> Triangle {
    match a.optional_text("UPLO").as_deref() {
        None | Some("L") => Triangle::Lower,
        Some("U") => Triangle::Upper,
        Some(other) => inexpressible(format!("triangle {other}")),
    }
}
