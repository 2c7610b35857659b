//! The matrix in rows: how it is made and read, and its products.

use crate::array::Argument;
use crate::array::Array;
use crate::creation::{arange, zeros};
use crate::indexing::{AnyIndex, argwhere, checked_positions, combine_at};
use crate::manipulation::refused;
use crate::manipulation::{stack, try_concatenate};
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
    /// `starts[i + 1]`.
    ///
    /// Collective over the mesh: each device receives the entries of its rows. Errors:
    /// `OpError::Ndim`, `OpError::Argument` for a wrong length, `OpError::Cast`,
    /// `OpError::TooLarge`, `DataError::PositionsBeyond` for a column that the matrix does not
    /// have, `DataError::Starts`.
    #[track_caller]
    pub fn from_parts(
        starts: &Array,
        columns: &Array,
        values: &Array,
        shape: [usize; 2],
    ) -> Result<Csr, Error> {
        Csr::from_rows("from_parts", [starts, columns, values], shape, call_site())
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
        let argument = (operation, "columns");
        let columns = checked_positions(argument, columns, shape[1], site)?;
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
    /// add up. Collective over the mesh. Errors: those of [`Csr::from_parts`], and
    /// `DataError::PositionsBeyond` for a row that the matrix does not have.
    #[track_caller]
    pub fn from_triplets(
        rows: &Array,
        columns: &Array,
        values: &Array,
        shape: [usize; 2],
    ) -> Result<Csr, Error> {
        let site = call_site();
        let (operation, entries) = ("from_triplets", values.size());
        vectors(operation, &[("values", values, entries), ("rows", rows, entries)], site)?;
        vectors(operation, &[("columns", columns, entries)], site)?;
        let rows = checked_positions((operation, "rows"), rows, shape[0], site)?;
        let columns = checked_positions((operation, "columns"), columns, shape[1], site)?;
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

    /// The matrix of the non-zero elements of an array. Collective over the mesh. Errors:
    /// `OpError::Ndim`.
    #[track_caller]
    pub fn from_dense(array: &Array) -> Result<Csr, Error> {
        let site = call_site();
        array.ok()?;
        if array.ndim() != 2 {
            let (operation, expected, ndim) = ("from_dense", "2", array.ndim());
            return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
        }
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
