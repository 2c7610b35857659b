//! The parts that all ways share.

use phalanx_waiting::{LOOK, look};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A way by which the processes of a launcher pass a text from rank 0 to all.
pub trait Exchange: Send {
    /// The name of the way in messages.
    fn name(&self) -> &'static str;

    /// Returns the text of rank 0, the only process that passes one, on every process. Collective
    /// over the processes of the launcher. A time-out or an interrupt by the user is an error.
    fn broadcast(&mut self, own: Option<&str>, timeout: Duration) -> Result<String, ExchangeError>;
}

/// Why a text did not arrive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("by {way}: {reason}")]
pub struct ExchangeError {
    /// The name of the way.
    pub way: &'static str,
    /// The cause.
    pub reason: String,
}

impl ExchangeError {
    /// An error of a way.
    pub fn new(way: &'static str, reason: impl Into<String>) -> ExchangeError {
        ExchangeError { way, reason: reason.into() }
    }
}

/// Runs calls without a time-out of their own on a thread. If they do not return, the thread is
/// abandoned, because the process is about to end with the error.
pub(super) fn within<T: Send + 'static>(
    way: &'static str,
    timeout: Duration,
    calls: impl FnOnce() -> Result<T, ExchangeError> + Send + 'static,
) -> Result<T, ExchangeError> {
    let (sender, receiver) = channel();
    let started = std::thread::Builder::new().name(String::from("phalanx-meeting"));
    let started = started.spawn(move || {
        // After the time-out no thread receives the outcome.
        let _ = sender.send(calls());
    });
    started.map_err(|error| ExchangeError::new(way, error.to_string()))?;
    let deadline = Instant::now() + timeout;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ExchangeError::new(way, "its thread ended"));
            }
            Err(RecvTimeoutError::Timeout) if look() => {
                return Err(ExchangeError::new(way, "the user interrupted the wait"));
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                return Err(ExchangeError::new(way, late(timeout)));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// The text of the time-out error.
pub(super) fn late(timeout: Duration) -> String {
    let seconds = timeout.as_secs_f64();
    format!("not all processes arrived at the meeting within {seconds} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_do_not_return_are_left() {
        let (_sender, receiver) = channel::<()>();
        let waited = within("a test", Duration::from_millis(1), move || {
            let _ = receiver.recv();
            Ok(())
        });
        let error = waited.unwrap_err();
        assert_eq!(error.way, "a test");
        assert!(error.reason.contains("within 0.001 s"), "{error}");
        assert_eq!(within("a test", Duration::from_secs(60), || Ok(3)), Ok(3));
    }
}
