//! Factorisations of matrices and functions based on them.

use crate::arguments::{Arguments, inexpressible};
use phalanx::Array;
use phalanx::linalg::{
    Eig, Ord, Qr, QrMode, Triangle, cholesky, cond, det, eig, eigh, eigvals, eigvalsh, inv, lstsq,
    matrix_rank, norm, pinv, qr, slogdet, solve, svd, svdvals,
};

calls! { a =>
    "linalg.cholesky": cholesky(&a.array(0), a.flag("upper")),
    "linalg.inv": inv(&a.array(0)),
    "linalg.solve": solve(&a.array(0), &a.array(1)),
    "linalg.det": det(&a.array(0)),
    "linalg.slogdet": {
        let found = slogdet(&a.array(0));
        (found.sign, found.logabsdet)
    },
    "linalg.qr": both(qr(&a.array(0), match a.optional_text("mode").as_deref() {
        None | Some("reduced") => QrMode::Reduced,
        Some("complete") => QrMode::Complete,
        Some(other) => inexpressible(format!("mode {other}")),
    })),
    "linalg.svd": svd(&a.array(0), a.flag_or("full_matrices", true))
        .map(|found| (found.u, found.s, found.vh)),
    "linalg.svdvals": svdvals(&a.array(0)),
    "linalg.eig": pairs(eig(&a.array(0))),
    "linalg.eigvals": eigvals(&a.array(0)),
    "linalg.eigh": pairs(eigh(&a.array(0), triangle(a))),
    "linalg.eigvalsh": eigvalsh(&a.array(0), triangle(a)),
    "linalg.pinv": pinv(&a.array(0), None),
    "linalg.lstsq": lstsq(&a.array(0), &a.array(1), None)
        .map(|found| vec![found.x, found.residuals, found.rank, found.s]),
    "linalg.matrix_rank": matrix_rank(&a.array(0), None),
    "linalg.cond": cond(&a.array(0), ord(a)),
    "linalg.norm": norm(
        &a.array(0),
        ord(a),
        a.optional_integers("axis").as_deref(),
        a.flag("keepdims"),
    ),
}

fn both(found: Qr) -> (Array, Array) {
    (found.q, found.r)
}

fn pairs(found: Eig) -> (Array, Array) {
    (found.eigenvalues, found.eigenvectors)
}

fn ord(a: &Arguments) -> Ord {
    if !a.has(1) {
        a.value(1);
        return Ord::Default;
    }
    if a.value(1).is_some_and(|value| value.is_string()) {
        return match a.text(1).as_str() {
            "fro" => Ord::Frobenius,
            "nuc" => Ord::Nuclear,
            other => inexpressible(format!("norm {other}")),
        };
    }
    match a.float(1) {
        order if order == f64::INFINITY => Ord::Infinity,
        order if order == f64::NEG_INFINITY => Ord::MinusInfinity,
        order => Ord::P(order),
    }
}

fn triangle(a: &Arguments) -> Triangle {
    match a.optional_text("UPLO").as_deref() {
        None | Some("L") => Triangle::Lower,
        Some("U") => Triangle::Upper,
        Some(other) => inexpressible(format!("triangle {other}")),
    }
}
