//! `cargo xtask bench`: benchmarks in release mode.

use crate::failure::Failure;
use crate::project::Project;
use crate::python;

/// The suites, each a benchmark program of the root package.
const SUITES: [&str; 2] = ["path", "cpu"];

/// Runs a suite, which reads the options itself: `--only NAME`, `--json FILE` and, if it has peers,
/// `--peers`.
pub fn run(project: &Project, suite: &str, options: &[String]) -> Result<(), Failure> {
    let known = ["--only", "--peers", "--json"];
    let pairs = options.chunks(2).all(|pair| pair.len() == 2 && known.contains(&pair[0].as_str()));
    if !SUITES.contains(&suite) || !pairs {
        let bench = ["bench".to_owned(), suite.to_owned()];
        return Err(Failure::usage(bench.iter().chain(options)));
    }
    let mut arguments = vec!["bench", "--package", "phalanx", "--bench", suite, "--"];
    arguments.extend(options.iter().map(String::as_str));
    let mut program = project.cargo(&arguments);
    if suite == "cpu" {
        // The peers run in Python.
        let python = python::environment(project)?;
        program = program.arguments(["--python".as_ref(), python.as_os_str()]);
    }
    program.run()
}
