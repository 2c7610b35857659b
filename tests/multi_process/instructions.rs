//! The results of generated loops do not depend on the instructions of a rank's processor.
//!
//! Matrix products stay out: their library chooses instructions and tiles by the processor,
//! whatever the loops use. Ranks whose processors have other instructions are refused when they
//! meet (PX068). These tests avoid that: they change the instructions that loops use, not the ones
//! of the processor.

use crate::world::{Ended, World};
use phalanx::InstructionLevel as Level;

trials![vector_instructions_change_no_bit_of_replicated_values, nor_of_values_that_are_split];

fn vector_instructions_change_no_bit_of_replicated_values() {
    check("1000000000");
}

fn nor_of_values_that_are_split() {
    check("64");
}

/// Runs the program with different instructions and threads on its two ranks, and compares both
/// with each other and with ranks that choose their instructions themselves.
fn check(split_from: &str) {
    let chosen = run(["default"; 2], ["1"; 2], split_from);
    let expected = agreed(&chosen);
    assert!(expected.len() > 300, "{chosen:#?}");
    let pairs = [
        [Level::Avx2, Level::Avx512],
        [Level::Baseline, Level::Avx512],
        [Level::Avx2, Level::Baseline],
        [Level::Baseline, Level::Baseline],
    ];
    for levels in pairs {
        if let Some(absent) = levels.into_iter().find(|level| !level.is_available()) {
            println!("skipped: {levels:?} on two ranks: no {} here", absent.name());
            continue;
        }
        let names = levels.map(Level::name);
        let ended = run(names, ["1", "2"], split_from);
        assert_eq!([0, 1].map(|rank| ended[rank].value("instructions")), names);
        let bits = agreed(&ended);
        let differing: Vec<_> = bits.iter().zip(&expected).filter(|(a, b)| a != b).collect();
        assert!(differing.is_empty() && bits.len() == expected.len(), "{names:?}: {differing:#?}");
    }
}

fn run(levels: [&str; 2], threads: [&str; 2], split_from: &str) -> Vec<Ended> {
    let mut world = World::of(2, "bits", &[]).set("PHALANX_BLAS", "own");
    for rank in 0..2 {
        world = world.arguments_of(rank, &["bits", levels[rank], split_from]);
        world = world.set_on(rank, "PHALANX_THREADS", threads[rank]);
    }
    let ended = world.run();
    ended.iter().for_each(Ended::assert_well);
    ended
}

/// The bits that both ranks have.
fn agreed(ended: &[Ended]) -> Vec<String> {
    let bits = ended[0].values("bits");
    let others = ended[1].values("bits");
    let differing: Vec<_> = bits.iter().zip(&others).filter(|(a, b)| a != b).collect();
    assert!(differing.is_empty() && bits.len() == others.len(), "{differing:#?}");
    bits.into_iter().map(String::from).collect()
}
