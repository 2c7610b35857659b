//! A basis of a search space: orthonormal vectors in the columns of one array.

use super::numbers::{epsilon, norm, reciprocal, upload};
use crate::array::Array;
use crate::creation::zeros;
use crate::manipulation::concatenate;
use crate::math::select;
use crate::products::{conjugated, matvec, vecmat};
use crate::sharding::SplitAlong;
use num_complex::Complex64;
use phalanx_graph::{Error, MeshHandle, Site, within};
use phalanx_ops::DType;

/// How much of a vector must remain after orthogonalisation, in units of rounding. What is less
/// counts as zero: it is noise.
const NOISE: f64 = 32.0;

/// Vectors in the columns of an array. Columns that are not set are zero, so products with all
/// columns always have the same shape, and their plan is made once.
pub(super) struct Basis {
    pub(super) vectors: Array,
    mesh: MeshHandle,
    dtype: DType,
    site: Site,
}

/// A vector without its components along a basis, at norm 1.
pub(super) struct Orthogonal {
    /// The vector; zero if it is in the space of the basis.
    pub(super) unit: Array,
    /// The components along the vectors of the basis.
    pub(super) components: Array,
    /// The norm of the rest (0-d), and 0 for noise.
    pub(super) size: Array,
}

impl Basis {
    pub(super) fn new(
        mesh: &MeshHandle,
        [rows, columns]: [usize; 2],
        dtype: DType,
        site: Site,
    ) -> Result<Basis, Error> {
        let vectors = mesh.enter(|| within(site, || columns_in_a_row([rows, columns], dtype)))?;
        Ok(Basis { vectors, mesh: mesh.clone(), dtype, site })
    }

    /// Sets a column.
    pub(super) fn set(&self, column: usize, vector: &Array) -> Result<(), Error> {
        self.vectors.slice(crate::s![.., column as i64]).assign(vector);
        self.vectors.ok().map(drop)
    }

    /// A copy of a column.
    pub(super) fn column(&self, column: usize) -> Array {
        self.vectors.slice(crate::s![.., column as i64]).copy()
    }

    /// The products of the conjugated columns with a vector.
    pub(super) fn components(&self, vector: &Array) -> Array {
        conjugated(&vecmat(vector, &self.vectors))
    }

    /// The sum of the columns times the elements of a vector.
    pub(super) fn combination(&self, factors: &Array) -> Array {
        matvec(&self.vectors, factors)
    }

    /// The sum of the first columns times numbers.
    pub(super) fn combined(&self, factors: &[Complex64]) -> Result<Array, Error> {
        let mut all = factors.to_vec();
        all.resize(self.vectors.shape()[1], Complex64::default());
        let shape = [all.len()];
        let factors = upload(&self.mesh, &all, &shape, self.dtype, self.site)?;
        self.combination(&factors).into_result()
    }

    /// Removes the components along the columns, twice: once is not enough for orthogonality to
    /// rounding. Source: L. Giraud, J. Langou, M. Rozložník, "The loss of orthogonality in the
    /// Gram-Schmidt orthogonalization process" (2005).
    pub(super) fn orthogonalised(&self, vector: &Array) -> Orthogonal {
        let before = norm(vector);
        let first = self.components(vector);
        let rest = vector - self.combination(&first);
        let second = self.components(&rest);
        let rest = rest - self.combination(&second);
        let size = norm(&rest);
        let is_left = size.greater(before * (NOISE * epsilon(self.dtype)));
        let size = select(&is_left, size, 0.0);
        Orthogonal { unit: rest * reciprocal(&size), components: first + second, size }
    }

    /// The columns times a small matrix, given row by row: the first columns of a basis with as
    /// many columns as this one.
    pub(super) fn transformed(&self, matrix: &super::dense::Dense) -> Result<Array, Error> {
        let factors = upload(
            &self.mesh,
            &matrix.in_rows(),
            &[matrix.rows, matrix.columns],
            self.dtype,
            self.site,
        )?;
        let used = self.vectors.slice(crate::s![.., ..matrix.rows as i64]);
        crate::products::matmul(&used, &factors).into_result()
    }
}

/// Zeros in Fortran order, so that each column is a run of memory, split as zeros in C order are:
/// along the rows, as the vectors are.
fn columns_in_a_row([rows, columns]: [usize; 2], dtype: DType) -> Result<Array, Error> {
    let turned = zeros([columns, rows], dtype);
    if turned.mesh()?.mesh().devices() == 1 {
        return turned.t().into_result();
    }
    let usual = zeros([rows, columns], dtype);
    match usual.split_along()? {
        SplitAlong::Nothing => turned.split_over_devices(None).t().into_result(),
        SplitAlong::One(0) => turned.split_over_devices(1).t().into_result(),
        _ => usual.into_result(),
    }
}

/// The numbers of vectors and 0-d arrays, one after the other. Collective: one read.
pub(super) fn read_all(
    parts: &[&Array],
    dtype: DType,
    site: Site,
) -> Result<Vec<Complex64>, Error> {
    let flat: Vec<Array> =
        parts.iter().map(|part| part.reshape([-1]).converted(dtype, site)).collect();
    concatenate(&flat.iter().collect::<Vec<_>>(), 0).to_vec::<Complex64>()
}
