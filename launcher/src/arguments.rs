//! The command line.

use crate::run::Hosts;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// The end of `phalanx --help`.
const EXIT_CODES: &str = "\
Exit codes of `phalanx run`:
  0        every rank ended with status 0
  n        the first rank that failed ended with status n
  128 + n  the first rank that failed was ended by signal n, or the run was interrupted by signal n
  2        the command line or a PHALANX_* variable is wrong
  126      PROGRAM cannot be run
  127      PROGRAM is not found
  1        the run could not start for another reason

Environment variables: `phalanx info` lists them.";

/// Arrays with NumPy semantics on one device or many.
#[derive(Debug, Parser)]
#[command(name = "phalanx", version, after_help = EXIT_CODES)]
pub struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program as several processes that form one world
    Run(Run),
    /// Show version, devices, instruction set and every variable with its value
    Info(Info),
    /// Run the demo on real elevation data (`phalanx demo --help` lists its options); fetch the
    /// data first, by `phalanx demo --fetch` of the Python package or `cargo xtask setup` in a
    /// checkout
    #[command(disable_help_flag = true)]
    Demo(Demo),
    /// Become the program of one rank
    #[command(hide = true)]
    StartRank(StartRank),
}

/// The arguments of `phalanx run`.
#[derive(Args, Debug)]
#[command(
    override_usage = "phalanx run [OPTIONS] PROGRAM [ARGS]...",
    after_help = EXIT_CODES
)]
pub struct Run {
    /// Number of processes to start [default: 1, or the number of places of --hosts]
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = ranks)]
    pub ranks: Option<usize>,
    /// Hosts to start processes on by ssh, with the places of each, such as node1:4,node2:4
    #[arg(long, value_name = "HOSTS", value_parser = hosts)]
    pub hosts: Option<Hosts>,
    /// Print the commands and start nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Devices of each process, such as cpu:2 [default: PHALANX_DEVICES]
    #[arg(long, value_name = "DEVICES")]
    pub devices: Option<String>,
    /// Time limit of start-up, in seconds [default: PHALANX_TIMEOUT]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<String>,
    /// Restart a run that failed, but not one that was interrupted, at most N times;
    /// PHALANX_ATTEMPT holds the number of the attempt, from 0
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub restart: usize,
    /// Also write the output and the log of each rank to FOLDER/rank-N.log
    #[arg(long, value_name = "FOLDER")]
    pub logs: Option<PathBuf>,
    /// The program, found as a shell finds it (`phalanx` is this program itself), and its arguments
    #[arg(value_name = "PROGRAM ARGS", trailing_var_arg = true, required = true)]
    pub command: Vec<OsString>,
}

/// The arguments of `phalanx info`.
#[derive(Args, Debug)]
pub struct Info {
    /// Measure the cost of messages on each transport of processes that start as this one does,
    /// and write the price table that sessions read; under a launcher, all its processes take part
    #[arg(long)]
    pub measure: bool,
}

/// The arguments of `phalanx demo`, which the demo reads itself.
#[derive(Args, Debug)]
pub struct Demo {
    /// The demo's own arguments
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<String>,
}

/// The arguments of the command that a rank is started with.
#[derive(Args, Debug)]
pub struct StartRank {
    /// The process that starts it.
    pub parent: u32,
    /// Whether it is on another host. It reads the secret from standard input, and ends when the
    /// input ends.
    #[arg(long)]
    pub remote: bool,
    /// The path of the program, and its arguments.
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,
}

/// Splits a command into its program and arguments.
pub fn program_and_arguments(command: &[OsString]) -> (&OsString, &[OsString]) {
    command.split_first().expect("bug: the command line was accepted without a program")
}

/// The most processes that one machine may be asked to start; more is a typing error.
const MOST_RANKS: usize = 4096;

fn hosts(text: &str) -> Result<Hosts, String> {
    let hosts: Hosts = text.parse()?;
    match hosts.places() {
        1..=MOST_RANKS => Ok(hosts),
        _ => Err(format!("at most {MOST_RANKS} places are allowed")),
    }
}

fn ranks(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(ranks @ 1..=MOST_RANKS) => Ok(ranks),
        _ => Err(format!("a whole number from 1 to {MOST_RANKS} is needed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Run {
        let words = std::iter::once("phalanx").chain(line.split_whitespace());
        match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
            Ok(Command::Run(run)) => run,
            other => panic!("`{line}` gave {other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn help_says_how_the_demo_gets_its_data() {
        let help = <Arguments as clap::CommandFactory>::command().render_help().to_string();
        assert!(help.contains("`phalanx demo --fetch`"), "{help}");
    }

    #[test]
    fn options_after_the_program_are_the_programs() {
        let run = run("run -n 4 --devices cpu:2 prog -n 3 --devices x -- y");
        assert_eq!((run.ranks, run.devices.as_deref()), (Some(4), Some("cpu:2")));
        assert_eq!(run.command, ["prog", "-n", "3", "--devices", "x", "--", "y"]);
    }

    #[test]
    fn unknown_options_before_the_program_are_refused() {
        for line in ["phalanx run --rank 3 prog", "phalanx run -q prog", "phalanx run -n 2"] {
            assert!(Arguments::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }

    #[test]
    fn impossible_numbers_of_ranks_are_refused() {
        for ranks in ["0", "-1", "x", "5000"] {
            let words = ["phalanx", "run", "-n", ranks, "prog"];
            assert!(Arguments::try_parse_from(words).is_err(), "{ranks}");
        }
    }
}
