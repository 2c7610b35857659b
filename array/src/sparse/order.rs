//! The entries of rows: their order, duplicates, what is kept of them, and rows at positions.

use super::csr::Csr;
use super::split::{EntryOrder, RowSplit, Rows, record};
use crate::array::Array;
use crate::creation::{arange, full, zeros};
use crate::manipulation::try_concatenate;
use crate::math::cumsum;
use crate::recording::taken;
use crate::sorting::argsort;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};
use phalanx_ops::structured::Sparse;
use phalanx_ops::{DType, Op, Split};

/// The rows of a matrix whose entries are to be computed.
pub(super) struct NewRows {
    shape: [usize; 2],
    starts: Array,
    ends: Array,
    entries: usize,
    pub split: Option<RowSplit>,
}

/// The elements of entries in an order that `NewRows::grouping` has found.
pub(super) fn in_order(
    order: &Array,
    source: &Array,
    split: Option<&RowSplit>,
    site: Site,
) -> Result<Array, Error> {
    if split.is_none() {
        return record(Sparse::Pick, &[order, source], site);
    }
    Ok(RowSplit::on_entries(split, taken(source, order, site)?))
}

impl NewRows {
    /// The rows with these numbers of entries. Collective over the mesh.
    pub fn of_counts(counts: &Array, shape: [usize; 2], rows: Rows) -> Result<NewRows, Error> {
        let ends = cumsum(counts, 0);
        let starts = &ends - counts;
        let split = RowSplit::of(rows, [&starts, &ends])?;
        let bounds = split.as_ref().and_then(|split| split.entries.axes[0].as_ref());
        let entries = match bounds.map(|split| &split.bounds) {
            Some(bounds) => bounds.block(bounds.parts() - 1).end,
            None if shape[0] == 0 => 0,
            None => ends.slice(crate::s![-1]).item::<i64>()? as usize,
        };
        let [starts, ends] = [starts, ends].map(|all| RowSplit::on_rows(split.as_ref(), all));
        Ok(NewRows { shape, starts, ends, entries, split })
    }

    /// Memory for an element of each entry.
    fn memory(&self, dtype: DType, mesh: &MeshHandle) -> Array {
        self.as_entries(mesh.enter(|| zeros([self.entries], dtype)))
    }

    /// The order that groups entries by these rows, those of one row as they are.
    pub fn grouping(&self, rows: &Array, site: Site) -> Result<Array, Error> {
        match &self.split {
            Some(_) => Ok(argsort(rows, 0)),
            None => record(Sparse::Group, &[&self.starts, &self.ends, rows], site),
        }
    }

    /// The elements of entries on the devices that have the entries.
    pub fn as_entries(&self, elements: Array) -> Array {
        RowSplit::on_entries(self.split.as_ref(), elements)
    }

    /// The columns that an operation computes from (into, starts, ends) and further operands.
    pub fn columns(
        &self,
        op: Sparse,
        dtype: DType,
        operands: &[&Array],
        site: Site,
    ) -> Result<Array, Error> {
        let into = self.memory(dtype, &self.starts.mesh()?);
        let own = [&into, &self.starts, &self.ends];
        let all: Vec<&Array> = own.into_iter().chain(operands.iter().copied()).collect();
        record(op, &all, site)
    }

    /// The values that an operation computes from (columns, starts, ends) and further operands.
    pub fn values(
        &self,
        op: Sparse,
        columns: &Array,
        operands: &[&Array],
        site: Site,
    ) -> Result<Array, Error> {
        let own = [columns, &self.starts, &self.ends];
        let all: Vec<&Array> = own.into_iter().chain(operands.iter().copied()).collect();
        record(op, &all, site)
    }

    /// The matrix with these columns and values.
    pub fn matrix(self, columns: &Array, values: &Array, order: Option<EntryOrder>) -> Csr {
        let parts = [&self.starts, &self.ends, columns, values];
        let matrix = Csr::new(self.shape, parts, self.split);
        if let Some(order) = order {
            let _ = matrix.order.set(order);
        }
        matrix
    }
}

impl Csr {
    /// Starts, ends and columns.
    pub(super) fn pattern(&self) -> [&Array; 3] {
        [&self.starts, &self.ends, &self.columns]
    }

    /// Columns, starts and ends.
    fn entries(&self) -> [&Array; 3] {
        [&self.columns, &self.starts, &self.ends]
    }

    pub(super) fn row_split(&self) -> Option<Split> {
        self.split.as_ref().and_then(|split| split.rows.axes[0].clone())
    }

    /// The rows of a result that has those of this matrix.
    pub(super) fn as_own(&self) -> Rows {
        Rows::As(self.row_split())
    }

    /// The rows of a matrix that is made of all entries of this one: balanced as this one is.
    pub(super) fn as_even(&self) -> Result<Rows, Error> {
        let even = RowSplit::rows(self.shape()[0], &self.starts.mesh()?);
        Ok(if self.row_split() == even { Rows::Even } else { Rows::Balanced })
    }

    /// The matrix with rows that are split so that each device has about as many entries as the
    /// others; a row counts as two entries. Blocks of neighbouring rows stay together, and a device
    /// may have no rows. A row with very many entries stays on one device.
    ///
    /// Constructors split rows evenly, unless the matrix has many entries and a device would have
    /// more than 1.5 times their mean number. Results are the same with every split, and vectors
    /// that a product returns are split as its rows. Collective over the mesh: every process reads
    /// the new blocks, and the entries move once.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::sparse::Csr;
    /// # fn example(uneven: &Csr, x: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
    /// let matrix = uneven.balanced()?;
    /// # Ok(
    /// matrix.dot(x)
    /// # )
    /// # }
    /// ```
    #[track_caller]
    pub fn balanced(&self) -> Result<Csr, Error> {
        within(call_site(), || {
            let balanced = self.split_as(Rows::Balanced)?;
            // Writing into the values of one matrix does not change the other.
            let is_same = balanced.row_split() == self.row_split();
            Ok(if is_same { balanced.of_values(self.values().copy()) } else { balanced })
        })
    }

    /// The matrix with other rows on the devices. Collective over the mesh, unless it has these
    /// rows already.
    pub(super) fn split_as(&self, rows: Rows) -> Result<Csr, Error> {
        let is_same = |split: &Option<Split>| *split == self.row_split();
        if matches!(&rows, Rows::As(split) if is_same(split)) {
            return Ok(self.clone());
        }
        let Some(split) = RowSplit::of(rows, [&self.starts, &self.ends])? else {
            return Ok(self.clone());
        };
        if is_same(&split.rows.axes[0]) {
            return Ok(self.clone());
        }
        let parts = [
            self.starts.with_sharding(split.rows.clone()),
            self.ends.with_sharding(split.rows.clone()),
            self.columns.with_sharding(split.entries.clone()),
            self.values.with_sharding(split.entries.clone()),
        ];
        for part in &parts {
            part.ok()?;
        }
        let moved = Csr::new(self.shape(), parts.each_ref(), Some(split));
        // The order of entries and the lengths of rows do not depend on the split.
        Ok(Csr { order: self.order.clone(), is_even: self.is_even.clone(), ..moved })
    }

    /// For each entry, the element of its row.
    pub(super) fn spread(&self, of_rows: &Array, site: Site) -> Result<Array, Error> {
        let of_rows = RowSplit::on_rows(self.split.as_ref(), of_rows.clone());
        let [columns, starts, ends] = self.entries();
        record(Sparse::Spread, &[columns, starts, ends, &of_rows], site)
    }

    fn rises(&self, site: Site) -> Result<Array, Error> {
        record(Sparse::Rises, &self.entries(), site)
    }

    /// The order of the entries in their rows. Collective over the mesh.
    pub(super) fn entry_order(&self, site: Site) -> Result<EntryOrder, Error> {
        if let Some(order) = self.order.get() {
            return Ok(*order);
        }
        let order = match self.nnz() {
            0 => EntryOrder::Canonical,
            _ => match self.rises(site)?.min(()).item::<u8>()? {
                0 => EntryOrder::Unsorted,
                1 => EntryOrder::Sorted,
                _ => EntryOrder::Canonical,
            },
        };
        Ok(*self.order.get_or_init(|| order))
    }

    /// Whether the columns of each row never fall. Collective over the mesh at the first call.
    #[track_caller]
    pub fn is_sorted(&self) -> Result<bool, Error> {
        let site = call_site();
        within(site, || Ok(self.entry_order(site)? >= EntryOrder::Sorted))
    }

    /// Whether the columns of each row rise, so that there are no duplicates. Collective over the
    /// mesh at the first call.
    #[track_caller]
    pub fn is_canonical(&self) -> Result<bool, Error> {
        let site = call_site();
        within(site, || Ok(self.entry_order(site)? == EntryOrder::Canonical))
    }

    /// The matrix with the entries of each row sorted by their columns; duplicates keep their
    /// order. Collective over the mesh.
    #[track_caller]
    pub fn sorted(&self) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            if self.entry_order(site)? >= EntryOrder::Sorted {
                return Ok(self.clone());
            }
            let order = record(Sparse::Order, &self.entries(), site)?;
            let pick = |source: &Array| {
                let source = self.as_entries(source.clone());
                record(Sparse::Pick, &[&order, &source], site)
            };
            let (columns, values) = (pick(&self.columns)?, pick(self.values())?);
            let parts = [&self.starts, &self.ends, &columns, &values];
            Ok(Csr::new(self.shape(), parts, self.split.clone()))
        })
    }

    /// The matrix with sorted entries, in which duplicates are added (bools by "or"). Collective
    /// over the mesh.
    #[track_caller]
    pub fn summed(&self) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            let sorted = self.sorted()?;
            if sorted.entry_order(site)? == EntryOrder::Canonical {
                return Ok(sorted);
            }
            let firsts = sorted.rises(site)?.equal(2);
            let pattern = sorted.kept_at(&firsts, Some(EntryOrder::Canonical), site)?;
            let values = sorted.align_to(&pattern, site)?;
            Ok(pattern.of_values(values))
        })
    }

    /// The matrix with sorted entries, in which duplicates are combined by an operation. Collective
    /// over the mesh.
    pub(super) fn combined(&self, op: Op, site: Site) -> Result<Csr, Error> {
        let sorted = self.sorted()?;
        if sorted.entry_order(site)? == EntryOrder::Canonical {
            return Ok(sorted);
        }
        // The duplicates of an entry are a row of their own, from the number of its first one on.
        let count = sorted.nnz() as i64;
        let numbers = sorted.starts.mesh()?.enter(|| arange(0, count, 1));
        let firsts = sorted.rises(site)?.equal(2);
        let numbered = sorted.of_values(numbers);
        let kept = numbered.kept_at(&firsts, Some(EntryOrder::Canonical), site)?;
        let starts = kept.values();
        let after = sorted.starts.mesh()?.enter(|| full([1], count, DType::I64));
        let ends =
            try_concatenate(&[&starts.slice(crate::s![1..]), &after], &0.into(), None, site)?;
        let values = sorted.as_entries(sorted.values().clone());
        let operands = [starts, &kept.as_entries(ends), &values];
        let combined = record(Sparse::Fold { op }, &operands, site)?;
        Ok(kept.of_values(combined))
    }

    /// The matrix without the entries whose value is zero. Collective over the mesh.
    #[track_caller]
    pub fn without_zeros(&self) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || self.kept(&self.values().not_equal(0)))
    }

    /// The entries for which a mask holds: a vector of bools, one for each entry. Collective over
    /// the mesh. Errors: `OpError::Ndim`, `OpError::Argument` for a mask of another length.
    #[track_caller]
    pub fn kept(&self, mask: &Array) -> Result<Csr, Error> {
        let site = call_site();
        super::csr::vectors("kept", &[("mask", mask, self.nnz())], site)?;
        within(site, || {
            let mask = mask.converted(DType::Bool, site);
            // What is kept of rows that rise also rises.
            let order = self.order.get().copied().filter(|&order| order == EntryOrder::Canonical);
            let kept = self.kept_at(&mask, order, site)?;
            // Writing into the values of one matrix does not change the other.
            let is_same = kept.nnz() == self.nnz();
            Ok(if is_same { kept.of_values(kept.values().copy()) } else { kept })
        })
    }

    /// As `kept`, for a mask of bools; the matrix itself if it keeps all entries.
    pub(super) fn kept_at(
        &self,
        mask: &Array,
        order: Option<EntryOrder>,
        site: Site,
    ) -> Result<Csr, Error> {
        if mask.all(()).item::<bool>()? {
            return Ok(self.clone());
        }
        let mask = self.as_entries(mask.clone());
        let counted = [&self.starts, &self.ends, &mask];
        let counts = record(Sparse::CountKept, &counted, site)?;
        let rows = NewRows::of_counts(&counts, self.shape(), self.as_own())?;
        let mesh = self.starts.mesh()?;
        let keep = |source: &Array| {
            let into = rows.memory(source.dtype(), &mesh);
            let source = self.as_entries(source.clone());
            let operands =
                [&into, &rows.starts, &rows.ends, &self.starts, &self.ends, &mask, &source];
            record(Sparse::Keep, &operands, site)
        };
        let (columns, values) = (keep(&self.columns)?, keep(self.values())?);
        Ok(rows.matrix(&columns, &values, order))
    }

    /// The rows at positions, in their order; a row may be named often. Collective over the mesh.
    /// Errors: `OpError::Ndim`, `DataError::PositionsBeyond` for a row that the matrix does not
    /// have.
    #[track_caller]
    pub fn take_rows(&self, positions: &Array) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            let argument = ("take_rows", "positions");
            let positions = super::csr::of_entries(argument, positions, self.shape()[0], site)?;
            self.rows_at(&positions, Rows::Even, site)
        })
    }

    /// The rows at checked positions, split so.
    pub(super) fn rows_at(&self, positions: &Array, split: Rows, site: Site) -> Result<Csr, Error> {
        let shape = [positions.size(), self.shape()[1]];
        let begins = taken(&self.starts, positions, site)?;
        let ends = taken(&self.ends, positions, site)?;
        let rows = NewRows::of_counts(&(ends - &begins), shape, split)?;
        let mesh = self.starts.mesh()?;
        if rows.split.is_none() {
            let copied = |source: &Array| {
                let into = rows.memory(source.dtype(), &mesh);
                let operands = [&into, &rows.starts, &rows.ends, &begins, source];
                record(Sparse::CopyRows, &operands, site)
            };
            let (columns, values) = (copied(&self.columns)?, copied(self.values())?);
            return Ok(rows.matrix(&columns, &values, self.order.get().copied()));
        }
        // Which entry of this matrix each entry of the new one is.
        let numbers = rows.as_entries(mesh.enter(|| arange(0, rows.entries as i64, 1)));
        let offsets = RowSplit::on_rows(rows.split.as_ref(), begins - &rows.starts);
        let spread = [&numbers, &rows.starts, &rows.ends, &offsets];
        let offsets = record(Sparse::Spread, &spread, site)?;
        let from = numbers + offsets;
        let columns = rows.as_entries(taken(&self.columns, &from, site)?);
        let values = rows.as_entries(taken(self.values(), &from, site)?);
        Ok(rows.matrix(&columns, &values, self.order.get().copied()))
    }

    /// The columns at positions, in their order. Collective over the mesh. Errors: those of
    /// [`Csr::take_rows`].
    #[track_caller]
    pub fn take_columns(&self, positions: &Array) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || self.transpose()?.take_rows(positions)?.transpose())
    }

    /// Neighbouring rows. Collective over the mesh. Errors: those of [`Csr::take_rows`].
    #[track_caller]
    pub fn slice_rows(&self, rows: std::ops::Range<usize>) -> Result<Csr, Error> {
        let site = call_site();
        within(site, || {
            let mesh = self.starts.mesh()?;
            self.take_rows(&mesh.enter(|| arange(rows.start as i64, rows.end as i64, 1)))
        })
    }
}
