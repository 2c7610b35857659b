//! What a launch decides before any block runs: geometry, block width, and the layout of a worker's
//! memory.

use super::compile::Tuning;
use super::fold::accumulators;
use super::geometry::{Geometry, Lanes, LoopShape};
use super::program::{LaneChoice, Program, Step, Width};
use super::transfer::can_stream;
use crate::ir::{Kernel, Launch, Role};

/// A launch of a program, shared by all workers.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub geometry: Geometry<'a>,
    /// The lanes of each phase; one lane for a uniform phase.
    pub lanes: Vec<Lanes>,
    /// The shape of each sequential loop.
    pub loops: Vec<LoopShape>,
    /// The widest block, in lanes.
    pub width: usize,
    /// Where the accumulators of each block fold begin in the arena, and the bytes and the number
    /// of them.
    pub accumulators: Vec<(usize, usize, usize)>,
    /// Bytes of a worker's arena.
    pub arena: usize,
    /// The element size of each access.
    pub sizes: Vec<usize>,
    /// Whether some access that loads may touch memory that another one stores.
    pub overlap: bool,
    /// Whether an access stores so much that the caches cannot keep it.
    pub streamed: Vec<bool>,
}

/// Results from this size on are written past the caches.
const STREAMED: usize = 32 << 20;

/// Bytes that the busy registers of a worker should not exceed: they fit a first-level cache.
const CACHE: usize = 40 << 10;
/// The same for programs with sequential loops, which want to read rows of memory in long runs and
/// need not keep everything in the first-level cache.
const CACHE_WITH_LOOPS: usize = 128 << 10;
/// The same where each lane has a cache line of its own, so that a point of the loop touches a line
/// for each lane and the next ones should find it again.
const CACHE_OF_GATHERS: usize = 12 << 10;
const WIDEST: usize = 4096;
const NARROWEST: usize = 64;
/// Lanes for which a thread is worth waking when loops make them costly.
const LEAST_SHARE: usize = 16;
/// The accumulators of a fold that are in use most of the time, of all those on its stack.
const BUSY_ACCUMULATORS: usize = 3;

impl<'a> Prepared<'a> {
    pub fn new(
        kernel: &'a Kernel,
        program: &'a Program,
        launch: &'a Launch,
        tuning: &Tuning,
    ) -> Prepared<'a> {
        let geometry = Geometry::new(kernel, launch, &program.indexed);
        let mut loops = Vec::with_capacity(program.loops);
        let mut counts = vec![0; program.fold_sizes.len()];
        for phase in &program.phases {
            loop_shapes(&geometry, program, &phase.steps, &mut loops, &mut counts);
        }
        loops.sort_by_key(|(number, _)| *number);
        let loops: Vec<LoopShape> = loops.into_iter().map(|(_, shape)| shape).collect();
        let mut per_lane = program.bytes_per_lane;
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
        let fitting = (cache / per_lane.max(1)).clamp(NARROWEST, WIDEST);
        // Blocks that are powers of two keep the rows of aligned matrices whole.
        let width = tuning.width.unwrap_or(1 << fitting.ilog2()).max(1);
        let mut arena = round_up(program.bytes_per_lane * width.next_multiple_of(NARROWEST));
        let padded = width.next_multiple_of(NARROWEST);
        let mut places = Vec::with_capacity(counts.len());
        for (fold, &count) in program.fold_sizes.iter().zip(&counts) {
            let elements = if fold.width == Width::Block { padded } else { 1 };
            let bytes = round_up(elements * fold.size);
            places.push((arena, bytes, count));
            arena += bytes * count + if fold.index { round_up(elements * 8) } else { 0 };
        }
        let lanes =
            program.phases.iter().map(|phase| Lanes::new(&geometry, phase, width)).collect();
        let size = |access: &crate::ir::Access| kernel.params[access.param].dtype.size();
        let mut prepared = Prepared {
            program,
            kernel,
            geometry,
            lanes,
            loops,
            width,
            accumulators: places,
            arena,
            sizes: kernel.accesses.iter().map(size).collect(),
            overlap: false,
            streamed: vec![false; kernel.accesses.len()],
        };
        prepared.overlap = prepared.overlaps();
        for (access, data) in kernel.accesses.iter().enumerate() {
            let elements = prepared.geometry.points(&data.axes);
            prepared.streamed[access] = kernel.params[data.param].role == Role::Out
                && !prepared.overlap
                && can_stream()
                && elements.saturating_mul(prepared.sizes[access])
                    >= tuning.stream_from.unwrap_or(STREAMED);
        }
        prepared
    }

    /// Narrows blocks so that each of `threads` threads gets one.
    pub fn narrow(&mut self, threads: usize) {
        let lanes = &self.lanes[0];
        if self.program.lanes == LaneChoice::Grid && lanes.tile.is_none() {
            self.width = self.width.min(lanes.total.div_ceil(threads).max(LEAST_SHARE));
        }
    }

    /// Whether memory that is stored to may also be loaded from.
    fn overlaps(&self) -> bool {
        let ranges: Vec<(Role, usize, usize)> = (0..self.kernel.accesses.len())
            .filter_map(|access| {
                let role = self.kernel.params[self.kernel.accesses[access].param].role;
                self.range(access).map(|(low, high)| (role, low, high))
            })
            .collect();
        let written = ranges.iter().filter(|(role, ..)| *role != Role::In);
        written.into_iter().any(|&(role, low, high)| {
            role == Role::InOut
                || ranges
                    .iter()
                    .any(|&(other, start, end)| other == Role::In && start < high && low < end)
        })
    }

    /// The addresses that an access spans if it visits all points of its axes.
    fn range(&self, access: usize) -> Option<(usize, usize)> {
        let launch = self.geometry.launch;
        let mut low = launch.accesses[access].pointer as isize;
        let mut high = low + self.sizes[access] as isize;
        for (&axis, &stride) in
            self.kernel.accesses[access].axes.iter().zip(&launch.accesses[access].strides)
        {
            let extent = launch.extents[axis];
            if extent == 0 {
                return None;
            }
            let span = stride.saturating_mul(extent as isize - 1);
            if span < 0 {
                low = low.saturating_add(span);
            } else {
                high = high.saturating_add(span);
            }
        }
        Some((low.max(0) as usize, high.max(0) as usize))
    }
}

/// Whether some load inside of a loop steps farther from lane to lane than from point to point.
fn gathers_far(geometry: &Geometry<'_>, program: &Program) -> bool {
    const LINE: usize = 64;
    let far = |lanes: &[usize], step: &Step| {
        let Step::Loop(inner) = step else { return false };
        inner.accesses.iter().any(|&access| {
            let step = |axis: &usize| geometry.stride(access, *axis).unsigned_abs();
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

fn round_up(bytes: usize) -> usize {
    bytes.next_multiple_of(64)
}

/// Collects the shapes of all loops by number, and how many accumulators each fold needs (one of
/// them spare).
fn loop_shapes(
    geometry: &Geometry<'_>,
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
