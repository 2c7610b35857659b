//! `cargo xtask bench`: benchmarks in release mode.

use crate::failure::Failure;
use crate::project::Project;
use crate::python;

/// The suites, each a benchmark program of the root package.
const SUITES: [&str; 2] = ["path", "cpu"];

/// Runs a suite. The rows are printed, and written to `--json FILE`, by the suite itself, which
/// also reads `--only`.
pub fn run(project: &Project, suite: &str, options: &[String]) -> Result<(), Failure> {
    let known = ["--only", "--peers", "--json"];
    let pairs = options.chunks(2).all(|pair| pair.len() == 2 && known.contains(&pair[0].as_str()));
    if !SUITES.contains(&suite) || !pairs {
        let bench = ["bench".to_owned(), suite.to_owned()];
        return Err(Failure::usage(bench.iter().chain(options)));
    }
    let mut arguments = vec!["bench", "--package", "phalanx", "--bench", suite, "--"];
    arguments.extend(options.iter().map(String::as_str));
    let python = python::environment(project)?;
    // The peers run in Python.
    project.cargo(&arguments).variable("PYTHON", python).run()
}
