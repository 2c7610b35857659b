//! Products of sparse matrices with vectors, matrices and each other.

use super::csr::Csr;
use super::needs::{Exchange, Needs};
use super::order::NewRows;
use super::split::{EntryOrder, RowSplit, Rows, record, sharded};
use crate::array::Array;
use crate::recording::taken;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::Sparse;
use phalanx_ops::{DType, Op, Split, promote};

/// Fewer columns are sent to every device.
const FEW: usize = 1 << 12;
/// In a matrix with fewer entries it does not matter how long its rows are.
const MANY: usize = 1 << 16;
/// The most products of elements that are held at a time.
const MOST_PRODUCTS: i64 = 1 << 28;
/// A row with at most as many entries is not long.
const LONG: usize = 256;

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
    /// Collective over the mesh at the first product of a matrix that has many entries on GPUs, or
    /// many columns on several devices, else Local (records nodes). Errors:
    /// `OpError::ContractedSizes`.
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
        let is_even = self.is_even(site)?;
        let product = |columns: &Array, x: &Array, is_local| {
            let operands = [&self.starts, &self.ends, columns, &values, x];
            record(Sparse::Product { is_local, is_even }, &operands, site)
        };
        match self.needs_of_dense(site)? {
            None => product(&self.columns, &x, false),
            Some(needs) => match self.exchange(needs, &x, site)? {
                Some(exchange) => product(&exchange.places, &exchange.moved(&x, site)?, true),
                None => product(&needs.places, &needs.rows_of(&x, site)?, true),
            },
        }
    }

    /// Whether no row has far more entries than others, which matters on GPUs alone. The longest
    /// row is read once; while operations are captured, which keeps numbers from being read, rows
    /// count as even unless more is known.
    fn is_even(&self, site: Site) -> Result<bool, Error> {
        if let Some(is_even) = self.is_even.get() {
            return Ok(*is_even);
        }
        let mesh = self.values().mesh()?;
        if self.nnz() < MANY || !mesh.has_gpus() || mesh.is_capturing() {
            return Ok(true);
        }
        let longest = within(site, || (&self.ends - &self.starts).max(()).item::<i64>())?;
        let mean = self.nnz() / self.shape()[0].max(1);
        let most = LONG.max(8 * mean);
        Ok(*self.is_even.get_or_init(|| usize::try_from(longest).unwrap_or(0) <= most))
    }

    /// The product by way of all its products of elements, which are sorted and added, so that rows
    /// may have any lengths. `None` if there are very many.
    ///
    /// Source: N. Bell, S. Dalton, L. Olson, "Exposing fine-grained parallelism in algebraic
    /// multigrid methods", SIAM J. Sci. Comput. 34(4), 2012, section 3.2.
    fn expanded(&self, values: &Array, other: &Csr, site: Site) -> Result<Option<Csr>, Error> {
        let lengths = &other.ends - &other.starts;
        let positions = self.columns.converted(DType::I64, site);
        if taken(&lengths, &positions, site)?.sum(()).item::<i64>()? > MOST_PRODUCTS {
            return Ok(None);
        }
        // A row for each entry of this matrix.
        let entries = self.split.as_ref().and_then(|split| split.entries.axes[0].clone());
        let rows = other.rows_at(&positions, Rows::As(entries), site)?;
        let products = rows.spread(values, site)? * rows.values();
        // Its products are neighbours, so a row of this matrix has those from its first entry on.
        let counts = self.fold(Op::Add, &(&rows.ends - &rows.starts), site)?;
        let shape = [self.shape()[0], other.shape()[1]];
        let new = NewRows::of_counts(&counts, shape, self.as_own())?;
        Ok(Some(new.matrix(&rows.columns, &products, None).summed()?))
    }

    /// What products need of the other operand; `None` on one device. While operations are
    /// captured, which keeps numbers from being read, only what is known already.
    fn needs(&self, site: Site) -> Result<Option<&Needs>, Error> {
        if let Some(rows) = &self.row_split()
            && self.needs.get().is_none()
            && !self.values().mesh()?.is_capturing()
        {
            let _ = self.needs.set(Needs::of(&self.columns, rows, site)?);
        }
        Ok(self.needs.get())
    }

    /// The split of vectors that are multiplied. Those of a square matrix are split as its rows, so
    /// that a product of a product moves nothing else.
    fn vector_split(&self) -> Result<Option<Split>, Error> {
        let [rows, columns] = self.shape();
        if rows == columns {
            return Ok(self.row_split());
        }
        Ok(RowSplit::rows(columns, &self.starts.mesh()?))
    }

    /// A vector with an element for each row, on the devices that have the rows, unless these are
    /// split evenly, as arrays are.
    pub(super) fn placed(&self, vector: &Array) -> Result<Array, Error> {
        Ok(match (self.as_even()?, self.row_split()) {
            (Rows::Balanced, Some(split)) => vector.with_sharding(sharded(0, 1, split)),
            _ => vector.clone(),
        })
    }

    /// What products with arrays need of them; `None` if each device has the whole array, as with
    /// few columns.
    pub(super) fn needs_of_dense(&self, site: Site) -> Result<Option<&Needs>, Error> {
        match self.shape()[1] {
            0..FEW => Ok(self.needs.get()),
            _ => self.needs(site),
        }
    }

    /// The exchange of the elements of a vector, if it pays; it is planned at the first product.
    fn exchange<'a>(
        &self,
        needs: &'a Needs,
        x: &Array,
        site: Site,
    ) -> Result<Option<&'a Exchange>, Error> {
        if x.ndim() != 1 {
            return Ok(None);
        }
        if needs.exchange.get().is_none() && !x.mesh()?.is_capturing() {
            let _ = needs.exchange.set(Exchange::of(needs, self.vector_split()?, site)?);
        }
        Ok(needs.exchange.get().and_then(Option::as_ref))
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
            let other = other.of_values(other.values().converted(dtype, site)).summed()?;
            if !(self.is_even(site)? && other.is_even(site)?)
                && let Some(product) = self.expanded(&values, &other, site)?
            {
                return Ok(product);
            }
            let (places, other) = match self.needs(site)? {
                Some(needs) => {
                    let rows =
                        other.rows_at(&needs.needed, Rows::As(Some(needs.split.clone())), site)?;
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
            let rows = NewRows::of_counts(&counts, shape, self.as_own())?;
            let found = rows.columns(Sparse::ProductColumns, wide, &operands, site)?;
            let factors = [&a[..], &[&values], &b, &[other.values()]].concat();
            let computed = rows.values(Sparse::ProductValues, &found, &factors, site)?;
            let found = found.converted(super::csr::column_dtype(shape[1]), site);
            Ok(rows.matrix(&found, &computed, Some(EntryOrder::Canonical)))
        })
    }
}
