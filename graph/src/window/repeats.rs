//! Where the program repeats: a long window closes where an iteration of a loop starts.

use crate::error::Site;
use crate::operation::NodeOp;
use rustc_hash::FxHashMap;
use std::mem::{Discriminant, discriminant};

/// The number of operations that identify a place in the program.
const PLACE: usize = 4;

/// A place in the program: the last few operations, newest first, each by its call site and its
/// kind. One operation is not enough, because several operations of one line, as in `a / b * c`,
/// have one call site.
pub(super) type Place = [Option<(usize, Discriminant<NodeOp>)>; PLACE];

/// The places of a window.
#[derive(Default)]
pub(super) struct Repeats {
    /// Each place with the number of operations before the last one there.
    places: FxHashMap<Place, usize>,
    /// The places of the last operations, oldest first, each with whether a window may close
    /// before it.
    recent: [(Place, bool); PLACE - 1],
    found: Option<Loop>,
}

/// A loop of the program.
struct Loop {
    /// Its start.
    start: Place,
    /// The place that was recorded twice.
    twice: Place,
    /// Operations of an iteration.
    period: usize,
    /// The operations before the last one at the start.
    last: usize,
}

impl Repeats {
    /// The places of the next window. It knows the last operations, so that all iterations of a
    /// loop have the same places.
    pub(super) fn next(&self) -> Repeats {
        Repeats { recent: self.recent, ..Repeats::default() }
    }

    /// The place of an operation that is recorded now.
    pub(super) fn place(&self, site: Site, op: &NodeOp) -> Place {
        let mut place = self.recent[PLACE - 2].0;
        place.rotate_right(1);
        place[0] = Some((site.identity(), discriminant(op)));
        place
    }

    /// Whether a window of `length` operations closes before an operation at a place: from `long`
    /// operations on where an iteration starts. A start may never come again, if the operations
    /// before the body of a loop differ; a window of twice the length closes where the repetition
    /// was found.
    pub(super) fn closes(&self, place: &Place, length: usize, long: usize) -> bool {
        self.found.as_ref().is_some_and(|found| {
            length >= long && found.start == *place || length >= 2 * long && found.twice == *place
        })
    }

    /// Notes the place of the operation after `number` others, and whether the window may close
    /// before it. A place that is recorded twice ends a few operations that the program repeats;
    /// the loop starts with the first of them that is in this window.
    pub(super) fn note(&mut self, place: Place, number: usize, may_close: bool) {
        if let Some(found) = self.found.as_mut().filter(|found| found.start == place) {
            found.last = number;
        }
        // Two iterations without its start: the program has left the loop.
        let is_left = |found: &Loop| number - found.last > 2 * found.period;
        if may_close
            && self.found.as_ref().is_none_or(is_left)
            && let Some(before) = self.places.insert(place, number)
        {
            let period = number - before;
            // In a loop of fewer operations, those before it are part of earlier places, which
            // never come again.
            let repeated = if period >= PLACE - 1 { before.min(PLACE - 1) } else { 0 };
            let recent = &self.recent[PLACE - 1 - repeated..];
            let start = recent.iter().find(|(_, may_close)| *may_close);
            let start = start.map_or(place, |(start, _)| *start);
            self.found = Some(Loop { start, twice: place, period, last: number });
        }
        self.recent.rotate_left(1);
        self.recent[PLACE - 2] = (place, may_close);
    }
}
