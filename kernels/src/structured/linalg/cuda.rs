//! Factorisations on a GPU by cuSOLVER, and of many small matrices by cuBLAS.
//!
//! The libraries store matrices in Fortran's order: a matrix of ours is the transpose of one of
//! theirs. The flag whether a matrix has a factorisation stays on the device: a kernel writes NaN
//! to results without one, so the host does not wait.

use super::routines::Elements;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::transpose::{Transposed, routine as of_transposes, transpose};
use phalanx_device::cuda::{CudaDevice, Matrices, MatrixElement, SingularParts, Triangle};
use phalanx_device::{Buffer, Device, DeviceError, Strided, copy_strided};
use phalanx_ops::DType;
use phalanx_ops::structured::Decomposition;
use std::sync::Arc;

/// At least this many matrices of at most `SMALL` rows are factorised by one call.
const MANY: usize = 4;
const SMALL: usize = 256;
/// At least this many matrices of at most `TINY` elements run on the host if the GPU would
/// factorise them one by one, which is slower.
const TOO_MANY: usize = 16;
const TINY: usize = 64 * 64;
/// The largest extent of the library's older functions.
const LONGEST: usize = i32::MAX as usize;

/// The operands of one operation.
struct Work<'a> {
    elements: Elements<'a>,
    matrices: Matrices,
    /// Bytes of an element.
    size: usize,
    source: &'a Buffer,
    from: u64,
    to: &'a Block<'a>,
    device: &'a Arc<CudaDevice>,
}

/// Factorises the matrices of a block as `Decomposition` says; false if the host must do it.
///
/// Errors: those of `Solver::factor_cholesky` and of the compiler.
pub fn run(
    decomposition: &Decomposition,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    let element = match to.dtype {
        DType::F32 => MatrixElement::F32,
        DType::F64 => MatrixElement::F64,
        DType::C64 => MatrixElement::C64,
        DType::C128 => MatrixElement::C128,
        _ => return Ok(false),
    };
    let [stack @ .., rows, columns] = operands[0].shape else {
        unreachable!("bug: a factorisation of {:?}", operands[0].shape)
    };
    let (rows, columns, count) = (*rows, *columns, stack.iter().product::<usize>());
    if to.is_empty() || operands[0].is_empty() {
        // Determinants and bases of empty matrices are not empty; the host computes them.
        return Ok(to.is_empty());
    }
    let work = Work {
        elements: Elements { dtype: to.dtype, device },
        matrices: Matrices { element, rows, columns, count },
        size: to.dtype.size(),
        source: operands[0].buffer,
        from: address(operands[0].buffer),
        to,
        device,
    };
    if is_on_host(decomposition, [rows, columns], count) {
        return Ok(false);
    }
    match *decomposition {
        Decomposition::Cholesky => work.cholesky()?,
        Decomposition::Solve => work.solve(&operands[1])?,
        Decomposition::Inverse => work.inverse()?,
        Decomposition::Determinant => work.determinant()?,
        Decomposition::Qr { complete } => work.qr(complete)?,
        Decomposition::Eigh { lower } => work.eigh(lower)?,
        Decomposition::Svd { full } => work.svd(full)?,
        Decomposition::Eig { .. } => unreachable!("bug: the host finds these"),
    }
    Ok(true)
}

/// Whether the host factorises these matrices.
fn is_on_host(decomposition: &Decomposition, extents: [usize; 2], count: usize) -> bool {
    let [rows, columns] = extents;
    let one_by_one = count >= TOO_MANY && rows * columns <= TINY || rows.max(columns) > LONGEST;
    match decomposition {
        Decomposition::Eig { .. } => true,
        Decomposition::Qr { .. } | Decomposition::Eigh { .. } | Decomposition::Svd { .. } => {
            one_by_one
        }
        Decomposition::Cholesky
        | Decomposition::Solve
        | Decomposition::Inverse
        | Decomposition::Determinant => false,
    }
}

/// The routines that `run` launches in addition to the libraries.
pub fn routines(
    decomposition: &Decomposition,
    operands: &[Block<'_>],
    to: &Block<'_>,
) -> Vec<Routine> {
    let is_known = matches!(to.dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128);
    let [stack @ .., rows, columns] = operands[0].shape else {
        unreachable!("bug: a factorisation of {:?}", operands[0].shape)
    };
    let is_host = is_on_host(decomposition, [*rows, *columns], stack.iter().product());
    if !is_known || is_host || to.is_empty() || operands[0].is_empty() {
        return Vec::new();
    }
    vec![super::routines::routine(to.dtype), of_transposes(to.dtype.size())]
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    super::routines::sources()
}

/// LU factorisations.
struct Factors {
    a: Buffer,
    pivots: Buffer,
    outcomes: Buffer,
    /// The address of each matrix, if one call factorised all.
    addresses: Option<Buffer>,
    /// Flags of matrices with a NaN, which the search for pivots may miss.
    flags: Buffer,
}

fn address(buffer: &Buffer) -> u64 {
    buffer.as_ptr() as u64
}

impl Work<'_> {
    fn allocate(&self, bytes: usize) -> Result<Buffer, DeviceError> {
        self.device.clone().allocate(bytes)
    }

    /// Memory for elements.
    fn room(&self, elements: usize) -> Result<Buffer, DeviceError> {
        self.allocate(elements * self.size)
    }

    /// A zero for each matrix.
    fn flags(&self) -> Result<Buffer, DeviceError> {
        let bytes = 4 * self.matrices.count;
        let flags = self.allocate(bytes)?;
        flags.zero(0, bytes);
        Ok(flags)
    }

    fn result(&self) -> u64 {
        address(self.to.buffer)
    }

    /// Whether one call factorises all matrices.
    fn is_at_once(&self) -> bool {
        let Matrices { rows, count, .. } = self.matrices;
        count >= MANY && rows <= SMALL && count <= LONGEST
    }

    /// The address of each matrix from `first` on, at distances of `elements` elements.
    fn addresses(&self, first: u64, elements: usize) -> Result<Buffer, DeviceError> {
        let count = self.matrices.count;
        let addresses = self.allocate(8 * count)?;
        let step = elements * self.size;
        // SAFETY: there is room for an address for each matrix.
        unsafe { self.elements.addresses(address(&addresses), first, step, count)? };
        Ok(addresses)
    }

    fn cholesky(&self) -> Result<(), DeviceError> {
        let Matrices { rows: n, count, .. } = self.matrices;
        let (to, outcomes, flags) = (self.result(), self.flags()?, self.flags()?);
        // Our lower triangle is the library's upper triangle of the conjugate matrix, and its
        // factor `U` is `L` in our order.
        let (uplo, solver) = (Triangle::Upper, self.device.solver());
        // SAFETY: the blocks are whole, and the buffers have the lengths that are needed.
        unsafe {
            let places = [self.from, to, 0, address(&flags)];
            self.elements.prepare(places, n, count, Some(Triangle::Lower))?;
            if self.is_at_once() {
                let each = self.addresses(to, n * n)?;
                let (each, outcomes) = (each.device_pointer(), outcomes.device_pointer());
                solver.factor_small_cholesky(self.matrices, uplo, each, outcomes)?;
            } else {
                let (all, outcomes) = (self.to.buffer.device_pointer(), outcomes.device_pointer());
                solver.factor_cholesky(self.matrices, uplo, all, outcomes)?;
            }
            self.elements.spoil([to, address(&outcomes), address(&flags)], n * n, count, Some(n))
        }
    }

    /// The LU factors of the matrices in Fortran's order, the same as NumPy computes.
    fn lu(&self) -> Result<Factors, DeviceError> {
        let Matrices { element, rows: n, count, .. } = self.matrices;
        let at_once = self.is_at_once();
        let a = self.room(count * n * n)?;
        let pivots = self.allocate(count * n * if at_once { 4 } else { 8 })?;
        let (outcomes, flags) = (self.flags()?, self.flags()?);
        let copy = Transposed::packed(self.size, n, n, count);
        let [matrices, places] = [&a, &pivots].map(address);
        let [all, order, ended] = [&a, &pivots, &outcomes].map(Buffer::device_pointer);
        // SAFETY: the blocks are whole, and the buffers have the lengths that are needed.
        unsafe {
            self.elements.inspect([self.from, address(&flags)], [n, n], count, None, false)?;
            transpose(&copy, self.from, matrices, self.device)?;
            self.elements.pivots(places, n, count, !at_once, true)?;
            let addresses = if at_once {
                let each = self.addresses(matrices, n * n)?;
                let extents = [n as i32, count as i32];
                let (all, blas) = (each.device_pointer(), self.device.blas());
                blas.factor_small_lu(element, extents, all, order, ended)?;
                Some(each)
            } else {
                let solver = self.device.solver();
                solver.factor_lu(self.matrices, all, order, ended)?;
                None
            };
            self.elements.pivots(places, n, count, !at_once, false)?;
            Ok(Factors { a, pivots, outcomes, addresses, flags })
        }
    }

    /// Solves `A X = B`, or `Aᵀ X = B`, in place of right-hand sides in Fortran's order.
    fn solve_lu(
        &self,
        factors: &Factors,
        is_transposed: bool,
        right: &Buffer,
        columns: usize,
    ) -> Result<(), DeviceError> {
        let Matrices { element, rows: n, count, .. } = self.matrices;
        let [a, pivots] = [&factors.a, &factors.pivots].map(Buffer::device_pointer);
        match &factors.addresses {
            // SAFETY: the factors and the right-hand sides are whole.
            None => unsafe {
                let places = [a, pivots, right.device_pointer()];
                self.device.solver().solve_lu(self.matrices, is_transposed, places, columns)
            },
            Some(addresses) => {
                let extents = [n as i32, columns as i32, count as i32];
                let each = self.addresses(address(right), n * columns)?;
                let places = [addresses, &each].map(Buffer::device_pointer);
                let blas = self.device.blas();
                // SAFETY: as above.
                unsafe { blas.solve_small_lu(element, is_transposed, extents, places, pivots) }
            }
        }
    }

    fn solve(&self, right: &Block<'_>) -> Result<(), DeviceError> {
        let Matrices { rows: n, count, .. } = self.matrices;
        let columns = right.shape[right.shape.len() - 1];
        assert_eq!(right.len(), count * n * columns, "bug: right-hand sides of {:?}", right.shape);
        let factors = self.lu()?;
        let middle = self.room(count * n * columns)?;
        let there = Transposed::packed(self.size, n, columns, count);
        let back = Transposed::packed(self.size, columns, n, count);
        let to = self.result();
        // SAFETY: as `lu`.
        unsafe {
            transpose(&there, address(right.buffer), address(&middle), self.device)?;
            self.solve_lu(&factors, false, &middle, columns)?;
            transpose(&back, address(&middle), to, self.device)?;
            let [outcomes, flags] = [&factors.outcomes, &factors.flags].map(address);
            self.elements.spoil([to, outcomes, flags], n * columns, count, None)
        }
    }

    fn inverse(&self) -> Result<(), DeviceError> {
        let Matrices { rows: n, count, .. } = self.matrices;
        let factors = self.lu()?;
        let to = self.result();
        // The solution of `Aᵀ X = I` is the inverse in our order.
        // SAFETY: as `lu`.
        unsafe {
            self.elements.identity(to, n, count)?;
            self.solve_lu(&factors, true, self.to.buffer, n)?;
            let [outcomes, flags] = [&factors.outcomes, &factors.flags].map(address);
            self.elements.spoil([to, outcomes, flags], n * n, count, None)
        }
    }

    fn determinant(&self) -> Result<(), DeviceError> {
        let Matrices { rows: n, count, .. } = self.matrices;
        let wide = !self.is_at_once();
        let Factors { a, pivots, flags, .. } = &self.lu()?;
        let [a, pivots, flags] = [a, pivots, flags].map(address);
        // SAFETY: as `lu`.
        unsafe { self.elements.determinant([a, pivots, flags, self.result()], n, count, wide) }
    }

    fn qr(&self, complete: bool) -> Result<(), DeviceError> {
        let Matrices { rows: m, columns: n, count, .. } = self.matrices;
        let smaller = m.min(n);
        let width = if complete { m } else { smaller };
        let (a, factors) = (self.room(count * m * n)?, self.room(count * smaller)?);
        let outcomes = self.flags()?;
        let matrices = address(&a);
        let [all, taus] = [&a, &factors].map(Buffer::device_pointer);
        let copy = Transposed::packed(self.size, m, n, count);
        let result = (m + n) * width;
        // SAFETY: as `lu`; the parts of a result follow each other in memory.
        unsafe {
            transpose(&copy, self.from, matrices, self.device)?;
            let solver = self.device.solver();
            solver.factor_qr(self.matrices, all, taus, outcomes.device_pointer())?;
            let below = self.result() + (m * width * self.size) as u64;
            self.elements.factor([matrices, below], [m, n, width], [m * n, result], count)?;
            // If `Q` has more columns than the matrix, it gets separate memory.
            let wide = if width > n { Some(self.room(m * width)?) } else { None };
            let q = Matrices { columns: width, count: 1, ..self.matrices };
            let back = Transposed { count: 1, ..Transposed::packed(self.size, width, m, 1) };
            for at in 0..count {
                let mut place = all.after((at * m * n * self.size) as u64);
                if let Some(wide) = &wide {
                    let bytes = |buffer, offset: usize| Strided {
                        buffer,
                        offset: offset as isize,
                        strides: &[1],
                    };
                    let len = m * n * self.size;
                    wide.zero(0, m * width * self.size);
                    copy_strided(&bytes(&a, at * len), &bytes(wide, 0), &[len], 1);
                    place = wide.device_pointer();
                }
                let taus = taus.after((at * smaller * self.size) as u64);
                solver.make_q(q, smaller, place, taus)?;
                let to = self.result() + (at * result * self.size) as u64;
                transpose(&back, place.address(), to, self.device)?;
            }
            self.elements.spoil([self.result(), address(&outcomes), 0], result, count, None)
        }
    }

    fn eigh(&self, lower: bool) -> Result<(), DeviceError> {
        let Matrices { rows: n, count, .. } = self.matrices;
        let (flags, outcomes) = (self.flags()?, self.flags()?);
        let a = self.room(count * n * n)?;
        let values = self.room(count * n)?;
        // Our triangle is the library's opposite triangle of the conjugate matrix.
        let (ours, uplo) = if lower {
            (Triangle::Lower, Triangle::Upper)
        } else {
            (Triangle::Upper, Triangle::Lower)
        };
        let [vectors, numbers, flagged] = [&a, &values, &flags].map(address);
        let result = (n + 1) * n;
        let copy = Transposed {
            matrix_steps: [n * n, result],
            conjugates: self.to.dtype.is_complex(),
            ..Transposed::packed(self.size, n, n, count)
        };
        let to = self.result();
        // SAFETY: as `lu`.
        unsafe {
            self.elements.inspect([self.from, flagged], [n, n], count, Some(ours), true)?;
            self.elements.prepare([self.from, vectors, flagged, 0], n, count, Some(ours))?;
            let [a, values, ended] = [&a, &values, &outcomes].map(Buffer::device_pointer);
            let solver = self.device.solver();
            solver.find_hermitian_eigenvectors(self.matrices, uplo, a, values, ended)?;
            transpose(&copy, vectors, to, self.device)?;
            let below = to + (n * n * self.size) as u64;
            self.elements.values([numbers, below], n, result, count)?;
            self.elements.spoil([to, address(&outcomes), flagged], result, count, None)
        }
    }

    fn svd(&self, full: bool) -> Result<(), DeviceError> {
        let Matrices { rows: m, columns: n, count, .. } = self.matrices;
        let (smaller, larger) = (m.min(n), m.max(n));
        let width = if full { larger } else { smaller };
        let result = (m + n + 1) * width;
        // The library needs at least as many rows as columns. A wide matrix of ours is read in
        // Fortran's order as its transpose, which has them.
        let is_wide = m < n;
        let given = Matrices { rows: larger, columns: smaller, ..self.matrices };
        let left_columns = if full { larger } else { smaller };
        let (flags, outcomes) = (self.flags()?, self.flags()?);
        let a = self.room(count * m * n)?;
        let left = self.room(count * larger * left_columns)?;
        let right = self.room(count * smaller * smaller)?;
        let values = self.room(count * smaller)?;
        let [matrices, numbers, flagged] = [&a, &values, &flags].map(address);
        let (to, size) = (self.result(), self.size);
        let parts = SingularParts {
            values: values.device_pointer(),
            left: left.device_pointer(),
            right: right.device_pointer(),
            is_full: full,
        };
        // The vectors that are columns of the library's result are transposed to columns of ours;
        // those that are rows already have our layout and are only copied.
        let (left_at, right_at) = if is_wide { (m * width, 0) } else { (0, m * width) };
        let columns = Transposed {
            size,
            rows: left_columns,
            columns: larger,
            row_steps: [larger, width],
            matrix_steps: [larger * left_columns, result],
            count,
            conjugates: false,
        };
        let bytes = size as isize;
        let (step, row) = ((smaller * smaller) as isize * bytes, smaller as isize * bytes);
        let (to_step, to_row) = (result as isize * bytes, width as isize * bytes);
        // SAFETY: as `lu`.
        unsafe {
            self.elements.inspect([self.from, flagged], [m, n], count, None, true)?;
            if is_wide {
                let whole = |buffer| Strided { buffer, offset: 0, strides: &[1] };
                copy_strided(&whole(self.source), &whole(&a), &[count * m * n * size], 1);
            } else {
                let copy = Transposed::packed(size, m, n, count);
                transpose(&copy, self.from, matrices, self.device)?;
            }
            self.elements.replace([matrices, flagged], m * n, count)?;
            let [a, ended] = [&a, &outcomes].map(Buffer::device_pointer);
            self.device.solver().factor_singular(given, a, parts, ended)?;
            self.to.buffer.zero(0, self.to.len() * size);
            transpose(&columns, address(&left), to + (left_at * size) as u64, self.device)?;
            copy_strided(
                &Strided { buffer: &right, offset: 0, strides: &[step, row, bytes] },
                &Strided {
                    buffer: self.to.buffer,
                    offset: right_at as isize * bytes,
                    strides: &[to_step, to_row, bytes],
                },
                &[count, smaller, smaller],
                size,
            );
            let below = to + ((m + n) * width * size) as u64;
            self.elements.values([numbers, below], smaller, result, count)?;
            self.elements.spoil([to, address(&outcomes), flagged], result, count, None)
        }
    }
}
