//! Products of sparse matrices with vectors, matrices and each other.

use super::csr::Csr;
use super::order::NewRows;
use super::split::{EntryOrder, Needs, record};
use crate::array::Array;
use crate::creation::zeros;
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Sparse, Structured, Take};
use phalanx_ops::{Bounds, DType, Sharding, Split, promote};

/// Fewer columns are sent to every device.
const FEW: usize = 1 << 12;

impl Csr {
    /// The product with a vector or with a matrix: [`Csr::matvec`] or [`Csr::matmat`].
    #[track_caller]
    #[must_use]
    pub fn dot(&self, other: &Array) -> Array {
        let site = call_site();
        within(site, || if other.ndim() == 1 { self.matvec(other) } else { self.matmat(other) })
    }

    /// The product of a vector or of a matrix with this matrix. Collective over the mesh, as
    /// [`Csr::transpose`]. Errors: those of [`Csr::dot`].
    #[track_caller]
    #[must_use]
    pub fn dot_from_left(&self, other: &Array) -> Array {
        let site = call_site();
        Array::catch(within(site, || Ok(self.transpose()?.dot(&other.t()).t())))
    }

    /// The product with a vector, in the promoted dtype. Each device receives the elements of the
    /// vector that its rows need.
    ///
    /// Collective over the mesh at the first product of a large matrix on several devices, else
    /// Local (records nodes). Errors: `OpError::ContractedSizes`.
    #[track_caller]
    #[must_use]
    pub fn matvec(&self, vector: &Array) -> Array {
        let site = call_site();
        Array::catch((|| {
            vector.ok()?;
            if vector.shape() != [self.shape()[1]] {
                return Err(self.unlike("matvec", vector.shape(), site));
            }
            within(site, || self.product(vector, site))
        })())
    }

    /// The product with a matrix, in the promoted dtype. Collectivity: as [`Csr::matvec`]. Errors:
    /// `OpError::Ndim`, `OpError::ContractedSizes`.
    #[track_caller]
    #[must_use]
    pub fn matmat(&self, matrix: &Array) -> Array {
        let site = call_site();
        Array::catch((|| {
            let ndim = matrix.ok()?.ndim();
            if ndim != 2 {
                let (operation, expected) = ("matmat", "2");
                return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
            }
            if matrix.shape()[0] != self.shape()[1] {
                return Err(self.unlike("matmat", matrix.shape(), site));
            }
            within(site, || self.product(matrix, site))
        })())
    }

    fn unlike(&self, operation: &'static str, other: &[usize], site: Site) -> Error {
        let (left, right) = (self.shape().as_slice().into(), other.into());
        Error::op(OpError::ContractedSizes { operation, left, right }, site)
    }

    fn product(&self, x: &Array, site: Site) -> Result<Array, Error> {
        let dtype = promote(self.dtype(), x.dtype());
        let values = self.as_entries(self.values().converted(dtype, site));
        let x = x.converted(dtype, site);
        let product = |columns: &Array, x: &Array, is_local| {
            let operands = [&self.starts, &self.ends, columns, &values, x];
            record(Sparse::Product { is_local }, &operands, site)
        };
        let needs = match self.shape()[1] {
            0..FEW => self.needs.get(),
            _ => self.needs(site)?,
        };
        match needs {
            None => product(&self.columns, &x, false),
            Some(needs) => product(&needs.places, &rows_of(needs, &x, site)?, true),
        }
    }

    /// What products need of the other operand; `None` on one device. While operations are
    /// captured, which keeps numbers from being read, only what is known already.
    fn needs(&self, site: Site) -> Result<Option<&Needs>, Error> {
        if let Some(rows) = &self.row_split()
            && self.needs.get().is_none()
            && !self.values().mesh()?.is_capturing()
        {
            let _ = self.needs.set(self.find_needs(rows, site)?);
        }
        Ok(self.needs.get())
    }

    fn find_needs(&self, rows: &Split, site: Site) -> Result<Needs, Error> {
        let mesh = self.values().mesh()?;
        let parts = rows.bounds.parts();
        let on = |bounds: Bounds| {
            let split = Split { mesh_axes: rows.mesh_axes.clone(), bounds };
            (split.clone(), Sharding { axes: [Some(split)].into_iter().collect(), partial: None })
        };
        let one_each = on(Bounds::explicit(&vec![1; parts])).1;
        let into = mesh.enter(|| zeros([parts], DType::I64)).with_sharding(one_each);
        let counts = record(Sparse::NeededCount, &[&into, &self.columns], site)?.to_vec::<i64>()?;
        let counts: Vec<usize> = counts.into_iter().map(|count| count as usize).collect();
        let (split, sharding) = on(Bounds::explicit(&counts));
        let total: usize = counts.iter().sum();
        let into = mesh.enter(|| zeros([total], DType::I64)).with_sharding(sharding);
        let needed = record(Sparse::Needed, &[&into, &self.columns], site)?;
        let places = record(Sparse::Renumber, &[&self.columns, &needed], site)?;
        Ok(Needs { needed, split, places })
    }

    /// The product of two sparse matrices, in the promoted dtype; its rows are sorted, and elements
    /// that are computed as zero stay entries. Collective over the mesh: each device receives the
    /// rows of `other` that its rows need. Errors: `OpError::ContractedSizes`.
    #[track_caller]
    pub fn matmul(&self, other: &Csr) -> Result<Csr, Error> {
        let site = call_site();
        if self.shape()[1] != other.shape()[0] {
            return Err(self.unlike("matmul", &other.shape(), site));
        }
        within(site, || {
            let dtype = promote(self.dtype(), other.dtype());
            let values = self.as_entries(self.values().converted(dtype, site));
            let other = other.of_values(other.values().converted(dtype, site));
            let (places, other) = match self.needs(site)? {
                Some(needs) => {
                    let rows = other.rows_at(&needs.needed, Some(needs.split.clone()), site)?;
                    (needs.places.clone(), rows)
                }
                None => (self.columns.clone(), other),
            };
            // The columns of both operands have one dtype.
            let wide = promote(places.dtype(), other.columns.dtype());
            let places = places.converted(wide, site);
            let columns = other.columns.converted(wide, site);
            let a = [&self.starts, &self.ends, &places];
            let b = [&other.starts, &other.ends, &columns];
            let operands = [a, b].concat();
            let counts = record(Sparse::ProductCount, &operands, site)?;
            let shape = [self.shape()[0], other.shape()[1]];
            let rows = NewRows::of_counts(&counts, shape, self.row_split())?;
            let found = rows.columns(Sparse::ProductColumns, wide, &operands, site)?;
            let factors = [&a[..], &[&values], &b, &[other.values()]].concat();
            let computed = rows.values(Sparse::ProductValues, &found, &factors, site)?;
            let found = found.converted(super::csr::column_dtype(shape[1]), site);
            Ok(rows.matrix(&found, &computed, Some(EntryOrder::Canonical)))
        })
    }
}

/// The rows of an operand that each device needs.
fn rows_of(needs: &Needs, x: &Array, site: Site) -> Result<Array, Error> {
    let take = Structured::Take(Take { axis: 0 });
    let taken = record_structured(take, &[x, &needs.needed], site)?;
    let mut sharding = Sharding::replicated(x.ndim());
    sharding.axes[0] = Some(needs.split.clone());
    Ok(taken.with_sharding(sharding))
}
