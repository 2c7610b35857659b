//! Matrix products on the CPU by the library of the machine, or else by the `gemm` crate.

use super::blas;
use super::in_order::{self, Fused, Matrix};
use crate::structured::lines::Places;
use crate::structured::number::Number;
use crate::structured::tasks::{each, shared, within};
use crate::structured::{Block, Plain};
use num_complex::{Complex32, Complex64};
use phalanx_device::blas::Blas;
use phalanx_ops::DType;
use phalanx_ops::structured::Matmul;

/// Terms that are summed in one call of gemm, which splits longer sums by the size of the
/// first-level cache, and results must not depend on that.
const BLOCK: usize = 512;
/// Multiplications of a product that takes less time than another thread needs to wake.
const SMALL: usize = 1 << 16;
/// Multiplications of real numbers, and terms of a sum, of a product of few elements: gemm takes
/// longer to begin.
const FEW: [usize; 2] = [512, 16];
/// Multiplications of a product that one thread computes by a library.
const MIDDLE: usize = 1 << 19;
/// As `MIDDLE`, if a stack has as many products as the library has threads.
const LARGE: usize = 1 << 24;

/// A stack of products.
#[derive(Clone, Copy)]
struct Stack<'a> {
    matmul: Matmul,
    a: &'a Block<'a>,
    b: &'a Block<'a>,
    to: &'a Block<'a>,
    sizes: [usize; 3],
    adds: bool,
}

/// What computes a product: a library on the current pool, as if it had a number of threads, or
/// gemm there.
#[derive(Clone, Copy)]
enum By {
    Library(Blas, usize),
    Gemm,
    /// The routine that adds terms from the first to the last.
    Order,
    /// The same sums without copies of the operands, for matrices of few elements.
    Few,
}

/// `to = a · b` for stacks of matrices of a floating-point or complex dtype, or `to = c + a · b`.
///
/// f16 and bf16 are multiplied and summed in f32. Panics (`bug:`) if shapes do not fit.
pub fn run(
    matmul: Matmul,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
    blas: Option<Blas>,
) {
    let (a, b) = (&operands[0], &operands[1]);
    let sizes = matmul.sizes(a.shape, b.shape);
    let [m, k, n] = sizes;
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
    let stack = Stack { matmul, a, b, to, sizes, adds: old.is_some() };
    if matmul.in_order {
        return match pool {
            // Products share their rows among the threads, too.
            Some(pool) => within(pool, &mut || {
                each(Some(pool), count, 1, &|at| stack.multiply(at, By::Order));
            }),
            None => (0..count).for_each(|at| stack.multiply(at, By::Order)),
        };
    }
    let multiplications = m.saturating_mul(k).saturating_mul(n);
    let is_small = multiplications <= SMALL;
    let of_real = if to.dtype.is_complex() { 4 } else { 1 };
    let own = match multiplications.saturating_mul(of_real) <= FEW[0] && k <= FEW[1] {
        true => By::Few,
        false => By::Gemm,
    };
    let blas = blas.filter(|blas| !is_small && blas::takes(*blas, sizes));
    let wide = pool.filter(|pool| pool.current_num_threads() > 1);
    // The number of a library's threads does not depend on the pool, so that all ranks have the
    // same bits.
    let is_shared = multiplications <= LARGE && count >= blas.map_or(2, Blas::threads);
    let together = count.saturating_mul(multiplications) > SMALL;
    match (blas, wide) {
        (blas, Some(pool)) if is_shared && together && (is_small || blas.is_some()) => {
            let at_once = (SMALL / multiplications.max(1)).max(1);
            let by = blas.map_or(own, |blas| By::Library(blas, 1));
            each(Some(pool), count, at_once, &|at| stack.multiply(at, by));
        }
        (Some(blas), _) => {
            let is_single = is_shared || multiplications <= MIDDLE;
            let threads = if is_single { 1 } else { blas.threads() };
            let mut all =
                || (0..count).for_each(|at| stack.multiply(at, By::Library(blas, threads)));
            // The threads of the pool share the tiles, and have a stack that is large enough.
            match pool.filter(|_| threads > 1) {
                Some(pool) => within(pool, &mut all),
                None => all(),
            }
        }
        (None, Some(pool)) if !is_small => {
            within(pool, &mut || (0..count).for_each(|at| stack.multiply(at, By::Gemm)));
        }
        (None, _) => (0..count).for_each(|at| stack.multiply(at, own)),
    }
}

impl Stack<'_> {
    /// The product of the matrices at a position of the stacks.
    fn multiply(&self, at: usize, by: By) {
        match self.to.dtype {
            DType::F32 => self.typed::<f32, 6, 16>(at, by),
            DType::F64 => self.typed::<f64, 8, 8>(at, by),
            DType::C64 => self.typed::<Complex32, 4, 8>(at, by),
            DType::C128 => self.typed::<Complex64, 4, 4>(at, by),
            DType::F16 => self.halves(at, by, half::f16::to_f32, half::f16::from_f32),
            DType::BF16 => self.halves(at, by, half::bf16::to_f32, half::bf16::from_f32),
            dtype => unreachable!("bug: matrices of {dtype} are not multiplied by a library"),
        }
    }

    /// Products in order keep tiles of `ROWS` by `WIDTH` sums in registers. With twice as many, the
    /// compiler would keep them in memory.
    fn typed<T: Fused, const ROWS: usize, const WIDTH: usize>(&self, at: usize, by: By) {
        // SAFETY: nothing writes the operands meanwhile, and this part of the output is this
        // call's alone (condition 2 of `Buffer`).
        let (a, b, to) = unsafe { self.matrices(at) };
        self.product::<T, ROWS, WIDTH>(a, b, to, by);
    }

    /// Widens both operands once, multiplies in f32 and rounds once.
    fn halves<H: Plain>(
        &self,
        at: usize,
        by: By,
        widen: impl Fn(H) -> f32,
        narrow: impl Fn(f32) -> H,
    ) {
        // SAFETY: as in `typed`.
        let (a, b, to) = unsafe { self.matrices::<H>(at) };
        let wide = |part: &[H]| part.iter().map(|&element| widen(element)).collect::<Vec<f32>>();
        let mut sums = if self.adds { wide(to) } else { vec![0.0; to.len()] };
        self.product::<f32, 6, 16>(&wide(a), &wide(b), &mut sums, by);
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = narrow(sum));
    }

    /// The matrices at a position of the stacks.
    ///
    /// # Safety
    /// Condition 2 of `Buffer`: nothing writes the operands while the references live, and nothing
    /// else touches this part of the output.
    #[allow(clippy::mut_from_ref, reason = "exclusive access is the caller's promise")]
    unsafe fn matrices<T: Plain>(&self, at: usize) -> (&[T], &[T], &mut [T]) {
        let [m, k, n] = self.sizes;
        // SAFETY: the caller's promise; the parts of other positions do not overlap.
        let to = unsafe { self.to.part_mut::<T>(at * m * n, m * n) };
        // SAFETY: the caller's promise.
        let (a, b) = unsafe { (self.a.elements::<T>(), self.b.elements::<T>()) };
        (&a[at * m * k..][..m * k], &b[at * k * n..][..k * n], to)
    }

    /// `to = a · b` or `to += a · b` of matrices in C order, operands transposed as `matmul` says.
    fn product<T: Fused, const ROWS: usize, const WIDTH: usize>(
        &self,
        a: &[T],
        b: &[T],
        to: &mut [T],
        by: By,
    ) {
        let &Stack { matmul, sizes, adds, .. } = self;
        match by {
            By::Library(blas, threads) => {
                let product = blas::Product { matmul, sizes, adds };
                // Where calls wait for each other, one call has all threads.
                let (tiles, threads) = match blas.calls_run_together() {
                    true => (blas::Tiles::shared(sizes, threads), 1),
                    false => (blas::Tiles::whole(sizes), threads),
                };
                let places = Places::new(to);
                shared(tiles.count(), &|at| {
                    let part = tiles.part(at);
                    // SAFETY: the matrix is this call's alone, and each part is one thread's.
                    unsafe { product.compute(a, b, places.at(0), part, (blas, threads)) };
                });
            }
            By::Gemm => product(matmul, a, b, to, sizes, adds),
            By::Order | By::Few => {
                let [m, k, n] = sizes;
                let steps = |transposed: bool, rows: usize, columns: usize| {
                    if transposed { [1, rows] } else { [columns, 1] }
                };
                let a = Matrix { elements: a, steps: steps(matmul.transposed[0], m, k) };
                let b = Matrix { elements: b, steps: steps(matmul.transposed[1], k, n) };
                match by {
                    By::Few => in_order::few(a, b, to, sizes, adds),
                    _ => in_order::product::<T, ROWS, WIDTH>(a, b, to, sizes, adds),
                }
            }
        }
    }
}

/// `Stack::product` by gemm.
fn product<T: Number>(
    matmul: Matmul,
    a: &[T],
    b: &[T],
    to: &mut [T],
    [m, k, n]: [usize; 3],
    adds: bool,
) {
    assert!(a.len() == m * k && b.len() == k * n && to.len() == m * n, "bug: sizes of matrices");
    let (zero, one) = (T::of(0.0, 0.0), T::of(1.0, 0.0));
    let threads = rayon::current_num_threads();
    let is_small = m.saturating_mul(k).saturating_mul(n) <= SMALL;
    let parallelism = if threads > 1 && !is_small {
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
