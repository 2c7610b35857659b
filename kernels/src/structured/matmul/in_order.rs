//! Products whose terms are added from the first to the last, so that an element has the same bits
//! whatever block of the result a device computes.
//!
//! The blocking is that of Goto and van de Geijn ("Anatomy of high-performance matrix
//! multiplication", ACM TOMS 34(3), 2008), with one difference: a block of terms continues from the
//! sums so far instead of from zero.

use crate::cpu::instructions::for_each_level;
use crate::structured::number::Number;
use num_complex::{Complex32, Complex64};
use rayon::prelude::*;

/// Terms of a block.
const TERMS: usize = 256;
/// Columns whose terms are copied at a time.
const WIDE: usize = 1024;
/// Tiles of sums, one below the other, that a thread computes at a time.
const TILES: usize = 16;

/// A matrix in memory: its elements, and the distances to the next row and to the next column.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a, T> {
    pub elements: &'a [T],
    pub steps: [usize; 2],
}

impl<T: Copy> Matrix<'_, T> {
    #[inline(always)]
    fn at(self, row: usize, column: usize) -> T {
        self.elements[row * self.steps[0] + column * self.steps[1]]
    }
}

/// A number whose components have a fused multiply-add.
pub(super) trait Fused: Number {
    /// `sum + a · b`.
    fn fused(sum: Self, a: Self, b: Self) -> Self;
}

macro_rules! real {
    ($($type:ty),*) => {$(
        impl Fused for $type {
            #[inline(always)]
            fn fused(sum: $type, a: $type, b: $type) -> $type {
                a.mul_add(b, sum)
            }
        }
    )*};
}
real!(f32, f64);

macro_rules! complex {
    ($($type:ty),*) => {$(
        impl Fused for $type {
            #[inline(always)]
            fn fused(sum: $type, a: $type, b: $type) -> $type {
                <$type>::new(
                    (-a.im).mul_add(b.im, a.re.mul_add(b.re, sum.re)),
                    a.im.mul_add(b.re, a.re.mul_add(b.im, sum.im)),
                )
            }
        }
    )*};
}
complex!(Complex32, Complex64);

for_each_level! {
    /// Adds the products of a block of terms to a tile of sums.
    fn tile[T: Fused, const ROWS: usize, const WIDTH: usize][T, ROWS, WIDTH](
        a: &[T],
        b: &[T],
        sums: &mut [[T; WIDTH]; ROWS],
    ) {
        let mut all = *sums;
        let ((a, _), (b, _)) = (a.as_chunks::<ROWS>(), b.as_chunks::<WIDTH>());
        for (a, b) in a.iter().zip(b) {
            for row in 0..ROWS {
                for column in 0..WIDTH {
                    all[row][column] = T::fused(all[row][column], a[row], b[column]);
                }
            }
        }
        *sums = all;
    }
}

for_each_level! {
    /// As [`product`], of matrices of few elements, whose sums stay in the result.
    pub(super) fn few[T: Fused][T](
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        to: &mut [T],
        sizes: [usize; 3],
        adds: bool,
    ) {
        let [_, k, n] = sizes;
        if !adds {
            to.fill(T::of(0.0, 0.0));
        }
        // The sums of a row do not wait for each other. Loops without closures: the compiler may
        // leave a closure of complex numbers out of line, where each fused operation is a call.
        for (row, to) in to.chunks_exact_mut(n.max(1)).enumerate() {
            for term in 0..k {
                let factor = a.at(row, term);
                let [down, across] = b.steps;
                if across == 1 {
                    let others = &b.elements[term * down..][..n];
                    for (to, &other) in to.iter_mut().zip(others) {
                        *to = T::fused(*to, factor, other);
                    }
                } else {
                    for (column, to) in to.iter_mut().enumerate() {
                        *to = T::fused(*to, factor, b.at(term, column));
                    }
                }
            }
        }
    }
}

/// `to = a · b`, or `to += a · b` if it `adds`, of matrices of `m` by `k` and `k` by `n`; `to` is
/// in C order. Tiles of `ROWS` by `WIDTH` sums stay in registers. Uses the threads of the current
/// pool.
pub(super) fn product<T: Fused, const ROWS: usize, const WIDTH: usize>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    to: &mut [T],
    [m, k, n]: [usize; 3],
    adds: bool,
) {
    assert!(
        a.elements.len() == m * k && b.elements.len() == k * n && to.len() == m * n,
        "bug: sizes of matrices"
    );
    let zero = T::of(0.0, 0.0);
    if !adds && k == 0 {
        to.fill(zero);
    }
    let mut terms = Vec::new();
    for column in (0..n).step_by(WIDE) {
        let columns = column..(column + WIDE).min(n);
        for first in (0..k).step_by(TERMS) {
            let range = first..(first + TERMS).min(k);
            terms.clear();
            terms.resize(columns.len().div_ceil(WIDTH) * WIDTH * range.len(), zero);
            let panels = terms.par_chunks_mut(WIDTH * range.len()).enumerate();
            panels.for_each(|(panel, to)| {
                let start = columns.start + panel * WIDTH;
                let width = WIDTH.min(columns.end - start);
                for (to, term) in to.chunks_exact_mut(WIDTH).zip(range.clone()) {
                    for (at, to) in to.iter_mut().enumerate().take(width) {
                        *to = b.at(term, start + at);
                    }
                }
            });
            let continues = adds || first > 0;
            let blocks = to.par_chunks_mut(TILES * ROWS * n).enumerate();
            blocks.for_each(|(block, to)| {
                let mut own = vec![zero; ROWS * range.len()];
                for (at, to) in to.chunks_mut(ROWS * n).enumerate() {
                    let (start, height) = ((block * TILES + at) * ROWS, to.len() / n);
                    for (own, term) in own.chunks_exact_mut(ROWS).zip(range.clone()) {
                        for (row, own) in own.iter_mut().enumerate().take(height) {
                            *own = a.at(start + row, term);
                        }
                    }
                    for (panel, terms) in terms.chunks_exact(WIDTH * range.len()).enumerate() {
                        let start = columns.start + panel * WIDTH;
                        let width = WIDTH.min(columns.end - start);
                        let mut sums = [[zero; WIDTH]; ROWS];
                        if continues {
                            for (sums, to) in sums.iter_mut().zip(to.chunks_exact(n)) {
                                sums[..width].copy_from_slice(&to[start..start + width]);
                            }
                        }
                        tile::<T, ROWS, WIDTH>(&own, terms, &mut sums);
                        for (sums, to) in sums.iter().zip(to.chunks_exact_mut(n)) {
                            to[start..start + width].copy_from_slice(&sums[..width]);
                        }
                    }
                }
            });
        }
    }
}
