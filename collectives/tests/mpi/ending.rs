//! The end of a world by the death of a process, run under a launcher by `launch`.

use crate::fixture::{gpus, library, mpi, on_gpus, place, slice};
use phalanx_collectives::CollectiveError;
use std::time::{Duration, Instant};

#[test]
fn a_rank_is_killed_in_the_middle() {
    let Some(job) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    // What lies on GPUs ends as what lies on the host.
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
            let all = place(job.size() << 20);
            let gathered = member.all_gather(&data, &all);
            if let Err(error) = gathered.and_then(|event| Ok(event.wait()?)) {
                break error;
            }
        };
        println!("the world ended: {outcome}");
        let died = job.size() / 2;
        let is_named = matches!(outcome, CollectiveError::RankDied { rank, .. } if rank == died);
        assert!(is_named, "{outcome}");
        assert!(began.elapsed() < Duration::from_secs(5));
        assert!(member.barrier().is_err());
    });
}
