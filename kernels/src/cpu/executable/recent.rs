//! The recent launches of a thread. The plan of a launch is kept for the next launch of the same
//! shape, which then allocates nothing.
//!
//! Each thread has its own cache, so that no launch waits for another.

use super::arguments::{BufferLaunch, Shape};
use super::lowered::{LaunchPlan, Lowered};
use super::touched::Touched;
use crate::cpu::layout::Tuning;
use crate::cpu::schedule::Threads;
use crate::cpu::worker::State;
use crate::ir::Launch;
use rayon::ThreadPool;
use rustc_hash::FxHasher;
use std::cell::RefCell;
use std::hash::Hasher;

/// Entries in the cache of a thread: a power of two times `WAYS`.
const ENTRIES: usize = 128;
/// The number of launches that a set of entries holds.
const WAYS: usize = 4;
/// A launch of at most this many points also keeps its registers. In larger launches allocations
/// take a negligible part of the time.
const MOST_POINTS: usize = 1 << 16;

/// A launch that is kept because its shape may occur again.
struct Known {
    lowered: u64,
    threads: usize,
    /// The last launch of this shape. Its addresses are valid for that launch only.
    launch: Launch,
    plan: Option<LaunchPlan>,
    /// The bytes that the accesses touch; `None` until a launch on buffers checks them.
    touched: Option<Touched>,
    state: Option<Box<State>>,
    keeps_state: bool,
}

thread_local! {
    /// In a set of `WAYS` entries, the latest first.
    static RECENT: RefCell<Vec<Option<Box<Known>>>> = const { RefCell::new(Vec::new()) };
}

/// Runs a launch; the caller upholds the conditions of `Compiled::run`.
pub(in crate::cpu) fn run(lowered: &Lowered, launch: &Launch, pool: Option<&ThreadPool>) {
    let threads = Threads::new(pool, &Tuning::default());
    let first = first(lowered, &launch.extents);
    let mut known = take(first, lowered, launch, &threads);
    let addresses = launch.accesses.iter().map(|access| access.pointer);
    known.start(lowered, addresses, &launch.scalars, threads);
    keep(first, known);
}

/// Runs a launch on buffers and panics if it reaches outside of them; the caller upholds the other
/// conditions of `Compiled::run`.
pub(in crate::cpu) fn run_on_buffers(
    lowered: &Lowered,
    arguments: &BufferLaunch<'_>,
    pool: Option<&ThreadPool>,
) {
    let threads = Threads::new(pool, &Tuning::default());
    let first = first(lowered, arguments.extents);
    let mut known = take(first, lowered, arguments, &threads);
    let shape = &known.launch;
    let touched = known.touched.get_or_insert_with(|| Touched::new(lowered.kernel(), shape));
    touched.check(&arguments.accesses);
    let addresses = arguments
        .accesses
        .iter()
        .map(|(buffer, offset, _)| buffer.as_ptr().wrapping_offset(*offset));
    known.start(lowered, addresses, &arguments.scalars, threads);
    keep(first, known);
}

/// The first of the `WAYS` entries for launches of a kernel with these extents.
fn first(lowered: &Lowered, extents: &[usize]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write_u64(lowered.identity());
    extents.iter().for_each(|&extent| hasher.write_usize(extent));
    hasher.finish() as usize % (ENTRIES / WAYS) * WAYS
}

/// Removes the launch of this shape from its entry, or makes one. While this launch waits, the same
/// thread may run another launch, which must not use the same state.
fn take(first: usize, lowered: &Lowered, shape: &impl Shape, threads: &Threads<'_>) -> Box<Known> {
    let found = RECENT.with_borrow_mut(|entries| {
        let entries = entries.get_mut(first..first + WAYS)?;
        let known = entries.iter_mut().find(|known| {
            known.as_ref().is_some_and(|known| {
                known.lowered == lowered.identity()
                    && known.threads == threads.most()
                    && shape.is(&known.launch)
            })
        });
        known.and_then(Option::take)
    });
    found.unwrap_or_else(|| {
        let launch = shape.launch();
        let plan = lowered.plan(&launch, threads, &Tuning::default());
        let points =
            launch.extents.iter().fold(1, |points: usize, &extent| points.saturating_mul(extent));
        Box::new(Known {
            lowered: lowered.identity(),
            threads: threads.most(),
            launch,
            plan,
            touched: None,
            state: None,
            keeps_state: points <= MOST_POINTS,
        })
    })
}

/// Puts a launch first in its set of entries; if the set is full, the last one is dropped.
fn keep(first: usize, known: Box<Known>) {
    let forgotten = RECENT.with_borrow_mut(|entries| {
        if entries.is_empty() {
            entries.resize_with(ENTRIES, || None);
        }
        let entries = &mut entries[first..first + WAYS];
        let free = entries.iter().position(Option::is_none).unwrap_or(WAYS - 1);
        let forgotten = entries[free].replace(known);
        entries[..=free].rotate_right(1);
        forgotten
    });
    drop(forgotten);
}

impl Known {
    fn start(
        &mut self,
        lowered: &Lowered,
        addresses: impl Iterator<Item = *mut u8>,
        scalars: &[phalanx_ops::Scalar],
        threads: Threads<'_>,
    ) {
        let Some(plan) = &self.plan else { return };
        for (access, address) in self.launch.accesses.iter_mut().zip(addresses) {
            access.pointer = address;
        }
        self.launch.scalars.clear();
        self.launch.scalars.extend_from_slice(scalars);
        plan.run(lowered, &self.launch, threads, &mut self.state);
        if !self.keeps_state {
            self.state = None;
        }
    }
}
