//! Factorisations on the CPU: one thread for a matrix; the matrices of a stack run in parallel.

use crate::structured::{Block, Plain};
use num_complex::{Complex32, Complex64};
use phalanx_numerics::linalg::Element;
use phalanx_ops::DType;
use phalanx_ops::structured::Decomposition;
use rayon::prelude::*;

/// Factorises the matrices of a block as `Decomposition` says.
///
/// Panics (`bug:`) if shapes or dtypes do not fit.
pub fn run(
    decomposition: &Decomposition,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    match to.dtype {
        DType::F32 => typed::<f32>(*decomposition, operands, to, pool),
        DType::F64 => typed::<f64>(*decomposition, operands, to, pool),
        DType::C64 => typed::<Complex32>(*decomposition, operands, to, pool),
        DType::C128 => typed::<Complex64>(*decomposition, operands, to, pool),
        other => unreachable!("bug: matrices of {other} are not factorised"),
    }
}

fn typed<T: Element + Plain>(
    decomposition: Decomposition,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
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
    let job = |(at, to): (usize, &mut [T])| {
        let a = &a[at * m * n..][..m * n];
        let b = &b[at * n * right..][..n * right];
        T::factorise(decomposition, a, [m, n], b, to);
    };
    match pool.filter(|pool| pool.current_num_threads() > 1 && count > 1) {
        Some(pool) => {
            // Small matrices share jobs.
            let at_once = (4096 / (m * n).max(1)).max(1);
            pool.install(|| {
                to.par_chunks_mut(size).enumerate().with_min_len(at_once).for_each(job);
            });
        }
        None => to.chunks_mut(size).enumerate().for_each(job),
    }
}
