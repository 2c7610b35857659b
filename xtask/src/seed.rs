//! `cargo xtask replay --seed`: runs one random program again, or the programs of a range of seeds.

use crate::failure::Failure;
use crate::project::Project;
use crate::tally::Tally;

/// Runs the random program of a seed and shows it, on one mesh, such as `2x4`, or on all meshes of
/// `tests/property/`. With a range of seeds, such as `2000..9000`, runs those programs.
pub fn run(project: &Project, seed: &str, mesh: Option<&str>) -> Result<(), Failure> {
    let bounds = seed.split_once("..").unwrap_or((seed, seed));
    if [bounds.0, bounds.1].iter().any(|bound| bound.parse::<u64>().is_err()) {
        return Err(Failure::usage(["replay", "--seed", seed].map(str::to_owned).iter()));
    }
    let tests = mesh.map_or_else(|| "programs_on_".to_owned(), test_name);
    // One after the other, so that their output does not mix.
    let runner = ["--nocapture", "--test-threads=1"];
    let mut arguments = vec!["test", "--package", "phalanx", "--test", "property", &tests, "--"];
    arguments.extend(runner);
    let program = project.cargo(&arguments).variable("PHALANX_TEST_SEED", seed);
    let command = program.line();
    let mut tally = Tally::default();
    tally.watch(program, Tally::of_summary)?;
    match tally {
        Tally { passed: 0, failed: 0, .. } => Err(Failure::Output { command, missing: "test" }),
        Tally { failed: 0, .. } => Ok(()),
        Tally { failed, .. } => Err(Failure::Tests { count: failed }),
    }
}

/// The test of a mesh, as `tests/property/main.rs` names it.
fn test_name(mesh: &str) -> String {
    let devices = if mesh == "1" { "device" } else { "devices" };
    format!("programs_on_{}_{devices}", mesh.replace('x', "_by_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_have_the_names_of_their_tests() {
        let names = ["1", "3", "2x4"].map(test_name);
        let expected =
            ["programs_on_1_device", "programs_on_3_devices", "programs_on_2_by_4_devices"];
        assert_eq!(names, expected);
    }
}
