//! How the rows and the entries of a matrix are split among devices.

use crate::array::Array;
use crate::creation::{arange, from_slice};
use crate::recording::record_structured;
use crate::sorting::{Side, searchsorted};
use phalanx_graph::{Error, MeshHandle, Operand, Site};
use phalanx_ops::structured::{Sparse, Structured};
use phalanx_ops::{Bounds, Sharding, Split};

/// Records an operation on rows. It reads blocks of whole values, so views are copied first.
pub(super) fn record(op: Sparse, operands: &[&Array], site: Site) -> Result<Array, Error> {
    let whole = |operand: &&Array| match operand.operand(site)? {
        Operand::Value { map: Some(_), .. } => operand.copy().into_result(),
        _ => Ok((*operand).clone()),
    };
    let whole = operands.iter().map(whole).collect::<Result<Vec<Array>, Error>>()?;
    record_structured(Structured::Sparse(op), &whole.iter().collect::<Vec<_>>(), site)
}

/// The split over the same devices into other blocks.
pub(super) fn blocks(split: &Split, bounds: Bounds) -> Split {
    Split { mesh_axes: split.mesh_axes.clone(), bounds }
}

/// The sharding of which one axis is split so.
pub(super) fn sharded(axis: usize, ndim: usize, split: Split) -> Sharding {
    let mut sharding = Sharding::replicated(ndim);
    sharding.axes[axis] = Some(split);
    sharding
}

/// What is known of the order of the entries in their rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum EntryOrder {
    /// None.
    Unsorted,
    /// Columns never fall.
    Sorted,
    /// Columns rise, so there are no duplicates.
    Canonical,
}

/// The splits of a matrix's rows, and of its entries, which are where their rows are.
#[derive(Clone, Debug)]
pub(super) struct RowSplit {
    /// The split of starts and ends.
    pub rows: Sharding,
    /// The split of columns and values.
    pub entries: Sharding,
}

/// How the rows of a new matrix are split among devices.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// As the rows of another matrix; `None` for one device.
    As(Option<Split>),
    /// Evenly, unless a device would have far more entries than others; then as `Balanced`.
    Even,
    /// So that all devices have about as many entries.
    Balanced,
}

/// The work of a row beside that of its entries, in entries: its start, its end and its sum take as
/// many bytes as two of them.
const ROW: i64 = 2;
/// Even rows are balanced if a device would have more than so many halves of the mean number of
/// entries. Of two devices, none has more than twice the mean.
const UNEVEN: usize = 3;
/// In a matrix with fewer entries it does not matter which device has them.
const MANY: usize = 1 << 16;

impl RowSplit {
    /// The even split of rows; `None` for one device.
    pub fn rows(rows: usize, mesh: &MeshHandle) -> Option<Split> {
        let is_split = mesh.mesh().devices() > 1;
        is_split.then(|| Sharding::even(&[rows], 0, mesh.mesh()).axes[0].clone()).flatten()
    }

    /// The splits of a matrix whose rows have the entries from `starts` to before `ends`; `None`
    /// for one device. Collective over the mesh.
    pub fn of(rows: Rows, [starts, ends]: [&Array; 2]) -> Result<Option<RowSplit>, Error> {
        let even = || Ok::<_, Error>(RowSplit::rows(ends.size(), &ends.mesh()?));
        let is_even = matches!(rows, Rows::Even);
        let split = match rows {
            Rows::As(split) => split,
            Rows::Even => even()?,
            Rows::Balanced => even()?.map(|split| balanced(split, [starts, ends])).transpose()?,
        };
        let Some(split) = split else { return Ok(None) };
        let sizes = entries_of(&split, ends)?;
        let (all, most) = (sizes.iter().sum::<usize>(), sizes.iter().max().copied().unwrap_or(0));
        if is_even && all >= MANY && 2 * most > UNEVEN * all.div_ceil(sizes.len()) {
            return RowSplit::of(Rows::Balanced, [starts, ends]);
        }
        let entries = sharded(0, 1, blocks(&split, Bounds::explicit(&sizes)));
        Ok(Some(RowSplit { rows: sharded(0, 1, split), entries }))
    }

    /// The elements of rows on the devices that have the rows.
    pub fn on_rows(split: Option<&RowSplit>, elements: Array) -> Array {
        match split {
            Some(split) => elements.with_sharding(split.rows.clone()),
            None => elements,
        }
    }

    /// The elements of entries on the devices that have the entries.
    pub fn on_entries(split: Option<&RowSplit>, elements: Array) -> Array {
        match split {
            Some(split) => elements.with_sharding(split.entries.clone()),
            None => elements,
        }
    }
}

/// The numbers of entries of the devices whose rows are split so. Collective over the mesh.
fn entries_of(split: &Split, ends: &Array) -> Result<Vec<usize>, Error> {
    let parts = split.bounds.parts();
    // The last row up to the end of each block; none before the first row.
    let last_row = |at: usize| split.bounds.block(at).end.checked_sub(1).map(|row| row as i64);
    let cuts: Vec<Option<i64>> = (0..parts).map(last_row).collect();
    let known: Vec<i64> = cuts.iter().flatten().copied().collect();
    let mut found = match known.len() {
        0 => Vec::new().into_iter(),
        count => {
            let known = ends.mesh()?.enter(|| from_slice(&known, [count]));
            ends.take(&known, 0).to_vec::<i64>()?.into_iter()
        }
    };
    let (mut sizes, mut last) = (Vec::with_capacity(parts), 0);
    for cut in cuts {
        let end = cut.and_then(|_| found.next()).unwrap_or(0);
        sizes.push((end - last).max(0) as usize);
        last = last.max(end);
    }
    Ok(sizes)
}

/// The split over the same devices into blocks of about equal work: a device has the rows of which
/// the middle of the work is in its share. Collective over the mesh.
fn balanced(split: Split, [starts, ends]: [&Array; 2]) -> Result<Split, Error> {
    let (rows, parts) = (ends.size(), split.bounds.parts());
    if rows == 0 {
        return Ok(split);
    }
    let mesh = ends.mesh()?;
    // All numbers are doubled, because middles may be halves.
    let of_rows = mesh.enter(|| arange(ROW, 2 * ROW * rows as i64, 2 * ROW));
    let middles = starts + ends + of_rows;
    let all = (ends.slice(crate::s![-1]) + ROW * rows as i64) * 2_i64;
    let shares = mesh.enter(|| arange(1, parts as i64, 1));
    let shares = (all * shares).floor_divide(parts as i64);
    let cuts = searchsorted(&middles, &shares, Side::Left).to_vec::<i64>()?;
    let (mut sizes, mut last) = (Vec::with_capacity(parts), 0);
    for cut in cuts.into_iter().map(|cut| cut as usize).chain([rows]) {
        sizes.push(cut - last);
        last = cut;
    }
    Ok(blocks(&split, Bounds::explicit(&sizes)))
}
