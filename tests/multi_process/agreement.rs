//! Properties that are equal on all ranks, whatever differs between them: collectives, their order,
//! and the bits of values.

use crate::world::{Ended, World};

trials![
    dropped_handles_change_no_collective,
    threads_change_no_bit,
    local_shards_become_one_array,
    a_failure_of_one_rank_is_agreed,
];

fn dropped_handles_change_no_collective() {
    for seed in ["1", "2", "3"] {
        // 96 rows of 32 are split, and so exchanged and combined.
        let ended = World::of(3, "generated", &[seed, "96", "32", "1024", "drop"]).run();
        ended.iter().for_each(Ended::assert_well);
        let planned = ended[0].values("collective");
        assert!(
            planned.len() > 10,
            "the program needs too few collectives to tell anything: {planned:?}"
        );
        for rank in &ended[1..] {
            assert_eq!(rank.values("collective"), planned);
            assert_eq!(rank.value("windows"), ended[0].value("windows"));
            assert_eq!(rank.values("bits"), ended[0].values("bits"));
        }
        // The ranks kept different values; otherwise nothing was tested.
        assert_ne!(ended[0].value("dropped"), ended[1].value("dropped"));
        assert_ne!(ended[1].value("dropped"), ended[2].value("dropped"));
    }
}

fn threads_change_no_bit() {
    // Below the size from which arrays are split every rank computes all of it; above, each its
    // part.
    for shape in [["60", "1000"], ["140", "1000"]] {
        let mut known: Option<Vec<String>> = None;
        for threads in [["1", "2"], ["2", "1"], ["3", "3"]] {
            let world = World::of(2, "generated", &["4", shape[0], shape[1], "65536", "keep"]);
            // The bits of a library's products depend on its number of threads.
            let world = world.set("PHALANX_BLAS", "own");
            let world = world.set_on(0, "PHALANX_THREADS", threads[0]).set_on(
                1,
                "PHALANX_THREADS",
                threads[1],
            );
            let ended = world.run();
            ended.iter().for_each(Ended::assert_well);
            let bits: Vec<String> = ended[0].values("bits").into_iter().map(String::from).collect();
            assert!(bits.len() > 10, "{ended:#?}");
            assert_eq!(ended[1].values("bits"), bits);
            assert_eq!(known.get_or_insert_with(|| bits.clone()), &bits);
        }
    }
}

fn local_shards_become_one_array() {
    let ended = World::of(3, "join_local", &["alike"]).set_on(1, "PHALANX_DEVICES", "cpu:2").run();
    ended.iter().for_each(Ended::assert_well);
    for rank in &ended {
        // Devices 0 to 3 give 1 to 4 numbers: their own.
        assert_eq!(rank.value("joined"), "[0 1 1 2 2 2 3 3 3 3]");
    }
    let ended = World::of(2, "join_local", &["other_axis"]).run();
    ended[0].error("PX003");
    ended[1].error("PX031");
}

fn a_failure_of_one_rank_is_agreed() {
    let ended = World::of(3, "agree", &[]).run();
    for rank in &ended {
        let error = rank.value("agreed");
        assert_eq!(error, "error[PX032]: on rank 1: the disk of this rank is full");
        rank.assert_well();
    }
}
