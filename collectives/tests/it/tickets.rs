//! Ranks that go different ways find out.

use crate::fixture::{Fixture, local, place, tcp};
use phalanx_collectives::{CollectiveError, Ticket, TicketKind};

fn ticket(number: u64, kind: TicketKind, digest: u128, site: &str) -> Ticket {
    let cause = String::from(if kind == TicketKind::Exit { "ends" } else { "reads x" });
    Ticket { number, kind, digest, cause, site: site.into(), data: Vec::new() }
}

/// Waits for something that never comes, as a rank does whose neighbour went another way.
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
    assert!(error.hint().contains("x.evaluate()") && error.hint().contains("phalanx::print(x)"));
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
        // Either the tickets or the missing neighbour is noticed first.
        let code = wait_for_ever(&fixture, 1).code();
        assert!(["PX061", "PX062"].contains(&code), "{code}");
    });
}

#[test]
fn equal_tickets_and_a_world_of_one_go_on() {
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
