//! The programs that the tests start, written as a user would write them except for the tested
//! mistake.

mod bits;
mod data_errors;
mod divergence;
mod files;
mod generated;
mod local;
mod memory;
mod steps;
mod turns;

use phalanx::prelude::*;
use phalanx::{Limits, Mesh, Policy, Session};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How a program ends.
type Outcome = Result<(), Box<dyn Error>>;

/// Arrays of at least this many elements are split in most programs.
const SPLIT_FROM: usize = 1024;

/// The variable with which a rank that has an error ends a moment later. A busy launcher then
/// notices the end of the failed rank first.
pub const ENDS_LATER: &str = "ENDS_LATER";

/// Runs the program of this name with its arguments.
pub fn main(words: &[String]) -> ExitCode {
    let (name, arguments) = words.split_first().expect("a program has a name");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(name, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            moment("failed");
            eprintln!("{}", describe(&*error));
            if std::env::var_os(ENDS_LATER).is_some() {
                std::thread::sleep(Duration::from_millis(500));
            }
            ExitCode::FAILURE
        }
    }
}

fn run(name: &str, arguments: &[&str]) -> Outcome {
    let split_from = match name {
        "generated" => arguments[3].parse()?,
        "bits" => arguments[1].parse()?,
        _ => SPLIT_FROM,
    };
    let mut config = Config::from_env()?;
    if name == "bits" {
        config = bits::with_instructions(config, arguments[0]);
    }
    let mesh = match name {
        "wrong_mesh" => Some(Mesh::line(7)),
        "other_mesh" if config.rank() == 1 => Some(Mesh::line(2)),
        _ => None,
    };
    let mut limits = Limits::default();
    if name == "other_limits" && config.rank() == 1 {
        limits.soft /= 2;
    }
    let session = Session::with_options(config, mesh, Policy { split_from }, limits)?;
    match name {
        "print_on_one" => divergence::print_on_one(arguments[0]),
        "observe_differently" => divergence::observe_differently(arguments[0]),
        "add_differently" => divergence::add_differently(),
        "work_differently" => divergence::work_differently(arguments[0]),
        "observe_one_of_two" => divergence::observe_one_of_two(arguments[0], arguments[1]),
        "defer_on_one" => divergence::defer_on_one(),
        "agree_on_one" => divergence::agree_on_one(),
        "give_data" => divergence::give_data(arguments[0]),
        "print_or_evaluate" => divergence::print_or_evaluate(),
        "die_unnoticed" => return divergence::die_unnoticed(session),
        "leave_loop_early" => divergence::leave_loop_early(arguments[0]),
        "end_on_one" if arguments[0] == "run" => {
            return session.run(|_| divergence::end_on_one("return", arguments[1]));
        }
        "end_on_one" => divergence::end_on_one(arguments[0], arguments[1]),
        "refuse_powers" => data_errors::refuse(),
        "defer_errors" => data_errors::defer(),
        "leave_errors_to_the_end" => data_errors::leave_to_the_end(),
        "read_between_errors" => data_errors::read_on_one(arguments[0]),
        "generated" => generated::run(&session, arguments),
        "bits" => bits::run(),
        "join_local" => local::join(&session, arguments[0]),
        "agree" => local::agree(),
        "read_on_one" => local::read_on_one(),
        "explain_on_one" => local::explain_on_one(),
        "work_alone" => local::work_alone(&session),
        "alone" => local::alone(),
        "go_on" => turns::go_on(arguments),
        "save_steps" => steps::save_steps(arguments[0], arguments[1]),
        "save_again" => steps::save_again(arguments[0]),
        "be_slow" => turns::be_slow(arguments[0], arguments[1]),
        "files" => files::run(&session, arguments),
        "memory" => memory::run(&session, arguments[0]),
        "expression" => local::expression(),
        "nothing" | "use_after_end" => Ok(()),
        _ => panic!("no program {name}"),
    }?;
    let late = arange(0, 10, 1);
    session.finish()?;
    if name == "use_after_end" {
        println!("sum {}", late.sum(()).item::<i64>()?);
    }
    Ok(())
}

/// An error as the programs of users show it.
fn describe(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<phalanx::InitError>() {
        return format!("error[{}]: {error}\n  hint    {}", error.code(), error.hint());
    }
    if let Some(error) = error.downcast_ref::<phalanx::ConfigError>() {
        return format!("error[{}]: {error}\n  hint    {}", error.code(), error.hint());
    }
    // Phalanx's other errors have all of it in their text.
    if error.is::<phalanx::Error>() { error.to_string() } else { format!("error: {error}") }
}

/// Sends a signal, such as `KILL`, to this process.
fn strike_self(signal: &str) -> Outcome {
    let own = std::process::id().to_string();
    std::process::Command::new("kill").args([&format!("-{signal}"), &own]).status()?;
    Ok(())
}

/// Reports the time of an event to the tests.
fn moment(name: &str) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is right");
    println!("{name} {}", now.as_millis());
}

/// The lines of the plan of everything pending that communicate, without their numbers.
fn planned_collectives(pending: &Array) -> Result<Vec<String>, phalanx::Error> {
    let text = pending.explain()?;
    let step = |line: &str| {
        let (number, step) = line.split_once(' ')?;
        number.parse::<usize>().ok()?;
        let step = step.trim_start();
        let communicates = ["exchange", "collective"].iter().any(|kind| step.starts_with(kind));
        communicates.then(|| String::from(step))
    };
    Ok(text.lines().filter_map(step).collect())
}
