//! Partitions of real elements on the CPU: the keys at the ranks are selected, and each element is
//! placed by comparing its key with them.
//!
//! Source of the selection: "Algorithm 489: SELECT" (Floyd and Rivest, Communications of the ACM,
//! 1975). Two keys of a sample bound the keys at the ranks with high probability; only keys between
//! the bounds are selected from.

use super::merge;
use super::order::{Form, Word};
use crate::cpu::instructions::for_each_level;
use crate::structured::lines::{GRAIN, Places, each, threads};
use phalanx_ops::structured::Ranks;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The keys of a sample, and the lines that are selected from without one.
const SAMPLE: usize = 4096;
const FEW: usize = 4 * SAMPLE;
/// Elements whose keys are computed together.
const BLOCK: usize = 1024;

/// The elements of a line, in their original order.
#[derive(Clone, Copy)]
pub(super) struct Originals<'a, W> {
    /// The elements of the block.
    pub elements: &'a [W],
    /// The position of the first element of the line.
    pub start: usize,
    /// The positions from one element of the line to the next.
    pub step: usize,
}

impl<W: Word> Originals<'_, W> {
    /// The element in a row of the line.
    pub(super) fn get(&self, row: usize) -> W {
        self.elements[self.start + row * self.step]
    }

    /// Writes the places of the elements of some rows in the strict order.
    pub(super) fn orders(&self, form: Form<W>, rows: Range<usize>, to: &mut [W]) {
        if self.step == 1 {
            return orders(form, &self.elements[self.start + rows.start..][..rows.len()], to);
        }
        to.iter_mut().zip(rows).for_each(|(place, row)| *place = self.get(row));
        order_in_place(form, to);
    }

    /// The elements of at most `BLOCK` rows, gathered if they do not lie side by side.
    fn block<'a>(&'a self, rows: Range<usize>, room: &'a mut [W; BLOCK]) -> &'a [W] {
        if self.step == 1 {
            return &self.elements[self.start + rows.start..self.start + rows.end];
        }
        let room = &mut room[..rows.len()];
        room.iter_mut().zip(rows).for_each(|(place, row)| *place = self.get(row));
        room
    }
}

for_each_level! {
    /// The places of elements in the order that distinguishes zeros.
    fn orders[W: Word][W](form: Form<W>, elements: &[W], orders: &mut [W]) {
        match form {
            Form::Unsigned => orders.copy_from_slice(elements),
            Form::Signed => {
                for (order, &bits) in orders.iter_mut().zip(elements) {
                    *order = bits.xor(W::SIGN);
                }
            }
            Form::Float(infinity) => {
                for (order, &bits) in orders.iter_mut().zip(elements) {
                    *order = Form::Float(infinity).strict_order(bits);
                }
            }
        }
    }
}

for_each_level! {
    /// Replaces elements by their places in the order that distinguishes zeros.
    fn order_in_place[W: Word][W](form: Form<W>, elements: &mut [W]) {
        match form {
            Form::Unsigned => {}
            Form::Signed => {
                for bits in elements {
                    *bits = bits.xor(W::SIGN);
                }
            }
            Form::Float(infinity) => {
                for bits in elements {
                    *bits = Form::Float(infinity).strict_order(*bits);
                }
            }
        }
    }
}

/// How many keys are below, at and above two bounds.
#[derive(Clone, Copy, Default)]
struct Counts {
    below: usize,
    at_low: usize,
    at_high: usize,
    above: usize,
    /// Those at the end of the order, where NaN is.
    at_end: usize,
}

for_each_level! {
    fn count[W: Word][W](keys: &[W], bounds: [W; 2], counts: &mut Counts) {
        let [low, high] = bounds;
        // Small counters fill vector registers with more keys.
        let (mut below, mut above, mut at_end) = (0u32, 0u32, 0u32);
        let (mut at_low, mut at_high) = (0u32, 0u32);
        for &key in keys {
            below += u32::from(key < low);
            at_low += u32::from(key == low);
            at_high += u32::from(key == high);
            above += u32::from(key > high);
            at_end += u32::from(key == W::LAST);
        }
        let [below, at_low, at_high, above, at_end] =
            [below, at_low, at_high, above, at_end].map(|count| count as usize);
        *counts = Counts { below, at_low, at_high, above, at_end };
    }
}

/// Copies the elements whose keys are wanted to consecutive places, and returns their number.
#[inline(always)]
fn keep<W: Word>(
    elements: &[W],
    keys: &[W],
    to: &mut [W; BLOCK],
    is_wanted: impl Fn(W) -> bool,
) -> usize {
    let mut kept = 0;
    for (&bits, &key) in elements.iter().zip(keys) {
        // There is no branch: which elements are wanted cannot be predicted.
        to[kept % BLOCK] = bits;
        kept += usize::from(is_wanted(key));
    }
    kept
}

/// Partitions the elements of a line into `line`. Elements before and after the ranks keep their
/// order, so the result does not depend on the number of threads.
pub(super) fn partition_line<W: Word>(
    line: &mut [W],
    form: Form<W>,
    originals: Originals<'_, W>,
    ranks: Ranks,
    pool: Option<&rayon::ThreadPool>,
) {
    let count = line.len();
    let bounds = select(count, (form, originals), ranks, pool);
    let parts = Parts { form, originals, bounds };
    let length = GRAIN.max(count.div_ceil(8 * threads(pool))).next_multiple_of(BLOCK);
    let pieces = count.div_ceil(length);
    let rows = |piece: usize| piece * length..count.min((piece + 1) * length);
    // For each part, the number of elements of each piece, and then where these start.
    let mut starts = vec![0u64; PARTS * pieces];
    let places = Places::new(&mut starts);
    each(pool, pieces, 1, |range| {
        for piece in range {
            for (part, count) in parts.count(rows(piece)).into_iter().enumerate() {
                // SAFETY: the position is below `PARTS * pieces`, and this turn's alone.
                unsafe { *places.at(part * pieces + piece) = count as u64 };
            }
        }
    });
    let mut next = 0;
    starts.iter_mut().for_each(|start| next += std::mem::replace(start, next));
    let [first, end] = [MIDDLE, MIDDLE + 1].map(|part| starts[part * pieces] as usize);
    let places = Places::new(line);
    each(pool, pieces, 1, |range| {
        for piece in range {
            let start = |part: usize| starts[part * pieces + piece] as usize;
            parts.place(rows(piece), std::array::from_fn(start), places);
        }
    });
    let middle = &mut line[first..end];
    middle.iter_mut().for_each(|bits| *bits = form.strict_order(*bits));
    merge::sort(middle, pool);
    middle.iter_mut().for_each(|order| *order = form.bits(*order));
}

/// The parts of a partition, in their order: elements below the ranks, at the ranks, above
/// them, and NaN.
struct Parts<'a, W> {
    form: Form<W>,
    originals: Originals<'a, W>,
    /// The keys at the first and at the last rank.
    bounds: [W; 2],
}

const PARTS: usize = 4;
const MIDDLE: usize = 1;

impl<W: Word> Parts<'_, W> {
    /// The number of elements of each part among some keys.
    fn count_keys(&self, keys: &[W]) -> [usize; PARTS] {
        let mut counts = Counts::default();
        count(keys, self.bounds, &mut counts);
        let nan = if matches!(self.form, Form::Float(_)) { counts.at_end } else { 0 };
        // NaN is above every bound but itself.
        let above = if self.bounds[1] == W::LAST { 0 } else { counts.above - nan };
        [counts.below, keys.len() - counts.below - above - nan, above, nan]
    }

    /// The number of elements of each part among some rows.
    fn count(&self, rows: Range<usize>) -> [usize; PARTS] {
        let mut total = [0; PARTS];
        for_each_block(self.form, self.originals, rows, |_, keys| {
            let counts = self.count_keys(keys);
            total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        });
        total
    }

    /// Stores the elements of some rows at the places of their parts.
    fn place(&self, rows: Range<usize>, mut starts: [usize; PARTS], line: Places<W>) {
        let is_float = matches!(self.form, Form::Float(_));
        let [low, high] = self.bounds;
        let is_nan = |key: W| is_float & (key == W::LAST);
        let mut room = [W::default(); BLOCK];
        for_each_block(self.form, self.originals, rows, |elements, keys| {
            for (part, &count) in self.count_keys(keys).iter().enumerate() {
                if count == 0 {
                    continue;
                }
                let kept = if count == elements.len() {
                    elements
                } else {
                    match part {
                        0 => keep(elements, keys, &mut room, |key| key < low),
                        MIDDLE => keep(elements, keys, &mut room, |key| {
                            (key >= low) & (key <= high) & !is_nan(key)
                        }),
                        2 => keep(elements, keys, &mut room, |key| (key > high) & !is_nan(key)),
                        _ => keep(elements, keys, &mut room, is_nan),
                    };
                    &room[..count]
                };
                // SAFETY: the rows of a part were counted, so the places are inside the line and
                // belong to this piece alone.
                let to = unsafe { std::slice::from_raw_parts_mut(line.at(starts[part]), count) };
                to.copy_from_slice(kept);
                starts[part] += count;
            }
        });
    }
}

/// Calls `body` with the elements of some rows and their keys, a block at a time.
fn for_each_block<W: Word>(
    form: Form<W>,
    originals: Originals<'_, W>,
    rows: Range<usize>,
    mut body: impl FnMut(&[W], &[W]),
) {
    let (mut room, mut keys) = ([W::default(); BLOCK], [W::default(); BLOCK]);
    for start in rows.clone().step_by(BLOCK) {
        let elements = originals.block(start..rows.end.min(start + BLOCK), &mut room);
        let keys = &mut keys[..elements.len()];
        orders(form, elements, keys);
        body(elements, keys);
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
    /// Adds keys.
    fn add(&mut self, keys: &[W], bounds: [W; 2]) {
        let mut counts = Counts::default();
        count(keys, bounds, &mut counts);
        let [low, high] = bounds;
        let at_ends = counts.at_low + if low == high { 0 } else { counts.at_high };
        let between = keys.len() - counts.below - at_ends - counts.above;
        if between > 0 {
            let mut room = [W::default(); BLOCK];
            keep(keys, keys, &mut room, |key| (low < key) & (key < high));
            self.between.extend_from_slice(&room[..between]);
        }
        self.below += counts.below;
        self.at_low += counts.at_low;
        self.at_high += counts.at_high;
    }

    /// The keys at two ranks; `None` if one is not between the bounds.
    fn keys(&mut self, ranks: Ranks, [low, high]: [W; 2]) -> Option<[W; 2]> {
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
        Some([at(ranks.first), at(ranks.last)])
    }
}

/// The keys at the first and at the last rank.
fn select<W: Word>(
    count: usize,
    (form, originals): (Form<W>, Originals<'_, W>),
    ranks: Ranks,
    pool: Option<&rayon::ThreadPool>,
) -> [W; 2] {
    let key = |row| form.strict_order(originals.get(row));
    if count >= FEW {
        let bounds = bounds(count, key, ranks);
        let found = Mutex::new(Found::default());
        each(pool, count, GRAIN, |rows| {
            let mut own = Found::default();
            for_each_block(form, originals, rows, |_, keys| own.add(keys, bounds));
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.below += own.below;
            found.at_low += own.at_low;
            found.at_high += own.at_high;
            if found.between.is_empty() {
                found.between = own.between;
            } else {
                found.between.append(&mut own.between);
            }
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(keys) = found.keys(ranks, bounds) {
            return keys;
        }
    }
    // No key is outside of the whole order.
    let mut all = Found { between: (0..count).map(key).collect(), ..Found::default() };
    let keys = all.keys(ranks, [W::default(), W::LAST]);
    keys.unwrap_or_else(|| unreachable!("bug: ranks beyond the line"))
}

/// Bounds of the keys at the ranks. They are wrong if the sample does not represent the line; the
/// caller checks.
fn bounds<W: Word>(count: usize, key: impl Fn(usize) -> W, ranks: Ranks) -> [W; 2] {
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
