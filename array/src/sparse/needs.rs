//! What the rows of a device need of the other operand of a product, and what devices send each
//! other for it: found once for a pattern.

use super::split::{blocks, record, sharded};
use crate::array::Array;
use crate::creation::{from_slice, zeros};
use crate::recording::taken;
use phalanx_graph::{Error, Site};
use phalanx_ops::structured::{Semiring, Sparse};
use phalanx_ops::{Bounds, DType, Sharding, Split};
use std::sync::OnceLock;

/// What the rows of each device need of the other operand of a product.
#[derive(Clone, Debug)]
pub(super) struct Needs {
    /// The different columns of each device's entries (`i64`), ascending for each device.
    pub needed: Array,
    /// The split of `needed` among the devices.
    pub split: Split,
    /// For each entry, the position of its column among those that its device needs (`i32`).
    pub places: Array,
    /// The exchange of elements of vectors, once it is planned; `None` if it does not pay.
    pub exchange: OnceLock<Option<Exchange>>,
}

impl Needs {
    /// What the rows of devices need whose entries have these columns. Collective over the mesh.
    pub fn of(columns: &Array, rows: &Split, site: Site) -> Result<Needs, Error> {
        let mesh = columns.mesh()?;
        let into = |sizes: &[usize]| {
            let sharding = sharded(0, 1, blocks(rows, Bounds::explicit(sizes)));
            let zeros = mesh.enter(|| zeros([sizes.iter().sum::<usize>()], DType::I64));
            zeros.with_sharding(sharding)
        };
        let one_each = into(&vec![1; rows.bounds.parts()]);
        let counts = record(Sparse::NeededCount, &[&one_each, columns], site)?.to_vec::<i64>()?;
        let counts: Vec<usize> = counts.into_iter().map(|count| count as usize).collect();
        let needed = record(Sparse::Needed, &[&into(&counts), columns], site)?;
        let places = record(Sparse::Renumber, &[columns, &needed], site)?;
        let split = blocks(rows, Bounds::explicit(&counts));
        Ok(Needs { needed, split, places, exchange: OnceLock::new() })
    }

    /// The rows of an operand that each device needs.
    pub fn rows_of(&self, x: &Array, site: Site) -> Result<Array, Error> {
        let sharding = sharded(0, x.ndim(), self.split.clone());
        Ok(taken(x, &self.needed, site)?.with_sharding(sharding))
    }
}

/// The most positions of an exchange, which every process holds while it is planned.
const MOST: usize = 1 << 26;
/// Rows are computed in two passes if, on every device, at most one in so many is computed twice.
/// The second pass then reads about as many bytes as a copy of the vector does, which one pass
/// needs: this takes 16 bytes a row, and a row of five entries reads 100.
const FEW_ROWS: usize = 4;

/// The elements of a vector that each device sends to each other one. All pairs of devices exchange
/// equally many, so that one all-to-all moves them.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    /// The split of the vector.
    vector: Sharding,
    /// For each sender and receiver, the positions of the elements in the sender's block (`i64`),
    /// filled up with zeros; split by senders.
    sent: Array,
    /// The split by receivers.
    received: Sharding,
    /// Has an element for each one that a device has in the end: its own block of the vector, and
    /// what it receives from each device.
    like: Array,
    /// For each entry of the matrix, the position of its column among those (`i32`).
    pub places: Array,
    passes: Passes,
}

/// The rows that a product computes before elements of other devices arrive.
#[derive(Clone, Debug)]
enum Passes {
    /// None: too many need such elements.
    After,
    /// All rows as far as possible, and then again the rows at these positions in the device's
    /// block of rows (`i64`), which need such elements.
    Twice(Array),
    /// All: no row needs such an element, so nothing moves.
    Before,
}

/// The rows of a matrix: their split, their starts and their ends.
pub(super) type RowsOf<'a> = (&'a Split, [&'a Array; 2]);

impl Passes {
    /// The passes for rows whose entries have these columns (`i64`) among the needed ones, which
    /// other devices have where `is_far`. Collective over the mesh: every process reads which rows
    /// need elements of other devices, so all decide alike.
    fn of(
        (split, [starts, ends]): RowsOf<'_>,
        [columns, is_far]: [&Array; 2],
        site: Site,
    ) -> Result<Passes, Error> {
        let of_entries = record(Sparse::Pick, &[columns, is_far], site)?;
        let counts = record(Sparse::CountKept, &[starts, ends, &of_entries], site)?;
        let is_far = counts.greater(0).to_vec::<bool>()?;
        let (mut rows, mut sizes, mut are_few) = (Vec::new(), Vec::new(), true);
        for device in 0..split.bounds.parts() {
            let (block, before) = (split.bounds.block(device), rows.len());
            let far = (0_i64..).zip(&is_far[block.clone()]).filter(|(_, is_far)| **is_far);
            rows.extend(far.map(|(row, _)| row));
            let own = rows.len() - before;
            are_few &= own.saturating_mul(FEW_ROWS) <= block.len();
            sizes.push(own);
        }
        if rows.is_empty() {
            return Ok(Passes::Before);
        }
        if !are_few {
            return Ok(Passes::After);
        }
        let rows = starts.mesh()?.enter(|| from_slice(&rows, [rows.len()]));
        let sizes = blocks(split, Bounds::explicit(&sizes));
        Ok(Passes::Twice(rows.with_sharding(sharded(0, 1, sizes))))
    }
}

impl Exchange {
    /// The plan for products of these rows with a vector that is split so; `None` if the devices
    /// need so much of each other's blocks that it does not pay. Collective over the mesh: every
    /// process reads what the devices need.
    pub fn of(
        needs: &Needs,
        rows: RowsOf<'_>,
        vector: Option<Split>,
        site: Site,
    ) -> Result<Option<Exchange>, Error> {
        let mesh = needs.needed.mesh()?;
        let Some(split) = vector else { return Ok(None) };
        let (own, parts) = (&split.bounds, split.bounds.parts());
        if needs.split.bounds.parts() != parts || needs.split.mesh_axes != split.mesh_axes {
            return Ok(None);
        }
        let needed = needs.needed.to_vec::<i64>()?;
        // The elements of each sender that each receiver needs, receiver by receiver.
        let mut wanted = vec![Vec::new(); parts * parts];
        let mut places = Vec::with_capacity(needed.len());
        for receiver in 0..parts {
            let mut sender = 0;
            for &column in &needed[needs.split.bounds.block(receiver)] {
                let column = column as usize;
                while column >= own.block(sender).end {
                    sender += 1;
                }
                let at = column - own.block(sender).start;
                let list: &mut Vec<i64> = &mut wanted[sender * parts + receiver];
                places.push((sender, if sender == receiver { at } else { list.len() }));
                if sender != receiver {
                    list.push(at as i64);
                }
            }
        }
        let most = wanted.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let is_small = parts * most <= own.largest_block() && parts * parts * most <= MOST;
        // All places are below twice the largest block.
        if !is_small || i32::try_from(2 * own.largest_block()).is_err() {
            return Ok(None);
        }
        let mut numbers = Vec::with_capacity(needed.len());
        let mut is_far = Vec::with_capacity(needed.len());
        let mut sizes = Vec::with_capacity(parts);
        for receiver in 0..parts {
            let length = own.block(receiver).len();
            for &(sender, at) in &places[needs.split.bounds.block(receiver)] {
                let is_own = sender == receiver;
                numbers.push(if is_own { at } else { length + sender * most + at } as i32);
                is_far.push(!is_own);
            }
            sizes.push(length + parts * most);
        }
        let mut positions = vec![0_i64; parts * parts * most];
        for (list, to) in wanted.iter().zip(positions.chunks_exact_mut(most)) {
            to[..list.len()].copy_from_slice(list);
        }
        let one_each = blocks(&split, Bounds::explicit(&vec![1; parts]));
        let lengths = blocks(&split, Bounds::explicit(&sizes));
        let sent = mesh.enter(|| from_slice(&positions, [parts, parts, most]));
        let of_needed = |array: Array| array.with_sharding(sharded(0, 1, needs.split.clone()));
        let numbers = of_needed(mesh.enter(|| from_slice(&numbers, [numbers.len()])));
        let is_far = of_needed(mesh.enter(|| from_slice(&is_far, [is_far.len()])));
        let found = needs.places.converted(DType::I64, site);
        let total = sizes.iter().sum::<usize>();
        let like = mesh.enter(|| zeros([total], DType::U8));
        Ok(Some(Exchange {
            vector: sharded(0, 1, split),
            sent: sent.with_sharding(sharded(0, 3, one_each.clone())),
            received: sharded(1, 3, one_each),
            like: like.with_sharding(sharded(0, 1, lengths)),
            places: record(Sparse::Pick, &[&found, &numbers], site)?,
            passes: Passes::of(rows, [&found, &is_far], site)?,
        }))
    }

    /// The product of a matrix (starts, ends, values) and a vector, whose elements travel while
    /// rows are computed; `None` if too many rows need elements of other devices. Each row is
    /// computed from all of its entries in their order, also in the second pass, so the sums are
    /// those of one pass.
    ///
    /// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition (2003), chapter
    /// 11, products with distributed matrices: rows that need elements of other devices come last.
    /// PETSc (MPIAIJ) and hypre (ParCSR) divide entries instead, into two matrices, of which the
    /// second has only its rows with entries.
    pub fn product(
        &self,
        [starts, ends, values]: [&Array; 3],
        x: &Array,
        semiring: Semiring,
        site: Site,
    ) -> Result<Option<Array>, Error> {
        let own = x.with_sharding(self.vector.clone());
        let first = Sparse::Product { is_local: true, is_even: true, semiring };
        let matrix = [starts, ends, &self.places, values];
        // Entries whose elements another device has are skipped.
        let near = || record(first, &[&matrix[..], &[&own]].concat(), site);
        Ok(match &self.passes {
            Passes::After => None,
            Passes::Before => Some(near()?),
            Passes::Twice(rows) => {
                let sent = record(Sparse::Pick, &[&self.sent, &own], site)?;
                // Recorded before the elements are received, so that it runs while they travel.
                let near = near()?;
                let received = sent.with_sharding(self.received.clone());
                let second = [&[&near, rows], &matrix[..], &[&own, &received]].concat();
                Some(record(Sparse::ProductRows { semiring }, &second, site)?)
            }
        })
    }

    /// The elements of a vector that each device has in the end.
    pub fn moved(&self, x: &Array, site: Site) -> Result<Array, Error> {
        let own = x.with_sharding(self.vector.clone());
        let sent = record(Sparse::Pick, &[&self.sent, &own], site)?;
        let received = sent.with_sharding(self.received.clone());
        record(Sparse::Join, &[&self.like, &own, &received], site)
    }
}
