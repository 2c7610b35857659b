//! `cargo xtask demo`: sets up a fresh machine and runs the demo.

use crate::failure::Failure;
use crate::process::Program;
use crate::project::Project;
use crate::python;

/// Sets up, builds for release and runs `phalanx demo` with the given arguments.
pub fn run(project: &Project, arguments: &[String]) -> Result<(), Failure> {
    python::setup(project)?;
    let phalanx = project.build_release("phalanx-launcher")?;
    Program::new(phalanx)
        .named("phalanx")
        .arguments(["demo"])
        .arguments(arguments)
        .variable("PHALANX_DATA", project.path("data"))
        .run()
}
