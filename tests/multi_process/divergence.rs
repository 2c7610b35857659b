//! Ranks that diverge: an error on every rank that names both call sites, soon.

use crate::launchers::launchers;
use crate::world::{Ended, SHAPES, World, assert_soon, line_of};
use std::time::Duration;

trials![an_error_that_nobody_can_read_changes_nothing];

/// How a test gets a world: so many ranks of a program with these arguments.
type Of<'a> = &'a dyn Fn(usize, &str, &[&str]) -> World;

macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        /// The tests that worlds of every plane have to pass.
        const TESTS: &[(&str, fn(Of<'_>))] = &[$((stringify!($name), $name)),*];
    };
}

tests![
    an_evaluated_number_prints_on_one_rank,
    a_pending_number_does_not_print_on_one_rank,
    a_split_array_does_not_print_on_one_rank,
    ranks_that_end_early_wait_for_the_error,
    different_observations_are_an_error_on_every_rank,
    different_windows_are_an_error_on_every_rank,
    different_values_of_equal_windows_are_an_error_on_every_rank,
    one_value_observed_in_two_lines_is_no_error,
    an_error_deferred_on_one_rank_alone_is_an_error_on_every_rank,
    results_from_different_numbers_are_never_shown,
    processes_of_several_devices_report_a_divergence_once,
    an_observation_does_not_meet_an_agreement,
    different_causes_are_an_error_on_every_rank,
    other_operations_shapes_and_dtypes_are_an_error_on_every_rank,
    other_data_is_an_error_on_every_rank,
    equal_data_are_no_error,
    a_loop_left_early_is_an_error_on_every_rank,
    a_rank_that_exits_is_named,
    a_rank_that_returns_early_is_named,
    a_rank_that_panics_is_named,
    a_program_that_fails_on_one_rank_is_the_cause_on_all,
    a_death_that_nobody_asks_about_is_reported,
];

/// Those that run by MPI without PHALANX_TEST_FULL: in its own collectives, which notice a mismatch
/// before the tickets reveal it, and in messages.
const SOON_BY_MPI: [&str; 4] = [
    "other_operations_shapes_and_dtypes_are_an_error_on_every_rank",
    "a_loop_left_early_is_an_error_on_every_rank",
    "processes_of_several_devices_report_a_divergence_once",
    "a_rank_that_returns_early_is_named",
];

/// A test of a plane, with its name.
type OfPlane = (String, Box<dyn FnOnce() + Send>);

/// The tests over TCP, and by every MPI that is installed.
pub fn tests() -> Vec<OfPlane> {
    let is_full = std::env::var_os("PHALANX_TEST_FULL").is_some_and(|value| value == "1");
    let is_due = |name: &str| is_full || SOON_BY_MPI.contains(&name);
    let over_tcp = TESTS.iter().map(|&(name, test)| -> OfPlane {
        (format!("divergence::over_tcp::{name}"), Box::new(move || test(&World::of)))
    });
    let by_mpi = TESTS.iter().filter(|(name, _)| is_due(name)).map(|&(name, test)| -> OfPlane {
        let test = move || {
            for launcher in launchers() {
                test(&|size, program, arguments| World::of(size, program, arguments).by(&launcher));
            }
        };
        (format!("divergence::by_mpi::{name}"), Box::new(test))
    });
    over_tcp.chain(by_mpi).collect()
}

/// How soon all ranks have the error: a promise to users.
const PROMISE: Duration = Duration::from_secs(5);

/// The error of all ranks of a world, which must arrive soon.
fn divergence(world: impl Fn() -> World) -> String {
    let mut error = String::new();
    assert_soon("ranks differ", PROMISE, || {
        let took;
        (error, took) = diverged(&world().run());
        took
    });
    error
}

/// The error of all ranks, which must be the same, with the two call sites; and how long it took
/// from the second of the two tickets until the last rank had its error.
fn diverged(ended: &[Ended]) -> (String, Duration) {
    let error = ended[0].error("PX062");
    for rank in ended {
        assert_eq!(rank.error("PX062"), error);
        assert!(
            rank.errors.contains("h = x.get()") && rank.errors.contains("phalanx::print(x)"),
            "{rank:#?}"
        );
    }
    assert_eq!(error.matches("/tests/multi_process/programs").count(), 2, "{error}");
    let moment =
        |name: &str, rank: &Ended| rank.value(name).parse::<u64>().expect("a moment is a number");
    let second = ended[..2].iter().map(|rank| moment("differs", rank)).max();
    let last = ended.iter().map(|rank| moment("failed", rank)).max();
    let (second, last) = (second.expect("there are ranks"), last.expect("there are ranks"));
    let after = last.saturating_sub(second);
    println!("all {} ranks have PX062 {after} ms after the second ticket", ended.len());
    (String::from(error), Duration::from_millis(after))
}

/// As messages name the line of the programs with this text.
fn site(text: &str) -> String {
    let line = line_of(include_str!("programs/divergence.rs"), text);
    format!("launcher/../tests/multi_process/programs/divergence.rs:{line}")
}

/// Checks that every rank has an error with the actions and call sites of two ranks.
fn assert_named(ended: &[Ended], first: &str, second: &str) {
    for rank in ended {
        let error = rank.error("PX062");
        assert!(error.starts_with("ranks diverged at step "), "{error}");
        for words in [first, second] {
            assert_eq!(error.matches(words).count(), 1, "{words}: {rank:#?}");
        }
    }
}

fn an_evaluated_number_prints_on_one_rank(of: Of<'_>) {
    let ended = of(2, "print_on_one", &["evaluated"]).run();
    ended.iter().for_each(Ended::assert_well);
    assert_eq!(ended[0].value("value"), "4950");
}

fn a_pending_number_does_not_print_on_one_rank(of: Of<'_>) {
    for size in [2, 3] {
        let error = divergence(|| of(size, "print_on_one", &["pending"]));
        assert!(error.contains("rank 0 prints a value at "), "{error}");
        // Of those that end, the first is named.
        assert!(error.contains(" ends at "), "{error}");
    }
}

fn a_split_array_does_not_print_on_one_rank(of: Of<'_>) {
    for size in [2, 3] {
        let error = divergence(|| of(size, "print_on_one", &["split"]));
        assert!(error.contains("rank 0 prints a value at "), "{error}");
    }
}

fn ranks_that_end_early_wait_for_the_error(of: Of<'_>) {
    let error = divergence(|| of(3, "print_on_one", &["late"]));
    assert!(error.contains("rank 0 prints a value at "), "{error}");
}

fn different_observations_are_an_error_on_every_rank(of: Of<'_>) {
    let error = divergence(|| of(3, "observe_differently", &["split"]));
    // Of the ranks that agree with each other, either is named.
    assert!(error.contains("rank 1 records max -> i64[] at "), "{error}");
    assert!(error.contains(" records sum -> i64[] at "), "{error}");
}

fn different_windows_are_an_error_on_every_rank(of: Of<'_>) {
    // The work itself needs no other rank, so that only the tickets reveal the difference.
    let error = divergence(|| of(2, "observe_differently", &["replicated"]));
    assert!(error.contains("rank 1 records max -> i64[] at "), "{error}");
    assert!(error.contains("rank 0 records sum -> i64[] at "), "{error}");
}

fn different_values_of_equal_windows_are_an_error_on_every_rank(of: Of<'_>) {
    let kinds = [("b", "b.evaluate()?,"), ("view", "b.slice("), ("all", "phalanx::flush()?,")];
    for (size, devices) in SHAPES {
        for (kind, line) in kinds {
            for work in ["split", "replicated"] {
                let world = of(size, "observe_one_of_two", &[work, kind]);
                let ended = world.set("PHALANX_DEVICES", devices).run();
                let first = format!(" observes a value at {}", site("a.evaluate()?;"));
                assert_named(&ended, &first, &format!("rank 1 observes a value at {}", site(line)));
            }
        }
    }
}

fn one_value_observed_in_two_lines_is_no_error(of: Of<'_>) {
    for work in ["split", "replicated"] {
        let ended = of(3, "observe_one_of_two", &[work, "a"]).run();
        ended.iter().for_each(Ended::assert_well);
        ended.iter().for_each(|rank| assert_eq!(rank.value("sum"), ended[0].value("sum")));
    }
}

fn an_error_deferred_on_one_rank_alone_is_an_error_on_every_rank(of: Of<'_>) {
    for (size, devices) in SHAPES {
        let ended = of(size, "defer_on_one", &[]).set("PHALANX_DEVICES", devices).run();
        let power = site("let power = || base.power(");
        let call = format!(" needs data for a shape or a check at {power}");
        let observation = site("powers.evaluate()?;");
        assert_named(&ended, &call, &format!("rank 1 observes a value at {observation}"));
    }
}

fn results_from_different_numbers_are_never_shown(of: Of<'_>) {
    for turn in 0..10 {
        let ended = of(2 + turn % 2, "add_differently", &[]).run();
        for rank in &ended {
            assert!(rank.errors.contains("PX062"), "{rank:#?}");
            assert!(!rank.output.iter().any(|line| line.starts_with("sum ")), "{rank:#?}");
        }
    }
}

fn processes_of_several_devices_report_a_divergence_once(of: Of<'_>) {
    for program in ["leave_loop_early", "observe_differently"] {
        divergence(|| of(2, program, &["split"]).set("PHALANX_DEVICES", "cpu:2"));
    }
}

fn an_observation_does_not_meet_an_agreement(of: Of<'_>) {
    let error = divergence(|| of(2, "agree_on_one", &[]));
    assert!(error.contains("rank 0 agrees on an outcome at "), "{error}");
    assert!(error.contains("rank 1 observes a value at "), "{error}");
}

fn different_causes_are_an_error_on_every_rank(of: Of<'_>) {
    let error = divergence(|| of(2, "print_or_evaluate", &[]));
    assert!(error.contains("rank 0 prints a value at "), "{error}");
    assert!(error.contains("rank 1 observes a value at "), "{error}");
}

fn other_operations_shapes_and_dtypes_are_an_error_on_every_rank(of: Of<'_>) {
    for (kind, own, other) in [
        ("operation", "sum -> f64[]", "max -> f64[]"),
        ("shape", "index -> i64[1024]", "index -> i64[1025]"),
        ("dtype", "cast -> f64[1024]", "cast -> f32[1024]"),
        // With the numbers of thread blocks and threads, and the places of the arguments.
        (
            "kernel",
            "add with 4294967297, 4294967297, 4294967297, 0, 0 -> u8[1]",
            "subtract with 4294967297, 4294967297, 4294967297, 0, 0 -> u8[1]",
        ),
    ] {
        let ended = of(3, "work_differently", &[kind]).run();
        assert_named(
            &ended,
            &format!(" records {own} at "),
            &format!("rank 1 records {other} at "),
        );
    }
}

fn other_data_is_an_error_on_every_rank(of: Of<'_>) {
    for (size, kind) in [(2, "replicated"), (3, "split"), (2, "one"), (3, "read"), (2, "unused")] {
        let ended = of(size, "give_data", &[kind]).run();
        let error = ended[0].error("PX062");
        for rank in &ended {
            assert_eq!(rank.error("PX062"), error);
            assert!(rank.errors.contains("Array::from_local"), "{rank:#?}");
        }
        assert!(error.starts_with("ranks gave different data"), "{error}");
        assert!(error.contains("rank 1 at "), "{error}");
        // The sites are those of the data, not of the observation.
        let site = site("let given = from_slice(");
        assert_eq!(error.matches(&site).count(), 2, "{error}");
    }
}

fn equal_data_are_no_error(of: Of<'_>) {
    let ended = of(3, "give_data", &["same"]).run();
    ended.iter().for_each(Ended::assert_well);
    for rank in &ended {
        assert_eq!(rank.values("sum"), ended[0].values("sum"));
    }
}

fn a_loop_left_early_is_an_error_on_every_rank(of: Of<'_>) {
    for work in ["replicated", "split"] {
        let error = divergence(|| of(2, "leave_loop_early", &[work]));
        assert!(error.contains("rank 0 records "), "{error}");
        assert!(error.contains("rank 1 records sum -> f64[] at "), "{error}");
    }
}

fn a_rank_that_exits_is_named(of: Of<'_>) {
    for work in ["replicated", "split"] {
        let ended = of(3, "end_on_one", &["exit", work]).run();
        assert_eq!(ended[1].status.code(), Some(3));
        for rank in [0, 2] {
            let error = ended[rank].error("PX060");
            assert!(error.starts_with("rank 1 died"), "{error}");
        }
    }
}

fn a_rank_that_returns_early_is_named(of: Of<'_>) {
    for work in ["replicated", "split"] {
        let run = || {
            let ended = of(3, "end_on_one", &["return", work]).run();
            assert_eq!(ended[1].status.code(), Some(1));
            assert_eq!(ended[1].errors, "error: a failure of this rank alone\n");
            ended
        };
        let mut ended = run();
        // The others wait for rank 1 and are informed that it leaves, which is the error if rank 0
        // takes long to compare their tickets.
        for _ in 0..2 {
            let has_left = |rank: &&Ended| rank.errors.contains("error[PX061]: ");
            let told: Vec<&Ended> = ended.iter().filter(has_left).collect();
            if work != "split" || told.is_empty() {
                break;
            }
            for rank in told {
                assert!(rank.error("PX061").starts_with("rank 1 "), "{ended:#?}");
            }
            println!("rank 1 has left before the tickets were compared; once more");
            ended = run();
        }
        for rank in [0, 2] {
            let error = ended[rank].error("PX062");
            assert!(error.contains("rank 1 does not `finish` the session made at "), "{error}");
            assert!(
                error.contains("rank 0 observes a value at ")
                    || error.contains("rank 2 observes a value at "),
                "{error}"
            );
        }
    }
}

fn a_rank_that_panics_is_named(of: Of<'_>) {
    let ended = of(3, "end_on_one", &["panic", "split"]).run();
    assert_eq!(ended[1].status.code(), Some(101));
    for rank in [0, 2] {
        let error = ended[rank].error("PX063");
        assert_eq!(error, "rank 1 failed: its program panicked [panic]");
    }
}

fn a_program_that_fails_on_one_rank_is_the_cause_on_all(of: Of<'_>) {
    let ended = of(3, "end_on_one", &["run", "split"]).run();
    assert_eq!(ended[1].errors, "error: a failure of this rank alone\n");
    for rank in [0, 2] {
        let error = ended[rank].error("PX063");
        assert_eq!(error, "rank 1 failed: a failure of this rank alone [program]");
    }
}

fn a_death_that_nobody_asks_about_is_reported(of: Of<'_>) {
    let ended = of(2, "die_unnoticed", &[]).run();
    assert_eq!(ended[1].status.code(), Some(3));
    assert!(ended[0].status.success(), "{ended:#?}");
    assert!(
        ended[0].errors.starts_with("error[PX060]: rank 1 died, last reported at step "),
        "{ended:#?}"
    );
    assert_eq!(ended[0].errors.lines().count(), 1, "{ended:#?}");
    assert!(ended[0].errors.contains(" ended without `finish`"), "{ended:#?}");
}

fn an_error_that_nobody_can_read_changes_nothing() {
    let closed = ["sh", "-c", "exec \"$@\" 2> /dev/full", "sh"];
    let ended = World::of(2, "die_unnoticed", &[]).before(0, &closed).run();
    assert_eq!(ended[1].status.code(), Some(3));
    assert!(ended[0].status.success(), "{ended:#?}");
}
