//! The timeline of a session: what each device did when, for all ranks by one clock.
//!
//! A recorder of each device notes the start and the end of its steps and messages (`recorder`),
//! another one the planning and the waits of the program's thread (`program`). At the end rank 0
//! receives the notes of all ranks, with the differences of their clocks (`clocks`).

mod clocks;
mod names;
mod program;
mod recorder;
mod recording;
mod track;

pub(crate) use names::{StepName, names};
pub(crate) use recorder::Recorder;
pub(crate) use recording::Recording;
pub use track::{Kind, Span, Timeline, Track};
