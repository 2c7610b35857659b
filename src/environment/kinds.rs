//! The kinds of value: the form of each in words, and its parser.

use super::numbers::{byte_count, natural, positive};
use super::values::{Devices, LogLevel, MeetingWay, MemoryLimit};
use crate::{BlasChoice, InstructionLevel, Transport};
use std::ffi::OsStr;
use std::net::IpAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

/// The threads that a process may have on any machine.
const MOST_THREADS: usize = 256;
/// The threads that it may have for each core, if that is more.
const MOST_THREADS_OF_A_CORE: usize = 4;

/// The most compute threads a process may have on this machine.
///
/// An idle thread repeatedly looks for work at every other thread before it sleeps. Therefore the
/// time to start threads grows faster than the square of their number: thousands keep a few cores
/// busy for a minute.
pub fn most_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    MOST_THREADS.max(cores.saturating_mul(MOST_THREADS_OF_A_CORE))
}

/// A kind of value: its form, and its parser.
pub trait Kind {
    /// The parsed value.
    type Value;
    /// The allowed form, in words.
    const ALLOWED: &'static str;
    /// The value, if the text has the allowed form.
    fn parse(text: &OsStr) -> Option<Self::Value>;
}

/// Declares the kinds of value from a list of their forms.
macro_rules! kinds {
    ($( $(#[doc = $doc:literal])+ $kind:ident: $value:ty, $allowed:literal,
        |$text:ident| $parse:expr; )+) => { $(
        $(#[doc = $doc])+
        pub struct $kind;
        impl Kind for $kind {
            type Value = $value;
            const ALLOWED: &'static str = $allowed;
            fn parse($text: &OsStr) -> Option<$value> {
                $parse
            }
        }
    )+ };
}

kinds! {
    /// Devices of a process.
    DeviceList: Devices,
    "`auto`, `cpu`, `cpu:n` (n from 1 to 1024), `cuda`, `cuda:0,2` or `null-cuda:n`", |text| {
        text.to_str()?.parse().ok()
    };
    /// A library of matrices.
    MatrixLibrary: BlasChoice, "`auto`, `own`, or the path of a library", |text| {
        Some(match text.to_str() {
            Some("auto") => BlasChoice::Auto,
            Some("own") => BlasChoice::Own,
            _ => BlasChoice::Path(PathBuf::from(text)),
        })
    };
    /// Vector instructions of this processor; `None` for the best.
    Instructions: Option<InstructionLevel>,
    "`auto`, or those of `baseline`, `avx2` and `avx512` that the processor has", |text| {
        let name = text.to_str()?;
        if name == "auto" {
            return Some(None);
        }
        InstructionLevel::from_name(name).filter(|level| level.is_available()).map(Some)
    };
    /// Folders.
    Folders: Vec<PathBuf>, "paths separated by `:`", |text| {
        Some(std::env::split_paths(text).filter(|path| !path.as_os_str().is_empty()).collect())
    };
    /// A part of a device's memory.
    Memory: MemoryLimit,
    "bytes: a whole number, with or without `K`, `M`, `G` or `T` (powers of 1024), or `80%`",
    |text| text.to_str()?.parse().ok();
    /// A positive number.
    Count: usize, "a whole number from 1", |text| positive(text.to_str()?);
    /// Compute threads of a process.
    Threads: usize,
    "a whole number from 1 to 256, or to four times the number of cores if that is more", |text| {
        positive(text.to_str()?).filter(|count| *count <= most_threads())
    };
    /// A number from zero.
    Index: usize, "a whole number from 0", |text| natural(text.to_str()?);
    /// How much is logged.
    Level: LogLevel, "`off`, `error`, `warn`, `info`, `debug` or `trace`", |text| {
        LogLevel::ALL.into_iter().find(|level| text.eq_ignore_ascii_case(level.name()))
    };
    /// Whether NumPy may compute.
    Fallback: bool, "`off` or `warn`", |text| match text.to_str()? {
        "off" => Some(false),
        "warn" => Some(true),
        _ => None,
    };
    /// The size up to which copies are made without a warning.
    CopySize: Option<usize>,
    "bytes: a whole number, with or without `K`, `M`, `G` or `T` (powers of 1024), or `off`",
    |text| match text.to_str()? {
        "off" => Some(None),
        text => byte_count(text).map(Some),
    };
    /// Whether something is enabled.
    Switch: bool, "`0` or `1`", |text| match text.to_str()? {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    /// How messages travel between processes.
    TransportName: Transport, "`auto`, `tcp` or `mpi`", |text| {
        Transport::ALL.into_iter().find(|transport| text == transport.name())
    };
    /// A folder.
    Folder: PathBuf, "a path", |text| Some(PathBuf::from(text));
    /// A file.
    File: PathBuf, "a path", |text| Some(PathBuf::from(text));
    /// How processes meet.
    Meeting: MeetingWay, "`auto`, `pmix`, `pmi`, `mpi` or `file:` with a path", |text| {
        match text.to_str() {
            Some("auto") => Some(MeetingWay::Auto),
            Some("pmix") => Some(MeetingWay::Pmix),
            Some("pmi") => Some(MeetingWay::Pmi),
            Some("mpi") => Some(MeetingWay::Mpi),
            text => {
                let path = text?.strip_prefix("file:").filter(|path| !path.is_empty())?;
                Some(MeetingWay::File(PathBuf::from(path)))
            }
        }
    };
    /// A name.
    Name: String, "a name", |text| {
        let text = text.to_str()?;
        (!text.contains(char::is_whitespace)).then(|| text.to_owned())
    };
    /// Names.
    Names: Vec<String>, "names separated by `,`", |text| {
        let text = text.to_str()?;
        let names = text.split(',').map(str::to_owned);
        (!text.contains(char::is_whitespace)).then(|| names.collect())
    };
    /// A network address of this machine.
    Ip: IpAddr, "an IP address, such as `127.0.0.1` or `0.0.0.0`", |text| {
        text.to_str()?.parse().ok()
    };
    /// A host and a port.
    HostPort: String, "`host:port`", |text| {
        let text = text.to_str()?;
        let (host, port) = text.rsplit_once(':')?;
        let valid = !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0);
        valid.then(|| text.to_owned())
    };
    /// A time.
    Seconds: Duration, "seconds, more than 0 and at most 86400", |text| {
        let seconds: f64 = text.to_str()?.parse().ok()?;
        (seconds > 0.0 && seconds <= 86400.0).then(|| Duration::from_secs_f64(seconds))
    };
    /// A time, or no limit.
    Patience: Option<Duration>, "seconds, 0 or from 0.1 to 86400; 0 is no limit", |text| {
        let seconds: f64 = text.to_str()?.parse().ok()?;
        match seconds {
            0.0 => Some(None),
            0.1..=86400.0 => Some(Some(Duration::from_secs_f64(seconds))),
            _ => None,
        }
    };
}
