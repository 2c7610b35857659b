//! Ranks that are silent, and ranks that are merely slow.

use crate::world::{PROGRAM, World, assert_soon};
use std::process::Command;
use std::time::Duration;

trials![
    a_stopped_rank_ends_the_others_after_the_time_given,
    a_stopped_coordinator_ends_the_others_after_the_time_given,
    a_stopped_rank_ends_a_run,
    a_rank_that_is_stopped_for_a_while_is_named_and_continues,
    a_rank_that_is_slow_is_waited_for,
    processes_with_other_patience_are_refused,
];

/// How long a rank may be silent here, in seconds. On a busy machine a running rank may send
/// no sign of life for some of them.
const STALL: u64 = 6;

/// How soon the others end: their time limit, and the delay of a busy machine.
const PROMISE: Duration = Duration::from_secs(STALL + 4);

fn stop(victim: usize, work: &str) {
    assert_soon(&format!("rank {victim} is stopped"), PROMISE, || stopped(victim, work));
}

/// Stops a rank, so that the others end; then lets it continue and end as well. Returns how long
/// the others took.
fn stopped(victim: usize, work: &str) -> Duration {
    let mut running =
        World::of(3, "go_on", &[work]).set("PHALANX_STALL", STALL.to_string()).start();
    // Long enough that the activity of the victim is known.
    (0..3).for_each(|rank| running.wait_for(rank, "turn 400"));
    let stopped = running.elapsed();
    running.signal(victim, "STOP");
    let others: Vec<usize> = (0..3).filter(|&rank| rank != victim).collect();
    others.iter().for_each(|&rank| running.wait_for_end(rank));
    let after = running.elapsed() - stopped;
    println!("the others ended {} ms after rank {victim} was stopped", after.as_millis());
    assert!(after >= Duration::from_millis(STALL * 1000 - 500), "{after:?}");
    running.signal(victim, "CONT");
    let ended = running.end();
    for rank in others {
        let (error, all) = (ended[rank].error("PX168"), &ended[rank].errors);
        let beginning = format!("rank {victim} has been silent for {STALL} s, at step ");
        assert!(error.starts_with(&beginning), "{error}");
        assert!(error.contains("tests/multi_process/programs/turns.rs:"), "{error}");
        assert!(error.contains(" (observes a value at "), "{error}");
        // One of them may have received the name from the other before it reported the rank itself.
        let named = format!("phalanx: rank {victim} has been silent for ");
        assert!(all.matches(&named).count() <= 1, "{all}");
    }
    assert!(!ended[victim].status.success(), "{ended:#?}");
    after
}

fn a_stopped_rank_ends_the_others_after_the_time_given() {
    // At the same time, because each takes long.
    std::thread::scope(|scope| {
        scope.spawn(|| stop(1, "split"));
        // No rank requests anything from the silent rank here.
        scope.spawn(|| stop(2, "replicated"));
    });
}

fn a_stopped_coordinator_ends_the_others_after_the_time_given() {
    stop(0, "split");
}

fn a_stopped_rank_ends_a_run() {
    let own = std::env::current_exe().expect("a program has a path");
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_phalanx"), "run", "-n", "3"]).arg(own);
    command.args([PROGRAM, "go_on", "split", "1", "STOP"]);
    let output = command.env("PHALANX_STALL", STALL.to_string()).output().expect("phalanx runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    // The others have failed; the stopped one is killed with them.
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for rank in [0, 2] {
        let told = format!("[{rank}] error[PX168]: rank 1 has been silent for {STALL} s, at step ");
        assert!(errors.contains(&told), "{errors}");
    }
}

fn a_rank_that_is_stopped_for_a_while_is_named_and_continues() {
    let mut running = World::of(3, "go_on", &["split"]).start();
    (0..3).for_each(|rank| running.wait_for(rank, "turn 20"));
    running.signal(1, "STOP");
    std::thread::sleep(Duration::from_secs(12));
    assert!(running.is_running(0) && running.is_running(2));
    running.signal(1, "CONT");
    running.wait_for(0, "turn 200");
    running.kill(2);
    let ended = running.end();
    let errors = &ended[0].errors;
    let named = "phalanx: rank 1 has been silent for 5 s, at step ";
    assert_eq!(errors.matches(named).count(), 1, "{errors}");
    assert!(errors.contains("after 60 s (PHALANX_STALL) the run is ended\n"), "{errors}");
    assert!(errors.contains("phalanx: rank 1 responds again, after "), "{errors}");
    // A rank that was stopped itself reports no other rank as silent.
    assert!(!ended[1].errors.contains("silent"), "{ended:#?}");
    ended[0].error("PX060");
}

fn a_rank_that_is_slow_is_waited_for() {
    let seconds = (STALL + 1).to_string();
    let run = |work: &str| {
        let world = World::of(3, "be_slow", &[work, &seconds]);
        let ended = world.set("PHALANX_STALL", STALL.to_string()).run();
        ended.iter().for_each(crate::world::Ended::assert_well);
    };
    // At the same time, because each takes long.
    std::thread::scope(|scope| {
        for work in ["split", "replicated"] {
            scope.spawn(move || run(work));
        }
    });
}

fn processes_with_other_patience_are_refused() {
    let world = World::of(2, "nothing", &[]).set("PHALANX_TIMEOUT", "30");
    for rank in &world.set_on(1, "PHALANX_STALL", "0").run() {
        let error = rank.error("PX068");
        assert_eq!(error, "PHALANX_STALL differs: 60 on rank 0, 0 on rank 1");
    }
}
