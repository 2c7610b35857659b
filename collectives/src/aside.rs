//! Runs calls that cannot be cancelled on a thread of their own.

use crate::CollectiveError;
use crate::failure::Failure;
use phalanx_waiting::look;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The interval between two checks for the world's failure, which does not wake this thread.
const LOOK: Duration = Duration::from_millis(10);

/// Runs `work`, which may wait for other ranks and cannot be cancelled, on its own thread. If the
/// world fails first, that thread keeps running and this call returns the error.
pub(crate) fn aside<T: Send + 'static>(
    name: &str,
    failure: &Failure,
    work: impl FnOnce() -> Result<T, CollectiveError> + Send + 'static,
) -> Result<T, CollectiveError> {
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || sender.send(work()))
        .map_err(|error| CollectiveError::network(&error))?;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => {
                look();
                failure.check()?;
            }
            Err(RecvTimeoutError::Disconnected) => panic!("bug: {name} panicked"),
        }
    }
}
