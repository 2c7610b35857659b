//! Waits for all processes of a run and ends them together, by the rules of `course`.

use super::course::{Course, Ending};
use super::outcome::Outcome;
use super::rank::Rank;
use crate::error::{LauncherError, Need};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

/// An event of a run.
#[derive(Clone, Copy, Debug)]
enum Occurrence {
    Ended { rank: usize, outcome: Outcome },
    Signal(i32),
}

/// Receives signals from its creation on, and ends of processes while it waits for them.
pub struct Watch {
    sender: Sender<Occurrence>,
    receiver: Receiver<Occurrence>,
}

impl Watch {
    /// Starts catching the signals that ask a program to end.
    pub fn new() -> Result<Watch, LauncherError> {
        let (sender, receiver) = channel();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
            .map_err(|source| LauncherError::Preparation { need: Need::Process, source })?;
        let signal_sender = sender.clone();
        thread::spawn(move || {
            for signal in signals.forever() {
                // The receiver has ended only after the run.
                let _ = signal_sender.send(Occurrence::Signal(signal));
            }
        });
        Ok(Watch { sender, receiver })
    }

    /// Returns when all ranks have ended. Ends them according to the rules.
    pub fn until_all_ended(&self, ranks: &[Rank]) -> Ending {
        for (rank, process) in ranks.iter().enumerate() {
            let (group, sender) = (process.group(), self.sender.clone());
            thread::spawn(move || {
                // The receiver has ended only after the run.
                let _ = sender.send(Occurrence::Ended { rank, outcome: wait(group) });
            });
        }
        let mut course = Course::new(ranks.len());
        while !course.running.is_empty() {
            let occurrence = match course.next_deadline() {
                None => self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => {
                    let patience = deadline.saturating_duration_since(Instant::now());
                    self.receiver.recv_timeout(patience)
                }
            };
            let order = match occurrence {
                Ok(Occurrence::Ended { rank, outcome }) => {
                    course.ended(rank, outcome, Instant::now());
                    None
                }
                Ok(Occurrence::Signal(signal)) => course.signalled(signal, Instant::now()),
                Err(RecvTimeoutError::Timeout) => course.expired(Instant::now()),
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("bug: the watch itself holds a sender")
                }
            };
            if let Some(signal) = order {
                for rank in &course.running {
                    ranks[*rank].signal(signal);
                }
            }
        }
        course.ending()
    }
}

/// Waits until a process has ended, without freeing its id.
fn wait(process: Pid) -> Outcome {
    loop {
        match waitid(WaitId::Pid(process), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(Some(status)) => {
                if let Some(status) = status.exit_status() {
                    return Outcome::Status(status);
                }
                if let Some(signal) = status.terminating_signal() {
                    return Outcome::Signal(signal);
                }
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(errno) => panic!("bug: an unfinished child cannot be waited for: {errno}"),
        }
    }
}
