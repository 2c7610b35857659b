//! Work that the threads of a device share.
//!
//! The functions that wait for threads take closures by reference, so that rayon's code is compiled
//! once and not for each closure.

use rayon::ThreadPool;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Calls `task` with each number below `count`. The threads of the pool, if any, take at least
/// `at_once` numbers at a time.
pub(super) fn each(
    pool: Option<&ThreadPool>,
    count: usize,
    at_once: usize,
    task: &(dyn Fn(usize) + Sync),
) {
    match pool.filter(|pool| pool.current_num_threads() > 1 && count > at_once) {
        Some(pool) => {
            pool.install(|| (0..count).into_par_iter().with_min_len(at_once).for_each(task));
        }
        None => (0..count).for_each(task),
    }
}

/// Calls `task` as `each` does, with a state that no other thread uses meanwhile. There are at most
/// as many states as threads.
pub(super) fn each_with<S: Send>(
    pool: Option<&ThreadPool>,
    count: usize,
    at_once: usize,
    make: impl Fn() -> S + Sync,
    task: impl Fn(&mut S, usize) + Sync,
) {
    let at_once = at_once.max(1);
    let free = Mutex::new(Vec::new());
    let kept = || free.lock().unwrap_or_else(PoisonError::into_inner);
    each(pool, count.div_ceil(at_once), 1, &|piece| {
        let found = kept().pop();
        let mut state = found.unwrap_or_else(&make);
        let first = piece * at_once;
        (first..count.min(first + at_once)).for_each(|number| task(&mut state, number));
        kept().push(state);
    });
}

/// Calls two functions, each on a thread of the pool whose thread calls this.
pub(super) fn both(mut a: impl FnMut() + Send, mut b: impl FnMut() + Send) {
    fn erased(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        rayon::join(a, b);
    }
    erased(&mut a, &mut b);
}

/// Calls `task` with each number below `count`, by the threads of the pool whose thread calls this,
/// if it is one.
pub(super) fn shared(count: usize, task: &(dyn Fn(usize) + Sync)) {
    match count > 1 && rayon::current_thread_index().is_some() {
        true => (0..count).into_par_iter().with_max_len(1).for_each(task),
        false => (0..count).for_each(task),
    }
}

/// Calls a function on a thread of the pool.
pub(super) fn within(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_number_is_met_once() {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for (count, at_once) in [(0, 1), (1, 0), (5, 8), (100, 7)] {
            for pool in [None, Some(&threads)] {
                let met = Mutex::new(Vec::new());
                each(pool, count, at_once, &|number| met.lock().unwrap().push(number));
                let states = Mutex::new(0);
                let make = || *states.lock().unwrap() += 1;
                each_with(pool, count, at_once, make, |(), number| {
                    met.lock().unwrap().push(number)
                });
                let met = met.into_inner().unwrap();
                assert_eq!(met.len(), 2 * count);
                assert_eq!(BTreeSet::from_iter(met), BTreeSet::from_iter(0..count));
                assert!(*states.lock().unwrap() <= pool.map_or(1, ThreadPool::current_num_threads));
            }
        }
    }

    #[test]
    fn both_functions_are_called() {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (mut a, mut b) = (0, 0);
        within(&threads, &mut || both(|| a += 1, || b += 2));
        assert_eq!((a, b), (1, 2));
    }
}
