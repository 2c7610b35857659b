//! `phalanx demo`: the terrain example, run by the launcher.

#[path = "../../examples/terrain.rs"]
mod terrain;

/// Runs the demo with its own arguments. The demo prints its errors itself. Returns the exit code.
pub fn run(arguments: &[String]) -> u8 {
    match terrain::run(arguments) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{}", terrain::describe(error.as_ref()));
            terrain::exit_code(error.as_ref())
        }
    }
}
