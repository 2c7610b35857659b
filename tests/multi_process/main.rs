//! Several processes of one program, as a user starts them: they agree, or all of
//! them report the reason.
//!
//! This program is also the program that its tests start: `--program NAME ARGUMENTS` runs one of
//! `programs`, so that the released programs contain nothing for tests.

macro_rules! trials {
    ($($name:ident),* $(,)?) => {
        /// The tests of this module.
        pub const TRIALS: &[(&str, fn())] = &[
            $((concat!(module_path!(), "::", stringify!($name)), $name)),*
        ];
    };
}

#[path = "../absence.rs"]
mod absence;
mod agreement;
mod alone;
mod data_errors;
mod demo;
mod divergence;
#[path = "../faults/mod.rs"]
mod faults;
mod files;
mod hosts;
mod instructions;
mod launchers;
mod locality;
mod mpi;
mod path;
mod programs;
#[path = "../../launcher/tests/it/ssh.rs"]
mod ssh;
mod wire;
mod world;

use libtest_mimic::{Arguments, Trial};
use std::num::NonZero;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some(world::PROGRAM) {
        return programs::main(&words.collect::<Vec<_>>());
    }
    let modules = [
        agreement::TRIALS,
        alone::TRIALS,
        data_errors::TRIALS,
        demo::TRIALS,
        divergence::TRIALS,
        faults::damage::TRIALS,
        faults::input::TRIALS,
        faults::killing::TRIALS,
        faults::left::TRIALS,
        faults::memory::TRIALS,
        faults::random::TRIALS,
        faults::restart::TRIALS,
        faults::silence::TRIALS,
        faults::start_up::TRIALS,
        files::TRIALS,
        hosts::TRIALS,
        instructions::TRIALS,
        launchers::TRIALS,
        locality::TRIALS,
        mpi::TRIALS,
        path::TRIALS,
    ];
    let trials = modules.into_iter().flatten().map(|&(path, test)| {
        let name = path.split_once("::").map_or(path, |(_, name)| name);
        trial(name, test)
    });
    let of_planes = divergence::tests().into_iter().map(|(name, test)| trial(name, test));
    let mut arguments = Arguments::from_args();
    // They wait more than they compute.
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    arguments.test_threads.get_or_insert(2 * cores);
    libtest_mimic::run(&arguments, trials.chain(of_planes).collect()).exit_code()
}

fn trial(name: impl Into<String>, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
