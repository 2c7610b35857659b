//! Checks of products for floating-point errors, by the names that the products have in NumPy.

use crate::array::Array;
use crate::floating::{check_product, looks};
use crate::reductions::{Axes, keepdims};
use phalanx_graph::Site;

/// The operands of a product, and the axes of each that it sums over. Reduced over them, the
/// operands broadcast to the product.
pub(super) type Sums<'a> = [(&'a Array, Axes); 2];

/// The sums of a product of matrices or vectors, or of stacks of them.
pub(super) fn of_matmul<'a>(a: &'a Array, b: &'a Array) -> Sums<'a> {
    let rows = if b.ndim() == 1 { -1 } else { -2 };
    if a.ndim() == 1 || b.ndim() == 1 {
        return [(a, (-1).into()), (b, rows.into())];
    }
    [(a, keepdims(-1)), (b, keepdims(rows))]
}

/// The sums of a product of matrices and vectors.
pub(super) fn of_matvec<'a>(a: &'a Array, b: &'a Array) -> Sums<'a> {
    [(a, (-1).into()), (b, keepdims(-1))]
}

/// The sums of a product of vectors and matrices.
pub(super) fn of_vecmat<'a>(a: &'a Array, b: &'a Array) -> Sums<'a> {
    [(a, keepdims(-1)), (b, (-2).into())]
}

/// The sums of a product along an axis of both operands.
pub(super) fn of_vecdot<'a>(a: &'a Array, b: &'a Array, axis: i64) -> Sums<'a> {
    [(a, axis.into()), (b, axis.into())]
}

/// Records the errors of a product that the program asked for.
pub(super) fn check<'a>(
    operation: &'static str,
    sums: impl FnOnce() -> Sums<'a>,
    result: &Array,
    site: Site,
) {
    if looks() && result.ok().is_ok() {
        check_product(operation, sums(), result, site);
    }
}

/// [`check`] for the functions that are a `dot` in NumPy.
pub(super) fn check_dot(a: &Array, b: &Array, result: &Array, site: Site) {
    check("dot", || of_matmul(a, b), result, site);
}
