//! Rings: parts travel from member to member in pieces, combined or copied on the way.

use super::memory::Lower;
use super::{Conversation, direct, doubling, native};
use crate::chunks::{RING_BYTES, part_of, pieces};
use crate::order::{Items, Order, own_part};
use crate::{CollectiveError, transport::Transfer};
use phalanx_device::Slice;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Up to this many members, short parts are sent directly: one round, and few messages.
const DIRECT_MEMBERS: usize = 8;
/// How many pieces beyond those of one part are expected at a time: the previous member is informed
/// that there is memory for a piece before it has the piece.
const AHEAD: usize = 2;
/// How many pieces may be travelling to the next member when a further piece is expected.
const BEHIND: usize = 2;

/// Combines the data of all members, in place on all of them.
pub(super) fn all_reduce(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    items: Items,
) -> Result<(), CollectiveError> {
    if let Some(native) = conversation.native(native::bytes(conversation, data, items)) {
        return native::all_reduce(conversation, native, data, items);
    }
    if Order::of(data.len) == Order::Tree {
        return doubling::all_reduce(conversation, data, items);
    }
    let parts = all_parts(conversation, data, items);
    let own = &parts[conversation.rank()];
    combine_along(conversation, data, &parts, items, &data.slice(own.start, own.len()))?;
    copy_along(conversation, data, &parts)
}

/// Combines the data of all members, in place on `root`.
pub(super) fn reduce(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    items: Items,
    root: usize,
) -> Result<(), CollectiveError> {
    if let Some(native) = conversation.native(native::bytes(conversation, data, items)) {
        return native::reduce(conversation, native, data, items, root);
    }
    if Order::of(data.len) == Order::Tree {
        return doubling::reduce(conversation, data, items, root);
    }
    let parts = all_parts(conversation, data, items);
    let rank = conversation.rank();
    let slice = |part: &Range<usize>| data.slice(part.start, part.len());
    combine_along(conversation, data, &parts, items, &slice(&parts[rank]))?;
    if rank != root {
        return conversation.send(root, &slice(&parts[rank])).map(drop);
    }
    for (member, part) in parts.iter().enumerate().filter(|(member, _)| *member != root) {
        conversation.receive(member, &slice(part))?;
    }
    Ok(())
}

/// Combines `send` of all members and leaves part `i` in `receive` of member `i`.
pub(super) fn reduce_scatter(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
    items: Items,
) -> Result<(), CollectiveError> {
    let longest = counts.iter().max().map_or(0, |longest| longest.saturating_mul(counts.len()));
    if let Some(native) = conversation.native(send.len.max(longest)) {
        return native::reduce_scatter(conversation, native, send, receive, counts, items);
    }
    if Order::of(send.len) == Order::Tree {
        return direct::reduce_scatter(conversation, send, receive, counts, items);
    }
    let parts: Vec<_> = (0..counts.len()).map(|member| part_of(counts, member)).collect();
    combine_along(conversation, send, &parts, items, receive)
}

/// Concatenates the `send` of all members in `receive` of each.
pub(super) fn all_gather(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
) -> Result<(), CollectiveError> {
    if let Some(native) = conversation.native(receive.len) {
        let own = part_of(counts, conversation.rank());
        conversation.copy(send, &receive.slice(own.start, own.len()))?;
        return native.all_gather(receive, counts);
    }
    if receive.len < RING_BYTES && conversation.size() <= DIRECT_MEMBERS {
        return direct::all_gather(conversation, send, receive, counts);
    }
    if receive.len < RING_BYTES {
        return doubling::all_gather(conversation, send, receive, counts);
    }
    let parts: Vec<_> = (0..counts.len()).map(|member| part_of(counts, member)).collect();
    let own = &parts[conversation.rank()];
    conversation.copy(send, &receive.slice(own.start, own.len()))?;
    copy_along(conversation, receive, &parts)
}

fn all_parts(conversation: &Conversation<'_>, data: &Slice, items: Items) -> Vec<Range<usize>> {
    let size = conversation.size();
    (0..size).map(|member| own_part(items, data.len, size, member)).collect()
}

/// Sends part `i` of `send` around the ring from member `i + 1` to member `i`. Each member on the
/// way combines it with its own part; the result reaches `receive` of member `i`. `send` is only
/// read, but may contain `receive`.
///
/// A piece is received into a slot of scratch memory, combined there, and sent from there; the slot
/// is free when that send is complete. There are a few more slots than a part has pieces. Fewer
/// could deadlock: a piece is sent when the next member has a slot for it, which becomes free when
/// that member's piece of the previous round has been sent, and so on back to the first pieces,
/// which always have slots.
fn combine_along(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    parts: &[Range<usize>],
    items: Items,
    receive: &Slice,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let own = |part: usize, piece: &Range<usize>| {
        send.slice(parts[part].start + piece.start, piece.len())
    };
    let course = Course::of(parts, rank, items);
    let scratch = conversation.scratch(course.places * course.longest)?;
    let place =
        |at: usize| scratch.slice(course.place(at) * course.longest, course.pieces[at].1.len());
    let (mut incoming, mut outgoing) = (VecDeque::new(), VecDeque::new());
    let missing = "bug: a step about a message that was not posted";
    for step in &course.steps {
        match step {
            Step::Expect(at) => incoming.push_back(conversation.receive(previous, &place(*at))?),
            Step::Begin(piece) => {
                conversation.send(next, &own(previous, piece))?;
            }
            Step::Combine(at) => {
                let arriving = incoming.pop_front().expect(missing);
                conversation.wait(&arriving)?;
                let ((part, piece), arrived) = (&course.pieces[*at], place(*at));
                let lower = Lower::Accumulator;
                conversation.combine(&arrived, &own(*part, piece), items, lower)?;
                if *part == rank {
                    conversation.copy(&arrived, &receive.slice(piece.start, piece.len()))?;
                } else {
                    outgoing.push_back(conversation.send(next, &arrived)?);
                }
            }
            Step::Free => {
                let sent = outgoing.pop_front().expect(missing);
                conversation.wait(&sent)?;
            }
        }
    }
    conversation.settle()
}

/// The ring steps of one member in a combining ring.
struct Course {
    /// The arriving pieces in order: the part, and the range within it.
    pieces: Vec<(usize, Range<usize>)>,
    steps: Vec<Step>,
    /// The number of slots; each is as long as the longest piece.
    places: usize,
    longest: usize,
}

enum Step {
    /// Posts the receive of a piece into its slot.
    Expect(usize),
    /// Sends a piece of the previous member's part, which starts its way here.
    Begin(Range<usize>),
    /// Waits for a piece, combines it, and sends it on unless its way ends here.
    Combine(usize),
    /// Waits for the oldest send that has not been waited for: the slot of its piece is free then.
    Free,
}

impl Course {
    fn of(parts: &[Range<usize>], rank: usize, items: Items) -> Course {
        let size = parts.len();
        let cut = |part: usize| pieces(0..parts[part].len(), items.size());
        // The member's own part arrives last; the part of the previous member does not arrive.
        let incoming = (2..=size).map(|distance| (rank + size - distance) % size);
        let incoming: Vec<_> =
            incoming.flat_map(|part| cut(part).map(move |piece| (part, piece))).collect();
        let most = (0..size).map(|part| cut(part).count()).max().unwrap_or(0);
        let ahead = (most + AHEAD).min(incoming.len());
        let places = (ahead + BEHIND).min(incoming.len());
        let longest = incoming.iter().map(|(_, piece)| piece.len()).max().unwrap_or(0);

        let mut steps: Vec<Step> = (0..ahead).map(Step::Expect).collect();
        steps.extend(cut((rank + size - 1) % size).map(Step::Begin));
        for (at, (part, _)) in incoming.iter().enumerate() {
            steps.push(Step::Combine(at));
            // This frees the slot of the piece that is expected now.
            if *part != rank && at >= BEHIND {
                steps.push(Step::Free);
            }
            if at + ahead < incoming.len() {
                steps.push(Step::Expect(at + ahead));
            }
        }
        Course { pieces: incoming, steps, places, longest }
    }

    /// The slot of a piece.
    fn place(&self, at: usize) -> usize {
        at % self.places
    }
}

/// Sends part `i` of `data` around the ring from its owner, member `i`, to all others.
fn copy_along(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    parts: &[Range<usize>],
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let cut = |step: usize| {
        let part = &parts[(rank + size - step) % size];
        pieces(part.clone(), 1).map(|piece| data.slice(piece.start, piece.len()))
    };
    let expect = |conversation: &mut Conversation<'_>, step: usize| {
        cut(step).map(|piece| conversation.receive(previous, &piece)).collect::<Result<Vec<_>, _>>()
    };
    let mut incoming: Vec<Arc<Transfer>> = expect(conversation, 1)?;
    for piece in cut(0) {
        conversation.send(next, &piece)?;
    }
    for step in 1..size {
        let is_last = step + 1 == size;
        let upcoming = if is_last { Vec::new() } else { expect(conversation, step + 1)? };
        for (piece, receive) in cut(step).zip(incoming) {
            conversation.wait(&receive)?;
            if !is_last {
                conversation.send(next, &piece)?;
            }
        }
        incoming = upcoming;
    }
    conversation.settle()
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_ops::{DType, Monoid};

    const ITEMS: Items = Items { dtype: DType::I64, monoid: Monoid::Add };
    const MIB: usize = 1 << 20;

    /// Equal parts, and parts that differ as much as those of `reduce_scatter` may: long, short and
    /// empty ones.
    fn divisions(bytes: usize, size: usize) -> Vec<Vec<Range<usize>>> {
        let even = (0..size).map(|one| own_part(ITEMS, bytes, size, one).len()).collect();
        // The first part has all but 64 bytes; the last part has those.
        let mut one_long = vec![0; size];
        (one_long[0], one_long[size - 1]) = (bytes - 64, 64);
        let lengths = [0, 3 * MIB / 2, 8, 0, 0, 300 << 10, 5 * MIB, 128 << 10];
        let mixed: Vec<usize> = (0..size).map(|one| lengths[(one * 3 + 1) % 8]).collect();
        let range = |counts: Vec<usize>| (0..size).map(|one| part_of(&counts, one)).collect();
        [even, one_long, mixed, vec![0; size]].map(range).into()
    }

    /// A simulated ring: a send completes exactly when the next member has a slot for the piece.
    struct Ring {
        courses: Vec<Course>,
        members: Vec<Stepped>,
    }

    /// The progress of a member.
    #[derive(Default)]
    struct Stepped {
        steps: usize,
        expected: usize,
        combined: usize,
        /// The pieces that it has sent; the first `begun` of them are of the part that it starts.
        sent: Vec<(usize, Range<usize>)>,
        begun: usize,
        freed: usize,
        /// The last piece that each slot has held.
        places: Vec<Option<usize>>,
    }

    impl Ring {
        fn new(parts: &[Range<usize>]) -> Ring {
            let courses = (0..parts.len()).map(|rank| Course::of(parts, rank, ITEMS));
            let courses: Vec<Course> = courses.collect();
            let places = |course: &Course| vec![None; course.places];
            let members = courses
                .iter()
                .map(|course| Stepped { places: places(course), ..Stepped::default() })
                .collect();
            Ring { courses, members }
        }

        /// The number of pieces that have arrived at a member.
        fn arrived(&self, rank: usize) -> usize {
            let previous = (rank + self.members.len() - 1) % self.members.len();
            self.members[rank].expected.min(self.members[previous].sent.len())
        }

        /// Takes a member's next ring step. Returns whether there was one that need not wait.
        fn step(&mut self, rank: usize) -> bool {
            let size = self.members.len();
            let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
            let (arrived, taken) = (self.arrived(rank), self.arrived(next));
            let course = &self.courses[rank];
            let Some(step) = course.steps.get(self.members[rank].steps) else { return false };
            match step {
                Step::Expect(at) => {
                    let member = &mut self.members[rank];
                    assert_eq!(*at, member.expected, "pieces arrive in order");
                    assert!(course.pieces[*at].1.len() <= course.longest);
                    if let Some(held) = member.places[course.place(*at)].replace(*at) {
                        let is_taken = course.pieces[held].0 == rank || member.begun + held < taken;
                        let is_free = held < member.combined && is_taken;
                        assert!(is_free, "piece {at} arrives in the slot of piece {held}");
                    }
                    member.expected += 1;
                }
                Step::Begin(piece) => {
                    let member = &mut self.members[rank];
                    member.sent.push((previous, piece.clone()));
                    member.begun += 1;
                }
                Step::Combine(at) => {
                    if *at >= arrived {
                        return false;
                    }
                    let piece = &course.pieces[*at];
                    assert_eq!(self.members[previous].sent[*at], *piece, "the piece that arrives");
                    let member = &mut self.members[rank];
                    assert_eq!(*at, member.combined, "pieces are combined in order");
                    member.combined += 1;
                    if piece.0 != rank {
                        member.sent.push(piece.clone());
                    }
                }
                Step::Free => {
                    let member = &mut self.members[rank];
                    if member.begun + member.freed >= taken {
                        return false;
                    }
                    member.freed += 1;
                }
            }
            self.members[rank].steps += 1;
            true
        }
    }

    /// Lets all members of a ring take their ring steps, at most `at_once` in a row. A stride of 1
    /// visits members along the ring, a stride of the size less 1 against it.
    fn run(parts: &[Range<usize>], stride: usize, at_once: usize) {
        let size = parts.len();
        let mut ring = Ring::new(parts);
        let mut progresses = true;
        while progresses {
            progresses = false;
            for rank in (0..size).map(|turn| turn * stride % size) {
                progresses |= (0..at_once).take_while(|_| ring.step(rank)).count() > 0;
            }
        }
        for (rank, (member, course)) in ring.members.iter().zip(&ring.courses).enumerate() {
            assert_eq!(member.steps, course.steps.len(), "{rank} waits for ever: {parts:?}");
            assert_eq!(member.combined, course.pieces.len());
            let own = course.pieces.iter().filter(|(part, _)| *part == rank).count();
            assert_eq!(own, pieces(0..parts[rank].len(), ITEMS.size()).count());
        }
    }

    #[test]
    fn every_ring_ends_and_no_two_pieces_share_a_place() {
        for size in [2, 3, 4, 5, 8, 9] {
            for bytes in [64 << 10, MIB, 24 * MIB + 8] {
                for parts in divisions(bytes, size) {
                    run(&parts, 1, usize::MAX);
                    run(&parts, size - 1, usize::MAX);
                    run(&parts, 1, 1);
                }
            }
        }
    }

    #[test]
    fn scratch_is_hardly_more_than_a_part() {
        for size in [2, 3, 4, 8] {
            for bytes in [64 << 10, MIB, 24 * MIB + 8, 1 << 33] {
                for (parts, rank) in divisions(bytes, size).iter().zip((0..size).cycle()) {
                    let course = Course::of(parts, rank, ITEMS);
                    let longest = parts.iter().map(Range::len).max().unwrap_or(0);
                    let scratch = course.places * course.longest;
                    let some = (AHEAD + BEHIND + 1) * longest.min(MIB);
                    assert!(scratch <= longest + some, "{scratch} for parts of {longest}");
                }
            }
        }
    }
}
