//! How a process ended.

use std::fmt;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

impl Outcome {
    /// Whether it ended successfully.
    pub fn is_success(self) -> bool {
        self == Outcome::Status(0)
    }

    /// The exit code that a shell would report for the process.
    pub fn exit_code(self) -> u8 {
        match self {
            // A status is eight bits wide wherever a parent reads it.
            Outcome::Status(status) => status as u8,
            Outcome::Signal(signal) => signal_exit_code(signal),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Status(status) => write!(f, "ended with status {status}"),
            Outcome::Signal(signal) => write!(f, "was ended by {}", signal_name(*signal)),
        }
    }
}

/// A signal's number and name.
pub fn signal_name(signal: i32) -> String {
    match signal_hook::low_level::signal_name(signal) {
        Some(name) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}

/// The exit code that a shell reports for a program that a signal ended.
pub fn signal_exit_code(signal: i32) -> u8 {
    128u8.saturating_add(u8::try_from(signal).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_worded() {
        assert_eq!(Outcome::Status(3).to_string(), "ended with status 3");
        assert_eq!(Outcome::Signal(9).to_string(), "was ended by signal 9 (SIGKILL)");
        assert_eq!(Outcome::Signal(64).to_string(), "was ended by signal 64");
    }
}
