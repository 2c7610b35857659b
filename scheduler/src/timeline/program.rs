//! The notes of the program's thread: its planning and its waits.

use super::recorder::{MOST_SPANS, Names};
use super::track::{Kind, Span, Track};
use phalanx_waiting::lock;
use std::sync::Mutex;
use std::time::Instant;

/// The recorder of the program's thread.
pub(crate) struct Program {
    origin: Instant,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    names: Names,
    spans: Vec<Span>,
    dropped: u64,
}

impl Program {
    pub fn new(origin: Instant) -> Program {
        Program { origin, notes: Mutex::default() }
    }

    /// Notes what the thread did from this time on until now.
    pub fn note(&self, kind: Kind, name: &str, begun: Instant, plan: u32) {
        let nanoseconds = |at: Instant| at.saturating_duration_since(self.origin).as_nanos() as i64;
        let (start, end) = (nanoseconds(begun), nanoseconds(Instant::now()));
        let mut notes = lock(&self.notes);
        if notes.spans.len() >= MOST_SPANS {
            notes.dropped += 1;
            return;
        }
        let name = notes.names.number(name);
        notes.spans.push(Span { kind, name, start, end, bytes: 0, plan });
    }

    /// The track of the thread.
    pub fn track(&self, rank: usize) -> Track {
        let mut notes = lock(&self.notes);
        Track {
            rank,
            name: String::from(Track::PROGRAM),
            names: std::mem::take(&mut notes.names.names),
            spans: std::mem::take(&mut notes.spans),
            dropped: notes.dropped,
        }
    }
}
