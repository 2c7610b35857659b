//! Matrix products by the library of the machine.

use crate::structured::number::{Number, readable, writable};
use phalanx_device::blas::Blas;
use phalanx_ops::structured::Matmul;

/// The largest extent for a library that may have 32-bit integers.
const MOST_NARROW: usize = i32::MAX as usize;

/// The text of an operand that is used as it is, or transposed.
fn task(transposed: bool) -> *const u8 {
    if transposed { b"T".as_ptr() } else { b"N".as_ptr() }
}

/// Whether a library's integers can count the extents.
pub(super) fn takes(blas: Blas, sizes: [usize; 3]) -> bool {
    blas.library().has_wide_integers() || sizes.iter().all(|&size| size <= MOST_NARROW)
}

/// `to = a · b` or `to += a · b` of matrices in C order, operands transposed as `matmul` says, by
/// `threads` threads. No extent is 0.
pub(super) fn product<T: Number>(
    matmul: Matmul,
    a: &[T],
    b: &[T],
    to: &mut [T],
    [m, k, n]: [usize; 3],
    adds: bool,
    (blas, threads): (Blas, usize),
) {
    assert!(a.len() == m * k && b.len() == k * n && to.len() == m * n, "bug: sizes of matrices");
    let one = [T::of(1.0, 0.0)];
    let zero = [T::of(0.0, 0.0)];
    let products = blas.library().products();
    let _entered = blas.enter(threads);
    // In Fortran's order a matrix in C order is its transpose, so the operands change places.
    let [a_transposed, b_transposed] = matmul.transposed;
    let integer = |size: usize| size as i64;
    if m == 1 || n == 1 {
        // The matrix in Fortran's order is `rows x columns`.
        let (matrix, vector, rows, columns, transposed) = match (m, a_transposed, b_transposed) {
            (1, _, false) => (b, a, n, k, false),
            (1, _, true) => (b, a, k, n, true),
            (_, false, _) => (a, b, k, m, true),
            (_, true, _) => (a, b, m, k, false),
        };
        if !adds {
            // Some libraries multiply old NaN by zero.
            to.fill(zero[0]);
        }
        let (rows, columns, step) = (integer(rows), integer(columns), 1_i64);
        // SAFETY: the matrix and the vectors have these extents, as was checked, and the library
        // only reads the operands. Its functions were tried when it was loaded.
        unsafe {
            products.gemv[T::KIND as usize](
                task(transposed),
                &rows,
                &columns,
                readable(&one),
                readable(matrix),
                &rows,
                readable(vector),
                &step,
                readable(&one),
                writable(to),
                &step,
                1,
            );
        }
        return;
    }
    let a_step = integer(if a_transposed { m } else { k });
    let b_step = integer(if b_transposed { k } else { n });
    let [m, k, n] = [m, k, n].map(integer);
    let beta = if adds { &one } else { &zero };
    // SAFETY: the matrices have these extents, as was checked, and the library only reads the
    // operands. Its functions were tried when it was loaded.
    unsafe {
        products.gemm[T::KIND as usize](
            task(b_transposed),
            task(a_transposed),
            &n,
            &m,
            &k,
            readable(&one),
            readable(b),
            &b_step,
            readable(a),
            &a_step,
            readable(beta),
            writable(to),
            &n,
            1,
            1,
        );
    }
}
