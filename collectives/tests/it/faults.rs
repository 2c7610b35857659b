//! Ranks that die, leave or disagree cause an error on all others, never a hang.

use crate::fixture::{Fixture, bytes, connected, local, meetings, place, slice, tcp};
use phalanx_collectives::{CollectiveError, Communicator, Rendezvous};
use phalanx_ops::{DType, Monoid};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

fn reduce(member: &dyn Communicator, len: usize) -> Result<(), CollectiveError> {
    Ok(member.all_reduce(&slice(&vec![0; len]), DType::F64, Monoid::Add)?.wait()?)
}

/// Drops the world of a rank, as if its process had died, while the others are in `work`.
fn kill(
    mut fixture: Fixture,
    rank: usize,
    work: fn(&dyn Communicator) -> Result<(), CollectiveError>,
) {
    let victim = fixture.worlds.remove(rank);
    let is_alive = |member: &dyn Communicator| {
        !victim.communicators().iter().any(|dead| dead.rank() == member.rank())
    };
    let survivors: Vec<_> =
        fixture.members.iter().filter(|member| is_alive(&***member)).cloned().collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            survivors.iter().map(|member| scope.spawn(move || work(&**member))).collect();
        std::thread::sleep(Duration::from_millis(30));
        drop(victim);
        for thread in threads {
            let error = thread.join().unwrap().unwrap_err();
            assert!(
                matches!(error, CollectiveError::RankDied { rank: dead, .. } if dead == rank),
                "{error}"
            );
        }
    });
    // Later calls return the same error.
    for member in &survivors {
        assert_eq!(reduce(&**member, 8).unwrap_err().code(), "PX060");
        assert_eq!(member.barrier().unwrap_err().code(), "PX060");
    }
}

#[test]
fn the_death_of_any_rank_is_an_error_on_all_others() {
    kill(tcp(3), 1, |member| reduce(member, 8));
    kill(tcp(3), 0, |member| reduce(member, 1 << 20));
    kill(connected(&[2, 1, 2]), 1, |member| member.barrier());
    // Messages between survivors that never arrive.
    kill(tcp(4), 2, |member| {
        let peer = [1, 3, 0, 0][member.rank()];
        let event = member.send_recv(&place(1 << 20), peer, &place(1 << 21), peer)?;
        Ok(event.wait()?)
    });
}

/// The child process of the next test: a rank that joins, confirms it, and waits to be killed.
#[test]
fn child_waits_to_be_killed() {
    let Ok(address) = std::env::var("PHALANX_TEST_CHILD_ADDRESS") else {
        return;
    };
    let world = Rendezvous { token: b"a shared secret".to_vec(), ..Rendezvous::new(1, 3, address) }
        .join()
        .unwrap();
    let member = &world.communicators()[0];
    reduce(&**member, 8).unwrap();
    // Rank 0 kills this process while it waits here.
    let _ = member.recv(&place(8), 0).unwrap().wait();
}

#[test]
fn a_killed_process_is_an_error_on_all_others() {
    let mut ranks = meetings(3);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::child_waits_to_be_killed"])
        .env("PHALANX_TEST_CHILD_ADDRESS", &ranks[0].address)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    ranks.remove(1);
    let fixture = Fixture::of(
        crate::fixture::join_all(ranks).into_iter().map(|world| world.unwrap()).collect(),
    );
    let has_reduced = Barrier::new(fixture.members.len() + 1);
    let errors = std::thread::scope(|scope| {
        let wait = |member: &dyn Communicator| {
            let first = reduce(member, 8);
            has_reduced.wait();
            first.unwrap();
            reduce(member, 8).unwrap_err()
        };
        let threads = fixture.members.iter().map(|member| scope.spawn(move || wait(&**member)));
        let threads: Vec<_> = threads.collect();
        // The first reduction needs the child.
        has_reduced.wait();
        std::thread::sleep(Duration::from_millis(50));
        child.kill().unwrap();
        child.wait().unwrap();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for error in errors {
        assert!(matches!(error, CollectiveError::RankDied { rank: 1, .. }), "{error}");
    }
}

/// More bytes than a socket accepts at once.
const LONG: usize = 16 << 20;

/// Exchanges long messages between two ranks until rank 0 marks the last one.
fn exchange_until(
    member: &dyn Communicator,
    is_last: impl Fn() -> bool,
) -> Result<usize, CollectiveError> {
    for turn in 1.. {
        let last = is_last();
        let (send, receive) = (slice(&vec![u8::from(last); LONG]), place(LONG));
        let other = 1 - member.rank();
        member.send_recv(&send, other, &receive, other)?.wait()?;
        if last || bytes(&receive)[0] == 1 {
            return Ok(turn);
        }
    }
    unreachable!("there are always more numbers")
}

/// The child process of the next test: a rank that is stopped and continued.
#[test]
fn child_is_stopped_for_a_while() {
    let Ok(address) = std::env::var("PHALANX_TEST_STOPPED_CHILD_ADDRESS") else {
        return;
    };
    let world = Rendezvous { token: b"a shared secret".to_vec(), ..Rendezvous::new(1, 2, address) }
        .join()
        .unwrap();
    exchange_until(&*world.communicators()[0], || false).unwrap();
    world.shutdown();
}

#[test]
fn a_process_that_is_stopped_in_the_middle_of_long_messages_is_not_taken_for_dead() {
    let mut ranks = meetings(2);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::child_is_stopped_for_a_while"])
        .env("PHALANX_TEST_STOPPED_CHILD_ADDRESS", &ranks[0].address)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let signal = |name: &str| {
        let mut kill = Command::new("kill");
        assert!(kill.args([name, &child.id().to_string()]).status().unwrap().success());
    };
    let world = ranks.remove(0).join().unwrap();
    let is_over = AtomicBool::new(false);
    let turns = std::thread::scope(|scope| {
        let member = world.communicators().remove(0);
        let is_over = &is_over;
        let exchange =
            scope.spawn(move || exchange_until(&*member, || is_over.load(Ordering::Relaxed)));
        std::thread::sleep(Duration::from_millis(200));
        signal("-STOP");
        // Longer than the machine of a rank may be silent.
        std::thread::sleep(Duration::from_millis(4500));
        assert!(!exchange.is_finished() && !world.is_aborted(), "{:?}", world.failure());
        signal("-CONT");
        std::thread::sleep(Duration::from_millis(100));
        is_over.store(true, Ordering::Relaxed);
        exchange.join().unwrap()
    });
    assert!(turns.unwrap() > 1);
    world.shutdown();
    assert!(child.wait().unwrap().success());
}

/// The child process of the next test: a rank that is stuck in a call when its world ends.
#[test]
fn child_is_stuck() {
    let Ok(address) = std::env::var("PHALANX_TEST_STUCK_CHILD_ADDRESS") else {
        return;
    };
    let world = Rendezvous { token: b"a shared secret".to_vec(), ..Rendezvous::new(1, 2, address) }
        .join()
        .unwrap();
    let _entered = world.enter();
    reduce(&*world.communicators()[0], 8).unwrap();
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

#[test]
fn a_rank_that_is_stuck_in_a_call_does_not_outlive_its_world() {
    let mut ranks = meetings(2);
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::child_is_stuck", "--nocapture"])
        .env("PHALANX_TEST_STUCK_CHILD_ADDRESS", &ranks[0].address)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let world = ranks.remove(0).join().unwrap();
    reduce(&*world.communicators()[0], 8).unwrap();
    drop(world);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.starts_with("error[PX060]: rank 0 died, last reported before its first step"),
        "{errors}"
    );
    assert!(errors.contains("rank 1 has been stuck for 8 s and is ended"), "{errors}");
}

/// The child process of the next test: a rank whose program makes no calls when its world ends.
#[test]
fn child_is_elsewhere() {
    let Ok(address) = std::env::var("PHALANX_TEST_ELSEWHERE_CHILD_ADDRESS") else {
        return;
    };
    let is_aware = std::env::var_os("PHALANX_TEST_CHILD_IS_AWARE").is_some();
    let rank = if is_aware { 2 } else { 1 };
    let token = b"a shared secret".to_vec();
    let world = Rendezvous { token, ..Rendezvous::new(rank, 3, address) }.join().unwrap();
    {
        let _entered = world.enter();
        reduce(&*world.communicators()[0], 8).unwrap();
    }
    while is_aware && !world.is_aborted() {
        std::thread::sleep(Duration::from_millis(10));
    }
    world.note_error();
    // Longer than a program lives that has not received the error.
    std::thread::sleep(Duration::from_secs(if is_aware { 11 } else { 60 }));
    std::process::exit(7);
}

#[test]
fn an_unaware_rank_does_not_outlive_its_world_and_an_aware_one_may() {
    let mut ranks = meetings(3);
    let start = |is_aware: bool| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "faults::child_is_elsewhere", "--nocapture"]);
        child.env("PHALANX_TEST_ELSEWHERE_CHILD_ADDRESS", &ranks[0].address);
        if is_aware {
            child.env("PHALANX_TEST_CHILD_IS_AWARE", "1");
        }
        child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children = [false, true].map(start);
    let world = ranks.remove(0).join().unwrap();
    reduce(&*world.communicators()[0], 8).unwrap();
    let died = Instant::now();
    drop(world);
    let [unaware, aware] = children.map(|child| {
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors, died.elapsed())
    });
    let (code, errors, after) = unaware;
    assert_eq!(code, Some(1), "{errors}");
    assert!(
        errors.starts_with("error[PX060]: rank 0 died, last reported before its first step"),
        "{errors}"
    );
    let why = "rank 1 has not received this error for 8 s and is ended";
    assert!(errors.contains(why), "{errors}");
    assert!(after < Duration::from_secs(30), "{after:?}");
    assert_eq!(aware.0, Some(7), "{}", aware.1);
}

#[test]
fn an_abort_reaches_every_wait_with_its_reason() {
    let aborted = || CollectiveError::Aborted {
        rank: 1,
        error_code: String::from("PX050"),
        message: String::from("cpu:0 needs more bytes"),
    };
    for fixture in &[connected(&[1, 2]), local(3)] {
        let last = fixture.members.len() - 1;
        let errors = std::thread::scope(|scope| {
            // An event started earlier, a collective and a message, all without partners.
            let event = fixture.members[0].recv(&place(1 << 20), last).unwrap();
            let barrier = scope.spawn(|| fixture.members[0].barrier().unwrap_err());
            let (sender, sent) = channel();
            let send = scope.spawn(move || {
                let event = fixture.members[1].send(&slice(&vec![1; 1 << 20]), 0);
                sender.send(()).unwrap();
                CollectiveError::from(event.unwrap().wait().unwrap_err())
            });
            // A message cannot be sent once the world has ended.
            sent.recv().unwrap();
            std::thread::sleep(Duration::from_millis(30));
            assert!(!event.is_done());
            fixture.worlds.last().unwrap().abort(aborted());
            let event = CollectiveError::from(event.wait().unwrap_err());
            [event, barrier.join().unwrap(), send.join().unwrap()]
        });
        assert_eq!(errors, [aborted(), aborted(), aborted()]);
        assert!(fixture.worlds.iter().all(|world| world.failure() == Some(aborted())));
    }
}

#[test]
fn a_rank_that_leaves_early_is_an_error_for_a_rank_that_waits_for_it() {
    let fixture = tcp(3);
    std::thread::scope(|scope| {
        let waiters = [0, 2].map(|rank| {
            let member = &fixture.members[rank];
            scope.spawn(move || reduce(&**member, 1 << 20).unwrap_err())
        });
        fixture.worlds[1].shutdown();
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap(), CollectiveError::RankLeft { rank: 1 });
        }
    });
    // Its own shutdown may have received the others' error.
    let code = reduce(&*fixture.members[1], 8).unwrap_err().code();
    assert!(["PX061", "PX079"].contains(&code), "{code}");
}

#[test]
fn bytes_sent_before_leaving_arrive() {
    let fixture = tcp(2);
    let len = 8 << 20;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let member = &fixture.members[1];
            member.send(&slice(&vec![7; len]), 0).unwrap().wait().unwrap();
            member.send(&slice(&[9; 5]), 0).unwrap().wait().unwrap();
            fixture.worlds[1].shutdown();
        });
        let (long, short) = (place(len), place(5));
        fixture.members[0].recv(&long, 1).unwrap().wait().unwrap();
        std::thread::sleep(Duration::from_millis(150));
        fixture.members[0].recv(&short, 1).unwrap().wait().unwrap();
        assert!(bytes(&long) == vec![7; len] && bytes(&short) == [9; 5]);
    });
    fixture.shutdown();
}

#[test]
fn ends_of_a_message_that_differ_in_length_are_an_error_on_all() {
    let differ = |sent: usize, expected: usize| {
        for fixture in [tcp(3), local(3)] {
            let errors = fixture.run(|member| {
                let event = match member.rank() {
                    0 => member.send(&place(sent), 1),
                    1 => member.recv(&place(expected), 0),
                    _ => member.recv(&place(8), 0),
                };
                // A short message is sent as soon as it is posted; the next wait returns the
                // error.
                let outcome = event.and_then(|event| Ok(event.wait()?));
                outcome.and_then(|()| member.barrier()).unwrap_err()
            });
            let (sent, expected) = (sent as u64, expected as u64);
            let length = CollectiveError::Length { from: 0, to: 1, sent, expected };
            assert!(errors.iter().all(|error| *error == length), "{errors:?}");
        }
    };
    // At the same time, for the error waits for a better one.
    std::thread::scope(|scope| {
        for (sent, expected) in [(8, 16), (16, 8), (8, 100_000), (100_000, 8), (100_000, 100_001)] {
            scope.spawn(move || differ(sent, expected));
        }
    });
}

#[test]
fn members_that_call_different_collectives_are_an_error() {
    let fixture = local(3);
    let errors = fixture.run(|member| match member.rank() {
        1 => member.broadcast(&place(8), 0).unwrap_err(),
        _ => reduce(member, 8).unwrap_err(),
    });
    for error in errors {
        let CollectiveError::Mismatch { first: 0, first_call, second: 1, second_call } = error
        else {
            panic!("{error}")
        };
        assert!(first_call.starts_with("all_reduce of 8 bytes"), "{first_call}");
        assert!(second_call.starts_with("broadcast of 8 bytes"), "{second_call}");
    }
}

#[test]
fn wrong_arguments_are_refused_by_name_and_free_the_others() {
    type Call = fn(&dyn Communicator) -> Result<(), CollectiveError>;
    let calls: [(&str, Call); 5] = [
        ("PX075", |member| member.all_reduce(&place(8), DType::F64, Monoid::BitOr).map(drop)),
        ("PX074", |member| member.all_reduce(&place(9), DType::F64, Monoid::Add).map(drop)),
        ("PX076", |member| member.broadcast(&place(8), 2).map(drop)),
        ("PX074", |member| member.all_gather(&place(8), &place(15)).map(drop)),
        ("PX074", |member| member.scatter(None, &place(8), 0).map(drop)),
    ];
    for (code, call) in calls {
        for fixture in [tcp(2), local(2)] {
            let errors = fixture.run(|member| {
                let outcome = if member.rank() == 0 { call(member) } else { member.barrier() };
                outcome.unwrap_err().code()
            });
            assert_eq!(errors, [code, code]);
        }
    }
}
