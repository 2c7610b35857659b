//! Memory that runs short: the same error on every rank, and the program continues.

use crate::world::{Ended, World};

trials![
    work_that_no_rank_has_room_for,
    work_that_one_rank_has_no_room_for,
    work_that_is_pending_or_dropped,
    data_that_one_rank_has_no_room_for
];

fn refused(what: &str) -> Vec<Ended> {
    let ended = World::of(2, "memory", &[what]).set("PHALANX_MEMORY_LIMIT", "1M").run();
    for rank in &ended {
        rank.assert_well();
        assert!(rank.value("refused").starts_with("error[PX050]: "), "{rank:#?}");
        assert_eq!(rank.value("sum"), "4950");
    }
    ended
}

fn work_that_no_rank_has_room_for() {
    refused("work");
}

fn work_that_one_rank_has_no_room_for() {
    let ended = refused("work_of_one");
    assert!(ended[1].value("refused").contains("a device of rank 0 needs "), "{ended:#?}");
    // The limit of one rank holds for all.
    let ended = World::of(2, "memory", &["work"]).set_on(1, "PHALANX_MEMORY_LIMIT", "1M").run();
    assert!(ended[0].value("refused").starts_with("error[PX050]: "), "{ended:#?}");
}

/// The planner drops operations that do not fit into memory, whichever rank still has a handle.
fn work_that_is_pending_or_dropped() {
    refused("pending");
    refused("dropped");
}

fn data_that_one_rank_has_no_room_for() {
    let ended = refused("data");
    assert!(ended[0].value("refused").contains("a device of rank 1 needs "), "{ended:#?}");
}
