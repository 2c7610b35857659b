//! Ranks that take different ways are detected.

use crate::fixture::{Fixture, local, place, tcp};
use phalanx_collectives::{CollectiveError, Ticket, TicketKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{sleep, yield_now};
use std::time::Duration;

/// How many tickets a rank may post ahead of the slowest.
const MOST_AHEAD: u64 = 1024;

fn ticket(number: u64, kind: TicketKind, digest: u128, site: &str) -> Ticket {
    let cause = String::from(if kind == TicketKind::Exit { "ends" } else { "reads x" });
    Ticket { number, kind, digest, cause, site: site.into(), data: Vec::new() }
}

/// Waits for a message that never arrives, like a rank whose neighbour took another way.
fn wait_for_ever(fixture: &Fixture, rank: usize) -> CollectiveError {
    let member = &fixture.members[rank];
    let other = (rank + 1) % fixture.members.len();
    match member.recv(&place(8), other).and_then(|event| Ok(event.wait()?)) {
        Ok(()) => panic!("a message from nowhere"),
        Err(error) => error,
    }
}

fn diverge(first: Ticket, second: Ticket) -> CollectiveError {
    let fixture = tcp(3);
    for (rank, world) in fixture.worlds.iter().enumerate() {
        for number in 0..first.number {
            world.post_ticket(ticket(number, TicketKind::Close, number.into(), "same.py:1"));
        }
        world.post_ticket(if rank == 1 { second.clone() } else { first.clone() });
    }
    let errors = [0, 1, 2].map(|rank| wait_for_ever(&fixture, rank));
    assert!(errors[1..].iter().all(|error| *error == errors[0]), "{errors:?}");
    assert!(fixture.worlds.iter().all(|world| world.failure().as_ref() == Some(&errors[0])));
    let [error, ..] = errors;
    error
}

#[test]
fn different_tickets_end_the_world_on_all_ranks() {
    let error = diverge(
        ticket(7, TicketKind::Close, 1, "left.py:3"),
        ticket(7, TicketKind::Close, 2, "right.py:5"),
    );
    assert_eq!(error.code(), "PX062");
    assert!(error.hint().contains("h = x.get()") && error.hint().contains("phalanx::print(x)"));
    let CollectiveError::Divergence {
        number,
        first_rank,
        first_site,
        second_rank,
        second_site,
        ..
    } = error
    else {
        panic!("{error}")
    };
    let mut sides = [(first_rank == 1, first_site), (second_rank == 1, second_site)];
    sides.sort();
    assert_eq!(number, 7);
    assert_eq!(sides, [(false, String::from("left.py:3")), (true, String::from("right.py:5"))]);
}

#[test]
fn the_exit_of_one_rank_differs_from_the_work_of_others() {
    let work = || ticket(2, TicketKind::Close, 5, "loop.py:9");
    let exit = || ticket(2, TicketKind::Exit, 0, "end of program");
    assert_eq!(diverge(work(), exit()).code(), "PX062");
    assert_eq!(diverge(exit(), work()).code(), "PX062");
}

#[test]
fn a_rank_that_works_after_rank_0_has_left_finds_out() {
    let fixture = tcp(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            fixture.worlds[0].post_ticket(ticket(0, TicketKind::Exit, 0, "end of program"));
            fixture.worlds[0].shutdown();
        });
        fixture.worlds[1].post_ticket(ticket(0, TicketKind::Close, 3, "late.py:1"));
        // Either the tickets or the absent neighbour is noticed first.
        let code = wait_for_ever(&fixture, 1).code();
        assert!(["PX061", "PX062"].contains(&code), "{code}");
    });
}

#[test]
fn equal_tickets_and_a_world_of_one_continue() {
    let fixture = tcp(3);
    for number in 0..2000 {
        for world in &fixture.worlds {
            world.post_ticket(ticket(number, TicketKind::Close, number.into(), "any.py:1"));
        }
    }
    for world in &fixture.worlds {
        world.post_ticket(ticket(2000, TicketKind::Exit, 0, "end of program"));
    }
    fixture.run(|member| member.barrier().unwrap());
    fixture.shutdown();
    assert!(fixture.worlds.iter().all(|world| world.failure() == Some(CollectiveError::Closed)));
    let alone = local(1);
    alone.worlds[0].post_ticket(ticket(0, TicketKind::Close, 1, "any.py:1"));
    alone.worlds[0].post_ticket(ticket(0, TicketKind::Read, 2, "any.py:2"));
    assert!(!alone.worlds[0].is_aborted());
}

fn post(fixture: &Fixture, rank: usize, number: u64) {
    fixture.worlds[rank].post_ticket(ticket(number, TicketKind::Close, number.into(), "any.py:1"));
}

/// Ends the world of a failing test, so that no rank waits for it.
struct Freed<'a>(&'a Fixture);

impl Drop for Freed<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.worlds[0].abort(CollectiveError::Closed);
        }
    }
}

/// Lets one rank run as far ahead as it can, while the others do `others`.
fn run_ahead(fast: usize, others: impl FnOnce(&Fixture, &AtomicU64) + Send) -> Fixture {
    let fixture = tcp(3);
    let posted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let _freed = Freed(&fixture);
        scope.spawn(|| {
            while posted.load(Ordering::SeqCst) < 5 * MOST_AHEAD
                && !fixture.worlds[fast].is_aborted()
            {
                post(&fixture, fast, posted.load(Ordering::SeqCst));
                posted.fetch_add(1, Ordering::SeqCst);
            }
        });
        while posted.load(Ordering::SeqCst) < MOST_AHEAD {
            yield_now();
        }
        // Time for more tickets, if there were no limit.
        sleep(Duration::from_millis(50));
        assert_eq!(posted.load(Ordering::SeqCst), MOST_AHEAD);
        others(&fixture, &posted);
    });
    fixture
}

#[test]
fn a_rank_far_ahead_waits_for_the_slowest() {
    for fast in [0, 1] {
        let fixture = run_ahead(fast, |fixture, posted| {
            let (near, slow) = if fast == 0 { (1, 2) } else { (0, 2) };
            (0..MOST_AHEAD / 2).for_each(|number| post(fixture, near, number));
            sleep(Duration::from_millis(20));
            assert_eq!(posted.load(Ordering::SeqCst), MOST_AHEAD, "one rank is as slow as before");
            for number in 0..5 * MOST_AHEAD {
                assert!(posted.load(Ordering::SeqCst) <= number + MOST_AHEAD);
                post(fixture, slow, number);
                if number >= MOST_AHEAD / 2 {
                    post(fixture, near, number);
                }
            }
        });
        fixture.run(|member| member.barrier().unwrap());
        fixture.shutdown();
    }
}

#[test]
fn a_rank_that_waits_for_the_slowest_learns_of_every_end() {
    let code = |fixture: Fixture, rank: usize| fixture.worlds[rank].failure().unwrap().code();
    for fast in [0, 1] {
        // Another rank takes another way, at a ticket that the fast one posted long ago.
        let fixture = run_ahead(fast, |fixture, _| {
            let other = ticket(0, TicketKind::Close, 77, "other.py:1");
            fixture.worlds[2].post_ticket(other);
        });
        assert_eq!(code(fixture, fast), "PX062");
        // The slowest rank gives up.
        let fixture = run_ahead(fast, |fixture, _| {
            fixture.worlds[2].abort(CollectiveError::Aborted {
                rank: 2,
                error_code: String::from("test"),
                message: String::from("the slowest gives up"),
            });
        });
        assert_eq!(code(fixture, fast), "PX063");
        // The slowest rank ends before the others.
        let fixture = run_ahead(fast, |fixture, _| {
            fixture.worlds[2].post_ticket(ticket(0, TicketKind::Exit, 0, "end of program"));
        });
        assert_eq!(code(fixture, fast), "PX062");
    }
}

#[test]
fn an_exit_waits_for_no_rank() {
    let fixture = tcp(2);
    (0..MOST_AHEAD).for_each(|number| post(&fixture, 1, number));
    let exit = || ticket(MOST_AHEAD, TicketKind::Exit, 0, "end of program");
    fixture.worlds[1].post_ticket(exit());
    std::thread::scope(|scope| {
        scope.spawn(|| fixture.worlds[1].shutdown());
        (0..MOST_AHEAD).for_each(|number| post(&fixture, 0, number));
        fixture.worlds[0].post_ticket(exit());
        fixture.worlds[0].shutdown();
    });
    assert_eq!(fixture.worlds[0].failure(), Some(CollectiveError::Closed));
}

/// Tests every rank as the last that posts.
#[test]
fn rank_0_learns_that_all_have_posted_their_exits() {
    for last in 0..3 {
        let fixture = tcp(3);
        let exit = || ticket(1, TicketKind::Exit, 0, "end of program");
        let others = (0..3).filter(|rank| *rank != last);
        others.for_each(|rank| fixture.worlds[rank].post_ticket(exit()));
        sleep(Duration::from_millis(50));
        fixture.worlds[last].post_ticket(exit());
        assert_eq!(fixture.worlds[0].await_ticket(1), Ok(()));
        fixture.shutdown();
    }
}

/// Its ticket may be compared after its goodbye.
#[test]
fn a_rank_that_took_another_way_and_has_left_is_named() {
    for _ in 0..50 {
        let fixture = tcp(2);
        let exit = || ticket(1, TicketKind::Exit, 0, "end of program");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                fixture.worlds[0].post_ticket(ticket(0, TicketKind::Close, 2, "left.py:3"));
                fixture.worlds[0].post_ticket(exit());
                fixture.worlds[0].shutdown();
            });
            // Rank 0 waits for the others' goodbyes.
            sleep(Duration::from_millis(5));
            fixture.worlds[1].post_ticket(ticket(0, TicketKind::Close, 1, "right.py:5"));
            fixture.worlds[1].post_ticket(exit());
            fixture.worlds[1].shutdown();
        });
        let error = fixture.worlds[0].failure().unwrap();
        assert!(error.code() == "PX062" && error.to_string().contains("right.py:5"), "{error}");
    }
}
