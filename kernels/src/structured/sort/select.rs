//! Partitions of real elements on the CPU: the keys at the ranks are selected, and each element is
//! placed by comparing its key with them.
//!
//! Source of the selection: "Algorithm 489: SELECT" (Floyd and Rivest, Communications of the ACM,
//! 1975). Two keys of a sample bound the keys at the ranks with high probability; only keys between
//! the bounds are selected from.

use super::merge;
use super::order::{Form, Word};
use crate::structured::lines::{GRAIN, Places, each, threads};
use phalanx_ops::structured::Ranks;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Lines below this length are sorted.
pub(super) const SHORTEST: usize = 256;
/// The keys of a sample, and the lines that are selected from without one.
const SAMPLE: usize = 4096;
const FEW: usize = 4 * SAMPLE;
/// Elements whose keys are computed together.
const BLOCK: usize = 1024;

/// Partitions the elements `original(row)` of all rows into a line. Elements before and after the
/// ranks keep their order, so the result does not depend on the number of threads.
pub(super) fn partition_line<W: Word>(
    line: &mut [W],
    form: Form<W>,
    original: impl Fn(usize) -> W + Sync,
    ranks: Ranks,
    pool: Option<&rayon::ThreadPool>,
) {
    let count = line.len();
    let key = |row| form.strict_order(original(row));
    let (low, high) = select(count, &key, ranks, pool);
    let groups = Groups { form, low, high };
    let length = GRAIN.max(count.div_ceil(8 * threads(pool))).next_multiple_of(BLOCK);
    let pieces = count.div_ceil(length);
    let rows = |piece: usize| piece * length..count.min((piece + 1) * length);
    // For each group, the number of elements of each piece, and then where these start.
    let mut starts = vec![0u64; GROUPS * pieces];
    let places = Places::new(&mut starts);
    each(pool, pieces, 1, |range| {
        for piece in range {
            for (group, count) in groups.count(rows(piece), &original).into_iter().enumerate() {
                // SAFETY: the position is below `GROUPS * pieces`, and this turn's alone.
                unsafe { *places.at(group * pieces + piece) = count };
            }
        }
    });
    let mut next = 0;
    starts.iter_mut().for_each(|start| next += std::mem::replace(start, next));
    let [first, end] = [MIDDLE, MIDDLE + 1].map(|group| starts[group * pieces] as usize);
    let places = Places::new(line);
    each(pool, pieces, 1, |range| {
        for piece in range {
            let start = |group: usize| starts[group * pieces + piece] as usize;
            groups.place(rows(piece), &original, std::array::from_fn(start), places);
        }
    });
    let middle = &mut line[first..end];
    middle.iter_mut().for_each(|bits| *bits = form.strict_order(*bits));
    merge::sort(middle, pool);
    middle.iter_mut().for_each(|order| *order = form.bits(*order));
}

/// The groups of elements of a partition, in their order: below the ranks, at the ranks, above
/// them, and NaN.
struct Groups<W> {
    form: Form<W>,
    low: W,
    high: W,
}

const GROUPS: usize = 4;
const MIDDLE: usize = 1;

impl<W: Word> Groups<W> {
    /// Whether an element is in each group.
    #[inline(always)]
    fn of(&self, bits: W) -> [bool; GROUPS] {
        let key = self.form.strict_order(bits);
        let is_nan = matches!(self.form, Form::Float(_)) && key == W::LAST;
        let (is_below, is_above) = (key < self.low, key > self.high);
        [is_below, !is_below & !is_above & !is_nan, is_above & !is_nan, is_nan]
    }

    /// The number of elements of each group among some rows.
    fn count(&self, rows: Range<usize>, original: &impl Fn(usize) -> W) -> [u64; GROUPS] {
        let mut counts = [0; GROUPS];
        for row in rows {
            let is = self.of(original(row));
            counts.iter_mut().zip(is).for_each(|(count, is)| *count += u64::from(is));
        }
        counts
    }

    /// Stores the elements of some rows at the places of their groups.
    fn place(
        &self,
        rows: Range<usize>,
        original: &impl Fn(usize) -> W,
        mut starts: [usize; GROUPS],
        line: Places<W>,
    ) {
        let mut rooms = [[W::default(); BLOCK]; GROUPS];
        for start in rows.clone().step_by(BLOCK) {
            let mut counts = [0; GROUPS];
            for row in start..rows.end.min(start + BLOCK) {
                let bits = original(row);
                let is = self.of(bits);
                for group in 0..GROUPS {
                    rooms[group][counts[group] % BLOCK] = bits;
                    counts[group] += usize::from(is[group]);
                }
            }
            for (group, &count) in counts.iter().enumerate() {
                // SAFETY: the rows of a group were counted, so the places are inside the line and
                // belong to this piece alone.
                let to = unsafe { std::slice::from_raw_parts_mut(line.at(starts[group]), count) };
                to.copy_from_slice(&rooms[group][..count]);
                starts[group] += count;
            }
        }
    }
}

/// What a pass over the keys finds about two bounds.
#[derive(Default)]
struct Found<W> {
    below: usize,
    at_low: usize,
    at_high: usize,
    between: Vec<W>,
}

impl<W: Word> Found<W> {
    /// Adds the keys of some rows.
    fn add(&mut self, rows: Range<usize>, key: &impl Fn(usize) -> W, [low, high]: [W; 2]) {
        let (mut keys, mut room) = ([W::default(); BLOCK], [W::default(); BLOCK]);
        for start in rows.clone().step_by(BLOCK) {
            let keys = &mut keys[..BLOCK.min(rows.end - start)];
            keys.iter_mut().enumerate().for_each(|(at, place)| *place = key(start + at));
            for &key in &*keys {
                self.below += usize::from(key < low);
                self.at_low += usize::from(key == low);
                self.at_high += usize::from(key == high);
            }
            let mut count = 0;
            for &key in &*keys {
                room[count % BLOCK] = key;
                count += usize::from((low < key) & (key < high));
            }
            self.between.extend_from_slice(&room[..count]);
        }
    }

    /// The keys at two ranks; `None` if one is not between the bounds.
    fn keys(&mut self, ranks: Ranks, [low, high]: [W; 2]) -> Option<(W, W)> {
        let inside = self.below + self.at_low;
        let count = self.between.len();
        let last = inside + count + if low == high { 0 } else { self.at_high };
        if ranks.first < self.below || ranks.last >= last {
            return None;
        }
        // The rest is split at the first rank, so that the last is selected from what follows.
        let mut from = 0;
        let mut at = |rank: usize| match rank.checked_sub(inside) {
            None => low,
            Some(rank) if rank >= count => high,
            Some(rank) => {
                let key = *self.between[from..].select_nth_unstable(rank - from).1;
                from = rank;
                key
            }
        };
        Some((at(ranks.first), at(ranks.last)))
    }
}

/// The keys at the first and at the last rank.
fn select<W: Word>(
    count: usize,
    key: &(impl Fn(usize) -> W + Sync),
    ranks: Ranks,
    pool: Option<&rayon::ThreadPool>,
) -> (W, W) {
    let all = || Found { between: (0..count).map(key).collect(), ..Found::default() };
    // No key is outside of these bounds.
    let widest = [W::default(), W::LAST];
    if count >= FEW {
        let bounds = bounds(count, key, ranks);
        let found = Mutex::new(Found::default());
        each(pool, count, GRAIN, |rows| {
            let mut own = Found::default();
            own.add(rows, key, bounds);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.below += own.below;
            found.at_low += own.at_low;
            found.at_high += own.at_high;
            found.between.append(&mut own.between);
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(keys) = found.keys(ranks, bounds) {
            return keys;
        }
    }
    all().keys(ranks, widest).unwrap_or_else(|| unreachable!("bug: ranks beyond the line"))
}

/// Two keys between which the keys at the ranks are, but for a sample that is unlike the line.
fn bounds<W: Word>(count: usize, key: &impl Fn(usize) -> W, ranks: Ranks) -> [W; 2] {
    let step = count / SAMPLE;
    // A multiplicative hash (Knuth, The Art of Computer Programming 3, 6.4) varies the steps, so
    // that a line with a period gives no sample of one phase.
    let jitter = |at: usize| (at.wrapping_mul(0x9E37_79B9) >> 16) % step;
    let mut sample: Vec<W> = (0..SAMPLE).map(|at| key(at * step + jitter(at))).collect();
    sample.sort_unstable();
    let part = |rank: usize| rank as f64 / count as f64;
    // Four standard deviations of the place in the sample.
    let margin = |part: f64| 4.0 * (part * (1.0 - part) * SAMPLE as f64).sqrt() + 1.0;
    let [first, last] = [ranks.first, ranks.last].map(part);
    let low = first * SAMPLE as f64 - margin(first);
    let high = last * SAMPLE as f64 + margin(last);
    [
        if low < 0.0 { W::default() } else { sample[low as usize] },
        if high >= SAMPLE as f64 { W::LAST } else { sample[high as usize] },
    ]
}
