//! Relays the lines of a rank, marked with its number.

use super::lines::{mark_lines, whole_lines};
use super::log::Log;
use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The destination of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The launcher's standard output.
    Output,
    /// The launcher's standard error.
    Errors,
}

/// The relaying threads. Each holds a sender that it never uses: the channel closes when the last
/// thread has ended.
pub struct Relays {
    alive: Sender<Infallible>,
    ended: Receiver<Infallible>,
}

impl Relays {
    /// No threads yet.
    pub fn new() -> Relays {
        let (alive, ended) = channel();
        Relays { alive, ended }
    }

    /// Starts a thread that relays a rank's output until the pipe closes, and also writes it to
    /// `log`. The output of rank 0 is relayed without marks.
    pub fn pass_on(
        &self,
        rank: usize,
        source: impl Read + Send + 'static,
        channel: Channel,
        log: Option<Log>,
    ) {
        let alive = self.alive.clone();
        thread::spawn(move || {
            let source = Logged { source, log };
            // Reading a pipe fails only when it is closed, which ends the rank's output normally.
            let _ = match channel {
                Channel::Output if rank == 0 => {
                    whole_lines(source, |part| write_line(io::stdout().lock(), part))
                }
                Channel::Output => {
                    mark_lines(rank, source, |line| write_line(io::stdout().lock(), line))
                }
                Channel::Errors => {
                    mark_lines(rank, source, |line| write_line(io::stderr().lock(), line))
                }
            };
            drop(alive);
        });
    }

    /// Waits until everything is relayed, but not longer than `patience`: a process that a rank
    /// left behind may hold its pipe open for ever.
    pub fn drain(self, patience: Duration) {
        let Relays { alive, ended } = self;
        drop(alive);
        let deadline = Instant::now() + patience;
        // Nothing is ever sent, so this returns when the channel closes or the time is up.
        let _ = ended.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
}

/// A pipe whose contents are logged as they are read.
struct Logged<R> {
    source: R,
    log: Option<Log>,
}

impl<R: Read> Read for Logged<R> {
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(part)?;
        if let Some(log) = &self.log {
            log.write(&part[..count]);
        }
        Ok(count)
    }
}

/// Writes a line in one piece. If the reader has ended, the run continues and the pipe is still
/// emptied.
fn write_line(mut target: impl Write, line: &[u8]) {
    let _ = target.write_all(line).and_then(|()| target.flush());
}
