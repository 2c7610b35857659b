//! Worlds that do not meet.

use crate::world::{World, free_address, token};
use std::collections::VecDeque;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

trials![
    a_port_in_use_is_an_error_on_every_rank,
    a_wrong_token_is_an_error_on_every_rank,
    a_rank_that_never_arrives_is_named,
    two_processes_of_one_rank_are_an_error,
    a_token_that_others_can_read_is_refused,
    a_token_that_is_a_pipe_is_refused_at_once,
    strangers_that_say_nothing_keep_no_rank_out,
    encrypted_ranks_compute_and_do_not_meet_others,
    a_rank_that_is_killed_is_named_when_encrypted,
    ranks_with_other_programs_are_refused,
    ranks_with_other_limits_are_refused,
    ranks_with_other_kinds_of_devices_are_refused,
    a_mesh_that_does_not_fit_is_refused,
];

fn a_port_in_use_is_an_error_on_every_rank() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
    let address = listener.local_addr().expect("a bound socket has an address").to_string();
    let world =
        World::of(2, "nothing", &[]).set("PHALANX_ADDRESS", &address).set("PHALANX_TIMEOUT", "6");
    let ended = world.run();
    assert!(
        ended[0].error("PX065").starts_with(&format!("cannot listen on {address}")),
        "{ended:#?}"
    );
    assert!(ended[1].error("PX067").contains(&address), "{ended:#?}");
    for rank in &ended {
        let site = "\n  from    launcher/../tests/multi_process/programs.rs:";
        assert!(rank.errors.contains(site), "no call site: {rank:#?}");
    }
}

fn a_wrong_token_is_an_error_on_every_rank() {
    let other = token("another secret");
    let world = World::of(2, "nothing", &[]).set("PHALANX_TIMEOUT", "6");
    let ended = world.set_on(1, "PHALANX_TOKEN_FILE", other.path()).run();
    ended[1].error("PX064");
    let error = ended[0].error("PX066");
    assert!(
        error.contains("of 2 ranks, [1] did not arrive") && !error.contains("(0 connections"),
        "{error}"
    );
}

fn a_rank_that_never_arrives_is_named() {
    let ended = World::of(4, "nothing", &[]).set("PHALANX_TIMEOUT", "6").without(2).run();
    assert_eq!(ended.len(), 3);
    for rank in &ended {
        let error = rank.error("PX066");
        assert!(error.contains("of 4 ranks, [2] did not arrive within 6 s"), "{error}");
    }
    println!(
        "a rank is missed {} ms after the start, with 6 s to arrive",
        ended[0].after.as_millis()
    );
}

fn two_processes_of_one_rank_are_an_error() {
    let world =
        World::of(3, "nothing", &[]).set("PHALANX_TIMEOUT", "30").set_on(2, "PHALANX_RANK", "1");
    for rank in &world.run() {
        assert!(rank.error("PX069").contains("rank 1"), "{rank:#?}");
    }
}

fn a_token_that_others_can_read_is_refused() {
    let open = token("a secret of this test");
    let mode = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(open.path(), mode).expect("the file is ours");
    let world = World::of(2, "nothing", &[]).set("PHALANX_TOKEN_FILE", open.path());
    for rank in &world.set("PHALANX_ADDRESS", free_address()).run() {
        rank.error("PX094");
    }
}

fn ranks_with_other_programs_are_refused() {
    // The size from which arrays are split is a part of the program.
    let world = World::of(2, "generated", &["1", "8", "8", "1024", "keep"]);
    let ended = world
        .set("PHALANX_TIMEOUT", "30")
        .arguments_of(1, &["generated", "1", "8", "8", "2048", "keep"])
        .run();
    for rank in &ended {
        assert!(rank.error("PX068").starts_with("policy differs"), "{rank:#?}");
    }
}

fn ranks_with_other_limits_are_refused() {
    for rank in &World::of(2, "other_limits", &[]).set("PHALANX_TIMEOUT", "30").run() {
        assert!(rank.error("PX068").starts_with("limits differs"), "{rank:#?}");
    }
}

fn ranks_with_other_kinds_of_devices_are_refused() {
    let world = World::of(2, "nothing", &[]).set("PHALANX_TIMEOUT", "30");
    for rank in &world.set_on(1, "PHALANX_DEVICES", "null-cuda:1").run() {
        assert!(rank.error("PX068").starts_with("devices differs: CPU on rank 0"), "{rank:#?}");
    }
}

fn a_mesh_that_does_not_fit_is_refused() {
    for size in [1, 2] {
        for rank in &World::of(size, "wrong_mesh", &[]).run() {
            rank.error("PX034");
        }
    }
    for rank in &World::of(2, "other_mesh", &[]).set("PHALANX_TIMEOUT", "30").run() {
        assert!(rank.error("PX068").starts_with("mesh differs"), "{rank:#?}");
    }
}

fn a_token_that_is_a_pipe_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("token");
    let made = Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status();
    assert!(made.is_ok_and(|made| made.success()));
    let world = World::of(2, "nothing", &[]).set("PHALANX_TIMEOUT", "6");
    let ended = world.set("PHALANX_TOKEN_FILE", &pipe).run();
    for rank in &ended {
        let error = rank.error("PX094");
        assert!(error.ends_with("it is no file, but a folder, pipe or device"), "{error}");
    }
}

/// Rank 0 may have only some files open, and more connections than that are open to it all the
/// time: 80 of 64, and about a thousand a second of 1,024.
fn strangers_that_say_nothing_keep_no_rank_out() {
    for (files, strangers) in [(64, 80), (1024, 1500)] {
        let few = format!("ulimit -n {files}; exec \"$@\"");
        let few = ["sh", "-c", &few, "sh"];
        let late = ["sh", "-c", "sleep 2; exec \"$@\"", "sh"];
        let address = free_address();
        let world = World::of(3, "nothing", &[]).set("PHALANX_ADDRESS", &address);
        let world = world.set("PHALANX_TIMEOUT", "30").before(0, &few).before(2, &late);
        let is_over = AtomicBool::new(false);
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut open = VecDeque::new();
                while !is_over.load(Ordering::Relaxed) {
                    open.extend(TcpStream::connect(&address));
                    if open.len() > strangers {
                        open.pop_front();
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            let ended = world.run();
            is_over.store(true, Ordering::Relaxed);
            ended
        });
        assert!(ended.iter().all(|rank| rank.status.success()), "{files} files: {ended:#?}");
    }
}

fn encrypted_ranks_compute_and_do_not_meet_others() {
    let world = || World::of(3, "generated", &["1", "8", "8", "1024", "keep"]);
    let ended = world().set("PHALANX_TLS", "1").run();
    assert!(ended.iter().all(|rank| rank.status.success()), "{ended:#?}");
    let mixed = world().set("PHALANX_TIMEOUT", "6").set("PHALANX_TLS", "1");
    let ended = mixed.set_on(1, "PHALANX_TLS", "0").run();
    assert!(ended[1].error("PX067").contains("PHALANX_TLS is 1 there and 0 here"), "{ended:#?}");
    for rank in [0, 2] {
        let error = ended[rank].error("PX066");
        assert!(error.contains("[1] did not arrive"), "{ended:#?}");
        assert!(error.contains("a caller has another PHALANX_TLS"), "{ended:#?}");
    }
}

fn a_rank_that_is_killed_is_named_when_encrypted() {
    let mut running = World::of(3, "go_on", &["split"]).set("PHALANX_TLS", "1").start();
    (0..3).for_each(|rank| running.wait_for(rank, "turn 100"));
    running.kill(1);
    let ended = running.end();
    for rank in [0, 2] {
        let error = ended[rank].error("PX060");
        assert!(error.starts_with("rank 1 died, last reported at step "), "{error}");
    }
}
