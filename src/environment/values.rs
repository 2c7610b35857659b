//! The values that are more than numbers, switches and paths.

use super::numbers::{byte_count, natural, positive};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The most devices of a process; a larger number is a typing error.
const MOST_DEVICES: usize = 1024;

/// The memory limit of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryLimit {
    /// This many bytes.
    Bytes(usize),
    /// A percentage of the device's memory.
    Percent(u8),
}

impl MemoryLimit {
    /// The limit in bytes for a device with this much memory.
    pub fn of(self, memory: usize) -> usize {
        match self {
            MemoryLimit::Bytes(bytes) => bytes,
            MemoryLimit::Percent(percent) => memory / 100 * usize::from(percent),
        }
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryLimit::Bytes(bytes) => write!(f, "{bytes} bytes"),
            MemoryLimit::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

impl FromStr for MemoryLimit {
    type Err = ();

    /// The limit of a text in the form of PHALANX_MEMORY_LIMIT.
    fn from_str(text: &str) -> Result<MemoryLimit, ()> {
        let limit = match text.strip_suffix('%') {
            Some(percent) => positive(percent)
                .filter(|percent| *percent <= 100)
                .map(|percent| MemoryLimit::Percent(percent as u8)),
            None => byte_count(text).map(MemoryLimit::Bytes),
        };
        limit.ok_or(())
    }
}

/// How processes learn where process 0 waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeetingWay {
    /// By a way that the launcher offers.
    Auto,
    /// By PMIx.
    Pmix,
    /// By PMI-1.
    Pmi,
    /// By MPI.
    Mpi,
    /// By a file that all processes can open.
    File(PathBuf),
}

/// The devices of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Devices {
    /// All GPUs; one CPU device if there are none.
    #[default]
    Auto,
    /// This many CPU devices, which share the process's threads.
    Cpu(usize),
    /// The GPUs of these numbers, one device for each; all GPUs if there are no numbers.
    Cuda(Vec<usize>),
    /// This many devices that stand for GPUs: programs are planned, and nothing is computed.
    NullCuda(usize),
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Devices::Auto => f.write_str("auto"),
            Devices::Cpu(count) => write!(f, "cpu:{count}"),
            Devices::NullCuda(count) => write!(f, "null-cuda:{count}"),
            Devices::Cuda(numbers) if numbers.is_empty() => f.write_str("cuda"),
            Devices::Cuda(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                write!(f, "cuda:{}", numbers.join(","))
            }
        }
    }
}

impl FromStr for Devices {
    type Err = ();

    /// The devices of a text in the form of PHALANX_DEVICES.
    fn from_str(text: &str) -> Result<Devices, ()> {
        devices(text).ok_or(())
    }
}

/// The devices of a text.
fn devices(text: &str) -> Option<Devices> {
    let (kind, numbers) = match text.split_once(':') {
        Some((kind, numbers)) => (kind, Some(numbers)),
        None => (text, None),
    };
    match (kind, numbers) {
        ("auto", None) => Some(Devices::Auto),
        ("cpu", None) => Some(Devices::Cpu(1)),
        ("cpu", Some(count)) => {
            positive(count).filter(|count| *count <= MOST_DEVICES).map(Devices::Cpu)
        }
        ("cuda", None) => Some(Devices::Cuda(Vec::new())),
        ("cuda", Some(numbers)) => {
            let numbers: Option<Vec<usize>> = numbers.split(',').map(natural).collect();
            numbers.filter(|numbers| numbers.len() <= MOST_DEVICES).map(Devices::Cuda)
        }
        ("null-cuda", None) => Some(Devices::NullCuda(1)),
        ("null-cuda", Some(count)) => {
            positive(count).filter(|count| *count <= MOST_DEVICES).map(Devices::NullCuda)
        }
        _ => None,
    }
}

/// The level of detail written to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Nothing.
    #[default]
    Off,
    /// Failures.
    Error,
    /// Suspicious events.
    Warn,
    /// Information for users.
    Info,
    /// Information for developers.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// All levels, from silent to everything.
    pub const ALL: [LogLevel; 6] = [
        LogLevel::Off,
        LogLevel::Error,
        LogLevel::Warn,
        LogLevel::Info,
        LogLevel::Debug,
        LogLevel::Trace,
    ];

    /// The level's name in the variable's form.
    pub const fn name(self) -> &'static str {
        match self {
            LogLevel::Off => "off",
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
            LogLevel::Trace => "trace",
        }
    }
}
