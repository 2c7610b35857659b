//! Random programs on meshes of 1 to 8 devices, compared with a plain evaluator.
//!
//! Meshes of 1 and 3 devices run all seeds, the others an eighth; with `PHALANX_TEST_TURN`, which
//! decides the seeds, one device runs a quarter of them and three run half. With
//! `PHALANX_TEST_FULL=1` all meshes run all seeds. With `PHALANX_TEST_DEVICES=cuda` a mesh runs
//! seeds on all cores at once, since they spend nearly all of their time on compiling kernels. A
//! failing case is reported as a small program with its seed; `PHALANX_TEST_SEED`, or
//! `cargo xtask replay --seed`, runs that seed alone. `PHALANX_TEST_SEED=2000..9000` runs those
//! seeds on every mesh.

mod case;
mod compare;
mod execute;
mod generate;
mod lenses;
mod meshes;
mod program;
mod random;
mod reference;
mod reproducible;
mod shrink;
mod stretch;
mod views;

use case::Case;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// The number of seeds.
const SEEDS: u64 = 2000;

/// Runs the seeds of a mesh that are due.
fn check(mesh: &[usize]) {
    let given = given_seeds();
    if let Some(range) = &given
        && range.end - range.start == 1
    {
        let case = generate::case(range.start, mesh);
        println!("{case}");
        return report(&case);
    }
    let full = std::env::var_os("PHALANX_TEST_FULL").is_some_and(|value| value == "1");
    let turn = std::env::var("PHALANX_TEST_TURN").ok().and_then(|turn| turn.parse::<u64>().ok());
    // One seed of so many is due.
    let parts = match (mesh, turn) {
        _ if full => 1,
        ([1] | [3], None) => 1,
        ([1], _) => 6,
        ([3], _) => 3,
        _ => 8,
    };
    let share = mesh.iter().fold(mesh.len(), |share, extent| share * 5 + extent) as u64;
    let share = share.wrapping_add(turn.unwrap_or(0));
    let drawn = (0..SEEDS).filter(|seed| seed % parts == share % parts);
    let seeds: Vec<u64> = given.map_or_else(|| drawn.collect(), Iterator::collect);
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        let _telling = Telling(&has_failed);
        while !has_failed.load(Ordering::Relaxed)
            && let Some(&seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed))
        {
            report(&generate::case(seed, mesh));
        }
    };
    let on_gpus = std::env::var_os("PHALANX_TEST_DEVICES").is_some_and(|kind| kind != "cpu");
    let at_once = if on_gpus { thread::available_parallelism().map_or(1, usize::from) } else { 1 };
    thread::scope(|scope| {
        for _ in 1..at_once {
            scope.spawn(work);
        }
        work();
    });
}

/// Notifies the other threads of a panic in this one, so that they stop.
struct Telling<'a>(&'a AtomicBool);

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs a case and fails with a smaller one if it fails.
fn report(case: &Case) {
    if let Err(fault) = case.run() {
        let (smallest, fault) = shrink::shrink(case, fault);
        let Case { seed, mesh, .. } = case;
        let extents: Vec<String> = mesh.iter().map(usize::to_string).collect();
        panic!(
            "seed {seed} on mesh {mesh:?}, made smaller:\n\n{smallest}\n{fault}\n\n\
             cargo xtask replay --seed {seed} {}\n",
            extents.join("x")
        );
    }
}

/// The seeds to run instead of those of the tests.
fn given_seeds() -> Option<Range<u64>> {
    let text = std::env::var("PHALANX_TEST_SEED").ok().filter(|text| !text.is_empty())?;
    let number = |text: &str| -> u64 {
        text.parse().unwrap_or_else(|_| panic!("PHALANX_TEST_SEED has {text}, which is no seed"))
    };
    Some(match text.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => number(&text)..number(&text) + 1,
    })
}

macro_rules! meshes {
    ($($name:ident $mesh:expr;)*) => {$(
        #[test]
        fn $name() {
            check(&$mesh);
        }
    )*};
}

meshes! {
    programs_on_1_device [1];
    programs_on_2_devices [2];
    programs_on_3_devices [3];
    programs_on_4_devices [4];
    programs_on_8_devices [8];
    programs_on_2_by_1_devices [2, 1];
    programs_on_1_by_3_devices [1, 3];
    programs_on_2_by_2_devices [2, 2];
    programs_on_2_by_4_devices [2, 4];
    programs_on_4_by_2_devices [4, 2];
}
