//! Factorisations on the CPU by the library of the machine, or else by our own routines.
//!
//! Our own routines use one thread for a matrix, and so does the library if a stack has at least as
//! many matrices as threads. The matrices of a stack then run in parallel.

use super::lapack;
use crate::structured::Block;
use crate::structured::number::Number;
use num_complex::{Complex32, Complex64};
use phalanx_device::blas::Blas;
use phalanx_numerics::linalg::Element;
use phalanx_ops::DType;
use phalanx_ops::structured::Decomposition;
use rayon::prelude::*;

/// Elements of a matrix that a single thread of a library factorises.
const MIDDLE: usize = 96 * 96;

/// Factorises the matrices of a block as `Decomposition` says.
///
/// Panics (`bug:`) if shapes or dtypes do not fit.
pub fn run(
    decomposition: &Decomposition,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    blas: Option<Blas>,
) {
    match to.dtype {
        DType::F32 => typed::<f32>(*decomposition, operands, to, pool, blas),
        DType::F64 => typed::<f64>(*decomposition, operands, to, pool, blas),
        DType::C64 => typed::<Complex32>(*decomposition, operands, to, pool, blas),
        DType::C128 => typed::<Complex64>(*decomposition, operands, to, pool, blas),
        other => unreachable!("bug: matrices of {other} are not factorised"),
    }
}

fn typed<T: Element + Number>(
    decomposition: Decomposition,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    blas: Option<Blas>,
) {
    let [stack @ .., m, n] = operands[0].shape else {
        unreachable!("bug: a factorisation of {:?}", operands[0].shape)
    };
    let (m, n, count) = (*m, *n, stack.iter().product::<usize>());
    let smaller = m.min(n);
    let right = operands.get(1).map_or(0, |right| right.shape[right.shape.len() - 1]);
    let size = match decomposition {
        Decomposition::Cholesky | Decomposition::Inverse => m * n,
        Decomposition::Solve => n * right,
        Decomposition::Determinant => 3,
        Decomposition::Qr { complete } => (m + n) * if complete { m } else { smaller },
        Decomposition::Eigh { .. } | Decomposition::Eig { .. } => (n + 1) * n,
        Decomposition::Svd { full } => (m + n + 1) * if full { m.max(n) } else { smaller },
    };
    let rectangular = matches!(decomposition, Decomposition::Qr { .. } | Decomposition::Svd { .. });
    assert!(
        (rectangular || m == n)
            && operands.iter().all(|operand| operand.dtype == to.dtype)
            && to.len() == count * size
            && operands.get(1).is_none_or(|operand| operand.len() == count * n * right),
        "bug: a factorisation of {:?} into {:?}",
        operands[0].shape,
        to.shape
    );
    if to.is_empty() {
        return;
    }
    // SAFETY: nothing writes the operands meanwhile, and the output is the plan's alone (condition
    // 2 of `Buffer`).
    let (a, b, to) = unsafe {
        let b = operands.get(1).map_or(&[][..], |operand| operand.elements::<T>());
        (operands[0].elements::<T>(), b, to.elements_mut::<T>())
    };
    let blas = blas.filter(|blas| lapack::takes(blas.library(), decomposition, [m, n]));
    // The number of a library's threads does not depend on the pool, so that all ranks have the
    // same bits.
    let is_shared = blas.is_some_and(|blas| count >= blas.threads());
    let is_single = is_shared || m * n <= MIDDLE;
    let threads = blas.filter(|_| !is_single).map_or(1, Blas::threads);
    let job = |(at, to): (usize, &mut [T])| {
        let a = &a[at * m * n..][..m * n];
        let b = &b[at * n * right..][..n * right];
        match blas {
            Some(blas) => {
                let _entered = blas.enter(threads);
                lapack::factorise(blas.library(), decomposition, a, [m, n], b, to);
            }
            None => T::factorise(decomposition, a, [m, n], b, to),
        }
    };
    match pool {
        Some(pool) if pool.current_num_threads() > 1 && count > 1 && threads == 1 => {
            // Small matrices share jobs.
            let at_once = (4096 / (m * n).max(1)).max(1);
            pool.install(|| {
                to.par_chunks_mut(size).enumerate().with_min_len(at_once).for_each(job);
            });
        }
        // The threads of the pool have a stack that is large enough.
        Some(pool) if threads > 1 => {
            pool.install(|| to.chunks_mut(size).enumerate().for_each(job));
        }
        _ => to.chunks_mut(size).enumerate().for_each(job),
    }
}
