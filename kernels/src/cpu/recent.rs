//! The launches that a thread has run lately: what is worked out for a shape of launch is kept for
//! the next launch of the same shape, which then allocates nothing.
//!
//! Each thread keeps its own, so that no launch waits for another.

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

/// Places of a thread: a power of two times `WAYS`.
const PLACES: usize = 128;
/// Launches of different shapes that may have the same place.
const WAYS: usize = 4;
/// The most points that a launch may have for its registers to be kept too: the time of others is
/// not in allocations.
const MOST_POINTS: usize = 1 << 16;

/// A launch that may come again.
struct Known {
    compiled: u64,
    threads: usize,
    /// The last launch of this shape. Its addresses are those of that launch alone.
    launch: Launch,
    plan: Option<LaunchPlan>,
    /// The bytes that the accesses touch, once a launch on buffers has asked.
    touched: Option<Touched>,
    state: Option<Box<State>>,
    keeps_state: bool,
}

thread_local! {
    /// By place, the latest first.
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

/// Compares a few numbers: the library's comparison of bytes is slow for none at all.
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

/// Runs a launch; the caller has the promise of `Compiled::run`.
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

/// Runs a launch on buffers, inside of which it stays; the caller has the rest of the promise of
/// `Compiled::run`.
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

/// The first of the places that launches of a kernel with these extents have.
fn place(compiled: &Compiled, extents: &[usize]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write_u64(compiled.identity());
    extents.iter().for_each(|&extent| hasher.write_usize(extent));
    hasher.finish() as usize % (PLACES / WAYS) * WAYS
}

/// Takes the launch of this shape, which nobody else uses meanwhile: work that the launch waits for
/// may run on this very thread.
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

/// Puts a launch first at its place; the last one there makes room.
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
