//! A world of one process: it plans no communication and opens no socket.

use crate::world::{Ended, World};
use std::process::Command;

trials![
    a_world_of_one_device_has_no_collective_and_no_socket,
    a_run_of_one_rank_opens_no_socket,
    work_after_the_end_is_an_error,
];

fn a_world_of_one_device_has_no_collective_and_no_socket() {
    for (devices, communicates) in [("cpu", false), ("cpu:3", true)] {
        let ended = World::of(1, "alone", &[]).set("PHALANX_DEVICES", devices).run();
        ended.iter().for_each(Ended::assert_well);
        assert_eq!(ended[0].value("sum"), "3.5");
        assert_eq!(ended[0].values("socket"), [""; 0]);
        // Several devices show that the program would need collectives if there were others.
        assert_eq!(!ended[0].values("collective").is_empty(), communicates, "{ended:#?}");
    }
}

fn a_run_of_one_rank_opens_no_socket() {
    let own = std::env::current_exe().expect("a program has a path");
    let mut command = Command::new(env!("CARGO_BIN_EXE_phalanx"));
    command.args(["run", "-n", "1"]).arg(own).args([crate::world::PROGRAM, "alone"]);
    let output = command.output().expect("phalanx runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("sum 3.5\n"), "{output:?}");
    assert!(!text.contains("socket"), "{text}");
}

fn work_after_the_end_is_an_error() {
    for devices in ["cpu", "cpu:2"] {
        let ended = World::of(1, "use_after_end", &[]).set("PHALANX_DEVICES", devices).run();
        ended[0].error("PX079");
    }
    for rank in &World::of(2, "use_after_end", &[]).run() {
        rank.error("PX079");
    }
}
