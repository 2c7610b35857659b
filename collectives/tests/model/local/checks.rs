//! The guarantees of sleepers, barriers and boards.

use super::barrier::Barrier;
use super::board::{Board, Boards, Notice};
use crate::failure::Failure;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{begin, pass_time};
use crate::wait::Sleepers;
use crate::{CollectiveError, Operation};
use loom::cell::UnsafeCell;
use std::sync::Arc;

/// Runs `member` in this many threads, in all orders with at most this many preemptions, and `end`
/// on their results.
fn check<S: Send + Sync + 'static, T: 'static>(
    (members, preemptions): (usize, usize),
    shared: impl Fn() -> S + Send + Sync + 'static,
    member: impl Fn(&S, usize) -> T + Send + Sync + Copy + 'static,
    end: impl Fn(&[T]) + Send + Sync + 'static,
) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        begin();
        let shared = Arc::new(shared());
        let threads: Vec<_> = (1..members)
            .map(|at| {
                let shared = shared.clone();
                loom::thread::spawn(move || member(&shared, at))
            })
            .collect();
        let own = member(&shared, 0);
        let others = threads.into_iter().map(|thread| thread.join().unwrap());
        end(&[own].into_iter().chain(others).collect::<Vec<_>>());
    });
}

/// Memory of the members. The checker detects concurrent accesses to it.
struct Memory(Vec<UnsafeCell<u64>>);

impl Memory {
    fn new(members: usize) -> Memory {
        Memory((0..members).map(|_| UnsafeCell::new(0)).collect())
    }

    fn write(&self, member: usize, value: u64) {
        // SAFETY: the checker refuses accesses that are not ordered.
        self.0[member].with_mut(|place| unsafe { *place = value });
    }

    fn read(&self, member: usize) -> u64 {
        // SAFETY: as above.
        self.0[member].with(|place| unsafe { *place })
    }
}

// SAFETY: the checker refuses accesses that are not ordered.
unsafe impl Sync for Memory {}

/// Finds: sleepers counted with `Relaxed` or read with `Acquire`; `wake` without the lock or
/// without a notification; a condition that is not checked again after the lock was taken.
#[test]
fn no_wakeup_is_lost() {
    let shared = || (AtomicU64::new(0), Sleepers::default());
    let member = |(done, sleepers): &(AtomicU64, Sleepers), at: usize| {
        if at == 0 {
            done.store(1, Ordering::SeqCst);
            sleepers.wake();
        } else {
            sleepers.wait_until(|| done.load(Ordering::SeqCst) == 1);
        }
    };
    check((3, 3), shared, member, |_| {});
}

/// Finds: arrivals counted with less than `SeqCst` or read with `Relaxed`; a barrier that is full
/// one arrival too early; a last member that wakes no other.
#[test]
fn no_member_passes_before_all_have_arrived() {
    for (members, rounds, preemptions) in [(2, 3, 3), (3, 2, 2)] {
        let shared = move || (Barrier::new(members), Failure::default(), Memory::new(members));
        let member = move |(barrier, failure, memory): &(Barrier, Failure, Memory), at: usize| {
            for round in 1..=rounds {
                memory.write(at, round);
                barrier.wait(failure).unwrap();
                assert!((0..members).all(|member| memory.read(member) == round));
                barrier.wait_surely();
            }
        };
        check((members, preemptions), shared, member, |_| {});
    }
}

/// Members wait while another thread ends the world. Found a last arrival that was counted and
/// ended the epoch in two steps, with a withdrawal between them. Finds members that withdraw from a
/// finished epoch, or do not withdraw.
#[test]
fn all_members_pass_or_none() {
    for (members, preemptions) in [(2, 3), (3, 2)] {
        let shared = move || (Barrier::new(members), Failure::default());
        let member = move |(barrier, failure): &(Barrier, Failure), at: usize| {
            if at == members {
                failure.set(CollectiveError::Closed);
                pass_time();
                return None;
            }
            Some(barrier.wait(failure))
        };
        let end = move |outcomes: &[Option<Result<(), CollectiveError>>]| {
            let passed = outcomes.iter().filter(|outcome| **outcome == Some(Ok(()))).count();
            assert!([0, members].contains(&passed), "{passed} of {members} have passed");
        };
        check((members + 1, preemptions), shared, member, end);
    }
}

/// The notice of a member in operation `round`.
fn notice(at: usize, round: u64) -> Notice<'static> {
    let address = |kind: usize| (kind << 16 | at << 8 | round as usize) as *mut u8;
    let (send, receive) = (address(1), address(2));
    let agreed = round;
    Notice { operation: Operation::Broadcast, detail: 0, agreed, send, receive, counts: &[] }
}

/// Finds: notices in one turn instead of two; arrivals counted with `Acquire` or `Release`.
#[test]
fn notices_are_read_before_they_are_overwritten() {
    let shared = || (Boards::default().of(0, 2), Failure::default());
    let member = |(board, failure): &(Arc<Board>, Failure), at: usize| {
        for round in 1..=3 {
            let data = |member: usize| [member as u8, round as u8];
            let turn = board.meet(at, notice(at, round), &data(at), failure).unwrap();
            for member in 0..2 {
                let mut shown = [0; 2];
                board.inline(member, turn, &mut shown);
                assert_eq!(shown, data(member));
            }
        }
    };
    check((2, 3), shared, member, |_| {});
}

/// Members read each other's memory during a visit. They write their own afterwards, or at once if
/// the world ends before it. Finds: a visit without the second barrier; members that withdraw from
/// a finished epoch; arrivals counted with `Acquire` or `Release`.
#[test]
fn memory_is_read_during_visits_alone() {
    for fails in [false, true] {
        let shared = || (Boards::default().of(0, 2), Failure::default(), Memory::new(2));
        let member = move |(board, failure, memory): &(Arc<Board>, Failure, Memory), at: usize| {
            if at == 2 {
                failure.set(CollectiveError::Closed);
                pass_time();
                return;
            }
            for round in 1..=2 {
                memory.write(at, round);
                let Ok(visit) = board.visit(at, notice(at, round), failure) else { break };
                for member in 0..2 {
                    let shown = visit.shown(member);
                    let expected = notice(member, round);
                    assert_eq!((shown.send, shown.receive), (expected.send, expected.receive));
                    assert_eq!(memory.read(member), round);
                }
            }
            memory.write(at, 0);
        };
        check((2 + usize::from(fails), 2), shared, member, |_| {});
    }
}
