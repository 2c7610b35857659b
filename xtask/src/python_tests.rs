//! The tests of the Python module: our own, and the suite of the array API standard.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::rust_tests;
use crate::tally::{REQUIRE, Tally};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The files of tests that mostly wait: for processes, messages and time limits.
const WAITING: [&str; 4] =
    ["test_mpi.py", "test_restarts.py", "test_sessions.py", "test_waiting.py"];

/// The files of tests about several devices, which run whole on three.
const OF_DEVICES: [&str; 4] =
    ["test_distribution.py", "test_local_parts.py", "test_meshes.py", "test_programs.py"];

/// The version of the standard that is tested.
const STANDARD: &str = "2024.12";

/// Builds the module, optimised or not, and returns its path.
pub fn build(project: &Project, is_release: bool) -> Result<PathBuf, Failure> {
    let arguments = ["build", "--package", "phalanx-python", "--features", "phalanx/ndarray"];
    let (profile, folder): (&[&str], &str) =
        if is_release { (&["--release"], "release") } else { (&[], "debug") };
    project.cargo(&[&arguments[..], profile].concat()).run()?;
    built(project, folder)
}

/// Puts the module that was built with the tests in Rust to where Python finds it. Alone it would
/// have other features, and Cargo would build the crates again.
pub fn place_built(project: &Project) -> Result<(), Failure> {
    place(project, &built(project, "debug")?)
}

fn built(project: &Project, folder: &str) -> Result<PathBuf, Failure> {
    let (prefix, extension) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_EXTENSION);
    Ok(project.target()?.join(format!("{folder}/{prefix}_phalanx.{extension}")))
}

/// Copies a built module to `python/phalanx`, where Python finds it.
pub fn place(project: &Project, built: &Path) -> Result<(), Failure> {
    let place = project.path("python/phalanx/_phalanx.abi3.so");
    // A rename, so that a running program keeps the old module that it has loaded.
    let unfinished = place.with_extension("new");
    fs::copy(built, &unfinished).map_err(Failure::file(built))?;
    fs::rename(&unfinished, &place).map_err(Failure::file(&place))
}

/// The programs of all tests of the module on one device, and of all or one share of them on other
/// numbers of devices and as ranks of several processes: those that compute, the longest first, and
/// those that mostly wait. Each number of devices has another share; one number beside three runs
/// for a commit (none if the tests linked with MPI do), with half of the files of tests. On one
/// device all tests run, of long ones a sixth of their cases; in processes a quarter of the files
/// runs. The module must be in its place.
pub fn programs(
    project: &Project,
    python: &Path,
    data: &Path,
    full: bool,
    required: &str,
) -> Result<(Vec<Program>, Vec<Program>), Failure> {
    let share = (!full).then(|| share(project));
    if let Some(share) = share {
        println!("share {share} of 8 of the tests on three devices, later ones elsewhere");
    }
    let shared = |tests: Program, after: usize| match share {
        Some(share) => tests.variable("PHALANX_TEST_SHARE", ((share + after) % 8).to_string()),
        None => tests,
    };
    let of_paths = |devices: &str, paths: &[String]| {
        let program = Program::new(python).named("python");
        let tests = pytest(project, program, devices, full).arguments(paths);
        tests.variable("PHALANX_CONFORMANCE_DATA", data).variable(REQUIRE, required)
    };
    let of_turn = |tests: Program| match full {
        true => tests,
        false => tests.variable("PHALANX_TEST_TURN", turn(project).to_string()),
    };
    let on_devices = |devices: &str| of_paths(devices, &["tests/python".to_owned()]);
    let in_processes = |launched: Program| {
        let tests = pytest(project, launched, "cpu", full).arguments(["tests/python"]);
        of_turn(tests.variable("PHALANX_CONFORMANCE_DATA", data))
    };
    let mut programs = Vec::new();
    // On one device there are also the tests that start programs, so the files are divided.
    let parts = parts(&project.path("tests/python"))?;
    programs.extend(parts.iter().map(|paths| of_turn(of_paths("cpu:1", paths))));
    let waiting = WAITING.map(|name| format!("tests/python/{name}"));
    let waiting = vec![of_turn(of_paths("cpu:1", &waiting))];
    programs.extend(["cpu:1", "cpu:3"].map(|devices| {
        let program = Program::new(python).named("python");
        pytest(project, program, devices, full).arguments(["tests/array_api"])
    }));
    if !full {
        programs.push(of_paths("cpu:3", &OF_DEVICES.map(|name| format!("tests/python/{name}"))));
    }
    let numbers = ["cpu:3", "cpu:8", "cpu:4", "cpu:2"];
    let other = if is_linked(project) { 0 } else { 1 + turn(project) % 3 };
    let due = |(number, _): &(usize, &str)| full || [0, other].contains(number);
    let numbers = numbers.into_iter().enumerate().filter(due);
    let numbers = numbers.map(|(after, devices)| match after {
        0 => (after, on_devices(devices)),
        _ => (after, of_turn(on_devices(devices))),
    });
    let processes = if full { 4 } else { 2 + turn(project) % 3 };
    let launched = launchers(python, processes).into_iter().map(in_processes);
    let several = numbers.chain(launched.enumerate().map(|(after, tests)| (4 + after, tests)));
    programs.extend(several.map(|(after, tests)| shared(tests, after)));
    Ok((programs, waiting))
}

/// The programs of some tests of the module, on one and on three devices.
pub fn programs_of(
    project: &Project,
    python: &Path,
    data: &Path,
    paths: &[String],
    required: &str,
) -> Vec<Program> {
    let on_devices = |devices: &str| {
        let program = Program::new(python).named("python");
        let tests = pytest(project, program, devices, false).arguments(paths);
        tests.variable("PHALANX_CONFORMANCE_DATA", data).variable(REQUIRE, required)
    };
    if paths.is_empty() { Vec::new() } else { ["cpu:1", "cpu:3"].map(on_devices).into() }
}

/// The files and folders of tests in a folder that do not wait, divided among runs of pytest.
fn parts(folder: &Path) -> Result<[Vec<String>; 4], Failure> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::file(folder))? {
        let entry = entry.map_err(Failure::file(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_file = name.starts_with("test_") && name.ends_with(".py");
        let is_file = is_file && !WAITING.contains(&name.as_str());
        let is_folder = entry.path().is_dir() && !name.starts_with('_');
        if is_file || is_folder {
            names.push(format!("tests/python/{name}"));
        }
    }
    names.sort();
    let mut parts: [Vec<String>; 4] = Default::default();
    for (place, name) in names.into_iter().enumerate() {
        parts[place % 4].push(name);
    }
    Ok(parts)
}

/// The eighth of the tests that is due; the commit's hash decides which.
pub fn share(project: &Project) -> usize {
    number_of_commit(project) % 8
}

/// The number by which tests choose the part of their cases that is due, for any eighth.
pub fn turn(project: &Project) -> usize {
    number_of_commit(project) / 8 % 12
}

/// Whether the tests linked with MPI are due, for which crates are built again. One commit in four
/// runs them.
pub fn is_linked(project: &Project) -> bool {
    turn(project) % 4 == 3
}

/// A number that is another one for most commits.
fn number_of_commit(project: &Project) -> usize {
    let mut git = Program::new("git").folder(project.root()).arguments(["rev-parse", "HEAD"]);
    // Without a repository it is always the same one.
    let commit = git.output().unwrap_or_default();
    commit.bytes().map(usize::from).sum()
}

/// Python in several processes, started by `phalanx run`, and by `mpirun` if it is installed.
fn launchers(python: &Path, processes: usize) -> Vec<Program> {
    let count = processes.to_string();
    let own = Program::new(python).named(&format!("phalanx run -n {count} python"));
    let own = own.arguments(["-m", "phalanx", "run", "-n", &count]).arguments([python]);
    let foreign = mpirun(processes).map(|mpirun| mpirun.arguments([python]));
    [Some(own), foreign].into_iter().flatten().collect()
}

/// A command of the machine's `mpirun` for `processes` processes, still without the program to run;
/// `None` without `mpirun`.
pub fn mpirun(processes: usize) -> Option<Program> {
    static VERSION: OnceLock<Option<String>> = OnceLock::new();
    let probe = || Program::new("mpirun").arguments(["--version"]).output().ok();
    let version = VERSION.get_or_init(probe).as_ref()?;
    let program = Program::new("mpirun").named("mpirun");
    let program = if version.contains("Open MPI") {
        program.arguments(["--allow-run-as-root", "--oversubscribe"])
    } else {
        program
    };
    Some(program.arguments(["-n", &processes.to_string()]))
}

/// Runs pytest; `program` is Python, or a launcher of it.
fn pytest(project: &Project, program: Program, devices: &str, full: bool) -> Program {
    let paths = [project.path("python"), project.path("tests/array_api")];
    let separator = if cfg!(windows) { ";" } else { ":" };
    let paths = paths.map(|path: PathBuf| path.display().to_string()).join(separator);
    program
        .folder(project.root())
        .arguments(["-m", "pytest", "-q", "-rsfE", "-p", "no:cacheprovider"])
        // Under `mpirun` a program takes its output for a terminal.
        .arguments(["--color", "no"])
        .variable("PYTHONPATH", paths)
        // Keeps Hypothesis's database out of the sources.
        .variable("HYPOTHESIS_STORAGE_DIRECTORY", project.path("target/hypothesis"))
        .variable("PHALANX_DEVICES", devices)
        .variable("PHALANX_THREADS", "1")
        .variable("PHALANX_TEST_FULL", if full { "1" } else { "0" })
}

/// Runs the official suite of the array API standard on one and on three devices, from a checkout
/// of `data-apis/array-api-tests` with its submodule, and adds its counts.
pub fn run_suite(
    project: &Project,
    python: &Path,
    checkout: &Path,
    full: bool,
    tally: &mut Tally,
) -> Result<(), Failure> {
    rust_tests::build(project)?;
    place_built(project)?;
    let suites = ["cpu:1", "cpu:3"].map(|devices| suite(project, python, checkout, devices, full));
    tally.watch_together(suites.into(), Vec::new(), summary)
}

fn suite(project: &Project, python: &Path, checkout: &Path, devices: &str, full: bool) -> Program {
    pytest(project, Program::new(python).named("python"), devices, full)
        .folder(checkout)
        // A busy machine must not cause a failure.
        .arguments(["-p", "standard", "--hypothesis-disable-deadline"])
        .arguments(["--hypothesis-seed", "1", "--max-examples"])
        .arguments([if full { "100" } else { "10" }])
        .arguments(["array_api_tests"])
        .variable("ARRAY_API_TESTS_CHECKOUT", checkout)
        .variable("ARRAY_API_TESTS_MODULE", "phalanx")
        .variable("ARRAY_API_TESTS_VERSION", STANDARD)
}

/// The numbers of tests passed and failed, if a line is pytest's last one:
/// `3 failed, 4 passed in 0.12s`. Several processes may write theirs on one line.
pub fn summary(line: &str) -> Option<Tally> {
    let parts = line.split('=').filter_map(|part| part_of_summary(part.trim()));
    parts.reduce(|mut all, one| {
        all.passed += one.passed;
        all.failed += one.failed;
        all
    })
}

fn part_of_summary(part: &str) -> Option<Tally> {
    let (counts, time) = part.rsplit_once(" in ")?;
    if !time.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let mut tally = Tally::default();
    for count in counts.split(", ") {
        let (number, what) = count.split_once(' ')?;
        let number: usize = number.parse().ok()?;
        match what {
            "passed" | "xfailed" => tally.passed += number,
            "failed" | "error" | "errors" => tally.failed += number,
            _ => {}
        }
    }
    Some(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_lines_are_counted() {
        let tally = |passed, failed| Some(Tally::of(passed, failed));
        assert_eq!(summary("3 failed, 4 passed, 1 skipped in 0.12s"), tally(4, 3));
        assert_eq!(summary("564 passed in 3.52s"), tally(564, 0));
        assert_eq!(summary("== 2 passed, 1 xfailed, 1 error in 61.02s (0:01:01) =="), tally(3, 1));
        assert_eq!(summary("==== short test summary info ====693 passed in 15.65s"), tally(693, 0));
        assert_eq!(summary("2 passed in 1.24s==== summary ====1 failed in 1.2s"), tally(2, 1));
        assert_eq!(summary("tests are in 3 files"), None);
        assert_eq!(summary("FAILED a.py::test in 3 ways"), None);
    }
}
