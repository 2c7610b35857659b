//! Eigenvalues and eigenvectors.

use super::matrices::{Fails, check, decomposed, part, real_copy, square};
use crate::array::Array;
use crate::indexing::Ellipsis;
use crate::s;
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::structured::Decomposition;
use phalanx_ops::{DType, promote};

/// The triangle of a Hermitian matrix that is read; the other one is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Triangle {
    /// The lower triangle.
    #[default]
    Lower,
    /// The upper triangle.
    Upper,
}

/// Eigenvalues and their eigenvectors.
#[derive(Clone, Debug)]
pub struct Eig {
    /// The eigenvalues, `(…, n)`.
    pub eigenvalues: Array,
    /// The eigenvectors in columns, of norm 1, `(…, n, n)`.
    pub eigenvectors: Array,
}

impl Eig {
    fn catch(pairs: Result<(Array, Array), Error>) -> Eig {
        let (eigenvalues, eigenvectors) =
            pairs.unwrap_or_else(|error| (Array::broken(error.clone()), Array::broken(error)));
        Eig { eigenvalues, eigenvectors }
    }
}

/// NumPy's `linalg.eigh`: the eigenvalues of Hermitian matrices, ascending, and their eigenvectors
/// in columns.
///
/// Shapes `(…, n, n) -> (…, n), (…, n, n)`; eigenvalues are real. As in NumPy, NaN in a matrix of
/// one or two rows gives eigenvalues of NaN, and NaN in a larger matrix is an error. Collective
/// over the mesh. Errors: `OpError::Matrix`, `OpError::NotSquare`, `DataError::NotConverged`.
#[track_caller]
pub fn eigh(array: &Array, triangle: Triangle) -> Eig {
    Eig::catch(eigenpairs("eigh", array, triangle, call_site()))
}

fn eigenpairs(
    operation: &'static str,
    array: &Array,
    triangle: Triangle,
    site: Site,
) -> Result<(Array, Array), Error> {
    let array = square(array, operation, site)?;
    let n = array.shape()[array.ndim() - 1];
    let lower = triangle == Triangle::Lower;
    let packed = decomposed(Decomposition::Eigh { lower }, &[&array], site)?;
    let read = within(site, || match triangle {
        Triangle::Lower => crate::creation::tril(&array, 0),
        Triangle::Upper => crate::creation::triu(&array, 0),
    });
    let fails = if n > 2 { Fails::Nan } else { Fails::Finite };
    check(&packed, &read, fails, DataError::NotConverged { decomposition: operation }, site)?;
    within(site, || {
        let values = real_copy(&packed.slice(s![Ellipsis, -1, ..])).copy();
        let vectors = part(&packed, 0..n, n).copy();
        Ok((values.into_result()?, vectors.into_result()?))
    })
}

/// NumPy's `linalg.eigvalsh`: the eigenvalues of Hermitian matrices, ascending. See [`eigh`].
#[track_caller]
#[must_use]
pub fn eigvalsh(array: &Array, triangle: Triangle) -> Array {
    Array::catch(eigenpairs("eigvalsh", array, triangle, call_site()).map(|(values, _)| values))
}

/// NumPy's `linalg.eig`: the eigenvalues of square matrices, unordered, and their eigenvectors of
/// norm 1 in columns.
///
/// Shapes `(…, n, n) -> (…, n), (…, n, n)`. Dtype: complex, but real for real matrices if all their
/// eigenvalues are real. Collective over the mesh. Errors: `OpError::Matrix`, `OpError::NotSquare`,
/// `DataError::NotConverged`, also for elements that are not finite.
#[track_caller]
pub fn eig(array: &Array) -> Eig {
    Eig::catch(general_eigenpairs("eig", array, call_site()))
}

/// NumPy's `linalg.eigvals`: the eigenvalues of square matrices, unordered. See [`eig`].
#[track_caller]
#[must_use]
pub fn eigvals(array: &Array) -> Array {
    Array::catch(general_eigenpairs("eigvals", array, call_site()).map(|(values, _)| values))
}

fn general_eigenpairs(
    operation: &'static str,
    array: &Array,
    site: Site,
) -> Result<(Array, Array), Error> {
    let array = square(array, operation, site)?;
    let (n, real) = (array.shape()[array.ndim() - 1], !array.dtype().is_complex());
    let complex = promote(array.dtype(), DType::C64);
    let wide = within(site, || array.converted(complex, site).into_result())?;
    let packed = decomposed(Decomposition::Eig { real }, &[&wide], site)?;
    let error = DataError::NotConverged { decomposition: operation };
    check(&packed, &array, Fails::Any, error, site)?;
    let (values, vectors) = within(site, || {
        let values = packed.slice(s![Ellipsis, -1, ..]).copy();
        let vectors = part(&packed, 0..n, n).copy();
        Ok::<_, Error>((values.into_result()?, vectors.into_result()?))
    })?;
    if !real || within(site, || values.imag().not_equal(0)).any_at(site)?.holds(site)? {
        return Ok((values, vectors));
    }
    within(site, || Ok((real_copy(&values).into_result()?, real_copy(&vectors).into_result()?)))
}
