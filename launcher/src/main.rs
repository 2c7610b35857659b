//! The `phalanx` program.

#![forbid(unsafe_code)]

use phalanx_launcher::Own;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(phalanx_launcher::main(std::env::args_os(), &Own::this_program()))
}
