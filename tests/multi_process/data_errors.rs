//! Errors in data that only some rank holds: every rank gets them at the same line of the
//! program, with the line of the operation, and continues.

use crate::world::{Ended, SHAPES, World, line_of};

trials![
    a_refused_power_is_an_error_of_the_call_on_every_rank,
    a_deferred_error_is_raised_by_the_next_observation_on_every_rank,
    a_deferred_error_is_raised_by_the_end_of_the_session_on_every_rank,
    a_read_on_one_rank_keeps_a_deferred_error_for_the_others,
];

/// The sum of the squares below 10 and below 4096.
const SQUARES: [u64; 2] = [9 * 10 * 19 / 6, 4095 * 4096 * 8191 / 6];
/// The sum of the numbers below 4096.
const SUM: u64 = 4095 * 4096 / 2;

/// How worlds of all shapes end.
fn worlds(program: &str, arguments: &[&str]) -> Vec<Vec<Ended>> {
    let run =
        |(size, devices)| World::of(size, program, arguments).set("PHALANX_DEVICES", devices).run();
    SHAPES.into_iter().map(run).collect()
}

/// Checks that a program reported an error in data, recorded in its line with this text.
fn assert_refused(told: &str, line: &str) {
    let number = line_of(include_str!("programs/data_errors.rs"), line);
    let site = format!("launcher/../tests/multi_process/programs/data_errors.rs:{number}");
    assert_eq!(told, format!("PX022 {site}"), "not the error of `{line}`");
}

fn a_refused_power_is_an_error_of_the_call_on_every_rank() {
    for ended in worlds("refuse_powers", &[]) {
        ended.iter().for_each(Ended::assert_well);
        for rank in &ended {
            let shardings = rank.values("sharding");
            assert_eq!(shardings[0], "[-]");
            assert_ne!(shardings[1], "[-]", "nothing is split");
            let (calls, uses) = (rank.values("call"), rank.values("use"));
            assert_eq!((calls.len(), uses.len()), (6, 6), "{rank:#?}");
            for told in calls.into_iter().chain(uses) {
                assert_refused(told, "let refused = base.power(&exponents);");
            }
            assert_eq!(rank.values("least"), ["-1"; 6]);
            let [few, many] = SQUARES.map(|squares| squares.to_string());
            assert_eq!(rank.values("squares"), [&few, &few, &few, &many, &many, &many]);
            assert_eq!(rank.output, ended[0].output);
        }
    }
}

fn a_deferred_error_is_raised_by_the_next_observation_on_every_rank() {
    let seen = [
        ("evaluate", 0),
        ("flush", 0),
        ("item", 1),
        ("to_vec", 4096),
        ("view", 4095),
        ("print", 2),
    ];
    for ended in worlds("defer_errors", &[]) {
        ended.iter().for_each(Ended::assert_well);
        for rank in &ended {
            assert_eq!(rank.values("pending"), ["true"; 6], "a window was closed: {rank:#?}");
            for (name, elements) in seen {
                let told = rank.values(name);
                assert_eq!(told.len(), 2, "{rank:#?}");
                assert_refused(told[0], "let refused = base.power(&negative);");
                assert_eq!(told[1], elements.to_string(), "{name}: {rank:#?}");
            }
            let inside = rank.values("inside");
            assert_eq!(inside.len(), 3, "{rank:#?}");
            for told in &inside[..2] {
                assert_refused(told, "let twice = [base.power(&negative), ");
            }
            assert_eq!(inside[2], SUM.to_string());
            assert_refused(rank.value("call"), "tell(\"call\", base.power(&negative)");
        }
        let printed = ended[0].output.iter().filter(|line| *line == "[1 2]").count();
        assert_eq!(printed, 1, "{ended:#?}");
    }
}

fn a_deferred_error_is_raised_by_the_end_of_the_session_on_every_rank() {
    let line = "deferred_errors(|| drop(base.power(&negative)));";
    let number = line_of(include_str!("programs/data_errors.rs"), line);
    for ended in worlds("leave_errors_to_the_end", &[]) {
        for rank in &ended {
            assert_eq!(rank.value("pending"), "true");
            assert_eq!(rank.error("PX022"), ended[0].error("PX022"));
            let from = rank.errors.lines().find(|line| line.trim_start().starts_with("from "));
            let from = from.unwrap_or_else(|| panic!("no line of the program in {rank:#?}"));
            assert!(from.ends_with(&format!("programs/data_errors.rs:{number}")), "{rank:#?}");
            // Nothing else is reported, such as ranks that ended without the others.
            assert_eq!(rank.errors.matches("error[").count(), 1, "{rank:#?}");
        }
    }
}

fn a_read_on_one_rank_keeps_a_deferred_error_for_the_others() {
    let [first, second] = ["drop(base.power(&negative));\n", "drop((&base + 1).power(&negative));"];
    for reader in [0, 1] {
        for ended in worlds("read_between_errors", &[&reader.to_string()]) {
            ended.iter().for_each(Ended::assert_well);
            for (number, rank) in ended.iter().enumerate() {
                assert_eq!(rank.value("chosen"), "7");
                let together = rank.values("together");
                assert_eq!(together.len(), 3, "{rank:#?}");
                assert_refused(together[0], first);
                assert_refused(together[1], second);
                assert_eq!(together[2], SUM.to_string());
                let alone = rank.values("alone");
                if number != reader {
                    assert_eq!(alone.len(), 0);
                    continue;
                }
                // Nothing is known before the window has been closed.
                assert_eq!(rank.value("too early"), "45");
                assert_eq!(alone.len(), 6, "{rank:#?}");
                alone[..4].iter().for_each(|told| assert_refused(told, first));
                assert!(rank.value("shown").starts_with("error[PX022]: "), "{rank:#?}");
                assert_refused(alone[4], second);
                assert_eq!(alone[5], "45");
            }
        }
    }
}
