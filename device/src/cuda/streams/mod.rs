//! Streams and events of programs, and work that is captured to be launched as a whole.

mod capture;
mod reader;
mod stream;
mod timed;

pub(super) use capture::Graphs;
pub use reader::Reader;
pub(super) use stream::LEGACY;
pub use stream::{Event, Stream};
pub use timed::Timed;
pub(super) use timed::TimedEvents;
