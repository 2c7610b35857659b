//! `cargo xtask test`: the tests, and the demo compared with NumPy.

use crate::comparison;
use crate::conformance;
use crate::examples;
use crate::failure::Failure;
use crate::linked_mpi;
use crate::project::Project;
use crate::python;
use crate::python_tests;
use crate::wheel;

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Passed.
    pub passed: usize,
    /// Failed.
    pub failed: usize,
}

impl Tally {
    /// Adds one test.
    pub fn count(&mut self, passed: bool) {
        self.passed += usize::from(passed);
        self.failed += usize::from(!passed);
    }

    /// Adds what a summary line of a test program says, if the line is one.
    pub fn add_summary(&mut self, line: &str) -> bool {
        let Some(summary) = line.trim().strip_prefix("test result: ") else {
            return false;
        };
        let Some((_, counts)) = summary.split_once(". ") else {
            return false;
        };
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                _ => {}
            }
        }
        true
    }
}

/// Runs the tests whose names hold the filter, all of them without one. Prints `N passed, N failed`
/// last.
pub fn run(project: &Project, arguments: &[String]) -> Result<(), Failure> {
    let mut filter = None;
    let mut full = false;
    for argument in arguments {
        match argument.as_str() {
            "--full" => full = true,
            other if !other.starts_with('-') && filter.is_none() => filter = Some(other),
            _ => return Err(Failure::usage(arguments.iter())),
        }
    }
    let mut tally = Tally::default();
    if let Err(failure) = all(project, filter, full, &mut tally) {
        // What keeps tests from running is a failure like theirs.
        eprintln!("error: {failure}");
        tally.failed += 1;
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    match tally.failed {
        0 => Ok(()),
        count => Err(Failure::Tests { count }),
    }
}

fn all(
    project: &Project,
    filter: Option<&str>,
    full: bool,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let python = python::environment(project)?;
    python::fetch_data(project, &python)?;
    let data = conformance::data(project, &python)?;
    let mut arguments = vec!["test", "--workspace", "--no-fail-fast", "--features", "ndarray"];
    // Behind `--`: Cargo would build tests of libraries that have none for a name of its own.
    arguments.extend(filter.iter().flat_map(|filter| ["--", filter]));
    let mut program = project.cargo(&arguments).variable("PHALANX_CONFORMANCE_DATA", &data);
    if let Some(libraries) = python::cuda_libraries(project) {
        program = program.variable("PHALANX_CUDA_PATH", &libraries);
    }
    if let Some(programs) = python::mpich(project)? {
        // Behind what the machine has.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([programs]);
        program = program.variable("PATH", std::env::join_paths(folders).unwrap_or(path.clone()));
    }
    if full {
        program = program.variable("PHALANX_TEST_FULL", "1");
    }
    let command = program.line();
    let ended_well = program.watch(|line| {
        tally.add_summary(line);
    })?;
    // A test program that crashes writes no summary, and neither does a compiler.
    if !ended_well && tally.failed == 0 {
        let ending = "a failure that no test reported".to_owned();
        return Err(Failure::Program { command, ending });
    }
    if filter.is_none_or(|filter| "demo".contains(filter)) {
        comparison::run(project, &python, full, tally)?;
    }
    if filter.is_none_or(|filter| "examples".contains(filter)) {
        examples::run(project, tally)?;
    }
    if filter.is_none_or(|filter| "linked_mpi".contains(filter)) {
        linked_mpi::run(project, &python, tally)?;
    }
    if filter.is_none_or(|filter| "python".contains(filter)) {
        python_tests::run(project, &python, &data, full, tally)?;
    }
    // Built for release, which takes longer than all tests together.
    if full && filter.is_none_or(|filter| "wheel".contains(filter)) {
        wheel::run(project, &python, tally)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_added() {
        let mut tally = Tally::default();
        assert!(tally.add_summary(
            "test result: FAILED. 22 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; \
             finished in 6.02s"
        ));
        assert!(tally.add_summary("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured"));
        assert!(!tally.add_summary("test reductions::sum ... ok"));
        assert_eq!(tally, Tally { passed: 25, failed: 2 });
    }
}
