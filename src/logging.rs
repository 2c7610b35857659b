//! Writes the events and spans of a session to standard error, as `PHALANX_LOG` asks for.

use crate::environment::LogLevel;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Starts writing events, and spans when they close with the time they took. Does nothing when the
/// level is [`LogLevel::Off`] or when the program has set up a subscriber of its own, which then
/// gets everything.
pub fn start(level: LogLevel) {
    let filter = match level {
        LogLevel::Off => return,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // The error says that a subscriber is already there, which is what the second session of a
    // program finds.
    let _ = tracing_subscriber::fmt()
        .with_max_level(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        // A reader of standard error that went away must not end the program.
        .log_internal_errors(false)
        .try_init();
}
