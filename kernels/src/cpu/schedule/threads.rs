//! The threads of a launch.

use crate::cpu::layout::Tuning;
use rayon::ThreadPool;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads that a launch may use, and the estimated time from which it uses them.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Threads<'p> {
    pub pool: Option<&'p ThreadPool>,
    /// Nanoseconds of one thread.
    pub worthwhile: f64,
}

/// Tasks for each thread: enough to even out interruptions.
pub(super) const TASKS_PER_THREAD: usize = 4;

/// Launches below this estimate, in nanoseconds of one thread, stay on the calling thread: waking
/// others costs as much.
const WORTHWHILE: f64 = 30_000.0;

impl<'p> Threads<'p> {
    pub fn new(pool: Option<&'p ThreadPool>, tuning: &Tuning) -> Threads<'p> {
        Threads {
            pool: pool.filter(|pool| pool.current_num_threads() > 1),
            worthwhile: tuning.worthwhile.unwrap_or(WORTHWHILE),
        }
    }

    /// How many threads a launch may use.
    pub fn most(&self) -> usize {
        self.pool.map_or(1, ThreadPool::current_num_threads)
    }

    /// How many threads are worth waking for work of this estimate.
    pub fn for_work(&self, estimate: impl FnOnce() -> f64) -> usize {
        match self.pool {
            Some(pool) if estimate() >= self.worthwhile => pool.current_num_threads(),
            _ => 1,
        }
    }

    /// Runs tasks `0..count`. Each participating thread makes one state for its tasks.
    pub fn run<S>(
        &self,
        threads: usize,
        count: usize,
        make: impl Fn() -> S + Sync,
        task: impl Fn(&mut S, usize) + Sync,
        done: impl Fn(S) + Sync,
    ) {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut task_number = next.fetch_add(1, Ordering::Relaxed);
            if task_number >= count {
                return;
            }
            let mut state = make();
            while task_number < count {
                task(&mut state, task_number);
                task_number = next.fetch_add(1, Ordering::Relaxed);
            }
            done(state);
        };
        match self.pool {
            // The calling thread works, too: it need not be woken.
            Some(pool) if threads > 1 => pool.in_place_scope(|scope| {
                for _ in 1..threads.min(count) {
                    scope.spawn(|_| work());
                }
                work();
            }),
            _ => work(),
        }
    }
}
