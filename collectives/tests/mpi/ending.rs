//! The end of a world by the death of a process, run under a launcher by `launch`.

use crate::fixture::{join, library, place, slice};
use phalanx_collectives::{CollectiveError, Transport};
use std::time::{Duration, Instant};

#[test]
fn a_rank_is_killed_in_the_middle() {
    let Some(mpi) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let world = join(&mpi, 1, Transport::Mpi).unwrap();
    let member = world.communicators().remove(0);
    let data = slice(&vec![1; 1 << 20]);
    member.broadcast(&data, 0).unwrap().wait().unwrap();
    if member.rank() == 2 {
        let own = std::process::id().to_string();
        std::process::Command::new("kill").args(["-9", &own]).status().unwrap();
    }
    let began = Instant::now();
    let outcome = loop {
        let all = place(4 << 20);
        let gathered = member.all_gather(&data, &all);
        if let Err(error) = gathered.and_then(|event| Ok(event.wait()?)) {
            break error;
        }
    };
    println!("the world ended: {outcome}");
    assert!(matches!(outcome, CollectiveError::RankDied { rank: 2, .. }), "{outcome}");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(member.barrier().is_err());
}
