//! How a matrix in rows is made: of its parts, of entries in any order, of an array, and of its
//! transpose.

use super::csr::{Csr, Transposed, column_dtype, of_entries, vectors};
use super::order::{NewRows, in_order};
use super::split::{RowSplit, Rows};
use super::sums::sums_at;
use crate::array::Array;
use crate::creation::{arange, zeros};
use crate::indexing::argwhere;
use crate::manipulation::{atleast_2d, refused};
use crate::sorting::{Side, searchsorted};
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

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
            let columns = columns.converted(column_dtype(shape[1]), site);
            let count = values.size() as i64;
            let (first, last) = (starts.slice(crate::s![0]), starts.slice(crate::s![-1]));
            let falls = starts.slice(crate::s![1..]).less(starts.slice(crate::s![..-1])).any(());
            let wrong = first.not_equal(0).logical_or(last.not_equal(count)).logical_or(falls);
            let error = DataError::Starts { operation, entries };
            wrong.any_at(site)?.refuse(Error::data(error, site), site)?;
            let (begins, ends) = (starts.slice(crate::s![..-1]), starts.slice(crate::s![1..]));
            let split = RowSplit::of(Rows::Even, [&begins, &ends])?;
            let Some(split) = split else {
                return Ok(Csr::new(shape, [&begins.copy(), &ends.copy(), &columns, values], None));
            };
            let (rows, entries) = (&split.rows, &split.entries);
            let starts = begins.with_sharding(rows.clone());
            let ends = ends.with_sharding(rows.clone());
            let columns = columns.with_sharding(entries.clone());
            let values = values.with_sharding(entries.clone());
            for part in [&starts, &ends, &columns, &values] {
                part.ok()?;
            }
            Ok(Csr::new(shape, [&starts, &ends, &columns, &values], Some(split)))
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
            let columns = columns.converted(column_dtype(shape[1]), site);
            Ok(Csr::grouped(&rows, [&columns, values], shape, Rows::Even, site)?.0)
        })
    }

    /// The matrix of entries with checked rows, columns of the right dtype, and values; those of a
    /// row keep their order. Also returns the order in which it has the entries. Entries that have
    /// the order of their rows already are only copied.
    fn grouped(
        rows: &Array,
        [columns, values]: [&Array; 2],
        shape: [usize; 2],
        split: Rows,
        site: Site,
    ) -> Result<(Csr, Array), Error> {
        let mesh = rows.mesh()?;
        let counts = sums_at(shape[0], DType::I64, rows, 1, site)?;
        let new = NewRows::of_counts(&counts, shape, split)?;
        let falls = rows.slice(crate::s![1..]).less(rows.slice(crate::s![..-1])).any(());
        if !falls.item::<bool>()? {
            let order = mesh.enter(|| arange(0, rows.size() as i64, 1));
            let copied = |entries: &Array| new.as_entries(entries.copy());
            let (columns, values) = (copied(columns), copied(values));
            return Ok((new.matrix(&columns, &values, None), order));
        }
        let order = new.grouping(rows, site)?;
        let columns = in_order(&order, columns, new.split.as_ref(), site)?;
        let values = in_order(&order, values, new.split.as_ref(), site)?;
        Ok((new.matrix(&columns, &values, None), order))
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

    /// The transpose of the matrix. Its rows are sorted. Collective over the mesh at the first
    /// call, then Local (records a node).
    #[track_caller]
    pub fn transpose(&self) -> Result<Csr, Error> {
        let site = call_site();
        let [rows, columns] = self.shape;
        within(site, || {
            if let Some(known) = self.transposed.get() {
                let split = known.pattern.split.as_ref();
                let values = in_order(&known.order, &self.values, split, site)?;
                return Ok(Csr { values, ..known.pattern.clone() });
            }
            let of_entries = self.rows().converted(column_dtype(rows), site);
            let entries = [&of_entries, &self.values];
            let (shape, split) = ([columns, rows], self.as_even()?);
            let (made, order) = Csr::grouped(&self.columns, entries, shape, split, site)?;
            // Without its values, so that their memory is not kept.
            let pattern = Csr { values: self.columns.clone(), ..made.clone() };
            // What is captured has no value before it is launched.
            if !self.values.mesh()?.is_capturing() {
                let _ = self.transposed.set(Transposed { pattern, order });
            }
            Ok(made)
        })
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
