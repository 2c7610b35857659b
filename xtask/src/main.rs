//! Developer commands: `cargo xtask help` lists them.

#![forbid(unsafe_code)]

mod adding;
mod api;
mod bench;
#[path = "../../device/src/blas/choice.rs"]
mod blas_choice;
mod changed;
mod check;
mod comparison;
mod conformance;
mod coverage;
mod demo;
mod documents;
/// The framework's table of variables, included so that this program builds without the framework.
#[path = "../../src/environment/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "the developer commands need the names and the page, not the parser"
)]
mod environment;
mod examples;
mod failure;
mod golden;
mod gpu;
/// The type of one variable's values, included for the table.
#[path = "../../device/src/instructions.rs"]
#[allow(dead_code, reason = "the table needs the names and whether the processor has them")]
mod instructions;
mod linked_mpi;
mod process;
mod project;
mod python;
mod python_tests;
mod rust_tests;
mod seed;
mod tally;
mod test_command;
mod tidy;
/// The type of one variable's values, included for the table.
#[path = "../../collectives/src/rendezvous/transport.rs"]
mod transport;
mod wheel;

use blas_choice::BlasChoice;
use failure::Failure;
use instructions::Level as InstructionLevel;
use project::Project;
use std::process::ExitCode;
use transport::Transport;

const HELP: &str = "\
cargo xtask COMMAND

  setup                   make .venv with NumPy and fetch the demo's data
  demo [ARGS]             setup, build for release, run `phalanx demo ARGS`
  check                   format, lints, tidy, documentation, packages, number of loops; prints
                          the time of each
  tidy                    check only the house rules
  test [FILTER] [--full]  all tests, and the demo compared with NumPy; --full runs every
                          mesh, tests the wheel and runs `adding`
  test --changed [BASE]   the tests that the files changed since a commit need; without one, since
                          the last commit
  test --array-api CHECKOUT [--full]
                          the official suite of the array API standard, from a checkout of it
  adding [NAME]           apply the patches of tests/adding, the examples of docs/adding.md, to
                          copies of the project, and run their commands
  gpu [--fast]            pack the module, tests and benchmarks with a script, to run them on a
                          machine with a GPU and without Rust; --fast builds without optimising
  python                  build the Python module and put it into python/phalanx
  bless [FILTER]          rewrite golden files; read the diff before you commit it
  replay BASE             show how plans and kernels differ from those of the commit BASE
  replay --seed SEED [MESH]
                          run the random program of a seed once more, on a mesh such as 2x4 or
                          on all
  bench path|cpu|gpu [--only NAME] [--json FILE] [--peers numpy|none|cupy,torch,jax]
  bench small|arrays|sizes|programs [--only NAME] [--size small|large] [--peers NAMES]
                          run benchmarks in release mode; cpu and gpu have peers
  accuracy [--points N] [--only NAME]
                          measure the errors of elementary functions; without options at ten
                          million points each, into docs/accuracy.md
  bench weak --prices FILE
                          plan programs for up to 4,096 GPUs and predict their times
  bench scaling [--only NAME] [--predict FOLDER]
                          run programs on one device and on several
  bench collectives       measure collectives on all GPUs beside PyTorch
  docs                    write the generated pages, docs/coverage.md among them (also: coverage)
  help                    this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The line with their number must be the last one, so print nothing more.
        Err(Failure::Tests { .. }) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let Some((command, arguments)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(());
    };
    let project = Project::find();
    match (command.as_str(), arguments) {
        ("help" | "--help" | "-h", _) => {
            print!("{HELP}");
            Ok(())
        }
        ("setup", []) => python::setup(&project),
        ("demo", _) => demo::run(&project, arguments),
        ("check", []) => check::run(&project),
        ("tidy", []) => tidy::run(&project),
        ("docs" | "coverage", []) => documents::write(&project),
        ("gpu", []) => gpu::pack(&project, false),
        ("gpu", [option]) if option == "--fast" => gpu::pack(&project, true),
        ("python", []) => python_tests::place(&project, &python_tests::build(&project, false)?),
        ("adding", []) => adding::command(&project, None),
        ("adding", [name]) if !name.starts_with('-') => adding::command(&project, Some(name)),
        ("test", _) => test_command::run(&project, arguments),
        ("bless", _) => golden::bless(&project, arguments),
        ("replay", [option, seed]) if option == "--seed" => seed::run(&project, seed, None),
        ("replay", [option, seed, mesh]) if option == "--seed" => {
            seed::run(&project, seed, Some(mesh))
        }
        ("replay", [base]) if !base.starts_with('-') => golden::replay(&project, base),
        ("accuracy", options) => bench::accuracy(&project, options),
        ("bench", [suite, options @ ..]) => bench::run(&project, suite, options),
        _ => Err(Failure::usage(std::iter::once(command).chain(arguments))),
    }
}
