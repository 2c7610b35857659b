//! The data of a timeline.

use crate::error::RunError;
use serde::{Deserialize, Serialize};

/// What a span of time was spent on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// A kernel made by fusion.
    Launch,
    /// A routine of a library or of our own.
    Library,
    /// Copies and fills of memory.
    Copy,
    /// Steps that a GPU received as a whole.
    Graph,
    /// A step that waits for messages.
    Wait,
    /// A step that communicates while it runs.
    Collective,
    /// Messages under way.
    Message,
    /// Planning, on the thread of the program.
    Plan,
    /// The program's thread waits for devices.
    Read,
}

impl Kind {
    /// Every kind, in the order of tables.
    pub const ALL: [Kind; 9] = [
        Kind::Launch,
        Kind::Library,
        Kind::Copy,
        Kind::Graph,
        Kind::Collective,
        Kind::Wait,
        Kind::Message,
        Kind::Plan,
        Kind::Read,
    ];

    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Launch => "launch",
            Kind::Library => "library",
            Kind::Copy => "copy",
            Kind::Graph => "graph",
            Kind::Collective => "collective",
            Kind::Wait => "wait",
            Kind::Message => "message",
            Kind::Plan => "plan",
            Kind::Read => "read",
        }
    }

    /// Whether the program's thread spends such a span, and no device.
    pub const fn is_of_program(self) -> bool {
        matches!(self, Kind::Plan | Kind::Read)
    }

    /// Whether a device computes or copies in such a span, so that messages of the same time are
    /// hidden behind it.
    pub const fn is_work(self) -> bool {
        matches!(self, Kind::Launch | Kind::Library | Kind::Copy | Kind::Graph)
    }
}

/// A span of time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Span {
    /// What it was spent on.
    pub kind: Kind,
    /// The position of its name among those of its track.
    pub name: u32,
    /// Nanoseconds from the start of the session.
    pub start: i64,
    /// Nanoseconds from the start of the session.
    pub end: i64,
    /// The bytes read and written by a step, or requested by other devices.
    pub bytes: u64,
    /// The number of the plan, from 0; plans of the program's thread count from 0 too.
    pub plan: u32,
}

/// The spans of a device, or of the thread of a program.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Track {
    /// The rank.
    pub rank: usize,
    /// The device's name, or `program`.
    pub name: String,
    /// The names of spans.
    pub names: Vec<String>,
    /// The spans, in the order of their ends.
    pub spans: Vec<Span>,
    /// The number of later spans that were not kept.
    pub dropped: u64,
}

impl Track {
    /// The name of the track of a program's thread.
    pub(super) const PROGRAM: &str = "program";

    /// Whether it is the track of a program's thread.
    pub fn is_program(&self) -> bool {
        self.name == Track::PROGRAM
    }
}

/// The tracks of all ranks, by the clock of rank 0.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Timeline {
    /// The tracks, by rank.
    pub tracks: Vec<Track>,
}

impl Timeline {
    /// The tracks as bytes for another rank.
    pub(super) fn encoded(&self) -> Result<Vec<u8>, RunError> {
        let encoded = bincode::serde::encode_to_vec(&self.tracks, bincode::config::standard());
        encoded.map_err(|error| RunError::Bug { message: error.to_string() })
    }

    /// The tracks of another rank.
    pub(super) fn decoded(bytes: &[u8]) -> Result<Timeline, RunError> {
        let decoded = bincode::serde::decode_from_slice(bytes, bincode::config::standard());
        let decoded = decoded.map_err(|error| RunError::Bug { message: error.to_string() });
        decoded.map(|(tracks, _)| Timeline { tracks })
    }
}
