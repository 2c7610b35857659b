//! The order in which a run happens.

use super::log;
use super::outcome::{signal_exit_code, signal_name};
use super::program;
use super::rank::Rank;
use super::relay::Relays;
use super::watch::{Ending, Watch};
use super::world::World;
use crate::arguments::{Run, program_and_arguments};
use crate::error::{LauncherError, Need};
use crate::own::Own;
use rustix::process::Signal;
use std::ffi::OsStr;
use std::io::Write;
use std::time::Duration;

/// How long output that is still on its way is waited for after the last rank has ended.
const DRAIN: Duration = Duration::from_secs(1);

/// Runs a program as a world of processes and returns the exit code when all of them have ended.
pub fn run(arguments: &Run, own: &Own) -> Result<u8, LauncherError> {
    let (program, own_arguments) = program_and_arguments(&arguments.command);
    let (program, before) = program::find(program, own)?;
    let own_arguments = [before.as_slice(), own_arguments].concat();
    if arguments.dry_run {
        let commands = World::prepare(arguments)?.commands(own, &program, &own_arguments)?;
        let mut page = commands.join(OsStr::new("\n"));
        page.push("\n");
        let unwritten = |source| LauncherError::Preparation { need: Need::Output, source };
        std::io::stdout().write_all(page.as_encoded_bytes()).map_err(unwritten)?;
        return Ok(0);
    }
    // Signals are caught before there is a file to remove or a process to end.
    let watch = Watch::new()?;
    let world = World::prepare(arguments)?;
    let logs = arguments.logs.as_deref();
    let logs = logs.map(|folder| log::files(folder, world.size())).transpose()?;
    let relays = Relays::new();
    let mut ranks = Vec::with_capacity(world.size());
    for number in 0..world.size() {
        let log = logs.as_ref().map(|logs| &logs[number]);
        match Rank::start(own, &world, number, &program, &own_arguments, &relays, log) {
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
        // What the ranks started may have outlived them, and nobody else will end it.
        ranks.iter().for_each(|rank| rank.signal(Signal::KILL));
    }
    ranks.into_iter().for_each(Rank::finish);
    relays.drain(DRAIN);
    match ending {
        Ending::Well => Ok(0),
        Ending::Failed { rank, outcome } => Err(LauncherError::RankFailed { rank, outcome }),
        Ending::Interrupted { signal } => {
            eprintln!("phalanx: interrupted by {}", signal_name(signal));
            Ok(signal_exit_code(signal))
        }
    }
}
