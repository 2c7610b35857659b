//! The entry of the program.

use crate::arguments::{Arguments, Command};
use crate::error::LauncherError;
use crate::own::Own;
use crate::{demo, info, run};
use clap::Parser;
use std::ffi::OsString;

/// Runs the program with its command line, whose first word is its name. Returns the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>, own: &Own) -> u8 {
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(help_or_error) => {
            // The reader of the output may have ended.
            let _ = help_or_error.print();
            return u8::try_from(help_or_error.exit_code()).unwrap_or(2);
        }
    };
    let result = match arguments.command {
        Command::Run(run) => run::run(&run, own),
        Command::Info(options) if options.measure => info::print_prices().map(|()| 0),
        Command::Info(_) => info::print().map(|()| 0),
        Command::Demo(demo) => Ok(demo::run(&demo.arguments)),
        Command::StartRank(start) => run::start_rank(&start),
    };
    result.unwrap_or_else(|error: LauncherError| {
        eprintln!("{}", error.report());
        error.exit_code()
    })
}
