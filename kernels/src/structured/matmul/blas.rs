//! Matrix products by the library of the machine.

use crate::structured::number::{Number, readable};
use phalanx_device::blas::Blas;
use phalanx_ops::structured::Matmul;
use std::ops::Range;

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

/// The multiplications of a tile, at least.
const LEAST: usize = 1 << 21;
/// The same where one operand is a vector: each multiplication waits for memory.
const LEAST_OF_VECTOR: usize = 1 << 19;
/// The extents of tiles are multiples of this: the library computes so many rows or columns at a
/// time.
const STEP: usize = 16;

/// Part of a product: rows and columns of the result.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

/// The tiles of the result of a product, of `rows` by `columns` elements each.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    sizes: [usize; 3],
    rows: usize,
    columns: usize,
}

impl Tiles {
    /// A single tile.
    pub(super) fn whole(sizes: [usize; 3]) -> Tiles {
        Tiles { sizes, rows: sizes[0], columns: sizes[2] }
    }

    /// The tiles that `threads` threads compute. Each tile is a product of one thread: the
    /// library's own threads would wait actively for the next call, and meanwhile slow down what
    /// the program does next.
    pub(super) fn shared(sizes: [usize; 3], threads: usize) -> Tiles {
        let [m, k, n] = sizes;
        let least = if m == 1 || n == 1 { LEAST_OF_VECTOR } else { LEAST };
        let mut tiles = Tiles::whole(sizes);
        while tiles.count() < threads {
            let (longer, other) = match tiles.columns > tiles.rows {
                true => (&mut tiles.columns, tiles.rows),
                false => (&mut tiles.rows, tiles.columns),
            };
            let half = longer.div_ceil(2).next_multiple_of(STEP);
            let is_large = half.saturating_mul(k).saturating_mul(other) >= least;
            if half >= *longer || !is_large {
                break;
            }
            *longer = half;
        }
        tiles
    }

    /// The number of tiles.
    pub(super) fn count(self) -> usize {
        let [m, _, n] = self.sizes;
        m.div_ceil(self.rows) * n.div_ceil(self.columns)
    }

    /// The tile of a number.
    pub(super) fn part(self, at: usize) -> Part {
        let [m, _, n] = self.sizes;
        let across = n.div_ceil(self.columns);
        let (row, column) = (at / across * self.rows, at % across * self.columns);
        Part { rows: row..m.min(row + self.rows), columns: column..n.min(column + self.columns) }
    }
}

/// `to = a · b` or `to += a · b` of matrices in C order, operands transposed as `matmul` says. No
/// extent is 0.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub matmul: Matmul,
    pub sizes: [usize; 3],
    pub adds: bool,
}

impl Product {
    /// Computes a part by `threads` threads of the library.
    ///
    /// # Safety
    /// `to` is where a matrix of `m` by `n` elements starts, of which no one else reads or writes
    /// this part meanwhile.
    pub(super) unsafe fn compute<T: Number>(
        self,
        a: &[T],
        b: &[T],
        to: *mut T,
        part: Part,
        (blas, threads): (Blas, usize),
    ) {
        let Product { matmul, sizes, adds } = self;
        let [m, k, n] = sizes;
        assert!(a.len() == m * k && b.len() == k * n, "bug: sizes of matrices");
        assert!(part.rows.end <= m && part.columns.end <= n, "bug: {part:?} of {m} x {n}");
        let one = [T::of(1.0, 0.0)];
        let zero = [T::of(0.0, 0.0)];
        let products = blas.library().products();
        let _entered = blas.enter(threads);
        // In Fortran's order a matrix in C order is its transpose, so the operands change places.
        let [a_transposed, b_transposed] = matmul.transposed;
        let integer = |size: usize| size as i64;
        let a = &a[if a_transposed { part.rows.start } else { part.rows.start * k }..];
        let b = &b[if b_transposed { part.columns.start * k } else { part.columns.start }..];
        let to = to.wrapping_add(part.rows.start * n + part.columns.start);
        let (rows, columns) = (part.rows.len(), part.columns.len());
        let [a_step, b_step] = [if a_transposed { m } else { k }, if b_transposed { k } else { n }];
        if m == 1 || n == 1 {
            // The matrix in Fortran's order is `extents[0]` by `extents[1]`.
            let (matrix, vector, extents, distance, transposed) =
                match (m, a_transposed, b_transposed) {
                    (1, _, false) => (b, a, [columns, k], b_step, false),
                    (1, _, true) => (b, a, [k, columns], b_step, true),
                    (_, false, _) => (a, b, [k, rows], a_step, true),
                    (_, true, _) => (a, b, [rows, k], a_step, false),
                };
            if !adds {
                // Some libraries multiply old NaN by zero.
                // SAFETY: the caller's promise; the part of a vector has no gaps.
                unsafe { std::slice::from_raw_parts_mut(to, rows * columns) }.fill(zero[0]);
            }
            let ([high, wide], distance, step) = (extents.map(integer), integer(distance), 1_i64);
            // SAFETY: the matrix and the vectors have these extents, as was checked, and the
            // library only reads the operands. Its functions were tried when it was loaded.
            unsafe {
                products.gemv[T::KIND as usize](
                    task(transposed),
                    &high,
                    &wide,
                    readable(&one),
                    readable(matrix),
                    &distance,
                    readable(vector),
                    &step,
                    readable(&one),
                    to.cast(),
                    &step,
                    1,
                );
            }
            return;
        }
        let [a_step, b_step, distance] = [a_step, b_step, n].map(integer);
        let [rows, k, columns] = [rows, k, columns].map(integer);
        let beta = if adds { &one } else { &zero };
        // SAFETY: the matrices have these extents, as was checked, and the library only reads the
        // operands. Its functions were tried when it was loaded.
        unsafe {
            products.gemm[T::KIND as usize](
                task(b_transposed),
                task(a_transposed),
                &columns,
                &rows,
                &k,
                readable(&one),
                readable(b),
                &b_step,
                readable(a),
                &a_step,
                readable(beta),
                to.cast(),
                &distance,
                1,
                1,
            );
        }
    }
}
