//! The sequence of a run.

use super::course::Ending;
use super::dry_run;
use super::log::{self, Log};
use super::outcome::{signal_exit_code, signal_name};
use super::program::Program;
use super::rank::Rank;
use super::relay::Relays;
use super::watch::Watch;
use super::world::World;
use crate::arguments::Run;
use crate::error::LauncherError;
use crate::own::Own;
use rustix::process::Signal;
use std::time::Duration;

/// How long to wait for remaining output after the last rank has ended.
const DRAIN: Duration = Duration::from_secs(3);

/// Runs a program as a world of processes and returns the exit code when all of them have ended.
pub fn run(arguments: &Run, own: &Own) -> Result<u8, LauncherError> {
    let program = Program::of(&arguments.command, own)?;
    if arguments.dry_run {
        dry_run::print(own, &World::prepare(arguments, 0)?, &program)?;
        return Ok(0);
    }
    // Catch signals before there is a file to remove or a process to end.
    let watch = Watch::new()?;
    let mut logs = None;
    let mut attempt = 0;
    loop {
        let world = World::prepare(arguments, attempt)?;
        if let (Some(folder), None) = (&arguments.logs, &logs) {
            logs = Some(log::files(folder, world.size())?);
        }
        let ending = once(own, &world, &program, logs.as_deref(), &watch)?;
        match ending {
            Ending::Well => return Ok(0),
            Ending::Failed { rank, outcome } if attempt < arguments.restart => {
                attempt += 1;
                let most = arguments.restart;
                eprintln!("phalanx: rank {rank} {outcome}; restart {attempt} of {most}");
            }
            Ending::Failed { rank, outcome } => {
                return Err(LauncherError::RankFailed { rank, outcome });
            }
            Ending::Interrupted { signal } => {
                eprintln!("phalanx: interrupted by {}", signal_name(signal));
                return Ok(signal_exit_code(signal));
            }
        }
    }
}

/// Starts all ranks and returns when they have ended.
fn once(
    own: &Own,
    world: &World,
    program: &Program,
    logs: Option<&[Log]>,
    watch: &Watch,
) -> Result<Ending, LauncherError> {
    let relays = Relays::new();
    let mut ranks = Vec::with_capacity(world.size());
    for number in 0..world.size() {
        let log = logs.map(|logs| &logs[number]);
        match Rank::start(own, world, number, program, &relays, log) {
            Ok(rank) => ranks.push(rank),
            Err(error) => {
                ranks.iter().for_each(|rank: &Rank| rank.signal(Signal::KILL));
                ranks.into_iter().for_each(Rank::finish);
                return Err(error);
            }
        }
    }
    let ending = watch.until_all_ended(&ranks);
    if ending != Ending::Well {
        // Processes that the ranks started may still run, and no other process will end them.
        ranks.iter().for_each(|rank| rank.signal(Signal::KILL));
    }
    ranks.into_iter().for_each(Rank::finish);
    relays.drain(DRAIN);
    Ok(ending)
}
