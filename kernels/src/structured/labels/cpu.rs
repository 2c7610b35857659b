//! Connected elements on the host, by trees of runs, whose root is the first run of a part (Galler
//! and Fischer 1964; He, Chao and Suzuki, A Run-Based Two-Scan Labeling Algorithm, IEEE
//! Transactions on Image Processing 17, 2008).
//!
//! A run is a stretch of true elements of a row. Threads find and connect the runs of bands of
//! rows; then the bands are connected with each other.

use crate::structured::lines::Places;
use crate::structured::{Block, Plain, tasks};
use phalanx_ops::DType;
use phalanx_ops::structured::Components;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The elements of a band, at least.
const BAND: usize = 1 << 16;

/// An integer for positions in a block, or -1, and for numbers of runs.
trait Position: Plain {
    const NONE: Self;

    fn new(place: usize) -> Self;

    fn place(self) -> usize;
}

macro_rules! position {
    ($type:ty) => {
        impl Position for $type {
            const NONE: $type = -1;

            #[inline(always)]
            fn new(place: usize) -> $type {
                place as $type
            }

            #[inline(always)]
            fn place(self) -> usize {
                self as usize
            }
        }
    };
}
position!(i32);
position!(i64);

/// Computes the block `to` of the result from the blocks (mask, structure).
pub fn run(
    op: &Components,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    match to.dtype {
        DType::I32 => run_in::<i32>(op, operands, to, pool),
        _ => run_in::<i64>(op, operands, to, pool),
    }
}

fn run_in<P: Position>(
    op: &Components,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    if to.is_empty() {
        return;
    }
    // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
    let (mask, structure) = unsafe { (operands[0].elements::<u8>(), operands[1].elements::<u8>()) };
    let shape = if to.shape.is_empty() { &[1][..] } else { to.shape };
    let columns = shape[shape.len() - 1];
    let rows = mask.len() / columns;
    // Neighbours in a row are connected.
    let joins = structure.len() > 1 && structure[structure.len() / 2 - 1] != 0;
    let meetings = meetings(shape, structure);
    let of_band = BAND.div_ceil(columns);
    let count = rows.div_ceil(of_band);
    let bands: Vec<Mutex<Band<P>>> = (0..count).map(|_| Mutex::default()).collect();
    tasks::each(pool, count, 1, &|number| {
        let own = number * of_band..rows.min((number + 1) * of_band);
        *locked(&bands[number]) = Band::find(mask, columns, own, joins);
    });
    let mut runs = 0;
    for band in &bands {
        let mut band = locked(band);
        band.first = runs;
        runs += band.edges.len() / 2;
    }
    let mut parents: Vec<P> = (0..runs).map(P::new).collect();
    let trees = Trees { parents: Places::new(&mut parents) };
    tasks::each(pool, count, 1, &|number| {
        let band = locked(&bands[number]);
        for row in band.rows.clone() {
            for meeting in &meetings {
                if let Some(other) = meeting.other(row, shape).filter(|it| band.rows.contains(it)) {
                    trees.join(&band, row, &band, other, columns, meeting);
                }
            }
        }
    });
    let farthest = meetings.iter().map(|meeting| meeting.back).max().unwrap_or(0);
    for band in bands.iter().skip(1) {
        let band = locked(band);
        for row in band.rows.start..band.rows.end.min(band.rows.start + farthest) {
            for meeting in &meetings {
                let other = meeting.other(row, shape).filter(|&it| it < band.rows.start);
                if let Some(other) = other {
                    trees.join(
                        &band,
                        row,
                        &locked(&bands[other / of_band]),
                        other,
                        columns,
                        meeting,
                    );
                }
            }
        }
    }
    let whole = &op.extents[..to.shape.len()];
    let is_whole = op.is_whole(to.shape);
    // The position in the whole mask of the first element of each run's part. Parents come first.
    let mut roots: Vec<P> = Vec::with_capacity(runs);
    for band in &bands {
        let band = locked(band);
        for (run, edges) in (band.first..).zip(band.edges.chunks_exact(2)) {
            let parent = parents[run].place();
            roots.push(match parent == run {
                true if is_whole => edges[0],
                true => P::new(in_whole(edges[0].place(), to, whole)),
                false => roots[parent],
            });
        }
    }
    let result = Places::<P>::of(to);
    tasks::each(pool, count, 1, &|number| {
        let band = locked(&bands[number]);
        let (start, end) = (band.rows.start * columns, band.rows.end * columns);
        // SAFETY: the elements are those of the band, which is of this thread alone (conditions 1
        // and 2 of `Places`).
        let to = unsafe { std::slice::from_raw_parts_mut(result.at(start), end - start) };
        let mut at = 0;
        for (edges, &root) in band.edges.chunks_exact(2).zip(&roots[band.first..]) {
            fill(to, &mut at, edges[0].place() - start, P::NONE);
            fill(to, &mut at, edges[1].place() - start, root);
        }
        to[at..].fill(P::NONE);
    });
}

/// Writes a value from `at` to the element `until`, and what will be overwritten behind: most runs
/// are short, and a loop over their elements ends where no one foresees it.
#[inline(always)]
fn fill<P: Position>(to: &mut [P], at: &mut usize, until: usize, value: P) {
    const SHORT: usize = 8;
    let from = std::mem::replace(at, until);
    match to.get_mut(from..from + SHORT) {
        Some(short) if until - from <= SHORT => short.fill(value),
        _ => to[from..until].fill(value),
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The position in the whole mask of a position in a block.
fn in_whole(mut at: usize, block: &Block<'_>, whole: &[u64]) -> usize {
    let (mut place, mut stride) = (0, 1);
    for axis in (0..whole.len()).rev() {
        place += (at % block.shape[axis] + block.origin[axis]) * stride;
        at /= block.shape[axis];
        stride *= whole[axis] as usize;
    }
    place
}

/// The runs of a band of rows.
struct Band<P> {
    rows: Range<usize>,
    /// The number of its first run in the block.
    first: usize,
    /// For each run the positions in the block at which it starts and ends.
    edges: Vec<P>,
    /// The runs before each row, and all.
    before: Vec<usize>,
}

impl<P> Default for Band<P> {
    fn default() -> Band<P> {
        Band { rows: 0..0, first: 0, edges: Vec::new(), before: Vec::new() }
    }
}

impl<P: Position> Band<P> {
    fn find(mask: &[u8], columns: usize, rows: Range<usize>, joins: bool) -> Band<P> {
        let mut edges = Vec::new();
        let mut before = Vec::with_capacity(rows.len() + 1);
        for row in rows.clone() {
            before.push(edges.len() / 2);
            let start = row * columns;
            let own = &mask[start..start + columns];
            if !joins {
                let held = own.iter().zip(start..).filter(|(holds, _)| **holds != 0);
                edges.extend(held.flat_map(|(_, at)| [P::new(at), P::new(at + 1)]));
                continue;
            }
            let mut last = 0;
            let mut found = [P::NONE; 64];
            for (part, at) in own.chunks(64).zip((start..).step_by(64)) {
                let holds = bits(part);
                let mut changes = holds ^ (holds << 1 | last);
                last = holds >> 63;
                let count = changes.count_ones() as usize;
                for edge in &mut found[..count] {
                    *edge = P::new(at + changes.trailing_zeros() as usize);
                    changes &= changes - 1;
                }
                edges.extend_from_slice(&found[..count]);
            }
            // The bits behind the end of a row that are no elements end a run.
            if edges.len() % 2 == 1 {
                edges.push(P::new(start + columns));
            }
        }
        before.push(edges.len() / 2);
        Band { rows, first: 0, edges, before }
    }

    /// The numbers of the runs of a row in the band.
    fn of_row(&self, row: usize) -> Range<usize> {
        let at = row - self.rows.start;
        self.before[at]..self.before[at + 1]
    }

    fn start(&self, run: usize) -> i64 {
        self.edges[2 * run].place() as i64
    }

    fn end(&self, run: usize) -> i64 {
        self.edges[2 * run + 1].place() as i64
    }
}

/// A bit for each of at most 64 elements, which are 0 or 1.
#[inline(always)]
fn bits(part: &[u8]) -> u64 {
    // Moves the lowest bit of each byte into the highest byte.
    let of_eight = |bytes| u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let (eights, rest) = part.as_chunks::<8>();
    let mut bits = 0;
    for (number, &eight) in eights.iter().enumerate() {
        bits |= of_eight(eight) << (8 * number);
    }
    if !rest.is_empty() {
        let mut bytes = [0; 8];
        bytes[..rest.len()].copy_from_slice(rest);
        bits |= of_eight(bytes) << (8 * eights.len());
    }
    bits
}

/// A row that comes earlier, and the columns of it with which an element is connected.
struct Meeting {
    /// The steps along all axes but the last one, and how many rows these are.
    along: Vec<i64>,
    back: usize,
    /// The least and the greatest step along the last axis.
    columns: [i64; 2],
}

impl Meeting {
    /// The other row for a row of the block, if there is one.
    fn other(&self, row: usize, shape: &[usize]) -> Option<usize> {
        let mut rest = row;
        for axis in (0..self.along.len()).rev() {
            let at = (rest % shape[axis]) as i64 + self.along[axis];
            if !(0..shape[axis] as i64).contains(&at) {
                return None;
            }
            rest /= shape[axis];
        }
        Some(row - self.back)
    }
}

fn meetings(shape: &[usize], structure: &[u8]) -> Vec<Meeting> {
    let mut meetings = Vec::new();
    for (number, steps) in structure.chunks(3).enumerate().take(structure.len() / 6) {
        let (mut at, mut along, mut back, mut stride) = (number, vec![], 0, 1i64);
        for &extent in shape[..shape.len() - 1].iter().rev() {
            along.push((at % 3) as i64 - 1);
            back -= ((at % 3) as i64 - 1) * stride;
            at /= 3;
            stride *= extent as i64;
        }
        along.reverse();
        // Along an axis of one element there is no other row.
        if along.iter().zip(shape).any(|(&step, &extent)| step != 0 && extent == 1) {
            continue;
        }
        let holds: Vec<i64> = (-1..=1).filter(|&step| steps[(step + 1) as usize] != 0).collect();
        for steps in holds.chunk_by(|one, next| next - one == 1) {
            let columns = [steps[0], steps[steps.len() - 1]];
            meetings.push(Meeting { along: along.clone(), back: back as usize, columns });
        }
    }
    meetings
}

/// Trees of the runs of a block: for each run its parent; a root is its own.
struct Trees<P> {
    parents: Places<P>,
}

impl<P: Position> Trees<P> {
    fn root(&self, mut at: usize) -> usize {
        // SAFETY: parents are in the block and in the band or before it, which is of this thread
        // alone (conditions 1 and 2 of `Places`).
        unsafe {
            loop {
                let parent = (*self.parents.at(at)).place();
                if parent == at {
                    return at;
                }
                // Halves the path for the next search.
                let above = *self.parents.at(parent);
                *self.parents.at(at) = above;
                at = above.place();
            }
        }
    }

    /// Connects the runs of a row with those of a row that comes earlier.
    fn join(
        &self,
        band: &Band<P>,
        row: usize,
        other_band: &Band<P>,
        other: usize,
        columns: usize,
        meeting: &Meeting,
    ) {
        let (down, others) = (((row - other) * columns) as i64, other_band.of_row(other));
        let mut next = others.start;
        // The run of the other row that was connected last, and its root, which is that of the run
        // with which it was connected.
        let mut known = (usize::MAX, 0);
        for run in band.of_row(row) {
            let start = band.start(run) + meeting.columns[0] - down;
            let end = band.end(run) + meeting.columns[1] - down;
            while next < others.end && other_band.end(next) <= start {
                next += 1;
            }
            if next == others.end {
                return;
            }
            if other_band.start(next) >= end {
                continue;
            }
            let mut own = self.root(band.first + run);
            while next < others.end && other_band.start(next) < end {
                let root = match known {
                    (last, root) if last == next => root,
                    _ => self.root(other_band.first + next),
                };
                if own != root {
                    // SAFETY: as in `root`.
                    unsafe { *self.parents.at(own.max(root)) = P::new(own.min(root)) };
                    own = own.min(root);
                }
                known = (next, own);
                next += 1;
            }
            // The last one may be connected with the next run, too.
            next -= 1;
        }
    }
}
