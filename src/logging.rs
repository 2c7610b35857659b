//! Writes the events and spans of a session to standard error, at the level of `PHALANX_LOG`.

use crate::environment::LogLevel;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Starts writing events, and spans with their duration when they close. Does nothing if the level
/// is [`LogLevel::Off`], or if the program has installed its own subscriber, which then receives
/// everything.
pub fn start(level: LogLevel) {
    let filter = match level {
        LogLevel::Off => return,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // The error says that a subscriber is installed already, as at the second session of a program.
    let _ = tracing_subscriber::fmt()
        .with_max_level(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        // A closed standard error must not end the program.
        .log_internal_errors(false)
        .try_init();
}
