//! The lines of a block along an axis, several at a time.

use crate::structured::tasks::each_with;
use crate::structured::{Block, Plain};
use std::marker::PhantomData;

/// The fewest elements of a job, if there are as many.
const ELEMENTS: usize = 1 << 14;

/// The most neighbouring lines of an inner axis that are read together, and the bytes that they
/// have at most if they are more than a cache line of elements.
const NEIGHBOURS: usize = 32;
const LONG: usize = 4 << 20;

/// The elements of a line that are copied one after the other, before those of the next line.
const TILE: usize = 8;

/// The bytes between copies of neighbouring lines of an inner axis. Without them, equal places of
/// lines of a power of two compete for the same few cache lines.
const APART: usize = 64;

/// The elements from a copy of a line to the next one.
fn stride<T>(length: usize) -> usize {
    length + APART / size_of::<T>()
}

/// A line to transform: a copy of its elements, which may be overwritten, and the result.
pub(super) struct Line<'a, I, O> {
    pub(super) from: &'a mut [I],
    pub(super) to: &'a mut [O],
}

/// The lines along an axis of two blocks whose other axes are equal.
pub(super) struct Lines<'a, I, O> {
    from: &'a [I],
    to: Output<'a, O>,
    /// Lengths of a line, before and after.
    lengths: [usize; 2],
    /// Elements between neighbours on a line.
    inner: usize,
    count: usize,
}

/// The elements that jobs write; each job writes different lines.
struct Output<'a, O> {
    pointer: *mut O,
    len: usize,
    lifetime: PhantomData<&'a mut [O]>,
}

// SAFETY: jobs write disjoint elements (the promise of `Output::stretch`).
unsafe impl<O: Send> Sync for Output<'_, O> {}

impl<O: Plain> Output<'_, O> {
    /// # Safety
    /// Nothing else touches these elements while the reference lives.
    #[allow(clippy::mut_from_ref, reason = "exclusive access is the caller's promise")]
    unsafe fn stretch(&self, at: usize, len: usize) -> &mut [O] {
        assert!(at + len <= self.len, "bug: a line outside of its block");
        // SAFETY: inside of the slice it was made of; not touched otherwise (the caller's promise).
        unsafe { std::slice::from_raw_parts_mut(self.pointer.add(at), len) }
    }
}

impl<'a, I: Plain, O: Plain> Lines<'a, I, O> {
    pub(super) fn new(from: &'a Block<'_>, to: &'a Block<'_>, axis: usize) -> Lines<'a, I, O> {
        let inner = to.shape[axis + 1..].iter().product::<usize>();
        // SAFETY: nothing writes the operand meanwhile, and the output is the plan's alone
        // (condition 2 of `Buffer`).
        let (from_elements, to_elements) =
            unsafe { (from.elements::<I>(), to.elements_mut::<O>()) };
        Lines {
            from: from_elements,
            lengths: [from.shape[axis], to.shape[axis]],
            inner,
            count: to.shape[..axis].iter().product::<usize>() * inner,
            to: Output {
                pointer: to_elements.as_mut_ptr(),
                len: to_elements.len(),
                lifetime: PhantomData,
            },
        }
    }

    /// Transforms all lines. Each thread makes its own transformer.
    pub(super) fn run<F: FnMut(Line<'_, I, O>) + Send>(
        &self,
        (zero, zero_of_result): (I, O),
        pool: Option<&rayon::ThreadPool>,
        transformer: impl Fn() -> F + Sync,
    ) {
        let [before, after] = self.lengths;
        if before == 0 {
            // SAFETY: no job runs.
            unsafe { self.to.stretch(0, self.to.len) }.fill(zero_of_result);
            return;
        }
        let bytes = before * size_of::<I>().max(size_of::<O>());
        let of_cache_line = 64 / size_of::<I>().min(size_of::<O>());
        let width = match self.inner {
            1 => (ELEMENTS / before).max(1),
            inner => (LONG / bytes).clamp(of_cache_line, NEIGHBOURS).min(inner),
        };
        let (groups, jobs) = match self.inner {
            1 => (1, self.count.div_ceil(width)),
            inner => (inner.div_ceil(width), self.count / inner * inner.div_ceil(width)),
        };
        let worker = || {
            let [sources, results] = match self.inner {
                1 => [before, 0],
                _ => [stride::<I>(before), stride::<O>(after)],
            };
            (transformer(), vec![zero; width * sources], vec![zero_of_result; width * results])
        };
        let job = |(transform, sources, results): &mut (F, Vec<I>, Vec<O>), job: usize| {
            if self.inner == 1 {
                let start = job * width;
                self.neighbours_in_memory(start, width.min(self.count - start), sources, transform);
            } else {
                let (outer, start) = (job / groups, job % groups * width);
                let width = width.min(self.inner - start);
                self.across([outer, start, width], (sources, results), transform);
            }
        };
        let at_once = (ELEMENTS / (width * before)).max(1);
        each_with(pool, jobs, at_once, worker, job);
    }

    /// Transforms lines whose elements are neighbours in memory.
    fn neighbours_in_memory(
        &self,
        start: usize,
        count: usize,
        sources: &mut [I],
        transform: &mut impl FnMut(Line<'_, I, O>),
    ) {
        let [before, after] = self.lengths;
        let sources = &mut sources[..count * before];
        sources.copy_from_slice(&self.from[start * before..][..count * before]);
        // SAFETY: these lines belong to this job alone.
        let results = unsafe { self.to.stretch(start * after, count * after) };
        let lines = sources.chunks_exact_mut(before).zip(results.chunks_exact_mut(after));
        lines.for_each(|(from, to)| transform(Line { from, to }));
    }

    /// Transforms neighbouring lines of an inner axis.
    fn across(
        &self,
        [outer, start, width]: [usize; 3],
        (sources, results): (&mut [I], &mut [O]),
        transform: &mut impl FnMut(Line<'_, I, O>),
    ) {
        let [before, after] = self.lengths;
        let [of_source, of_result] = [stride::<I>(before), stride::<O>(after)];
        let row = |position: usize| {
            &self.from[(outer * before + position) * self.inner + start..][..width]
        };
        for first in (0..before).step_by(TILE) {
            let rows: [&[I]; TILE] = std::array::from_fn(|at| row((first + at).min(before - 1)));
            for line in 0..width {
                let to = &mut sources[line * of_source + first..][..TILE.min(before - first)];
                match to.first_chunk_mut::<TILE>() {
                    Some(to) => (0..TILE).for_each(|at| to[at] = rows[at][line]),
                    None => to.iter_mut().zip(rows).for_each(|(to, row)| *to = row[line]),
                }
            }
        }
        let lines = sources.chunks_exact_mut(of_source).zip(results.chunks_exact_mut(of_result));
        for (from, to) in lines.take(width) {
            transform(Line { from: &mut from[..before], to: &mut to[..after] });
        }
        let row = |position: usize| {
            let at = (outer * after + position) * self.inner + start;
            // SAFETY: these positions of these lines belong to this job alone, which takes each row
            // once.
            unsafe { self.to.stretch(at, width) }
        };
        let whole = after - after % TILE;
        for first in (0..whole).step_by(TILE) {
            let mut rows: [&mut [O]; TILE] = std::array::from_fn(|at| row(first + at));
            for line in 0..width {
                let from = &results[line * of_result + first..][..TILE];
                (0..TILE).for_each(|at| rows[at][line] = from[at]);
            }
        }
        for position in whole..after {
            for (line, element) in row(position).iter_mut().enumerate() {
                *element = results[line * of_result + position];
            }
        }
    }
}
