//! The recent launches of a thread. The plan of a launch is kept for the next launch of the same
//! shape, which then allocates nothing.
//!
//! Each thread has its own cache, so that no launch waits for another.

use super::compile::{Compiled, LaunchPlan, Tuning};
use super::launch::BufferLaunch;
use super::threads::Threads;
use super::touched::Touched;
use super::worker::State;
use crate::ir::{AccessArgument, GuardArgument, Launch};
use rayon::ThreadPool;
use rustc_hash::FxHasher;
use std::cell::RefCell;
use std::hash::Hasher;

/// Places in the cache of a thread: a power of two times `WAYS`.
const PLACES: usize = 128;
/// The number of launches that a set of places holds.
const WAYS: usize = 4;
/// A launch of at most this many points also keeps its registers. In larger launches allocations
/// take a negligible part of the time.
const MOST_POINTS: usize = 1 << 16;

/// A launch that is kept because its shape may occur again.
struct Known {
    compiled: u64,
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
    /// By place; in a set of `WAYS` places, the latest first.
    static RECENT: RefCell<Vec<Option<Box<Known>>>> = const { RefCell::new(Vec::new()) };
}

/// The shape of a launch: all that its plan depends on.
trait Shape {
    fn extents(&self) -> &[usize];
    fn origins(&self) -> &[i64];
    fn accesses(&self) -> usize;
    fn strides(&self, access: usize) -> &[isize];
    fn guards(&self) -> usize;
    fn bounds(&self, guard: usize) -> &[(i64, i64)];

    fn is(&self, launch: &Launch) -> bool {
        same(self.extents(), &launch.extents)
            && same(self.origins(), &launch.origins)
            && self.accesses() == launch.accesses.len()
            && self.guards() == launch.guards.len()
            && (0..self.accesses()).all(|at| same(self.strides(at), &launch.accesses[at].strides))
            && (0..self.guards()).all(|at| same(self.bounds(at), &launch.guards[at].bounds))
    }

    /// A launch of this shape, without addresses and scalars.
    fn launch(&self) -> Launch {
        let access = |at| AccessArgument {
            pointer: std::ptr::null_mut(),
            strides: self.strides(at).to_vec(),
        };
        let guard = |at| GuardArgument { bounds: self.bounds(at).to_vec() };
        Launch {
            extents: self.extents().to_vec(),
            origins: self.origins().to_vec(),
            accesses: (0..self.accesses()).map(access).collect(),
            scalars: Vec::new(),
            guards: (0..self.guards()).map(guard).collect(),
        }
    }
}

/// Compares short slices; the standard comparison of bytes is slow for empty ones.
fn same<T: PartialEq>(left: &[T], right: &[T]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left == right)
}

impl Shape for Launch {
    fn extents(&self) -> &[usize] {
        &self.extents
    }
    fn origins(&self) -> &[i64] {
        &self.origins
    }
    fn accesses(&self) -> usize {
        self.accesses.len()
    }
    fn strides(&self, access: usize) -> &[isize] {
        &self.accesses[access].strides
    }
    fn guards(&self) -> usize {
        self.guards.len()
    }
    fn bounds(&self, guard: usize) -> &[(i64, i64)] {
        &self.guards[guard].bounds
    }
}

impl Shape for BufferLaunch<'_> {
    fn extents(&self) -> &[usize] {
        self.extents
    }
    fn origins(&self) -> &[i64] {
        self.origins
    }
    fn accesses(&self) -> usize {
        self.accesses.len()
    }
    fn strides(&self, access: usize) -> &[isize] {
        self.accesses[access].2
    }
    fn guards(&self) -> usize {
        self.guards.len()
    }
    fn bounds(&self, guard: usize) -> &[(i64, i64)] {
        &self.guards[guard]
    }
}

/// Runs a launch; the caller upholds the conditions of `Compiled::run`.
pub(super) fn run(compiled: &Compiled, launch: &Launch, pool: Option<&ThreadPool>) {
    if let Some(wide) = compiled.wide() {
        // SAFETY: the caller's promise.
        return unsafe { wide.run(launch, |launch| run(&wide.compiled, launch, pool)) };
    }
    let threads = Threads::new(pool, &Tuning::default());
    let place = place(compiled, &launch.extents);
    let mut known = take(place, compiled, launch, &threads);
    let addresses = launch.accesses.iter().map(|access| access.pointer);
    known.start(compiled, addresses, &launch.scalars, threads);
    keep(place, known);
}

/// Runs a launch on buffers and panics if it reaches outside of them; the caller upholds the other
/// conditions of `Compiled::run`.
pub(super) fn run_on_buffers(
    compiled: &Compiled,
    arguments: &BufferLaunch<'_>,
    pool: Option<&ThreadPool>,
) {
    if compiled.wide().is_some() {
        let mut launch = arguments.launch();
        Touched::new(compiled.kernel(), &launch).check(&arguments.accesses);
        for (access, (buffer, offset, _)) in launch.accesses.iter_mut().zip(&arguments.accesses) {
            access.pointer = buffer.as_ptr().wrapping_offset(*offset);
        }
        launch.scalars = arguments.scalars.to_vec();
        return run(compiled, &launch, pool);
    }
    let threads = Threads::new(pool, &Tuning::default());
    let place = place(compiled, arguments.extents);
    let mut known = take(place, compiled, arguments, &threads);
    let shape = &known.launch;
    let touched = known.touched.get_or_insert_with(|| Touched::new(compiled.kernel(), shape));
    touched.check(&arguments.accesses);
    let addresses = arguments
        .accesses
        .iter()
        .map(|(buffer, offset, _)| buffer.as_ptr().wrapping_offset(*offset));
    known.start(compiled, addresses, &arguments.scalars, threads);
    keep(place, known);
}

/// The first of the `WAYS` places for launches of a kernel with these extents.
fn place(compiled: &Compiled, extents: &[usize]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write_u64(compiled.identity());
    extents.iter().for_each(|&extent| hasher.write_usize(extent));
    hasher.finish() as usize % (PLACES / WAYS) * WAYS
}

/// Removes the launch of this shape from its place, or makes one. While this launch waits, the same
/// thread may run another launch, which must not use the same state.
fn take(
    place: usize,
    compiled: &Compiled,
    shape: &impl Shape,
    threads: &Threads<'_>,
) -> Box<Known> {
    let found = RECENT.with_borrow_mut(|places| {
        let places = places.get_mut(place..place + WAYS)?;
        let known = places.iter_mut().find(|known| {
            known.as_ref().is_some_and(|known| {
                known.compiled == compiled.identity()
                    && known.threads == threads.most()
                    && shape.is(&known.launch)
            })
        });
        known.and_then(Option::take)
    });
    found.unwrap_or_else(|| {
        let launch = shape.launch();
        let plan = compiled.plan(&launch, threads, &Tuning::default());
        let points =
            launch.extents.iter().fold(1, |points: usize, &extent| points.saturating_mul(extent));
        Box::new(Known {
            compiled: compiled.identity(),
            threads: threads.most(),
            launch,
            plan,
            touched: None,
            state: None,
            keeps_state: points <= MOST_POINTS,
        })
    })
}

/// Puts a launch first in its set of places; if the set is full, the last one is dropped.
fn keep(place: usize, known: Box<Known>) {
    let forgotten = RECENT.with_borrow_mut(|places| {
        if places.is_empty() {
            places.resize_with(PLACES, || None);
        }
        let places = &mut places[place..place + WAYS];
        let free = places.iter().position(Option::is_none).unwrap_or(WAYS - 1);
        let forgotten = places[free].replace(known);
        places[..=free].rotate_right(1);
        forgotten
    });
    drop(forgotten);
}

impl Known {
    fn start(
        &mut self,
        compiled: &Compiled,
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
        plan.run(compiled, &self.launch, threads, &mut self.state);
        if !self.keeps_state {
            self.state = None;
        }
    }
}
