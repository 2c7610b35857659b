//! `phalanx demo`: the terrain example, run by the launcher.

#[path = "../../examples/terrain.rs"]
mod terrain;

use std::process::ExitCode;

/// Runs the demo with its own arguments; it shows its errors itself.
pub fn run(arguments: &[String]) -> ExitCode {
    match terrain::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", terrain::describe(error.as_ref()));
            terrain::exit_code(error.as_ref())
        }
    }
}
