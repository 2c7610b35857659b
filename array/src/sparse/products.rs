//! Products of sparse matrices with vectors, matrices and each other.

use super::csr::Csr;
use super::needs::{Exchange, Needs};
use super::order::NewRows;
use super::split::{EntryOrder, RowSplit, Rows, record, sharded};
use crate::array::Array;
use crate::recording::taken;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Semiring, Sparse};
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

    /// The product with a vector or with a matrix over a semiring: element `i` combines
    /// `multiply(a[i, j], x[j])` over the entries of row `i`. A row without entries gives the
    /// identity of the combination.
    ///
    /// Elements that are no entries take no part, unlike zeros that are entries; an element with
    /// duplicates is their sum. As in the elementwise operations, NaN wins against every number in
    /// a minimum and a maximum, and integers wrap around, also the largest one that stands for a
    /// row without entries. Halves are combined in `f32` and rounded once.
    ///
    /// Shapes: `(m, n)` with `(n,)` or `(n, k)`. Dtype: the promoted one, which is not complex for
    /// other semirings than [`Semiring::PlusTimes`]; for [`Semiring::OrAnd`] bool, and an element
    /// is true if it is not zero.
    ///
    /// Collective over the mesh for other semirings than [`Semiring::PlusTimes`], which is
    /// [`Csr::dot`], if it is not known whether the matrix has duplicates; else as [`Csr::matvec`].
    /// Errors: those of [`Csr::dot`], `OpError::Dtype`.
    ///
    /// Source: J. Kepner, J. Gilbert (editors), "Graph Algorithms in the Language of Linear
    /// Algebra" (2011), chapter 2.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::Array;
    /// use phalanx::sparse::{Csr, Semiring};
    /// # fn example(roads: &Csr, mut lengths: Array) {
    /// // The lengths of the shortest paths of at most ten roads from each town.
    /// for _ in 0..10 {
    ///     lengths = lengths.minimum(roads.dot_over(&lengths, Semiring::MinPlus));
    /// }
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn dot_over(&self, other: &Array, semiring: Semiring) -> Array {
        let site = call_site();
        if semiring == Semiring::PlusTimes {
            return within(site, || self.dot(other));
        }
        Array::catch(within(site, || {
            let ndim = other.ok()?.ndim();
            if !matches!(ndim, 1 | 2) {
                let (operation, expected) = ("dot", "1 or 2");
                return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
            }
            if other.shape()[0] != self.shape()[1] {
                return Err(self.unlike("dot", other.shape(), site));
            }
            self.summed()?.product(other, semiring, site)
        }))
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
    /// vector that its rows need. If these are few, rows that need none are computed meanwhile.
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
            within(site, || self.product(vector, Semiring::PlusTimes, site))
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
            within(site, || self.product(matrix, Semiring::PlusTimes, site))
        })())
    }

    fn unlike(&self, operation: &'static str, other: &[usize], site: Site) -> Error {
        let (left, right) = (self.shape().as_slice().into(), other.into());
        Error::op(OpError::ContractedSizes { operation, left, right }, site)
    }

    /// The product over a semiring, in which duplicates count as entries of their own.
    pub(super) fn product(
        &self,
        x: &Array,
        semiring: Semiring,
        site: Site,
    ) -> Result<Array, Error> {
        let dtype = product_dtype(semiring, [self.dtype(), x.dtype()], site)?;
        let values = self.as_entries(self.values().converted(dtype, site));
        let x = x.converted(dtype, site);
        let is_even = self.is_even(site)?;
        // Rows of very different lengths are shared by all threads of a GPU, in one pass.
        if is_even
            && let Some(needs) = self.needs_of_dense(site)?
            && let Some(exchange) = self.exchange(needs, &x, site)?
        {
            let matrix = [&self.starts, &self.ends, &values];
            if let Some(product) = exchange.product(matrix, &x, semiring, site)? {
                return Ok(product);
            }
        }
        let (columns, x, is_local) = self.near(&x, site)?;
        let operands = [&self.starts, &self.ends, &columns, &values, &x];
        record(Sparse::Product { is_local, is_even, semiring }, &operands, site)
    }

    /// For each entry, the element of a vector at its column. `positions` keeps what the next call
    /// for this matrix needs again.
    pub(super) fn at_columns(
        &self,
        x: &Array,
        positions: &mut Option<Array>,
        site: Site,
    ) -> Result<Array, Error> {
        let (columns, x, is_local) = self.near(x, site)?;
        let widened = || self.as_entries(columns.converted(DType::I64, site));
        let positions = positions.get_or_insert_with(widened);
        match is_local {
            true => record(Sparse::Pick, &[positions, &x], site),
            false => taken(&x, positions, site),
        }
    }

    /// The columns of the entries and the rows of an operand, as the devices read them; whether the
    /// columns are numbers of rows in the device's block of the operand.
    fn near(&self, x: &Array, site: Site) -> Result<(Array, Array, bool), Error> {
        let Some(needs) = self.needs_of_dense(site)? else {
            return Ok((self.columns.clone(), x.clone(), false));
        };
        Ok(match self.exchange(needs, x, site)? {
            Some(exchange) => (exchange.places.clone(), exchange.moved(x, site)?, true),
            None => (needs.places.clone(), needs.rows_of(x, site)?, true),
        })
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
    fn expanded(
        &self,
        values: &Array,
        other: &Csr,
        semiring: Semiring,
        site: Site,
    ) -> Result<Option<Csr>, Error> {
        let lengths = &other.ends - &other.starts;
        let positions = self.columns.converted(DType::I64, site);
        if taken(&lengths, &positions, site)?.sum(()).item::<i64>()? > MOST_PRODUCTS {
            return Ok(None);
        }
        // A row for each entry of this matrix.
        let entries = self.split.as_ref().and_then(|split| split.entries.axes[0].clone());
        let rows = other.rows_at(&positions, Rows::As(entries), site)?;
        let operands = [(&rows.spread(values, site)?).into(), rows.values().into()];
        let products = Array::apply(semiring.multiply(), &operands);
        // Its products are neighbours, so a row of this matrix has those from its first entry on.
        let counts = self.fold(Op::Add, &(&rows.ends - &rows.starts), site)?;
        let new = NewRows::of_counts(&counts, [self.shape()[0], other.shape()[1]], self.as_own())?;
        let product = new.matrix(&rows.columns, &products, None);
        Ok(Some(match semiring.add().operation() {
            Some(add) if semiring != Semiring::PlusTimes => product.combined(add, site)?,
            _ => product.summed()?,
        }))
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
        if let Some(split) = self.row_split()
            && needs.exchange.get().is_none()
            && !x.mesh()?.is_capturing()
        {
            let rows = (&split, [&self.starts, &self.ends]);
            let _ = needs.exchange.set(Exchange::of(needs, rows, self.vector_split()?, site)?);
        }
        Ok(needs.exchange.get().and_then(Option::as_ref))
    }

    /// The product of two sparse matrices, in the promoted dtype; its rows are sorted, and elements
    /// that are computed as zero stay entries. Collective over the mesh: each device receives the
    /// rows of `other` that its rows need. Errors: `OpError::ContractedSizes`.
    #[track_caller]
    pub fn matmul(&self, other: &Csr) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || self.matmul_over(other, Semiring::PlusTimes))
    }

    /// The product of two sparse matrices over a semiring: element `(i, k)` combines
    /// `multiply(a[i, j], b[j, k])` over the `j` for which both are entries. It has the entries of
    /// the ordinary product; the elements that are no entries have no products, so they stand for
    /// the identity of the combination. Elements, dtypes, NaN and integers are as in
    /// [`Csr::dot_over`].
    ///
    /// Collective over the mesh, as [`Csr::matmul`]. Errors: `OpError::ContractedSizes`,
    /// `OpError::Dtype`.
    ///
    /// Source: that of [`Csr::dot_over`].
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::sparse::{Csr, Semiring};
    /// # fn example(flights: &Csr) -> Result<Csr, phalanx_graph::Error> {
    /// // The least price of two flights between any two airports.
    /// flights.matmul_over(flights, Semiring::MinPlus)
    /// # }
    /// ```
    #[track_caller]
    pub fn matmul_over(&self, other: &Csr, semiring: Semiring) -> Result<Csr, Error> {
        let site = call_site();
        if self.shape()[1] != other.shape()[0] {
            return Err(self.unlike("matmul", &other.shape(), site));
        }
        within(site, || {
            let dtype = product_dtype(semiring, [self.dtype(), other.dtype()], site)?;
            let (own, other) = match semiring {
                Semiring::PlusTimes => (self.clone(), other.clone()),
                // The sum of duplicates is not their combination.
                _ => (self.summed()?, other.summed()?),
            };
            let values = own.as_entries(own.values().converted(dtype, site));
            let other = other.of_values(other.values().converted(dtype, site)).summed()?;
            own.product_of_rows(&values, &other, semiring, site)
        })
    }

    /// The product with a matrix without duplicates, for these values in place of this matrix's.
    fn product_of_rows(
        &self,
        values: &Array,
        other: &Csr,
        semiring: Semiring,
        site: Site,
    ) -> Result<Csr, Error> {
        if !(self.is_even(site)? && other.is_even(site)?)
            && let Some(product) = self.expanded(values, other, semiring, site)?
        {
            return Ok(product);
        }
        let (places, other) = match self.needs(site)? {
            Some(needs) => {
                let split = Rows::As(Some(needs.split.clone()));
                let rows = other.rows_at(&needs.needed, split, site)?;
                (needs.places.clone(), rows)
            }
            None => (self.columns.clone(), other.clone()),
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
        let factors = [&a[..], &[values], &b, &[other.values()]].concat();
        let computed = rows.values(Sparse::ProductValues { semiring }, &found, &factors, site)?;
        let found = found.converted(super::csr::column_dtype(shape[1]), site);
        Ok(rows.matrix(&found, &computed, Some(EntryOrder::Canonical)))
    }
}

/// The dtype of a product over a semiring.
fn product_dtype(semiring: Semiring, of: [DType; 2], site: Site) -> Result<DType, Error> {
    let dtype = match semiring {
        Semiring::OrAnd => DType::Bool,
        _ => promote(of[0], of[1]),
    };
    match semiring.accepts(dtype) {
        true => Ok(dtype),
        false => {
            let (operation, dtypes) = (semiring.name(), of.as_slice().into());
            Err(Error::op(OpError::Dtype { operation, dtypes }, site))
        }
    }
}
