//! Eigenvalues of general matrices, in double precision.

use super::work::{Outcome, Reals, with_work};
use crate::structured::number::{Number, readable, writable};
use num_complex::Complex64;
use phalanx_device::blas::{Kind, Lapack};

/// Writes the eigenvectors, of norm 1 and with a real largest component as LAPACK makes them, and,
/// in the last row, the eigenvalues. `None` if there are none.
pub(super) fn eig<T: Number>(
    lapack: &Lapack,
    a: &[T],
    n: usize,
    real: bool,
    to: &mut [T],
) -> Option<()> {
    if !a.iter().all(|element| element.is_finite()) {
        return None;
    }
    let (values, vectors) = if real { of_real(lapack, a, n)? } else { of_complex(lapack, a, n)? };
    let (upper, last) = to.split_at_mut(n * n);
    for (column, vector) in vectors.chunks_exact(n).enumerate() {
        for (row, component) in vector.iter().enumerate() {
            upper[row * n + column] = T::of(component.re, component.im);
        }
    }
    for (to, value) in last.iter_mut().zip(&values) {
        *to = T::of(value.re, value.im);
    }
    Some(())
}

/// Eigenvalues, and eigenvectors one after the other.
type Pairs = (Vec<Complex64>, Vec<Complex64>);

fn of_real<T: Number>(lapack: &Lapack, a: &[T], n: usize) -> Option<Pairs> {
    let mut matrix: Vec<f64> = (0..n * n).map(|at| a[at % n * n + at / n].parts()[0]).collect();
    let (mut re, mut im, mut parts) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * n]);
    let (size, mut outcome) = (n as i64, Outcome::default());
    with_work(|work: &mut [f64], length: i64| {
        let (a, re, im) = (writable(&mut matrix), writable(&mut re), writable(&mut im));
        let (none, vectors, work) = (readable::<f64>(&[]), writable(&mut parts), writable(work));
        let (left, right) = (b"N".as_ptr(), b"V".as_ptr());
        let outcome = outcome.pointer();
        // SAFETY: the matrices have `n` rows and columns, and there are `n` values; left vectors
        // are not asked for. The work has its length, or the length is asked for.
        unsafe {
            (lapack.geev_real)(
                left, right, &size, a, &size, re, im, none, &size, vectors, &size, work, &length,
                outcome, 1, 1,
            );
        }
    });
    outcome.success()?;
    let values: Vec<Complex64> =
        re.iter().zip(&im).map(|(&re, &im)| Complex64::new(re, im)).collect();
    // The first of two conjugates has its real parts in one column and the others in the next.
    let mut vectors = Vec::with_capacity(n * n);
    let mut at = 0;
    while at < n {
        let column = &parts[at * n..][..n];
        if values[at].im != 0.0 && at + 1 < n {
            let others = &parts[(at + 1) * n..][..n];
            let pairs = column.iter().zip(others);
            vectors.extend(pairs.clone().map(|(&re, &im)| Complex64::new(re, im)));
            vectors.extend(pairs.map(|(&re, &im)| Complex64::new(re, -im)));
            at += 2;
        } else {
            vectors.extend(column.iter().map(|&re| Complex64::new(re, 0.0)));
            at += 1;
        }
    }
    Some((values, vectors))
}

fn of_complex<T: Number>(lapack: &Lapack, a: &[T], n: usize) -> Option<Pairs> {
    let element = |at: usize| {
        let [re, im] = a[at % n * n + at / n].parts();
        Complex64::new(re, im)
    };
    let mut matrix: Vec<Complex64> = (0..n * n).map(element).collect();
    let zero = Complex64::new(0.0, 0.0);
    let (mut values, mut vectors) = (vec![zero; n], vec![zero; n * n]);
    let mut real_work = Reals::new(Kind::Z, 2 * n);
    let (size, mut outcome) = (n as i64, Outcome::default());
    with_work(|work: &mut [Complex64], length: i64| {
        let (a, values, work) = (writable(&mut matrix), writable(&mut values), writable(work));
        let (none, vectors) = (readable::<Complex64>(&[]), writable(&mut vectors));
        let (left, right) = (b"N".as_ptr(), b"V".as_ptr());
        let (real_work, outcome) = (real_work.pointer(), outcome.pointer());
        // SAFETY: the matrices have `n` rows and columns, and there are `n` values; left vectors
        // are not asked for. The work has its length, or the length is asked for.
        unsafe {
            (lapack.geev_complex)(
                left, right, &size, a, &size, values, none, &size, vectors, &size, work, &length,
                real_work, outcome, 1, 1,
            );
        }
    });
    outcome.success()?;
    Some((values, vectors))
}
