//! Matrix products on the CPU by the `gemm` crate.

use crate::structured::{Block, Plain};
use num_complex::{Complex32, Complex64};
use phalanx_ops::DType;
use phalanx_ops::structured::Matmul;

/// Terms that are summed in one call. gemm splits longer sums by the size of the first-level cache,
/// and results must not depend on that.
const BLOCK: usize = 512;

/// `to = a · b` for stacks of matrices of a floating-point or complex dtype, or `to = c + a · b`.
///
/// f16 and bf16 are multiplied and summed in f32. Panics (`bug:`) if shapes do not fit.
pub fn run(
    matmul: Matmul,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let (a, b) = (&operands[0], &operands[1]);
    let [m, k, n] = matmul.sizes(a.shape, b.shape);
    let count = to.shape[..to.shape.len() - 2].iter().product::<usize>();
    assert!(
        a.len() == count * m * k && b.len() == count * k * n && to.len() == count * m * n,
        "bug: a product of {:?} and {:?} into {:?}",
        a.shape,
        b.shape,
        to.shape
    );
    if to.is_empty() {
        return;
    }
    let old = operands.get(2);
    if let Some(old) = old.filter(|old| !old.buffer.same(to.buffer)) {
        to.copy_from(old);
    }
    for at in 0..count {
        multiply(matmul, a, b, to, at, [m, k, n], old.is_some(), pool);
    }
}

/// The product of the matrices at a position of the stacks.
#[allow(clippy::too_many_arguments, reason = "three matrices and what they are")]
fn multiply(
    matmul: Matmul,
    a: &Block<'_>,
    b: &Block<'_>,
    to: &Block<'_>,
    at: usize,
    sizes: [usize; 3],
    adds: bool,
    pool: Option<&rayon::ThreadPool>,
) {
    let dtype = to.dtype;
    let run = || match dtype {
        DType::F32 => typed::<f32>(matmul, a, b, to, at, sizes, adds, [0.0, 1.0]),
        DType::F64 => typed::<f64>(matmul, a, b, to, at, sizes, adds, [0.0, 1.0]),
        DType::C64 => typed(matmul, a, b, to, at, sizes, adds, [0.0, 1.0_f32].map(Complex32::from)),
        DType::C128 => {
            typed(matmul, a, b, to, at, sizes, adds, [0.0, 1.0_f64].map(Complex64::from))
        }
        DType::F16 => {
            let halves = (half::f16::to_f32, half::f16::from_f32);
            half_precision(matmul, a, b, to, at, sizes, adds, halves)
        }
        DType::BF16 => {
            let halves = (half::bf16::to_f32, half::bf16::from_f32);
            half_precision(matmul, a, b, to, at, sizes, adds, halves)
        }
        _ => unreachable!("bug: matrices of {dtype} are not multiplied by a library"),
    };
    match pool {
        Some(pool) if !is_small(sizes) => pool.install(run),
        _ => run(),
    }
}

/// Whether a product takes less time than another thread needs to wake.
const fn is_small([m, k, n]: [usize; 3]) -> bool {
    m.saturating_mul(k).saturating_mul(n) <= 1 << 16
}

#[allow(clippy::too_many_arguments, reason = "three matrices and what they are")]
fn typed<T: Plain>(
    matmul: Matmul,
    a: &Block<'_>,
    b: &Block<'_>,
    to: &Block<'_>,
    at: usize,
    sizes: [usize; 3],
    adds: bool,
    numbers: [T; 2],
) {
    // SAFETY: nothing writes the operands meanwhile, and the output is the plan's alone (condition
    // 2 of `Buffer`).
    let (a, b, to) = unsafe { matrices(a, b, to, at, sizes) };
    product(matmul, a, b, to, sizes, adds, numbers);
}

/// The matrices at a position of the stacks.
///
/// # Safety
/// Condition 2 of `Buffer`: nothing writes the operands while the references live, and nothing else
/// touches the output.
#[allow(clippy::mut_from_ref, reason = "exclusive access is the caller's promise")]
unsafe fn matrices<'a, T: Plain>(
    a: &'a Block<'_>,
    b: &'a Block<'_>,
    to: &'a Block<'_>,
    at: usize,
    [m, k, n]: [usize; 3],
) -> (&'a [T], &'a [T], &'a mut [T]) {
    // SAFETY: the caller's promise.
    let (a, b, to) = unsafe { (a.elements::<T>(), b.elements::<T>(), to.elements_mut::<T>()) };
    (&a[at * m * k..][..m * k], &b[at * k * n..][..k * n], &mut to[at * m * n..][..m * n])
}

/// `to = a · b` or `to += a · b` of matrices in C order, operands transposed as `matmul` says.
fn product<T: Plain>(
    matmul: Matmul,
    a: &[T],
    b: &[T],
    to: &mut [T],
    [m, k, n]: [usize; 3],
    adds: bool,
    [zero, one]: [T; 2],
) {
    assert!(a.len() == m * k && b.len() == k * n && to.len() == m * n, "bug: sizes of matrices");
    let threads = rayon::current_num_threads();
    let parallelism = if threads > 1 && !is_small([m, k, n]) {
        gemm::Parallelism::Rayon(threads)
    } else {
        gemm::Parallelism::None
    };
    // The distances in elements to the next column and to the next row.
    let steps = |transposed: bool, rows: usize, columns: usize| {
        if transposed { (rows, 1) } else { (1, columns) }
    };
    let (a_column, a_row) = steps(matmul.transposed[0], m, k);
    let (b_column, b_row) = steps(matmul.transposed[1], k, n);
    for start in (0..k.max(1)).step_by(BLOCK) {
        let keeps = adds || start > 0;
        // SAFETY: all three matrices have the lengths that were checked, so their parts from column
        // or row `start` on lie inside of them; `gemm` multiplies these four types alone.
        unsafe {
            gemm::gemm(
                m,
                n,
                BLOCK.min(k - start),
                to.as_mut_ptr(),
                1,
                n as isize,
                keeps,
                a.as_ptr().add(start * a_column),
                a_column as isize,
                a_row as isize,
                b.as_ptr().add(start * b_row),
                b_column as isize,
                b_row as isize,
                if keeps { one } else { zero },
                one,
                false,
                false,
                false,
                parallelism,
            );
        }
    }
}

/// Widens both operands once, multiplies in f32 and rounds once.
#[allow(clippy::too_many_arguments, reason = "three matrices and what they are")]
fn half_precision<H: Plain>(
    matmul: Matmul,
    a: &Block<'_>,
    b: &Block<'_>,
    to: &Block<'_>,
    at: usize,
    sizes: [usize; 3],
    adds: bool,
    (widen, narrow): (impl Fn(H) -> f32, impl Fn(f32) -> H),
) {
    // SAFETY: as in `typed`.
    let (a, b, to) = unsafe { matrices::<H>(a, b, to, at, sizes) };
    let wide = |part: &[H]| part.iter().map(|&element| widen(element)).collect::<Vec<f32>>();
    let mut sums = if adds { wide(to) } else { vec![0.0; to.len()] };
    product::<f32>(matmul, &wide(a), &wide(b), &mut sums, sizes, adds, [0.0, 1.0]);
    to.iter_mut().zip(sums).for_each(|(to, sum)| *to = narrow(sum));
}
