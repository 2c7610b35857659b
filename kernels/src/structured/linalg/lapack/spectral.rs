//! Eigenvalues of Hermitian matrices and singular values.

use super::order::{Lines, transpose, transposed};
use super::work::{Integers, Outcome, Reals, with_work};
use crate::structured::number::{Number, writable};
use phalanx_device::blas::{Kind, Lapack};

/// Writes the eigenvectors and, in the last row, the eigenvalues. `None` if there are none.
pub(super) fn eigh<T: Number>(
    lapack: &Lapack,
    a: &[T],
    n: usize,
    lower: bool,
    to: &mut [T],
) -> Option<()> {
    let zero = T::of(0.0, 0.0);
    let triangle = |row: usize| if lower { 0..row + 1 } else { row..n };
    if !(0..n).all(|row| a[row * n..][triangle(row)].iter().all(|element| element.is_finite())) {
        return None;
    }
    let mut vectors = transposed(a, n, n, zero);
    for at in 0..n {
        vectors[at * n + at] = T::of(vectors[at * n + at].parts()[0], 0.0);
    }
    let mut values = Reals::new(T::KIND, n);
    let more = 3 + 5 * n;
    let mut integers = Integers::new(more, true);
    let (size, more, mut outcome) = (n as i64, more as i64, Outcome::default());
    let (task, triangle) = (b"V".as_ptr(), if lower { b"L".as_ptr() } else { b"U".as_ptr() });
    let is_complex = T::KIND.is_complex();
    let real_length = if is_complex { 1 + 5 * n + 2 * n * n } else { 1 };
    let mut real_work = Reals::new(T::KIND, real_length);
    let real_length = real_length as i64;
    with_work(|work: &mut [T], length: i64| {
        let (a, values, work) = (writable(&mut vectors), values.pointer(), writable(work));
        let (integers, outcome) = (integers.pointer(), outcome.pointer());
        // SAFETY: the matrix has `n` rows and columns, and there are `n` values; the real work and
        // the integers have the lengths that LAPACK requires, and the other work has its length, or
        // the length is asked for.
        unsafe {
            if is_complex {
                let heevd = lapack.heevd[T::KIND as usize - Kind::C as usize];
                heevd(
                    task,
                    triangle,
                    &size,
                    a,
                    &size,
                    values,
                    work,
                    &length,
                    real_work.pointer(),
                    &real_length,
                    integers,
                    &more,
                    outcome,
                    1,
                    1,
                );
            } else {
                let syevd = lapack.syevd[T::KIND as usize];
                syevd(
                    task, triangle, &size, a, &size, values, work, &length, integers, &more,
                    outcome, 1, 1,
                );
            }
        }
    });
    outcome.success()?;
    let (upper, last) = to.split_at_mut(n * n);
    transpose(&vectors, Lines::packed(n, n), upper, n);
    last.iter_mut().enumerate().for_each(|(at, to)| *to = T::of(values.get(at), 0.0));
    Some(())
}

/// Writes `U`, the transpose of `Vᴴ` and the singular values. `None` if there are none.
pub(super) fn svd<T: Number>(
    lapack: &Lapack,
    a: &[T],
    [m, n]: [usize; 2],
    full: bool,
    to: &mut [T],
) -> Option<()> {
    let zero = T::of(0.0, 0.0);
    if !a.iter().all(|element| element.is_finite()) {
        return None;
    }
    let (smaller, larger) = (m.min(n), m.max(n));
    let width = if full { larger } else { smaller };
    let columns = if full { m } else { smaller };
    let mut matrix = transposed(a, m, n, zero);
    let mut u = vec![zero; m * columns];
    let mut values = Reals::new(T::KIND, smaller);
    let mut integers = Integers::new(8 * smaller, true);
    let is_complex = T::KIND.is_complex();
    let real_length =
        if is_complex { smaller * (5 * smaller + 7).max(2 * larger + 2 * smaller + 1) } else { 1 };
    let mut real_work = Reals::new(T::KIND, real_length);
    to.fill(zero);
    let (upper, rest) = to.split_at_mut(m * width);
    let (middle, last) = rest.split_at_mut(n * width);
    let task = if full { b"A".as_ptr() } else { b"S".as_ptr() };
    let [rows, all, step] = [m, n, width].map(|extent| extent as i64);
    let mut outcome = Outcome::default();
    with_work(|work: &mut [T], length: i64| {
        let (a, u, values) = (writable(&mut matrix), writable(&mut u), values.pointer());
        // By columns, `Vᴴ` is its transpose in C order, with rows of `width` elements.
        let (v, work, integers) = (writable(middle), writable(work), integers.pointer());
        let outcome = outcome.pointer();
        // SAFETY: the matrix has `m` rows and `n` columns, and the results have the extents of the
        // task; the real work and the integers have the lengths that LAPACK requires, and the other
        // work has its length, or the length is asked for.
        unsafe {
            if is_complex {
                let gesdd = lapack.gesdd_complex[T::KIND as usize - Kind::C as usize];
                let real_work = real_work.pointer();
                gesdd(
                    task, &rows, &all, a, &rows, values, u, &rows, v, &step, work, &length,
                    real_work, integers, outcome, 1,
                );
            } else {
                let gesdd = lapack.gesdd_real[T::KIND as usize];
                gesdd(
                    task, &rows, &all, a, &rows, values, u, &rows, v, &step, work, &length,
                    integers, outcome, 1,
                );
            }
        }
    });
    outcome.success()?;
    transpose(&u, Lines::packed(columns, m), upper, width);
    let values = (0..smaller).map(|at| T::of(values.get(at), 0.0));
    last.iter_mut().zip(values).for_each(|(to, value)| *to = value);
    Some(())
}
