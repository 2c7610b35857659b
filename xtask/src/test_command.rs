//! `cargo xtask test`: the tests, and the demo compared with NumPy.

use crate::adding;
use crate::changed::Changed;
use crate::comparison;
use crate::conformance;
use crate::examples;
use crate::failure::Failure;
use crate::linked_mpi;
use crate::process::Program;
use crate::project::Project;
use crate::python;
use crate::python_tests;
use crate::rust_tests::{self, TestProgram};
use crate::tally::{REQUIRE, Tally};
use crate::wheel;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Runs the tests whose names contain the filter, or all without a filter. With
/// `--changed`, runs only those that the changes since a commit need. With
/// `--array-api CHECKOUT`, runs only the official suite of the array API standard. Prints the lacks
/// for which tests were skipped, and `N passed, N failed` last.
pub fn run(project: &Project, arguments: &[String]) -> Result<(), Failure> {
    let mut filter = None;
    let mut full = false;
    let mut standard = None;
    let mut base = None;
    let mut words = arguments.iter().peekable();
    while let Some(argument) = words.next() {
        match argument.as_str() {
            "--full" => full = true,
            "--changed" => {
                let given = words.next_if(|word| !word.starts_with('-'));
                base = Some(given.map_or("HEAD", String::as_str));
            }
            "--array-api" => match words.next() {
                Some(checkout) => standard = Some(Path::new(checkout)),
                None => return Err(Failure::usage(arguments.iter())),
            },
            other if !other.starts_with('-') && filter.is_none() => filter = Some(other),
            _ => return Err(Failure::usage(arguments.iter())),
        }
    }
    let mut tally = Tally::requiring(&std::env::var(REQUIRE).unwrap_or_default())?;
    if base.is_some() && (full || filter.is_some() || standard.is_some()) {
        return Err(Failure::usage(arguments.iter()));
    }
    let outcome = match (standard, base) {
        (Some(checkout), _) => suite(project, checkout, full, &mut tally),
        (None, Some(base)) => since(project, base, &mut tally),
        (None, None) => all(project, filter, None, full, &mut tally),
    };
    if let Err(failure) = outcome {
        // A failure that keeps tests from running counts like a failed test.
        eprintln!("error: {failure}");
        tally.failed += 1;
    }
    tally.finish()
}

/// Runs the tests that the files changed since a commit need.
fn since(project: &Project, base: &str, tally: &mut Tally) -> Result<(), Failure> {
    // Any change may keep a patch from applying.
    adding::check(project, tally)?;
    let changed = Changed::since(project, base)?;
    if changed.is_empty() {
        println!("no test is needed for what changed since {base}");
        return Ok(());
    }
    if changed.seconds() > 0 {
        println!("the tests of changed folders take about {} s, once built", changed.seconds());
    }
    all(project, None, Some(&changed), false, tally)
}

/// Runs the suite of the standard; the repository has no copy of it.
fn suite(project: &Project, checkout: &Path, full: bool, tally: &mut Tally) -> Result<(), Failure> {
    let checkout = std::fs::canonicalize(checkout).map_err(Failure::file(checkout))?;
    let python = python::environment(project)?;
    python_tests::run_suite(project, &python, &checkout, full, tally)
}

/// The things beside Cargo's that tests need.
struct Prepared {
    /// The interpreter of the environment.
    python: PathBuf,
    /// The folder with NumPy's results.
    data: PathBuf,
    /// The value of `PATH`, with MPICH's programs after the machine's own.
    path: OsString,
}

fn prepare(project: &Project) -> Result<Prepared, Failure> {
    let python = python::environment(project)?;
    python::fetch_data(project, &python)?;
    let data = conformance::data(project, &python)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(python::mpich(project)?);
    let path = std::env::join_paths(folders).unwrap_or(path.clone());
    Ok(Prepared { python, data, path })
}

fn all(
    project: &Project,
    filter: Option<&str>,
    changed: Option<&Changed>,
    full: bool,
    tally: &mut Tally,
) -> Result<(), Failure> {
    // The environment of Python, which one core makes, is made beside the build.
    let (prepared, built) = std::thread::scope(|scope| {
        let building = scope.spawn(|| rust_tests::build(project));
        (prepare(project), building.join().expect("no panic"))
    });
    let Prepared { python, data, path } = prepared?;
    let built = built?;
    let libraries = python::cuda_libraries(project);
    let summary = |line: &str| Tally::of_summary(line).or_else(|| python_tests::summary(line));
    let share = (!full).then(|| python_tests::share(project));
    let required = tally.required();
    let of_rust = |program: Program| {
        let mut program = program
            .variable("PATH", &path)
            .variable("PHALANX_CONFORMANCE_DATA", &data)
            .variable(REQUIRE, &required);
        if let Some(libraries) = &libraries {
            program = program.variable("PHALANX_CUDA_PATH", libraries);
        }
        match share {
            Some(share) => program
                .variable("PHALANX_TEST_SHARE", share.to_string())
                .variable("PHALANX_TEST_TURN", python_tests::turn(project).to_string()),
            None => program.variable("PHALANX_TEST_FULL", "1"),
        }
    };
    if let Some(changed) = changed {
        let is_due = |test: &&TestProgram| changed.has_program(&test.name(project));
        let due = built.iter().filter(is_due).map(|test| of_rust(test.program(project)));
        let mut programs: Vec<Program> = due.collect();
        python_tests::place_built(project)?;
        programs.extend(python_tests::programs_of(
            project,
            &python,
            &data,
            &changed.python(),
            &tally.required(),
        ));
        if changed.has_program("tutorial") {
            let documented =
                [&["test", "--package", "phalanx", "--doc"], &rust_tests::FEATURES[..]];
            programs.push(of_rust(project.cargo(&documented.concat()).arguments(["tutorial"])));
        }
        tally.watch_together(programs, Vec::new(), summary)?;
        if changed.has_program("demo") {
            comparison::run(project, &python, false, tally)?;
        }
        if changed.has_program("examples") {
            examples::run(project, tally)?;
        }
        return Ok(());
    }
    let of_tests = |waits: bool| -> Vec<Program> {
        let tests = built.iter().filter(|test| test.waits() == waits);
        tests.map(|test| of_rust(test.program(project).arguments(filter))).collect()
    };
    let is_wanted = |name: &str| filter.is_none_or(|filter| name.contains(filter));
    let (mut waiting, mut programs) = (of_tests(true), of_tests(false));
    if is_wanted("python") {
        python_tests::place_built(project)?;
        let (tests, others) =
            python_tests::programs(project, &python, &data, full, &tally.required())?;
        waiting.extend(others);
        // After the slowest program.
        let after = programs.len().min(1);
        programs.splice(after..after, tests);
    }
    if is_wanted("linked_mpi") && (filter.is_some() || full || python_tests::is_linked(project)) {
        // It builds crates with another feature, then mostly waits.
        waiting.extend(linked_mpi::program(project, &python, tally)?);
    }
    let documented = [&["test", "--workspace", "--doc"], &rust_tests::FEATURES[..]].concat();
    let words = filter.iter().flat_map(|filter| ["--", filter]);
    programs.push(of_rust(project.cargo(&documented).arguments(words)));
    tally.watch_together(programs, waiting, summary)?;
    of_users(project, &python, full, is_wanted, tally)?;
    // Builds for release, which takes longer than all tests together.
    if full && is_wanted("wheel") {
        wheel::run(project, &python, tally)?;
    }
    Ok(())
}

/// The demo, the examples, and those of the page about adding things.
fn of_users(
    project: &Project,
    python: &Path,
    full: bool,
    is_wanted: impl Fn(&str) -> bool,
    tally: &mut Tally,
) -> Result<(), Failure> {
    if is_wanted("demo") {
        comparison::run(project, python, full, tally)?;
    }
    if is_wanted("examples") {
        examples::run(project, tally)?;
    }
    if is_wanted("adding") {
        // Builds the project once for each example.
        if full { adding::run(project, None, tally) } else { adding::check(project, tally) }?;
    }
    Ok(())
}
