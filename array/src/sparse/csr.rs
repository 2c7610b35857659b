//! The matrix in rows: how it is made and read, and its products.

use crate::array::Argument;
use crate::array::Array;
use crate::creation::{arange, zeros};
use crate::indexing::{AnyIndex, argwhere, checked_positions, combine_at};
use crate::manipulation::{atleast_2d, refused, stack, try_concatenate};
use crate::recording::record_structured;
use crate::sorting::{Side, lexsort, searchsorted};
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Bounds, DType, Op, Sharding, Split, Structured, promote};

/// A sparse matrix in CSR format. Rows are split among devices, and each device holds the entries
/// of its rows.
#[derive(Clone, Debug)]
pub struct Csr {
    shape: [usize; 2],
    /// For each row, the number of its first entry, and the number after its last entry.
    starts: Array,
    ends: Array,
    columns: Array,
    values: Array,
}

impl Csr {
    /// The matrix with these entries. `starts` has one element more than the matrix has rows, from
    /// 0 to the number of entries. Row `i` has the entries from `starts[i]` to before
    /// `starts[i + 1]`. Without a shape, the last column is the largest one that has an entry.
    ///
    /// Collective over the mesh: each device receives the entries of its rows. Errors:
    /// `OpError::Ndim`, `OpError::Argument` for a wrong length, and without a shape and entries,
    /// `OpError::Cast`, `OpError::TooLarge`, `DataError::PositionsBeyond` for a column that the
    /// matrix does not have, `DataError::Starts`.
    #[track_caller]
    pub fn from_parts(
        starts: &Array,
        columns: &Array,
        values: &Array,
        shape: impl Into<Option<[usize; 2]>>,
    ) -> Result<Csr, Error> {
        let (site, operation) = (call_site(), "from_parts");
        let shape = match shape.into() {
            Some(shape) => shape,
            None => {
                [starts.ok()?.size().saturating_sub(1), least_extent(operation, columns, site)?]
            }
        };
        Csr::from_rows(operation, [starts, columns, values], shape, site)
    }

    /// The matrix without entries. Collective over the mesh. Errors: those of
    /// [`Csr::from_parts`].
    #[track_caller]
    pub fn zeros(shape: [usize; 2], dtype: DType) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            let starts = zeros([shape[0].saturating_add(1)], DType::I64);
            let (columns, values) = (zeros([0], DType::I64), zeros([0], dtype));
            Csr::from_rows("zeros", [&starts, &columns, &values], shape, site)
        })
    }

    fn from_rows(
        operation: &'static str,
        [starts, columns, values]: [&Array; 3],
        shape: [usize; 2],
        site: Site,
    ) -> Result<Csr, Error> {
        let rows = shape[0].checked_add(1);
        let too_large = || Error::op(OpError::TooLarge { shape: shape.to_vec() }, site);
        let rows = rows.ok_or_else(too_large)?;
        let entries = values.size();
        vectors(operation, &[("values", values, entries), ("columns", columns, entries)], site)?;
        vectors(operation, &[("starts", starts, rows)], site)?;
        let columns = of_entries((operation, "columns"), columns, shape[1], site)?;
        within(site, || {
            let starts = starts.converted(DType::I64, site);
            // Products read all columns, so they are `i32` where that is wide enough.
            let is_narrow = i32::try_from(shape[1]).is_ok();
            let columns = if is_narrow { columns.converted(DType::I32, site) } else { columns };
            let count = values.size() as i64;
            let (first, last) = (starts.slice(crate::s![0]), starts.slice(crate::s![-1]));
            let falls = starts.slice(crate::s![1..]).less(starts.slice(crate::s![..-1])).any(());
            let wrong = first.not_equal(0).logical_or(last.not_equal(count)).logical_or(falls);
            let error = DataError::Starts { operation, entries };
            wrong.any_at(site)?.refuse(Error::data(error, site), site)?;
            let mesh = starts.mesh()?;
            let begins = starts.slice(crate::s![..-1]);
            let ends = starts.slice(crate::s![1..]);
            let rows = Sharding::even(&[shape[0]], 0, mesh.mesh());
            let is_split = mesh.mesh().devices() > 1;
            let Some(split) = rows.axes[0].clone().filter(|_| is_split) else {
                let (starts, ends) = (begins.copy(), ends.copy());
                return Ok(Csr { shape, starts, ends, columns, values: values.clone() });
            };
            // The entries at which blocks of rows end.
            let parts = split.bounds.parts();
            let cuts: Vec<i64> = (0..parts).map(|at| split.bounds.block(at).end as i64).collect();
            let cuts = mesh.enter(|| crate::creation::from_slice(&cuts, [parts]));
            let cuts = starts.take(&cuts, 0).to_vec::<i64>()?;
            let mut sizes = Vec::with_capacity(parts);
            let mut before = 0;
            for cut in cuts {
                sizes.push((cut - before).max(0) as usize);
                before = before.max(cut);
            }
            let entries = Sharding {
                axes: [Some(Split {
                    mesh_axes: split.mesh_axes.clone(),
                    bounds: Bounds::explicit(&sizes),
                })]
                .into_iter()
                .collect(),
                partial: None,
            };
            let matrix = Csr {
                shape,
                starts: begins.with_sharding(rows.clone()),
                ends: ends.with_sharding(rows),
                columns: columns.with_sharding(entries.clone()),
                values: values.with_sharding(entries),
            };
            for part in [&matrix.starts, &matrix.ends, &matrix.columns, &matrix.values] {
                part.ok()?;
            }
            Ok(matrix)
        })
    }

    /// The matrix with these values at these rows and columns (COO). Values at the same position
    /// add up. Without a shape, the matrix is as small as the entries allow. Collective over the
    /// mesh. Errors: those of [`Csr::from_parts`], and `DataError::PositionsBeyond` for a row that
    /// the matrix does not have.
    #[track_caller]
    pub fn from_triplets(
        rows: &Array,
        columns: &Array,
        values: &Array,
        shape: impl Into<Option<[usize; 2]>>,
    ) -> Result<Csr, Error> {
        let site = call_site();
        let (operation, entries) = ("from_triplets", values.size());
        vectors(operation, &[("values", values, entries), ("rows", rows, entries)], site)?;
        vectors(operation, &[("columns", columns, entries)], site)?;
        let shape = match shape.into() {
            Some(shape) => shape,
            None => [least_extent(operation, rows, site)?, least_extent(operation, columns, site)?],
        };
        let rows = of_entries((operation, "rows"), rows, shape[0], site)?;
        let columns = of_entries((operation, "columns"), columns, shape[1], site)?;
        within(site, || {
            let order = lexsort(&[columns.clone(), rows.clone()], 0);
            let sorted = rows.take(&order, 0);
            let mesh = rows.mesh()?;
            let all = mesh.enter(|| arange(0, shape[0] as i64 + 1, 1));
            let starts = searchsorted(&sorted, &all, Side::Left);
            let (columns, values) = (columns.take(&order, 0), values.take(&order, 0));
            Csr::from_rows(operation, [&starts, &columns, &values], shape, site)
        })
    }

    /// The matrix of the non-zero elements of an array; a vector is a row. Collective over the
    /// mesh. Errors: `OpError::Ndim` for more than two axes.
    #[track_caller]
    pub fn from_dense(array: &Array) -> Result<Csr, Error> {
        let site = call_site();
        if array.ok()?.ndim() > 2 {
            let (operation, expected, ndim) = ("from_dense", "at most 2", array.ndim());
            return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
        }
        let array = &within(site, || atleast_2d(array));
        let shape = [array.shape()[0], array.shape()[1]];
        within(site, || {
            let found = argwhere(array);
            let (rows, columns) = (found.slice(crate::s![.., 0]), found.slice(crate::s![.., 1]));
            let positions = &rows * shape[1] as i64 + &columns;
            let values = array.reshape([-1]).take(&positions, 0);
            let mesh = array.mesh()?;
            let all = mesh.enter(|| arange(0, shape[0] as i64 + 1, 1));
            let starts = searchsorted(&rows.copy(), &all, Side::Left);
            Csr::from_rows("from_dense", [&starts, &columns.copy(), &values], shape, site)
        })
    }

    /// The numbers of rows and columns. Local.
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// The dtype of the values. Local.
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// The number of entries. Local.
    pub fn nnz(&self) -> usize {
        self.values.size()
    }

    /// The values of the entries, row by row. Local.
    pub fn values(&self) -> &Array {
        &self.values
    }

    /// The matrix with these values of its entries.
    pub(super) fn with_values(&self, values: Array) -> Csr {
        Csr { values, ..self.clone() }
    }

    /// The columns of the entries. Dtype: `i32` if the matrix has fewer than 2³¹ columns, as in
    /// SciPy, else `i64`. Local.
    pub fn columns(&self) -> &Array {
        &self.columns
    }

    /// For each row, the number of its first entry; then the number of entries (`i64`). Local
    /// (records nodes).
    #[track_caller]
    #[must_use]
    pub fn row_starts(&self) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let zero = self.values.mesh()?.enter(|| zeros([1], DType::I64));
            try_concatenate(&[&zero, &self.ends], &0.into(), None, site)
        }))
    }

    /// The matrix with its values in another dtype. Local (records a node).
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Result<Csr, Error> {
        let site = call_site();
        Ok(self.with_values(within(site, || self.values.astype(dtype)).into_result()?))
    }

    /// The matrix with all values multiplied by a number. Local (records a node). Errors: those of
    /// [`Array::multiply`].
    #[track_caller]
    pub fn scale(&self, factor: impl Into<Argument>) -> Result<Csr, Error> {
        let site = call_site();
        Ok(self.with_values(within(site, || self.values.multiply(factor)).into_result()?))
    }

    /// The transpose of the matrix. Collective over the mesh.
    #[track_caller]
    pub fn transpose(&self) -> Result<Csr, Error> {
        let site = call_site();
        let [rows, columns] = self.shape;
        within(site, || {
            Csr::from_triplets(&self.columns, &self.rows(), &self.values, [columns, rows])
        })
    }

    /// The row of each entry.
    fn rows(&self) -> Array {
        let count = self.nnz() as i64;
        Array::catch((|| {
            let all = self.values.mesh()?.enter(|| arange(0, count, 1));
            searchsorted(&self.ends.copy(), &all, Side::Right).into_result()
        })())
    }

    /// The matrix as an array. Collective over the mesh. Errors: `OpError::TooLarge`.
    #[track_caller]
    #[must_use]
    pub fn to_dense(&self) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let size = self.shape[0].checked_mul(self.shape[1]);
            let too_large = || Error::op(OpError::TooLarge { shape: self.shape.to_vec() }, site);
            let size = size.ok_or_else(too_large)?;
            let dense = self.values.mesh()?.enter(|| zeros([size], self.dtype()));
            dense.ok()?;
            let positions = self.rows() * self.shape[1] as i64 + &self.columns;
            let values = Argument::Array(self.values.clone());
            let items = [AnyIndex::Array(positions)];
            combine_at(Op::Add, &dense, &items, Some(&values), site)?;
            dense.reshape(self.shape).into_result()
        }))
    }

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

    /// The product with a vector, in the promoted dtype. Every device receives the whole vector.
    /// Local (records a node). Errors: `OpError::ContractedSizes`.
    #[track_caller]
    #[must_use]
    pub fn matvec(&self, vector: &Array) -> Array {
        let site = call_site();
        Array::catch((|| {
            vector.ok()?;
            if vector.shape() != [self.shape[1]] {
                let (left, right) = (self.shape.as_slice().into(), vector.shape().into());
                let operation = "matvec";
                return Err(Error::op(OpError::ContractedSizes { operation, left, right }, site));
            }
            let dtype = promote(self.dtype(), vector.dtype());
            let values = self.values.converted(dtype, site);
            let vector = vector.converted(dtype, site);
            let operands = [&self.starts, &self.ends, &self.columns, &values, &vector];
            record_structured(Structured::Spmv, &operands, site)
        })())
    }

    /// The product with a matrix, computed column by column with [`Csr::matvec`]. Local (records
    /// nodes). Errors: `OpError::Ndim`, `OpError::ContractedSizes`.
    #[track_caller]
    #[must_use]
    pub fn matmat(&self, matrix: &Array) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let ndim = matrix.ok()?.ndim();
            if ndim != 2 {
                let (operation, expected) = ("matmat", "2");
                return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
            }
            let (left, right) = (self.shape.as_slice().into(), matrix.shape().into());
            if matrix.shape()[0] != self.shape[1] {
                let operation = "matmat";
                return Err(Error::op(OpError::ContractedSizes { operation, left, right }, site));
            }
            let columns = matrix.shape()[1];
            if columns == 0 {
                let dtype = promote(self.dtype(), matrix.dtype());
                return matrix.mesh()?.enter(|| zeros([self.shape[0], 0], dtype)).into_result();
            }
            let column = |at: usize| self.matvec(&matrix.slice(crate::s![.., at as i64]).copy());
            let products: Vec<Array> = (0..columns).map(column).collect();
            stack(&products.iter().collect::<Vec<_>>(), 1).into_result()
        }))
    }
}

/// The positions of the entries along an axis, which are checked. As in SciPy, the dtype of no
/// positions does not matter.
fn of_entries(
    argument: (&'static str, &'static str),
    positions: &Array,
    extent: usize,
    site: Site,
) -> Result<Array, Error> {
    match positions.ok()?.size() {
        0 => positions.converted(DType::I64, site).into_result(),
        _ => checked_positions(argument, positions, extent, site),
    }
}

/// The extent of an axis of which only positions are known: one more than the largest one.
/// Collective over the mesh.
fn least_extent(operation: &'static str, positions: &Array, site: Site) -> Result<usize, Error> {
    if positions.ok()?.size() == 0 {
        return Err(refused(operation, "shape", "none, without entries,", site));
    }
    let largest = within(site, || positions.max(()).astype(DType::I64).item::<i64>())?;
    Ok(usize::try_from(largest.saturating_add(1)).unwrap_or(0))
}

/// Refuses arrays that are not vectors of the given lengths.
fn vectors(
    operation: &'static str,
    all: &[(&'static str, &Array, usize)],
    site: Site,
) -> Result<(), Error> {
    for &(argument, vector, length) in all {
        let ndim = vector.ok()?.ndim();
        if ndim != 1 {
            return Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site));
        }
        if vector.size() != length {
            let value = format!("{} elements in place of {length}", vector.size());
            return Err(refused(operation, argument, value, site));
        }
    }
    Ok(())
}
