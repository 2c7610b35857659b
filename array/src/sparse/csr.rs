//! The matrix in rows: its parts, and how it is read.

use super::fronts::FrontPlan;
use super::needs::Needs;
use super::split::{EntryOrder, RowSplit};
use super::sums::sums_at;
use crate::array::Argument;
use crate::array::Array;
use crate::creation::{arange, zeros};
use crate::indexing::checked_positions;
use crate::manipulation::{refused, try_concatenate};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use std::sync::{Arc, OnceLock};

/// A sparse matrix in CSR format. Rows are split among devices, and each device holds the entries
/// of its rows.
#[derive(Clone, Debug)]
pub struct Csr {
    pub(super) shape: [usize; 2],
    /// For each row, the number of its first entry, and the number after its last entry.
    pub(super) starts: Array,
    pub(super) ends: Array,
    pub(super) columns: Array,
    pub(super) values: Array,
    /// How rows and entries are split, if there are several devices.
    pub(super) split: Option<RowSplit>,
    /// What is known of the order of the entries in their rows.
    pub(super) order: Arc<OnceLock<EntryOrder>>,
    /// Whether no row has far more entries than others.
    pub(super) is_even: Arc<OnceLock<bool>>,
    /// What products need of the other operand, if there are several devices.
    pub(super) needs: Arc<OnceLock<Needs>>,
    /// How matrices of this pattern are factorised by fronts.
    pub(super) fronts: Arc<FrontPlan>,
    /// The transpose, once it has been made.
    pub(super) transposed: Arc<OnceLock<Transposed>>,
}

/// The transpose of a matrix's pattern. Its values are those of the matrix in another order, so
/// that the transpose of a matrix with other values costs little.
#[derive(Debug)]
pub(super) struct Transposed {
    pub pattern: Csr,
    pub order: Array,
}

impl Csr {
    /// A matrix of parts that fit each other.
    pub(super) fn new(
        shape: [usize; 2],
        [starts, ends, columns, values]: [&Array; 4],
        split: Option<RowSplit>,
    ) -> Csr {
        let (starts, ends) = (starts.clone(), ends.clone());
        let (columns, values) = (columns.clone(), values.clone());
        let (order, is_even, needs, fronts, transposed) = Default::default();
        Csr {
            shape,
            starts,
            ends,
            columns,
            values,
            split,
            order,
            is_even,
            needs,
            fronts,
            transposed,
        }
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

    /// The matrix with these values of its entries, which is a vector.
    ///
    /// Local (records a node). Errors: `OpError::Ndim`, `OpError::Argument` for another length.
    #[track_caller]
    pub fn with_values(&self, values: &Array) -> Result<Csr, Error> {
        vectors("with_values", &[("values", values, self.nnz())], call_site())?;
        Ok(self.of_values(values.clone()))
    }

    /// As `with_values`, for values that are known to fit.
    pub(super) fn of_values(&self, values: Array) -> Csr {
        let values = self.as_entries(values);
        Csr { values, ..self.clone() }
    }

    /// The elements of entries on the devices that have the entries.
    pub(super) fn as_entries(&self, elements: Array) -> Array {
        RowSplit::on_entries(self.split.as_ref(), elements)
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

    /// The starts of rows and the columns, on the host of every process. Collective over the mesh.
    pub(super) fn pattern_on_host(&self, site: Site) -> Result<(Vec<usize>, Vec<u32>), Error> {
        let starts = self.row_starts().to_vec::<i64>()?;
        let columns = self.columns.converted(DType::U32, site).to_vec::<u32>()?;
        Ok((starts.into_iter().map(|start| start as usize).collect(), columns))
    }

    /// The matrix with its values in another dtype. Local (records a node).
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Result<Csr, Error> {
        let site = call_site();
        Ok(self.of_values(within(site, || self.values.astype(dtype)).into_result()?))
    }

    /// The matrix with all values multiplied by a number. Local (records a node). Errors: those of
    /// [`Array::multiply`].
    #[track_caller]
    pub fn scale(&self, factor: impl Into<Argument>) -> Result<Csr, Error> {
        let site = call_site();
        Ok(self.of_values(within(site, || self.values.multiply(factor)).into_result()?))
    }

    /// The row of each entry (`i64`). Local (records a node).
    #[track_caller]
    #[must_use]
    pub fn rows(&self) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let rows = self.values.mesh()?.enter(|| arange(0, self.shape[0] as i64, 1));
            self.spread(&rows, site)
        }))
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
            let positions = self.rows() * self.shape[1] as i64 + &self.columns;
            let dense = sums_at(size, self.dtype(), &positions, &self.values, site)?;
            dense.reshape(self.shape).into_result()
        }))
    }
}

/// The positions of the entries along an axis, which are checked. As in SciPy, the dtype of no
/// positions does not matter.
pub(super) fn of_entries(
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

/// The dtype of the columns of a matrix with this number of columns.
pub(super) fn column_dtype(columns: usize) -> DType {
    if i32::try_from(columns).is_ok() { DType::I32 } else { DType::I64 }
}

/// Refuses arrays that are not vectors of the given lengths.
pub(super) fn vectors(
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
