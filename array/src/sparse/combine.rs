//! Combinations of the entries of two matrices, and of the entries of rows and columns.

use super::csr::Csr;
use super::order::NewRows;
use super::split::{EntryOrder, record};
use super::sums::sums_at;
use crate::array::{Argument, Array};
use crate::creation::arange;
use crate::manipulation::refused;
use crate::math::select;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::Sparse;
use phalanx_ops::{DType, Op};

impl Csr {
    /// The places at which either matrix has an entry: a matrix of bools, which are true.
    /// Collective over the mesh. Errors: `OpError::Argument` for matrices of other shapes.
    #[track_caller]
    pub fn union(&self, other: &Csr) -> Result<Csr, Error> {
        let site = call_site();
        self.same_shape("union", other, site)?;
        within(site, || {
            let (a, b) = self.summed()?.alike(&other.summed()?)?;
            let operands = [a.pattern(), b.pattern()].concat();
            let counts = record(Sparse::UnionCount, &operands, site)?;
            let rows = NewRows::of_counts(&counts, a.shape(), a.as_own())?;
            let columns = rows.columns(Sparse::Union, a.columns.dtype(), &operands, site)?;
            let holds = columns.greater_equal(0);
            Ok(rows.matrix(&columns, &holds, Some(EntryOrder::Canonical)))
        })
    }

    /// The values of this matrix at the entries of another one, 0 where it has none. Duplicates of
    /// this matrix are added. Collective over the mesh. Errors: `OpError::Argument` for matrices of
    /// other shapes.
    #[track_caller]
    #[must_use]
    pub fn align(&self, pattern: &Csr) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.same_shape("align", pattern, site)?;
            within(site, || self.sorted()?.align_to(pattern, site))
        })())
    }

    /// As `align`, for a matrix whose rows are sorted.
    pub(super) fn align_to(&self, pattern: &Csr, site: Site) -> Result<Array, Error> {
        let own = self.split_as(pattern.as_own())?;
        let values = own.as_entries(own.values().clone());
        let [starts, ends, columns] = own.pattern();
        let wanted = [&pattern.columns, &pattern.starts, &pattern.ends];
        let operands = [wanted.as_slice(), &[starts, ends, columns, &values]].concat();
        record(Sparse::Align, &operands, site)
    }

    /// The matrix of `op(a, b)` for the elements of both matrices, without its zeros. `op` of two
    /// zeros is zero. Collective over the mesh. Errors: those of [`Csr::union`] and of the
    /// operation.
    #[track_caller]
    pub fn combine(&self, op: Op, other: &Csr) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            self.same_shape("union", other, site)?;
            let (a, b) = self.alike(other)?;
            let pattern = a.union(&b)?;
            let operands = [a.align(&pattern).into(), b.align(&pattern).into()];
            let values = Array::apply(op, &operands).into_result()?;
            let mask = values.not_equal(0);
            pattern.of_values(values).kept_at(&mask, Some(EntryOrder::Canonical), site)
        })
    }

    /// Two matrices of one shape with the same rows on each device: those of the matrix with more
    /// entries, so that fewer move. Collective over the mesh if rows differ.
    fn alike(&self, other: &Csr) -> Result<(Csr, Csr), Error> {
        Ok(match other.nnz() > self.nnz() {
            true => (self.split_as(other.as_own())?, other.clone()),
            false => (self.clone(), other.split_as(self.as_own())?),
        })
    }

    fn same_shape(&self, operation: &'static str, other: &Csr, site: Site) -> Result<(), Error> {
        if self.shape() == other.shape() {
            return Ok(());
        }
        let value = format!("of shape {:?} beside {:?}", other.shape(), self.shape());
        Err(refused(operation, "other", value, site))
    }

    /// The elements of each row (`axis` 1) or column (`axis` 0) combined by `Op::Add`,
    /// `Op::Maximum`, `Op::Minimum`, `Op::Fmax` or `Op::Fmin`; elements without an entry count as
    /// zeros. Sums of bools and of integers narrower than 64 bits have 64 bits.
    ///
    /// Shape: the other extent. Collective over the mesh. Errors: `OpError::Axis`,
    /// `OpError::Argument` for another operation.
    #[track_caller]
    #[must_use]
    pub fn reduce(&self, op: Op, axis: i64) -> Array {
        let site = call_site();
        Array::catch((|| {
            if !(-2..2).contains(&axis) {
                return Err(Error::op(OpError::Axis { axis, ndim: 2 }, site));
            }
            let is_known = matches!(op, Op::Maximum | Op::Minimum | Op::Fmax | Op::Fmin | Op::Add);
            if !is_known {
                return Err(refused("reduce", "op", op.to_string(), site));
            }
            within(site, || match (op, axis.rem_euclid(2)) {
                (Op::Add, 0) => self.sum_of_columns(site),
                (Op::Add, _) => {
                    let values = self.values().converted(sum_dtype(self.dtype()), site);
                    self.fold(op, &values, site)
                }
                (_, 0) => self.transpose()?.extreme(op, site),
                _ => self.extreme(op, site),
            })
        })())
    }

    pub(super) fn fold(&self, op: Op, values: &Array, site: Site) -> Result<Array, Error> {
        let values = self.as_entries(values.clone());
        let operands = [&self.starts, &self.ends, &values];
        record(Sparse::Fold { op }, &operands, site)
    }

    fn sum_of_columns(&self, site: Site) -> Result<Array, Error> {
        let dtype = sum_dtype(self.dtype());
        let values = self.values().converted(dtype, site);
        sums_at(self.shape()[1], dtype, &self.columns, &values, site)
    }

    fn extreme(&self, op: Op, site: Site) -> Result<Array, Error> {
        let own = self.summed()?;
        let found = own.fold(op, own.values(), site)?;
        let is_whole = (&own.ends - &own.starts).equal(self.shape()[1] as i64);
        let zero = phalanx_ops::Scalar::new(false).cast(self.dtype());
        let with_zero = Array::apply(op, &[(&found).into(), Argument::Scalar(zero)]);
        select(&is_whole, &found, &with_zero).into_result()
    }

    /// The numbers of entries of each row (`axis` 1) or column (`axis` 0), as `i64`. Local (records
    /// nodes). Errors: `OpError::Axis`.
    #[track_caller]
    #[must_use]
    pub fn counts(&self, axis: i64) -> Array {
        let site = call_site();
        Array::catch(within(site, || match axis {
            1 | -1 => (&self.ends - &self.starts).into_result(),
            0 | -2 => sums_at(self.shape()[1], DType::I64, &self.columns, 1, site),
            _ => Err(Error::op(OpError::Axis { axis, ndim: 2 }, site)),
        }))
    }

    /// The elements `(i, i + k)`. Collective over the mesh. Errors: `OpError::Argument` for a
    /// diagonal outside of the matrix.
    #[track_caller]
    #[must_use]
    pub fn diagonal(&self, k: i64) -> Array {
        let site = call_site();
        Array::catch((|| {
            let [rows, columns] = self.shape().map(|extent| extent as i64);
            let (first, last) = ((-k).max(0), rows.min(columns.saturating_sub(k)));
            if k <= -rows.max(1) || k >= columns.max(1) {
                return Err(refused("diagonal", "k", k.to_string(), site));
            }
            let length = usize::try_from(last - first).unwrap_or(0);
            within(site, || {
                // A matrix that has an entry for each element of the diagonal.
                let mesh = self.values().mesh()?;
                let row = mesh.enter(|| arange(0, rows, 1));
                let on_it = row.greater_equal(first).logical_and(row.less(last));
                let counts = on_it.converted(DType::I64, site);
                let new = NewRows::of_counts(&counts, self.shape(), self.as_own())?;
                let places = mesh.enter(|| arange(first + k, first + k + length as i64, 1));
                let places = new.as_entries(places.converted(self.columns.dtype(), site));
                let pattern = new.matrix(&places, &places, Some(EntryOrder::Canonical));
                let sorted = self.sorted()?;
                Ok(sorted.align_to(&pattern, site)?.copy())
            })
        })())
    }
}

/// The dtype of sums.
fn sum_dtype(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::I8 | DType::I16 | DType::I32 => DType::I64,
        DType::U8 | DType::U16 | DType::U32 => DType::U64,
        other => other,
    }
}
