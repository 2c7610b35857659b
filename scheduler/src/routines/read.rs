//! Reading at positions of a split axis: the members request rows of each other.

use super::call::{CollectiveRoutine, RoutineCall, Underway};
use super::requests::{SMALL, largest_blocks, messages, starts};
use crate::error::RunError;
use crate::gathering::{all_to_all, largest};
use phalanx_device::{Device, Slice};
use phalanx_kernels::Missing;
use phalanx_kernels::structured::Block;
use phalanx_kernels::structured::requests::{Dealt, Purpose, Requests};
use phalanx_ops::structured::Operand;
use phalanx_ops::{Bytes, Shape, Structured};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// The most rounds, unless they have less memory than `LEAST` for requests and answers.
const ROUNDS: usize = 8;
const LEAST: usize = 16 << 20;
/// How many rounds are under way at a time, if there are as many: one writes its requests, one
/// answers those of others, and one places its answers, while the messages of the others move.
const UNDER_WAY: usize = 3;

/// The routine of `Structured::Take` and `Structured::TakeAlong`.
///
/// The positions are dealt in rounds, which overlap. If a member receives more than twice its share
/// of the requests of a round, all members send them in parts.
pub(super) struct Reads;

/// The shape of a read. All members have the same.
struct Shapes {
    axis: usize,
    /// Whether each line has positions of its own.
    is_along: bool,
    /// The elements of a position of the axis that a member has, in stretches of `inner`.
    outer: usize,
    inner: usize,
    /// The bytes of an element.
    element: usize,
    /// The most positions of a member.
    positions: usize,
    /// The most places of a member's block that requests tell apart.
    places: usize,
}

impl Shapes {
    /// Of operands whose blocks do not exceed these extents.
    fn of(op: &Structured, largest: &[Operand<'_>]) -> Option<Shapes> {
        let [(table, dtype), (positions, _)] = largest else { return None };
        let (axis, is_along) = match op {
            Structured::Take(take) => (usize::from(take.axis), false),
            Structured::TakeAlong(take) => (usize::from(take.axis), true),
            _ => return None,
        };
        let outer: usize = table[..axis].iter().product();
        let inner: usize = table[axis + 1..].iter().product();
        let places = if is_along { table.iter().product() } else { table[axis] };
        let positions = positions.iter().product();
        Some(Shapes { axis, is_along, outer, inner, element: dtype.size(), positions, places })
    }

    /// The bytes of a request.
    fn item(&self) -> usize {
        if i32::try_from(self.places).is_err() { 8 } else { 4 }
    }

    /// The stretches and the bytes of a row that is read.
    fn row(&self) -> (usize, usize) {
        if self.is_along { (1, self.element) } else { (self.outer, self.inner * self.element) }
    }

    /// The positions of a round.
    fn of_round(&self) -> usize {
        let ((outer, bytes), item) = (self.row(), self.item());
        // Requests and answers, here and at their owners, which may receive twice their share.
        let of_position = 3 * (item + outer * bytes) + item;
        let all = self.positions.clamp(1, i32::MAX as usize);
        (LEAST / of_position).max(self.positions.div_ceil(ROUNDS)).clamp(1, all)
    }

    /// The most rounds of a member.
    fn rounds(&self) -> usize {
        self.positions.div_ceil(self.of_round())
    }

    /// How many rounds are under way at a time.
    fn under_way(&self) -> usize {
        UNDER_WAY.min(self.rounds()).max(1)
    }

    /// From how many on the requests to a member are sent in parts.
    fn most(&self) -> usize {
        let ((outer, bytes), item) = (self.row(), self.item());
        (2 * self.of_round()).max(SMALL / (item + outer * bytes))
    }

    /// The bytes of a round's slots, requests and answers, and of the requests of others and the
    /// answers to them, which arrive in parts.
    fn memory(&self, members: usize) -> [usize; 5] {
        let ((outer, bytes), item, round) = (self.row(), self.item(), self.of_round());
        // Shares of several members are rounded up.
        let received = (self.most() + members).min(members * round);
        let row = outer * bytes;
        [round * item, round * item, round * row, received * item, received * row]
    }

    /// The requests of a member with a table of this shape and `count` positions, of which each
    /// line has `rows`.
    fn requests(
        &self,
        (starts, own): (Vec<u64>, usize),
        table: &[usize],
        (count, rows): (usize, usize),
    ) -> Requests {
        let outer: usize = table[..self.axis].iter().product();
        let inner: usize = table[self.axis + 1..].iter().product();
        let has_lines = self.is_along && outer * inner > 1;
        let (outer, bytes) = Shapes { outer, inner, ..*self }.row();
        Requests {
            starts,
            purpose: Purpose::Read { own },
            lines: has_lines.then_some([rows, inner]),
            count,
            of_round: self.of_round(),
            is_wide: self.item() == 8,
            outer,
            bytes,
        }
    }
}

impl Reads {
    /// The memory for a read.
    pub(super) fn room(op: &Structured, largest: &[Operand<'_>], members: usize) -> Vec<Bytes> {
        let Some(shapes) = Shapes::of(op, largest) else { return Vec::new() };
        let nowhere = (vec![0; members + 1], 0);
        let requests = shapes.requests(nowhere, largest[0].0, (shapes.positions, 1));
        let of_rounds = vec![shapes.memory(members); shapes.under_way()];
        [requests.room()].into_iter().chain(of_rounds.into_iter().flatten()).map(Bytes).collect()
    }
}

impl CollectiveRoutine for Reads {
    fn run(&self, call: &RoutineCall<'_>) -> Result<(), RunError> {
        let [table, positions] = call.operands else { return Err(unlike(call.op)) };
        let shapes = Shapes::of(call.op, &largest_blocks(call.operands, call.largest));
        let shapes = shapes.ok_or_else(|| unlike(call.op))?;
        let starts = starts(call, table, shapes.axis)?;
        let rows = positions.shape[if shapes.is_along { shapes.axis } else { 0 }];
        let own = (starts, call.communicator.rank());
        let requests = shapes.requests(own, table.shape, (positions.len(), rows));
        if shapes.positions == 0 || requests.row() == 0 {
            return Ok(());
        }
        let [dealing, rest @ ..] = call.room else { return Err(unlike(call.op)) };
        let dealt = requests.deal(positions, dealing, call.device)?;
        Reading::new(call, &shapes, (&requests, &dealt), rest.as_chunks().0)?.run()
    }

    fn missing(
        &self,
        op: &Structured,
        (operands, largest): (&[Block<'_>], &[Shape]),
        _to: &Block<'_>,
        device: &Arc<dyn Device>,
    ) -> Vec<Missing<'static>> {
        let shapes = Shapes::of(op, &largest_blocks(operands, largest));
        shapes.map_or_else(Vec::new, |shapes| {
            Requests::missing(shapes.item() == 8, shapes.row().1, device)
        })
    }
}

fn unlike(op: &Structured) -> RunError {
    RunError::Bug { message: format!("{} is a read of positions", op.name()) }
}

/// A read with the numbers of requests of all rounds, and memory.
struct Reading<'a> {
    call: &'a RoutineCall<'a>,
    requests: &'a Requests,
    dealt: &'a Dealt,
    /// The rows of a stretch of the table.
    extent: usize,
    /// For each member, for each round: the number of requests from it.
    arriving: Vec<usize>,
    rounds: usize,
    /// For each turn: a round, and which part of its requests is sent, of how many.
    turns: Vec<(usize, (usize, usize))>,
    /// The memory of the rounds and turns under way. Of a round: the slots, the requests to others,
    /// and their answers. Of a turn: the requests of others, and the answers to them.
    memory: &'a [[Slice; 5]],
}

impl<'a> Reading<'a> {
    fn new(
        call: &'a RoutineCall<'a>,
        shapes: &Shapes,
        (requests, dealt): (&'a Requests, &'a Dealt),
        memory: &'a [[Slice; 5]],
    ) -> Result<Reading<'a>, RunError> {
        let (members, own_rounds) = (requests.members(), requests.rounds());
        let rounds = shapes.rounds();
        let of_round = |round: usize, member: usize| match round < own_rounds {
            true => part_of(dealt.of_round(round), member).len(),
            false => 0,
        };
        let leaving: Vec<usize> = (0..members)
            .flat_map(|member| (0..rounds).map(move |round| of_round(round, member)))
            .collect();
        let arriving = all_to_all(call.communicator, &leaving)?;
        let of = |round: usize| (0..members).map(|member| arriving[member * rounds + round]).sum();
        let totals: Vec<usize> = (0..rounds).map(of).collect();
        let totals = largest(call.communicator, &totals)?;
        let most = shapes.most();
        let turns = totals.iter().enumerate().flat_map(|(round, total)| {
            let parts = total.div_ceil(most).max(1);
            (0..parts).map(move |part| (round, (part, parts)))
        });
        let turns = turns.collect();
        let table = &call.operands[0];
        let extent =
            if shapes.is_along { table.len() } else { table.memory().len / requests.row() };
        Ok(Reading { call, requests, dealt, extent, arriving, rounds, turns, memory })
    }

    /// Runs the turns. In each step, as many of them advance as have memory.
    fn run(&self) -> Result<(), RunError> {
        let (mut asked, mut answered) = (VecDeque::new(), VecDeque::new());
        let last = self.memory.len() - 1;
        for step in 0..self.turns.len() + last {
            if step < self.turns.len() {
                asked.push_back(self.ask(step)?);
            }
            if let Some(turn) =
                step.checked_sub(last.min(1)).filter(|turn| *turn < self.turns.len())
            {
                asked.pop_front().map_or(Ok(()), Underway::wait)?;
                answered.push_back(self.answer(turn)?);
            }
            if let Some(turn) = step.checked_sub(last) {
                answered.pop_front().map_or(Ok(()), Underway::wait)?;
                self.place(turn)?;
            }
        }
        Ok(())
    }

    fn of_round(&self, round: usize) -> &[Slice; 5] {
        &self.memory[round % self.memory.len()]
    }

    fn of_turn(&self, turn: usize) -> &[Slice; 5] {
        &self.memory[turn % self.memory.len()]
    }

    /// Sends a part of the requests of a round.
    fn ask(&self, turn: usize) -> Result<Underway, RunError> {
        let (requests, (round, (part, _))) = (self.requests, self.turns[turn]);
        let [slots, sent, ..] = self.of_round(round);
        if part == 0 && round < requests.rounds() {
            let written = [sent, slots];
            let positions = &self.call.operands[1];
            requests.write((self.dealt, round), positions, written, self.call.device)?;
        }
        let item = requests.item();
        let [.., received, _] = self.of_turn(turn);
        let (own, theirs) = (self.own(turn), self.theirs(turn));
        self.call.start(messages(sent, &own, item), messages(received, &theirs, item))
    }

    /// Answers the requests of others.
    fn answer(&self, turn: usize) -> Result<Underway, RunError> {
        let (requests, (round, _)) = (self.requests, self.turns[turn]);
        let [.., received, answers] = self.of_turn(turn);
        let (own, theirs) = (self.own(turn), self.theirs(turn));
        let count = theirs.last().map_or(0, |range| range.end);
        if count > 0 {
            let slices = [&self.call.operands[0].memory(), answers];
            let asked = (received, count);
            requests.answer(self.extent, asked, slices, self.call.device)?;
        }
        let ([_, _, answered, ..], row) = (self.of_round(round), requests.row());
        self.call.start(messages(answers, &theirs, row), messages(answered, &own, row))
    }

    /// Writes the part of the result of a round after its last turn.
    fn place(&self, turn: usize) -> Result<(), RunError> {
        let (requests, (round, (part, parts))) = (self.requests, self.turns[turn]);
        if part + 1 == parts && round < requests.rounds() {
            let [slots, _, answered, ..] = self.of_round(round);
            let (table, to) = (self.call.operands[0].memory(), self.call.to.memory());
            let from = [&table, answered, &to];
            requests.place((self.extent, round), slots, from, self.call.device)?;
        }
        Ok(())
    }

    /// The requests to each member that are sent in a turn.
    fn own(&self, turn: usize) -> Vec<Range<usize>> {
        let (round, part) = self.turns[turn];
        let of_member = |member: usize| {
            if round >= self.requests.rounds() {
                return 0..0;
            }
            let all = part_of(self.dealt.of_round(round), member);
            let share = share(all.len(), part);
            all.start + share.start..all.start + share.end
        };
        (0..self.requests.members()).map(of_member).collect()
    }

    /// The requests of each member that arrive in a turn, one after the other.
    fn theirs(&self, turn: usize) -> Vec<Range<usize>> {
        let (round, part) = self.turns[turn];
        let mut end = 0;
        let of_member = |member: usize| {
            let start = end;
            end += share(self.arriving[member * self.rounds + round], part).len();
            start..end
        };
        (0..self.requests.members()).map(of_member).collect()
    }
}

/// The places of the requests to a member.
fn part_of(starts: &[usize], member: usize) -> Range<usize> {
    starts[member]..starts[member + 1]
}

/// One of several nearly equal parts.
fn share(count: usize, (part, parts): (usize, usize)) -> Range<usize> {
    count * part / parts..count * (part + 1) / parts
}
