//! The `phalanx` program: starts worlds of processes, shows what a session would use, runs the
//! demo.

#![forbid(unsafe_code)]

mod arguments;
mod demo;
mod error;
mod info;
mod run;

use arguments::{Arguments, Command};
use clap::Parser;
use error::LauncherError;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::Info => info::print().map(|()| ExitCode::SUCCESS),
        Command::Demo(demo) => Ok(demo::run(&demo.arguments)),
        Command::StartRank(start) => run::start_rank(&start),
    };
    result.unwrap_or_else(|error: LauncherError| {
        eprintln!("{}", error.report());
        error.exit_code()
    })
}
