//! Worlds that end by the death or departure of a process. Runs under a launcher, started by
//! `launch`.

use crate::fixture::{bytes, gpus, join, library, mpi, on_gpus, place, slice};
use phalanx_collectives::{CollectiveError, Communicator, Transport};
use phalanx_device::Slice;
use phalanx_ops::{DType, Monoid};
use std::time::{Duration, Instant};

type Call = fn(&dyn Communicator, &Slice) -> Result<(), CollectiveError>;

/// The calls in which the others are, by the name in `ENDING_CALL`.
const CALLS: [(&str, Call); 4] = [
    ("all_gather", |member, data| {
        Ok(member.all_gather(data, &place(member.size() * data.len))?.wait()?)
    }),
    ("all_reduce", |member, data| Ok(member.all_reduce(data, DType::F64, Monoid::Add)?.wait()?)),
    ("barrier", |member, _| member.barrier()),
    // On a new group, so death can also happen while its communicator is made.
    ("split", |member, data| {
        let group = member.split(Some(0), 0)?.expect("a member of the group");
        Ok(group.all_reduce(&data.slice(0, 1 << 10), DType::F64, Monoid::Add)?.wait()?)
    }),
];

#[test]
fn a_rank_is_killed_in_the_middle() {
    let Some(job) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let name = std::env::var("ENDING_CALL").unwrap_or_else(|_| String::from("all_gather"));
    let (_, call) = CALLS.iter().find(|(call, _)| *call == name).expect("a call of the table");
    // Collectives of GPU data end like those of host data.
    let fixture = if on_gpus().is_empty() { mpi(job.size()) } else { gpus(job.size()) };
    fixture.run(|member| {
        let data = slice(&vec![1; 1 << 20]);
        member.broadcast(&data, 0).unwrap().wait().unwrap();
        if member.rank() == job.size() / 2 {
            let own = std::process::id().to_string();
            std::process::Command::new("kill").args(["-9", &own]).status().unwrap();
        }
        let began = Instant::now();
        let outcome = loop {
            if let Err(error) = call(member, &data) {
                break error;
            }
        };
        println!("the world ended: {outcome}");
        let died = job.size() / 2;
        let is_named = matches!(outcome, CollectiveError::RankDied { rank, .. } if rank == died);
        assert!(is_named, "{outcome}");
        assert!(began.elapsed() < Duration::from_secs(30));
        assert!(member.barrier().is_err());
    });
}

/// Rank 1 has done its part of a gather and leaves; rank 2 starts long after that.
#[test]
fn a_rank_that_has_done_its_part_may_leave() {
    let Some(mpi) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let world = join(&mpi, 1, Transport::Mpi).unwrap();
    let member = world.communicators().remove(0);
    let (own, size) = (member.rank(), member.size());
    if own == 2 {
        std::thread::sleep(Duration::from_millis(2500));
    }
    let (part, whole) = (slice(&[own as u8; 9]), place(9 * size));
    let gathered = member.gather(&part, (own == 0).then_some(&whole), 0);
    gathered.unwrap().wait().unwrap();
    if own == 0 {
        let expected: Vec<u8> = (0..size).flat_map(|rank| [rank as u8; 9]).collect();
        assert_eq!(bytes(&whole), expected);
    }
    world.shutdown();
}

#[test]
fn a_rank_that_leaves_is_an_error_for_ranks_that_wait_for_it() {
    let Some(mpi) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let world = join(&mpi, 1, Transport::Mpi).unwrap();
    let member = world.communicators().remove(0);
    let group = member.split(Some(0), 0).unwrap().unwrap();
    let data = slice(&[0; 8]);
    group.all_reduce(&data, DType::I64, Monoid::Add).unwrap().wait().unwrap();
    if member.rank() == 1 {
        world.shutdown();
        return;
    }
    let began = Instant::now();
    let error = group.all_reduce(&data, DType::I64, Monoid::Add).map(drop).unwrap_err();
    println!("the world ended: {error}");
    assert_eq!(error, CollectiveError::RankLeft { rank: 1 });
    assert!(began.elapsed() < Duration::from_secs(30));
}

/// The root sends more than the others expect, which only the library can detect.
#[test]
fn members_that_disagree_get_an_error() {
    let Some(mpi) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let world = join(&mpi, 1, Transport::Mpi).unwrap();
    let member = world.communicators().remove(0);
    let began = Instant::now();
    let data = place(if member.rank() == 0 { 16 } else { 8 });
    let outcome = member.broadcast(&data, 0).and_then(|event| Ok(event.wait()?));
    let error = outcome.and_then(|()| member.barrier()).unwrap_err();
    println!("the world ended: {error}");
    assert_eq!(error.code(), "PX166", "{error}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

/// The length of a message's parts.
const PART: usize = 100;

/// The bytes that rank 0 sends, the bytes that rank 1 expects, and the length of parts on rank 1;
/// `ENDING_MISFIT` selects a row. A message follows that could take the rest of the first. In the
/// last row the ranks agree on the message but not on its parts, which shows that there are parts.
pub const MISFITS: [(usize, usize, usize); 5] = [
    (2 * PART, PART, PART),
    (PART, 2 * PART, PART),
    (PART + 1, PART, PART),
    (PART - 1, PART, PART),
    (PART, PART, PART / 2),
];

#[test]
fn messages_whose_ends_disagree_are_an_error() {
    let Some(mpi) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let number = std::env::var("ENDING_MISFIT").map_or(Ok(0), |number| number.parse::<usize>());
    let (sent, expected, part) = MISFITS[number.expect("a number of the table")];
    let world = join(&mpi, 1, Transport::Mpi).unwrap();
    let member = world.communicators().remove(0);
    world.limit_message_parts(if member.rank() == 1 { part } else { PART });
    let outcome: Result<(), CollectiveError> = match member.rank() {
        0 => [sent, sent.abs_diff(expected)]
            .into_iter()
            .try_for_each(|len| Ok(member.send(&place(len), 1)?.wait()?)),
        1 => member.recv(&place(expected), 0).and_then(|event| Ok(event.wait()?)),
        _ => Ok(()),
    };
    assert!(member.rank() != 1 || outcome.is_err(), "{sent} bytes are taken for {expected}");
    let error = outcome.and_then(|()| member.barrier()).unwrap_err();
    println!("the world ended: {error}");
    assert_eq!(error.code(), "PX072", "{error}");
}
