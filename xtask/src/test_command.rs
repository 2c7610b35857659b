//! `cargo xtask test`: the tests, and the demo compared with NumPy.

use crate::comparison;
use crate::conformance;
use crate::examples;
use crate::failure::Failure;
use crate::linked_mpi;
use crate::process::Program;
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

    /// What a summary line of a test program says, if the line is one.
    pub fn of_summary(line: &str) -> Option<Tally> {
        let (_, counts) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
        let mut tally = Tally::default();
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((number, "passed")) => tally.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => tally.failed += number.parse().unwrap_or(0),
                _ => {}
            }
        }
        Some(tally)
    }

    /// Runs a program and adds what `summary` finds in its lines.
    pub fn watch(
        &mut self,
        program: Program,
        summary: impl Fn(&str) -> Option<Tally>,
    ) -> Result<(), Failure> {
        let (command, before) = (program.line(), self.failed);
        let ended_well = program.watch(|line| {
            let found = summary(line).unwrap_or_default();
            self.passed += found.passed;
            self.failed += found.failed;
        })?;
        // A program that crashes writes no summary, and neither does a compiler.
        if !ended_well && self.failed == before {
            let ending = "a failure that no test reported".to_owned();
            return Err(Failure::Program { command, ending });
        }
        Ok(())
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
    tally.watch(program, Tally::of_summary)?;
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
    fn summaries_are_read() {
        let tally = Tally::of_summary(
            "test result: FAILED. 22 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; \
             finished in 6.02s",
        );
        assert_eq!(tally, Some(Tally { passed: 22, failed: 2 }));
        assert_eq!(Tally::of_summary("test reductions::sum ... ok"), None);
    }

    #[cfg(unix)]
    #[test]
    fn summaries_are_added_and_a_crash_without_one_is_a_failure() {
        let run = |tally: &mut Tally, script: &str| {
            tally.watch(Program::new("sh").arguments(["-c", script]), Tally::of_summary)
        };
        let mut tally = Tally::default();
        run(&mut tally, "echo 'test result: FAILED. 2 passed; 1 failed'; exit 1").unwrap();
        run(&mut tally, "echo 'test result: ok. 3 passed; 0 failed'").unwrap();
        assert_eq!(tally, Tally { passed: 5, failed: 1 });
        let crash = run(&mut tally, "exit 1").unwrap_err().to_string();
        assert!(crash.ends_with("a failure that no test reported"), "{crash}");
    }
}
