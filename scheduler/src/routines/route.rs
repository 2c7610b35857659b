//! Routing by rank: the members cut their sorted blocks at the same exact positions, and exchange
//! the parts.

use super::call::{CollectiveRoutine, RoutineCall};
use crate::error::RunError;
use crate::gathering::{gather, wait};
use phalanx_collectives::Message;
use phalanx_device::{Buffer, Strided, copy_strided};
use phalanx_distributed::{Cuts, Samples};
use phalanx_kernels::structured::sort::key_of;
use phalanx_ops::Structured;
use std::ops::Range;

/// The number of keys that a member sends in a round of samples, if there are few cuts.
const SAMPLES: usize = 1 << 12;
/// The fewest samples of a block for a cut, if so much of it is open.
const FEWEST: usize = 16;
/// The most samples of a block for a cut.
const MOST: usize = 512;

/// The routine of `Structured::Route`. The block of the result is the memory of no operand
/// (`Structured::overwrites`), so it serves as room before the elements arrive.
pub(super) struct Routes;

impl CollectiveRoutine for Routes {
    fn run(&self, call: &RoutineCall<'_>) -> Result<(), RunError> {
        let Structured::Route(route) = call.op else {
            let message = format!("{} is routed", call.op.name());
            return Err(RunError::Bug { message });
        };
        let axis = usize::from(route.axis);
        let lines = call.to.shape[..axis].iter().product();
        let extents = [call.operands[0].shape[axis], call.to.shape[axis]];
        let extents = gather(call.communicator, &extents)?;
        let (extents, _) = extents.as_chunks::<2>();
        let mut routing = Routing::new(call, lines, extents);
        while !routing.cuts.iter().all(Cuts::are_known) {
            routing.narrow()?;
        }
        routing.exchange()
    }
}

/// The blocks of all members, and the cuts of each line.
struct Routing<'a> {
    call: &'a RoutineCall<'a>,
    /// The length of each member's lines.
    lengths: Vec<usize>,
    /// For each line, its cuts at the last rank of each member.
    cuts: Vec<Cuts>,
    /// The most samples of a line for a cut.
    most: usize,
}

impl<'a> Routing<'a> {
    /// `extents` has each member's extents before and after routing.
    fn new(call: &'a RoutineCall<'a>, lines: usize, extents: &[[usize; 2]]) -> Routing<'a> {
        let lengths: Vec<usize> = extents.iter().map(|[before, _]| *before).collect();
        let ranks = extents.iter().scan(0, |rank, [_, after]| {
            *rank += after;
            Some(*rank)
        });
        let ranks: Vec<usize> = ranks.collect();
        let cuts = vec![Cuts::new(&lengths, &ranks); lines];
        let most = (SAMPLES / (lines * ranks.len()).max(1)).clamp(FEWEST, MOST);
        Routing { call, lengths, cuts, most }
    }

    /// Looks at samples of all blocks, and narrows the cuts.
    fn narrow(&mut self) -> Result<(), RunError> {
        let (own, members) = (self.call.communicator.rank(), self.lengths.len());
        let (keys, most) = (&self.call.operands[0], self.most);
        let item = keys.dtype.size();
        let of_member = |member: usize| -> Vec<(usize, Samples)> {
            let lines = self.cuts.iter().enumerate();
            lines
                .flat_map(|(line, cuts)| {
                    (0..members).map(move |rank| (line, cuts.samples(rank, member, most)))
                })
                .collect()
        };
        let samples: Vec<Vec<(usize, Samples)>> = (0..members).map(of_member).collect();
        let counts: Vec<usize> = samples
            .iter()
            .map(|samples| item * samples.iter().map(|(_, samples)| samples.count).sum::<usize>())
            .collect();
        let read = Buffer::from_vec(self.read(&samples[own], counts[own]));
        let all = Buffer::from_vec(vec![0u8; counts.iter().sum()]);
        let gathered = self.call.communicator.all_gather_v(&read.whole(), &all.whole(), &counts)?;
        wait(&gathered)?;
        let mut bytes = vec![0; all.len()];
        all.read(0, &mut bytes);
        // The place of the first sample of each member, line and rank.
        let mut firsts = Vec::with_capacity(members);
        let mut place = 0;
        for samples in &samples {
            let mut of_member = Vec::with_capacity(samples.len());
            for (_, samples) in samples {
                of_member.push(place);
                place += samples.count * item;
            }
            firsts.push(of_member);
        }
        for (line, cuts) in self.cuts.iter_mut().enumerate() {
            for rank in 0..members {
                cuts.narrow(rank, most, |member, number| {
                    let place = firsts[member][line * members + rank] + number * item;
                    key_of(keys.dtype, &bytes[place..place + item])
                });
            }
        }
        Ok(())
    }

    /// The keys of samples of this member's lines, of `len` bytes together.
    fn read(&self, samples: &[(usize, Samples)], len: usize) -> Vec<u8> {
        let keys = &self.call.operands[0];
        let (own, item) = (self.lengths[self.call.communicator.rank()], keys.dtype.size());
        let mut bytes = vec![0; len];
        // On another device, the samples are first copied together, to the memory of the result.
        let room = self.call.to.memory();
        let has_room = keys.buffer.remote().is_some() && len <= room.len;
        let mut place = 0;
        for &(line, samples) in samples {
            let at = |number| (line * own + samples.at(number)) * item;
            if has_room && samples.count > 0 {
                let step = (samples.step * item) as isize;
                let from =
                    Strided { buffer: keys.buffer, offset: at(0) as isize, strides: &[step] };
                let to = Strided {
                    buffer: &room.buffer,
                    offset: (room.offset + place) as isize,
                    strides: &[item as isize],
                };
                copy_strided(&from, &to, &[samples.count], item);
                place += samples.count * item;
                continue;
            }
            for number in 0..samples.count {
                keys.buffer.read(at(number), &mut bytes[place..place + item]);
                place += item;
            }
        }
        if has_room && len > 0 {
            room.buffer.read(room.offset, &mut bytes);
        }
        bytes
    }

    /// The elements of a member's line that go to the member `target`.
    fn part(&self, line: usize, member: usize, target: usize) -> Range<usize> {
        let cuts = &self.cuts[line];
        let start = target.checked_sub(1).map_or(0, |before| cuts.before(before, member));
        start..cuts.before(target, member)
    }

    /// Sends each part of the carried elements to its member.
    fn exchange(&self) -> Result<(), RunError> {
        let RoutineCall { operands, to, communicator, .. } = *self.call;
        let (from, into) = (operands[operands.len() - 1].memory(), to.memory());
        let (own, members, item) = (communicator.rank(), self.lengths.len(), to.dtype.size());
        let lines = self.cuts.len();
        let of_lines = to.len() / lines.max(1);
        let mut ends: Vec<usize> = (0..lines).map(|line| line * of_lines).collect();
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for peer in 0..members {
            for (line, end) in ends.iter_mut().enumerate() {
                let part = self.part(line, own, peer);
                let start = line * self.lengths[own] + part.start;
                sends.push(Message {
                    peer,
                    data: from.slice(start * item, part.len() * item),
                    rows: None,
                });
                let len = self.part(line, peer, own).len();
                receives.push(Message {
                    peer,
                    data: into.slice(*end * item, len * item),
                    rows: None,
                });
                *end += len;
            }
        }
        self.call.exchange(sends, receives)
    }
}
