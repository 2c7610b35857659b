//! Ranks that are killed: the others end soon, with an error that names the dead one.

use crate::programs::ENDS_LATER;
use crate::world::{Ended, PROGRAM, World, assert_soon};
use std::process::Command;
use std::time::{Duration, Instant};

trials![
    a_killed_rank_ends_the_others,
    a_killed_coordinator_ends_the_others,
    a_killed_rank_ends_a_run
];

/// How soon the others end, a promise to users.
const PROMISE: Duration = Duration::from_secs(5);

fn kill(victim: usize, work: &str) {
    assert_soon(&format!("rank {victim} is killed"), PROMISE, || killed(victim, work));
}

/// How long after the victim's end the others end.
fn killed(victim: usize, work: &str) -> Duration {
    let mut running = World::of(3, "go_on", &[work]).start();
    (0..3).for_each(|rank| running.wait_for(rank, "turn 20"));
    running.kill(victim);
    let struck = running.elapsed();
    let ended = running.end();
    assert_eq!(ended[victim].status.code(), None);
    for rank in (0..3).filter(|&rank| rank != victim) {
        let error = ended[rank].error("PX060");
        assert!(error.starts_with(&format!("rank {victim} died")), "{error}");
    }
    let last = ended.iter().map(|rank: &Ended| rank.after).max().expect("there are ranks");
    let after = last - struck;
    println!("all ranks ended {} ms after rank {victim} was killed ({work})", after.as_millis());
    after
}

fn a_killed_rank_ends_the_others() {
    kill(1, "split");
    // No rank waits for the dead rank here, but no rank continues without it either.
    kill(2, "replicated");
}

fn a_killed_coordinator_ends_the_others() {
    kill(0, "split");
    kill(0, "replicated");
}

fn a_killed_rank_ends_a_run() {
    let own = std::env::current_exe().expect("a program has a path");
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_phalanx"));
    command.args(["run", "-n", "3"]).arg(own).args([PROGRAM, "go_on", "split", "1", "KILL"]);
    let output = command.env(ENDS_LATER, "1").output().expect("phalanx runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(128 + 9), "{errors}");
    assert!(errors.contains("error[PX095]: rank 1 was ended by signal 9"), "{errors}");
    for rank in [0, 2] {
        assert!(errors.contains(&format!("[{rank}] error[PX060]: rank 1 died")), "{errors}");
    }
    println!("the run of a rank that is killed took {} ms", start.elapsed().as_millis());
}
