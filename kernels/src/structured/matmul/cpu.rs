//! Matrix products on the CPU by the `gemm` crate.

use num_complex::{Complex32, Complex64};
use phalanx_device::{Buffer, assert_in_bounds};
use phalanx_ops::DType;

/// Terms that are summed at once. gemm cuts longer sums by the size of the first cache, and results
/// must not depend on that.
const BLOCK: usize = 512;

/// `to = a · b` for C-ordered matrices of `m × k` and `k × n` elements of a floating-point or
/// complex dtype.
///
/// f16 and bf16 are multiplied and summed in f32. Panics (`bug:`) if a buffer is too small.
pub fn multiply(
    a: &Buffer,
    b: &Buffer,
    to: &Buffer,
    [m, k, n]: [usize; 3],
    dtype: DType,
    pool: Option<&rayon::ThreadPool>,
) {
    if m == 0 || n == 0 {
        return;
    }
    let item = dtype.size();
    for (buffer, rows, columns) in [(a, m, k), (b, k, n), (to, m, n)] {
        let strides = [(columns * item) as isize, item as isize];
        assert_in_bounds(buffer.len(), 0, &strides, &[rows, columns], item);
    }
    let run = || match dtype {
        DType::F32 => typed::<f32>(a, b, to, [m, k, n], 0.0, 1.0),
        DType::F64 => typed::<f64>(a, b, to, [m, k, n], 0.0, 1.0),
        DType::C64 => typed::<Complex32>(
            a,
            b,
            to,
            [m, k, n],
            Complex32::new(0.0, 0.0),
            Complex32::new(1.0, 0.0),
        ),
        DType::C128 => typed::<Complex64>(
            a,
            b,
            to,
            [m, k, n],
            Complex64::new(0.0, 0.0),
            Complex64::new(1.0, 0.0),
        ),
        DType::F16 => half_precision(a, b, to, [m, k, n], half::f16::to_f32, half::f16::from_f32),
        DType::BF16 => {
            half_precision(a, b, to, [m, k, n], half::bf16::to_f32, half::bf16::from_f32)
        }
        _ => unreachable!("bug: matrices of {dtype} are not multiplied by a library"),
    };
    match pool {
        Some(pool) => pool.install(run),
        None => run(),
    }
}

fn typed<T: Copy + Send + Sync + 'static>(
    a: &Buffer,
    b: &Buffer,
    to: &Buffer,
    [m, k, n]: [usize; 3],
    zero: T,
    one: T,
) {
    let threads = rayon::current_num_threads();
    let parallelism =
        if threads > 1 { gemm::Parallelism::Rayon(threads) } else { gemm::Parallelism::None };
    for start in (0..k.max(1)).step_by(BLOCK) {
        let is_first = start == 0;
        // SAFETY: the caller checked that all three matrices lie inside their buffers, and so do
        // their parts from column or row `start` on; their element type is that of the dtype; the
        // plan gives the output a slot of its own (condition 2 of `Buffer`).
        unsafe {
            gemm::gemm(
                m,
                n,
                BLOCK.min(k - start),
                to.as_ptr().cast::<T>(),
                1,
                n as isize,
                !is_first,
                a.as_ptr().cast::<T>().add(start).cast_const(),
                1,
                k as isize,
                b.as_ptr().cast::<T>().add(start * n).cast_const(),
                1,
                n as isize,
                if is_first { zero } else { one },
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
fn half_precision<H: Copy>(
    a: &Buffer,
    b: &Buffer,
    to: &Buffer,
    [m, k, n]: [usize; 3],
    widen: fn(H) -> f32,
    narrow: fn(f32) -> H,
) {
    let wide = |buffer: &Buffer, count: usize| {
        // SAFETY: `multiply` checked that `count` elements lie inside the buffer; elements are
        // aligned to their size.
        let elements = unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast::<H>(), count) };
        Buffer::from_vec(elements.iter().map(|&element| widen(element)).collect::<Vec<f32>>())
    };
    let product = Buffer::from_vec(vec![0f32; m * n]);
    typed::<f32>(&wide(a, m * k), &wide(b, k * n), &product, [m, k, n], 0.0, 1.0);
    // SAFETY: as above; the output is the plan's alone.
    let (from, into) = unsafe {
        (
            std::slice::from_raw_parts(product.as_ptr().cast::<f32>(), m * n),
            std::slice::from_raw_parts_mut(to.as_ptr().cast::<H>(), m * n),
        )
    };
    into.iter_mut().zip(from).for_each(|(to, &from)| *to = narrow(from));
}
