//! `cargo xtask bench`: benchmarks in release mode.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::python;
use crate::python_tests;

/// The suites: benchmark programs of the root package, and programs in Python, of which some are
/// for machines with GPUs.
const SUITES: [&str; 10] = [
    "path",
    "weak",
    "cpu",
    "small",
    "arrays",
    "sizes",
    "programs",
    "gpu",
    "scaling",
    "collectives",
];

/// Runs a suite with its options: `--only NAME`, `--json FILE` and `--peers NAMES`.
pub fn run(project: &Project, suite: &str, options: &[String]) -> Result<(), Failure> {
    let known: &[&str] = match suite {
        "path" => &["--only", "--json"],
        "weak" => &["--prices"],
        "cpu" | "gpu" => &["--only", "--peers", "--json"],
        "small" | "arrays" => &["--only"],
        "scaling" => &["--only", "--predict"],
        "sizes" => &["--only", "--peers", "--most"],
        "programs" => &["--only", "--size"],
        _ => &[],
    };
    let pairs = options.chunks(2).all(|pair| pair.len() == 2 && known.contains(&pair[0].as_str()));
    if !SUITES.contains(&suite) || !pairs {
        let bench = ["bench".to_owned(), suite.to_owned()];
        return Err(Failure::usage(bench.iter().chain(options)));
    }
    match suite {
        "gpu" | "scaling" => return on_devices(project, suite, options),
        "small" | "arrays" | "sizes" | "programs" => return beside_numpy(project, suite, options),
        "collectives" => return collectives(project),
        _ => {}
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

/// Measures the errors of elementary functions and writes them into docs/accuracy.md if all points
/// and functions are measured.
pub fn accuracy(project: &Project, options: &[String]) -> Result<(), Failure> {
    let pairs = options
        .chunks(2)
        .all(|pair| pair.len() == 2 && ["--points", "--only"].contains(&pair[0].as_str()));
    if !pairs {
        return Err(Failure::usage(["accuracy".to_owned()].iter().chain(options)));
    }
    python_tests::place(project, &python_tests::build(project, true)?)?;
    let mut program = Program::new(python::environment(project)?)
        .arguments([project.path("benches/accuracy.py")])
        .arguments(options);
    if options.is_empty() {
        let page = project.path("docs/accuracy.md");
        program = program.arguments(["--into".as_ref(), page.as_os_str(), "CPU".as_ref()]);
    }
    program
        .variable("PYTHONPATH", project.path("python"))
        .variable("PHALANX_DEVICES", "cpu:1")
        .run()
}

/// Runs a program of `benches/` that compares one CPU device with NumPy in Python.
fn beside_numpy(project: &Project, suite: &str, options: &[String]) -> Result<(), Failure> {
    python_tests::place(project, &python_tests::build(project, true)?)?;
    let script = project.path(&format!("benches/{suite}.py"));
    let mut program =
        Program::new(python::environment(project)?).arguments([&script]).arguments(options);
    if suite == "sizes" && options.is_empty() {
        let (page, plot) = ("docs/benchmarks.md", "docs/images/sizes.svg");
        program = program.arguments(["--into"]).arguments([project.path(page), project.path(plot)]);
    }
    program
        .variable("PYTHONPATH", project.path("python"))
        .variable("PHALANX_DEVICES", "cpu:1")
        // A fixed kernel of OpenBLAS would slow NumPy down.
        .without_variable("OPENBLAS_CORETYPE")
        .run()
}

/// Runs a program of `benches/` on the devices of the machine, by the Python that `PYTHON` names,
/// which may have CuPy, PyTorch or JAX.
fn on_devices(project: &Project, suite: &str, options: &[String]) -> Result<(), Failure> {
    python_tests::place(project, &python_tests::build(project, true)?)?;
    let script = project.path(&format!("benches/{suite}.py"));
    Program::new(interpreter(project)?)
        .arguments([&script])
        .arguments(options)
        .variable("PYTHONPATH", project.path("python"))
        .run()
}

/// Runs `benches/collectives.py` on all GPUs of the machine.
fn collectives(project: &Project) -> Result<(), Failure> {
    let tests = project.test_program("phalanx-collectives", "it", &["--release"])?;
    let script = project.path("benches/collectives.py");
    Program::new(interpreter(project)?).arguments([&script]).variable("PROGRAM", &tests).run()
}

fn interpreter(project: &Project) -> Result<std::path::PathBuf, Failure> {
    match std::env::var_os("PYTHON") {
        Some(python) => Ok(python.into()),
        None => python::environment(project),
    }
}
