//! Barriers of real threads; `tests/model/` explores the orders in which they may run.

use super::barrier::Barrier;
use crate::CollectiveError;
use crate::failure::Failure;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[test]
fn no_member_passes_before_all_have_arrived() {
    let (barrier, failure, arrived) = (Barrier::new(3), Failure::default(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for round in 1..=500 {
                    arrived.fetch_add(1, Ordering::SeqCst);
                    barrier.wait(&failure).unwrap();
                    assert!(arrived.load(Ordering::SeqCst) >= 3 * round);
                }
            });
        }
    });
}

#[test]
fn a_failure_takes_the_arrivals_back() {
    let (barrier, failure, arrived) = (Barrier::new(3), Failure::default(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let waiters = [(); 2].map(|()| scope.spawn(|| barrier.wait(&failure)));
        // Most likely until they sleep.
        std::thread::sleep(Duration::from_millis(20));
        failure.set(CollectiveError::Closed);
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap(), Err(CollectiveError::Closed));
        }
        for _ in 0..3 {
            scope.spawn(|| {
                arrived.fetch_add(1, Ordering::SeqCst);
                barrier.wait_surely();
                assert_eq!(arrived.load(Ordering::SeqCst), 3);
            });
        }
    });
}
