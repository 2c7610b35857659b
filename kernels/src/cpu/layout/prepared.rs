//! The data that launches of one shape share: geometry, width of lane blocks, and the layout of
//! a worker's memory.
//!
//! A `Layout` depends on extents, strides and guards, and not on addresses. Launches that differ
//! only in addresses share one.

use super::geometry::{Geometry, Lanes, LoopShape};
use super::tuning::Tuning;
use crate::cpu::folds::accumulators;
use crate::cpu::program::{
    BlockFold, LaneChoice, LineCode, LineFold, LoopStep, Program, Step, TableUse, Width,
};
use crate::cpu::transfer::can_stream;
use crate::ir::{Access, AccessId, AxisId, Kernel, Launch, Role};
use phalanx_ops::Weak;
use rustc_hash::FxHashSet;
use std::ops::Deref;

/// The layout that launches of one shape share.
#[derive(Debug)]
pub(in crate::cpu) struct Layout {
    pub geometry: Geometry,
    /// The SIMD lanes of each phase; one for a uniform phase.
    pub lanes: Vec<Lanes>,
    /// The shape of each sequential loop.
    pub loops: Vec<LoopShape>,
    /// The widest lane block, in SIMD lanes.
    pub width: usize,
    /// For the accumulators of each lane block fold: their start in the arena, the bytes of one,
    /// and their number.
    pub accumulators: Vec<(usize, usize, usize)>,
    /// Bytes of a worker's arena.
    pub arena: usize,
    /// The element size of each access.
    pub sizes: Vec<usize>,
    /// The memory of each access that has points.
    spans: Vec<Span>,
    /// Whether an access stores more than the caches can keep.
    large: Vec<bool>,
}

/// The memory that an access spans if it visits all points of its axes.
#[derive(Debug)]
struct Span {
    access: AccessId,
    role: Role,
    /// Bytes `low..high` from position 0 of all axes.
    low: isize,
    high: isize,
}

/// A launch of a program, shared by all workers.
#[derive(Debug)]
pub(in crate::cpu) struct Prepared<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub launch: &'a Launch,
    layout: &'a Layout,
    /// Whether some access may load from memory that another one stores to.
    pub overlap: bool,
    /// Whether large results are written past the caches.
    pub streams: bool,
}

impl Deref for Prepared<'_> {
    type Target = Layout;

    fn deref(&self) -> &Layout {
        self.layout
    }
}

/// Results of at least this size are written past the caches.
const STREAMED: usize = 32 << 20;

/// Bytes that the busy registers of a worker should not exceed: they fit a first-level cache.
const CACHE: usize = 40 << 10;
/// The same for programs with sequential loops: they are faster with long runs along rows of memory
/// and need not keep everything in the first-level cache.
const CACHE_WITH_LOOPS: usize = 128 << 10;
/// The same where each SIMD lane reads from a separate cache line: a point of the loop touches one
/// line for each SIMD lane, and the lines should still be cached for the next points.
const CACHE_OF_GATHERS: usize = 12 << 10;
/// Bytes of operands and results of a lane block whose results are written past the caches: with
/// short turns, reading and writing do not wait long for each other.
const TURN: usize = 24 << 10;
const WIDEST: usize = 4096;
/// The same for lane blocks that are folded where they are in memory.
const WIDEST_READ: usize = 16 << 10;
const NARROWEST: usize = 64;
/// The shortest lines that are folded by leaves; of shorter ones, one element of each lane is
/// combined at a time. Several folds would share such an element, so they need longer lines.
const SHORTEST_LINE: usize = 32;
/// Bytes of the longest lines that several folds take one after the other: the line should still be
/// cached for the second fold.
const LONGEST_SHARED: usize = 128 << 10;
/// The fewest SIMD lanes for which waking a thread is worth it when loops make them costly.
const LEAST_SHARE: usize = 16;
/// The number of a fold's accumulators that are in use most of the time.
const BUSY_ACCUMULATORS: usize = 3;

/// The bytes of operands and results for each point. A lane block is inside of one guard of
/// selections, as most blocks of a join are, so it reads one of the operands behind such guards.
fn bytes_of_turn(program: &Program, sizes: &[usize]) -> usize {
    let steps = program.phases.iter().flat_map(|phase| &phase.steps);
    let passed_over: FxHashSet<usize> = steps
        .filter_map(|step| match step {
            Step::Load(load) if load.is_selected => Some(load.access.index()),
            _ => None,
        })
        .collect();
    let one = passed_over.iter().map(|&access| sizes[access]).max().unwrap_or(0);
    let others = sizes.iter().enumerate().filter(|(access, _)| !passed_over.contains(access));
    one + others.map(|(_, size)| size).sum::<usize>()
}

impl Layout {
    pub fn new(kernel: &Kernel, program: &Program, launch: &Launch, tuning: &Tuning) -> Layout {
        let geometry = Geometry::new(kernel, launch, &program.indexed);
        let mut loops = Vec::with_capacity(program.loops);
        let mut counts = vec![0; program.fold_sizes.len()];
        for phase in &program.phases {
            loop_shapes(&geometry, program, &phase.steps, &mut loops, &mut counts);
        }
        loops.sort_by_key(|(number, _)| *number);
        let loops: Vec<LoopShape> = loops.into_iter().map(|(_, shape)| shape).collect();
        let mut per_lane = program.busy_bytes_per_lane;
        for (fold, &count) in program.fold_sizes.iter().zip(&counts) {
            if fold.width == Width::Block {
                let busy = count.min(BUSY_ACCUMULATORS);
                per_lane += busy * (fold.size + if fold.index { 8 } else { 0 });
            }
        }
        let cache = match program.loops {
            0 => CACHE,
            _ if gathers_far(&geometry, program) => CACHE_OF_GATHERS,
            _ => CACHE_WITH_LOOPS,
        };
        let size = |access: &Access| kernel[access.param].dtype.size();
        let sizes: Vec<usize> = kernel.accesses.iter().map(size).collect();
        let spans = spans(kernel, launch, &sizes);
        let large = |(data, &size): (&Access, &usize)| {
            kernel[data.param].role == Role::Out
                && geometry.points(&data.axes).saturating_mul(size)
                    >= tuning.stream_from.unwrap_or(STREAMED)
        };
        let large: Vec<bool> = kernel.accesses.iter().zip(&sizes).map(large).collect();
        let mut fitting = (cache / per_lane.max(1)).clamp(NARROWEST, WIDEST);
        if large.contains(&true) && program.loops == 0 && per_lane > 0 {
            fitting = fitting.min((TURN / bytes_of_turn(program, &sizes)).max(NARROWEST));
        }
        // Lane blocks that are powers of two keep the rows of aligned matrices whole.
        let fitting = if reads_plainly(&geometry, program, &sizes) { WIDEST_READ } else { fitting };
        let width = tuning.width.unwrap_or(1 << fitting.ilog2()).max(1);
        let mut arena = round_up(program.bytes_per_lane * width.next_multiple_of(NARROWEST));
        let padded = width.next_multiple_of(NARROWEST);
        let mut accumulators = Vec::with_capacity(counts.len());
        for (fold, &count) in program.fold_sizes.iter().zip(&counts) {
            let elements = if fold.width == Width::Block { padded } else { 1 };
            let bytes = round_up(elements * fold.size);
            accumulators.push((arena, bytes, count));
            arena += bytes * count + if fold.index { round_up(elements * 8) } else { 0 };
        }
        let lanes =
            program.phases.iter().map(|phase| Lanes::new(&geometry, phase, width)).collect();
        Layout { geometry, lanes, loops, width, accumulators, arena, sizes, spans, large }
    }

    /// Narrows lane blocks so that each of `threads` threads gets one.
    pub fn narrow(&mut self, program: &Program, threads: usize) {
        let lanes = &self.lanes[0];
        if program.lanes == LaneChoice::Grid && lanes.tile.is_none() {
            self.width = self.width.min(lanes.total.div_ceil(threads).max(LEAST_SHARE));
        }
    }

    /// The SIMD lanes of the widest lane block of a phase.
    pub fn block_lanes(&self, phase: usize) -> usize {
        let lanes = &self.lanes[phase];
        match lanes.tile {
            Some((rows, columns)) => rows * columns,
            None => lanes.total.min(self.width),
        }
    }

    /// Whether the launch may load from memory that it stores to.
    fn overlaps(&self, launch: &Launch) -> bool {
        let bounds = |span: &Span| {
            let start = launch.accesses[span.access.index()].pointer as isize;
            (start.saturating_add(span.low).max(0), start.saturating_add(span.high).max(0))
        };
        self.spans.iter().filter(|span| span.role != Role::In).any(|written| {
            let (low, high) = bounds(written);
            let meets = |read: &Span| {
                let (start, end) = bounds(read);
                read.role == Role::In && start < high && low < end
            };
            written.role == Role::InOut || self.spans.iter().any(meets)
        })
    }
}

impl<'a> Prepared<'a> {
    pub fn new(
        kernel: &'a Kernel,
        program: &'a Program,
        launch: &'a Launch,
        layout: &'a Layout,
    ) -> Prepared<'a> {
        let overlap = layout.overlaps(launch);
        let streams = !overlap && layout.large.contains(&true) && can_stream();
        Prepared { program, kernel, launch, layout, overlap, streams }
    }

    /// Whether the results of an access are written past the caches.
    pub fn streams(&self, access: AccessId) -> bool {
        self.streams && self.large[access.index()]
    }

    /// Whether a loop folds lines of consecutive elements for each SIMD lane.
    pub fn folds_lines(&self, step: &LoopStep) -> bool {
        let shape = &self.loops[step.number];
        let [group] = shape.groups.as_slice() else { return false };
        let is_line = |&at: &usize| {
            let load = step.load(at);
            let along = step.access_number(load.access).map(|number| shape.strides(number)[0]);
            along == Some(load.size as isize)
        };
        let is_foldable = |(fold, lines): (&BlockFold, &LineFold)| {
            let is_long_enough = match lines.code {
                LineCode::Best(_, axis) => group.axis == Some(axis),
                // One element at a time would be made a sum of its own.
                LineCode::Leaves(_) if fold.plain != fold.value => true,
                LineCode::Leaves(_) => shape.total >= SHORTEST_LINE * step.lines.len().pow(2),
            };
            let is_short_enough =
                step.lines.len() == 1 || shape.total.saturating_mul(lines.size) <= LONGEST_SHARED;
            is_long_enough && is_short_enough && lines.loads.iter().all(is_line)
        };
        !step.lines.is_empty() && step.folds.iter().zip(&step.lines).all(is_foldable)
    }

    /// The number of elements of a table.
    #[inline]
    pub fn length(&self, table: &TableUse) -> usize {
        match self.launch.scalars[table.length.index()].to_weak() {
            Weak::Int(length) => usize::try_from(length).unwrap_or(0),
            other => panic!("bug: the length of a table is {other:?}"),
        }
    }
}

fn spans(kernel: &Kernel, launch: &Launch, sizes: &[usize]) -> Vec<Span> {
    let mut spans = Vec::with_capacity(sizes.len());
    for access in kernel.access_ids() {
        let role = kernel[kernel[access].param].role;
        let mut span = Span { access, role, low: 0, high: sizes[access.index()] as isize };
        let mut is_visited = true;
        let strides = &launch.accesses[access.index()].strides;
        for (&axis, &stride) in kernel[access].axes.iter().zip(strides) {
            let extent = launch.extents[axis.index()];
            is_visited &= extent > 0;
            let reach = stride.saturating_mul(extent as isize - 1);
            span.low = span.low.saturating_add(reach.min(0));
            span.high = span.high.saturating_add(reach.max(0));
        }
        if is_visited {
            spans.push(span);
        }
    }
    spans
}

/// Whether some load in a loop has a larger stride between SIMD lanes than between points.
fn gathers_far(geometry: &Geometry, program: &Program) -> bool {
    const LINE: usize = 64;
    let far = |lanes: &[AxisId], step: &Step| {
        let Step::Loop(inner) = step else { return false };
        inner.accesses.iter().any(|&access| {
            let step = |axis: &AxisId| geometry.stride(access, *axis).unsigned_abs();
            let across = lanes.iter().map(step).filter(|&stride| stride > 0).min();
            let along = inner.axes.iter().map(step).filter(|&stride| stride > 0).min();
            across.zip(along).is_some_and(|(across, along)| across >= LINE && along < across)
        })
    };
    program.phases.iter().any(|phase| {
        let lanes = phase.lanes.as_deref().unwrap_or_default();
        phase.steps.iter().any(|step| far(lanes, step))
    })
}

/// Whether all that a program does with lane blocks is to fold consecutive elements of memory.
fn reads_plainly(geometry: &Geometry, program: &Program, sizes: &[usize]) -> bool {
    program.phases.iter().filter(|phase| phase.lanes.is_some()).all(|phase| {
        let lanes = Lanes::new(geometry, phase, WIDEST_READ);
        let contiguous = |step: &Step| {
            let Step::Load(load) = step else { return false };
            let at = phase.accesses.iter().position(|&access| access == load.access);
            let size = sizes[load.access.index()] as isize;
            load.guard.is_none() && at.is_some_and(|at| lanes.linear[at] == Some(size))
        };
        lanes.tile.is_none()
            && !phase.folds.is_empty()
            && phase.folds.iter().all(|fold| fold.leaf.is_some())
            && phase.steps.iter().all(contiguous)
    })
}

fn round_up(bytes: usize) -> usize {
    bytes.next_multiple_of(64)
}

/// Collects the shapes of all loops by number, and how many accumulators each fold needs (one of
/// them spare).
fn loop_shapes(
    geometry: &Geometry,
    program: &Program,
    steps: &[Step],
    shapes: &mut Vec<(usize, LoopShape)>,
    counts: &mut [usize],
) {
    for step in steps {
        let Step::Loop(inner) = step else { continue };
        let shape = LoopShape::new(geometry, &inner.axes, &inner.accesses);
        for fold in &inner.folds {
            let size = program.fold_sizes[fold.number];
            counts[fold.number] = accumulators(shape.total, size.ordered, size.natural) + 1;
        }
        shapes.push((inner.number, shape));
        loop_shapes(geometry, program, &inner.steps, shapes, counts);
    }
}
