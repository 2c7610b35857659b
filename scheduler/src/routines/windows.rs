//! Values that are sent in parts, so that a member has memory for what arrives at once.

use super::call::RoutineCall;
use crate::error::RunError;
use crate::gathering::all_to_all;
use std::ops::Range;

/// What the members send each other in each part: the values of an owner, in the order of the
/// members, are divided into equal parts.
pub(super) struct Windows {
    /// For each member, the first place of its values at this one, and the end.
    placed: Vec<Range<usize>>,
    /// For each member, the place of this one's first value there, and the number of all.
    there: Vec<[usize; 2]>,
    total: usize,
    parts: usize,
}

impl Windows {
    pub(super) fn of(
        call: &RoutineCall<'_>,
        arriving: &[usize],
        parts: usize,
    ) -> Result<Windows, RunError> {
        let mut total = 0;
        let mut placed = Vec::new();
        for count in arriving {
            placed.push(total..total + count);
            total += count;
        }
        let mut there = vec![[0; 2]; arriving.len()];
        if parts > 1 {
            let told: Vec<usize> = placed.iter().flat_map(|range| [range.start, total]).collect();
            let told = all_to_all(call.communicator, &told)?;
            there = told.as_chunks::<2>().0.to_vec();
        }
        Ok(Windows { placed, there, total, parts })
    }

    /// The places of the values for each member that leave in a part, and of those of each member
    /// that arrive, one after the other. `starts` has the first place of each member's values.
    pub(super) fn of_part(&self, starts: &[usize], part: usize) -> [Vec<Range<usize>>; 2] {
        let mut end = 0;
        let (mut leave, mut arrive) = (Vec::new(), Vec::new());
        for (peer, ends) in starts.windows(2).enumerate() {
            let own = self.leaving(peer, ends[1] - ends[0], part);
            leave.push(ends[0] + own.start..ends[0] + own.end);
            let len = self.arriving(peer, part).len();
            arrive.push(end..end + len);
            end += len;
        }
        [leave, arrive]
    }

    /// The values from a member that arrive in a part.
    fn arriving(&self, member: usize, part: usize) -> Range<usize> {
        let placed = &self.placed[member];
        inside(placed, self.total, (part, self.parts))
    }

    /// Which of the `count` values for a member leave in a part.
    fn leaving(&self, member: usize, count: usize, part: usize) -> Range<usize> {
        if self.parts == 1 {
            return 0..count;
        }
        let [start, total] = self.there[member];
        inside(&(start..start + count), total, (part, self.parts))
    }
}

/// The part of `placed` that lies in one of several equal parts of `0..total`, counted from its
/// start.
fn inside(placed: &Range<usize>, total: usize, (part, parts): (usize, usize)) -> Range<usize> {
    let (start, end) = (total * part / parts, total * (part + 1) / parts);
    let from = placed.start.max(start).min(placed.end);
    let to = placed.end.min(end).max(from);
    from - placed.start..to - placed.start
}
