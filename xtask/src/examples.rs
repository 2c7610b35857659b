//! The examples: they print the same on one and on several devices and processes.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::python_tests;
use crate::tally::Tally;
use std::fs;

const EXAMPLES: [&str; 3] = ["digits", "poisson", "spectrum"];

/// Runs every example on several worlds and compares its output with `tests/examples/NAME.txt`.
/// Each comparison is a test. The examples' data must exist.
pub fn run(project: &Project, tally: &mut Tally) -> Result<(), Failure> {
    let target = project.target()?;
    let extension = std::env::consts::EXE_EXTENSION;
    // `cargo test` has built both.
    let phalanx = target.join("debug/phalanx").with_extension(extension);
    for name in EXAMPLES {
        let example = target.join("debug/examples").join(name).with_extension(extension);
        let path = project.path(&format!("tests/examples/{name}.txt"));
        let expected = fs::read_to_string(&path).map_err(Failure::file(&path))?;
        let worlds = [("1_device", "cpu"), ("3_devices", "cpu:3"), ("4_devices", "cpu:4")];
        for (world, devices) in worlds {
            let program = Program::new(&example).named(name).variable("PHALANX_DEVICES", devices);
            check(project, name, world, program, &expected, tally);
        }
        let program = Program::new(&phalanx).named("phalanx").arguments(["run", "-n", "3"]);
        let program = program.arguments([&example]);
        check(project, name, "3_processes", program, &expected, tally);
        match python_tests::mpirun(4) {
            None => tally.lacks("openmpi", "mpirun"),
            Some(program) => {
                let program = program.arguments([&example]);
                check(project, name, "4_processes_of_mpirun", program, &expected, tally);
            }
        }
    }
    Ok(())
}

fn check(
    project: &Project,
    name: &str,
    world: &str,
    program: Program,
    expected: &str,
    tally: &mut Tally,
) {
    let data = project.path("data");
    let printed = program.folder(project.root()).variable("PHALANX_DATA", data).output();
    let passed = printed.as_ref().is_ok_and(|printed| printed == expected);
    println!("test examples::{name}::{world} ... {}", if passed { "ok" } else { "FAILED" });
    match printed {
        Err(failure) => println!("{failure}"),
        Ok(printed) if !passed => println!("printed:\n{printed}\nnot:\n{expected}"),
        Ok(_) => {}
    }
    tally.count(passed);
}
