//! Requests on the CPU.

use super::deal::{Dealt, Requests};
use super::stretch::{FEW, STRETCH, Stretch};
use crate::cpu::instructions::for_each_level;
use crate::cpu::transfer::prefetch;
use crate::structured::Block;
use crate::structured::Plain;
use crate::structured::lines::{Bytes, GRAIN, Places, each};
use phalanx_device::Slice;
use std::ops::Range;

/// A request or slot.
trait Number: Plain {
    /// For a position that is left out.
    const NOWHERE: Self;
    fn of(number: i64) -> Self;
    fn number(self) -> i64;
}

macro_rules! number {
    ($($type:ty),*) => { $(
        impl Number for $type {
            const NOWHERE: Self = <$type>::MIN;
            fn of(number: i64) -> Self {
                number as $type
            }
            fn number(self) -> i64 {
                self.into()
            }
        }
    )* };
}
number!(i32, i64);

/// Calls `body` with tiles of the rounds: the round, the number in the round, and the positions.
fn for_tiles(
    requests: &Requests,
    rounds: Range<usize>,
    pool: Option<&rayon::ThreadPool>,
    body: impl Fn(usize, usize, Range<usize>) + Sync,
) {
    let (tile, tiles) = (requests.tile(), requests.tiles());
    each(pool, rounds.len() * tiles, 1, |range| {
        for number in range {
            let (round, at) = (rounds.start + number / tiles, number % tiles);
            let (first, count) = requests.round(round);
            let positions = (at * tile).min(count)..((at + 1) * tile).min(count);
            body(round, at, first + positions.start..first + positions.end);
        }
    });
}

/// Writes the offsets, and returns the first place of each round and member.
pub(super) fn deal(
    requests: &Requests,
    dealt: &Dealt,
    positions: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) -> Vec<usize> {
    // SAFETY: nothing writes the operand meanwhile (condition 2 of `Buffer`).
    let positions = unsafe { positions.elements::<i64>() };
    let (members, tiles, stride) = (requests.members(), requests.tiles(), requests.stride());
    // SAFETY: the offsets have this many numbers, and nobody else knows them yet.
    let offsets = unsafe {
        let offsets = numbers(&dealt.offsets, requests.rounds() * stride);
        std::slice::from_raw_parts_mut(offsets, requests.rounds() * stride)
    };
    let counts = Places::new(offsets);
    for_tiles(requests, 0..requests.rounds(), pool, |round, tile, range| {
        let mut of_member = vec![0u32; members + 1];
        let mut stretch = Stretch::new();
        for positions in positions[range].chunks(STRETCH) {
            stretch.find(requests, positions);
            stretch.count(&mut of_member);
        }
        for (member, &all) in of_member[..members].iter().enumerate() {
            let count = if requests.own() == Some(member) { 0 } else { all };
            // SAFETY: conditions 1 and 2 of `Places`: each tile has its place for each member.
            unsafe { *counts.at(round * stride + member * tiles + tile) = count };
        }
    });
    let mut starts = Vec::with_capacity(requests.rounds() * (members + 1));
    for of_round in offsets.chunks_exact_mut(stride) {
        let mut before = 0;
        of_round[stride - 1] = 0;
        for (at, offset) in of_round.iter_mut().enumerate() {
            if tiles == 0 || at % tiles == 0 {
                starts.push(before as usize);
            }
            before += std::mem::replace(offset, before);
        }
    }
    starts
}

/// The address of `count` numbers in memory of the host.
fn numbers(memory: &Slice, count: usize) -> *mut u32 {
    let address = memory.as_ptr().cast::<u32>();
    assert!(memory.len >= 4 * count && address.is_aligned(), "bug: {count} numbers do not fit");
    address
}

/// Writes the requests and slots of a round.
pub(super) fn write(
    requests: &Requests,
    dealt: (&Dealt, usize),
    positions: &Block<'_>,
    to: [&Slice; 2],
    pool: Option<&rayon::ThreadPool>,
) {
    match requests.is_wide {
        true => write_as::<i64>(requests, dealt, positions, to, pool),
        false => write_as::<i32>(requests, dealt, positions, to, pool),
    }
}

fn write_as<T: Number>(
    requests: &Requests,
    (dealt, round): (&Dealt, usize),
    positions: &Block<'_>,
    [to, slots]: [&Slice; 2],
    pool: Option<&rayon::ThreadPool>,
) {
    // SAFETY: nothing writes the operand meanwhile (condition 2 of `Buffer`).
    let positions = unsafe { positions.elements::<i64>() };
    let (members, tiles, stride) = (requests.members(), requests.tiles(), requests.stride());
    // SAFETY: the offsets have been written, and nothing writes them any more.
    let offsets = unsafe {
        let offsets = numbers(&dealt.offsets, requests.rounds() * stride);
        std::slice::from_raw_parts(offsets.add(round * stride).cast_const(), stride)
    };
    let (first, _) = requests.round(round);
    let (to, slots) = (Bytes::of_slice(to), Bytes::of_slice(slots));
    for_tiles(requests, round..round + 1, pool, |_, tile, range| {
        let mut next: Vec<usize> =
            (0..members).map(|member| offsets[member * tiles + tile] as usize).collect();
        let mut stretch = Stretch::new();
        let mut of_member = [T::NOWHERE; STRETCH + 1];
        let starts = range.clone().step_by(STRETCH);
        for (start, positions) in starts.zip(positions[range].chunks(STRETCH)) {
            stretch.find(requests, positions);
            stretch.localise(requests, start);
            // SAFETY: each position of the round has its slot.
            let slots = unsafe {
                let slots = slots.at((start - first) * size_of::<T>()).cast::<T>();
                std::slice::from_raw_parts_mut(slots, positions.len())
            };
            let (places, owners) = stretch.found();
            own_slots(places, owners, members, slots);
            let mut send = |member: usize, requests: &[T]| {
                // SAFETY: the slots of a tile and member are this turn's alone, and inside of the
                // requests of the round, which the caller has checked.
                unsafe {
                    let to = to.at(next[member] * size_of::<T>()).cast::<T>();
                    std::ptr::copy_nonoverlapping(requests.as_ptr(), to, requests.len());
                }
                next[member] += requests.len();
                next[member] - requests.len()
            };
            let own = requests.own();
            if members <= FEW {
                for member in (0..members).filter(|&member| own != Some(member)) {
                    // Whose position it is changes from one to the next, so there is no branch on
                    // it: the number of the next request decides whether the last one stays.
                    let mut count = 0;
                    for (place, owner) in places.iter().zip(owners) {
                        of_member[count] = T::of(*place as i64);
                        count += usize::from(*owner == member as u32);
                    }
                    let mut slot = send(member, &of_member[..count]) as i64;
                    for (to, owner) in slots.iter_mut().zip(owners) {
                        // By masks: the compiler makes a branch of a choice.
                        let is_it = i64::from(*owner == member as u32);
                        *to = T::of((slot & -is_it) | (to.number() & (is_it - 1)));
                        slot += is_it;
                    }
                }
                continue;
            }
            for ((to, place), owner) in slots.iter_mut().zip(places).zip(owners) {
                let owner = *owner as usize;
                if owner < members && own != Some(owner) {
                    *to = T::of(send(owner, &[T::of(*place as i64)]) as i64);
                }
            }
        }
    });
}

for_each_level! {
    /// The slots of positions in the member's own block, `!place`, and of those that are left out.
    fn own_slots[T: Number][T](places: &[u64], owners: &[u32], members: usize, slots: &mut [T]) {
        for ((slot, place), owner) in slots.iter_mut().zip(places).zip(owners) {
            let is_left_out = *owner == members as u32;
            *slot = if is_left_out { T::NOWHERE } else { T::of(!(*place as i64)) };
        }
    }
}

/// Calls a function with the bytes of a row as a constant, or 0 for rows of other lengths, and with
/// the type of requests.
macro_rules! by_row {
    ($bytes:expr, $wide:expr, $rows:ident, $arguments:tt) => {
        match ($bytes, $wide) {
            (4, false) => $rows::<4, i32> $arguments,
            (8, false) => $rows::<8, i32> $arguments,
            (16, false) => $rows::<16, i32> $arguments,
            (_, false) => $rows::<0, i32> $arguments,
            (4, true) => $rows::<4, i64> $arguments,
            (8, true) => $rows::<8, i64> $arguments,
            (16, true) => $rows::<16, i64> $arguments,
            (_, true) => $rows::<0, i64> $arguments,
        }
    };
}

/// Copies a row of `N` bytes, or of `bytes` if `N` is 0.
///
/// # Safety
/// Both addresses are of so many bytes, which do not overlap; nothing else touches the second.
#[inline]
unsafe fn copy_row<const N: usize>(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from, to, if N == 0 { bytes } else { N }) };
}

/// Reads the requested rows of the table.
pub(super) fn answer(
    requests: &Requests,
    extent: usize,
    asked: (&Slice, usize),
    slices: [&Slice; 2],
    pool: Option<&rayon::ThreadPool>,
) {
    let rows = (requests.outer, extent, requests.bytes);
    by_row!(requests.bytes, requests.is_wide, answer_rows, (rows, asked, slices, pool));
}

fn answer_rows<const N: usize, T: Number>(
    (outer, extent, bytes): (usize, usize, usize),
    (requests, count): (&Slice, usize),
    [table, answers]: [&Slice; 2],
    pool: Option<&rayon::ThreadPool>,
) {
    let [requests, table, answers] = [requests, table, answers].map(Bytes::of_slice);
    each(pool, count, 4 * GRAIN / (outer * bytes).max(1), |range| {
        // SAFETY: there are `count` requests.
        let row_of = |at: usize| unsafe { *requests.at(at * size_of::<T>()).cast::<T>() }.number();
        for at in range.clone() {
            prefetch(table.at(row_of((at + AHEAD).min(range.end - 1)) as usize * bytes));
            let row = row_of(at) as usize;
            assert!(row < extent, "bug: a request of row {row} of {extent}");
            for stretch in 0..outer {
                let from = table.at((stretch * extent + row) * bytes);
                // SAFETY: the row is one of the table, and its answer this turn's alone.
                unsafe { copy_row::<N>(from, answers.at((at * outer + stretch) * bytes), bytes) };
            }
        }
    });
}

/// Writes the rows of the result of a round, which has `count` positions from `first` on.
pub(super) fn place(
    requests: &Requests,
    (extent, first, count): (usize, usize, usize),
    slots: &Slice,
    from: [&Slice; 2],
    to: &Slice,
    pool: Option<&rayon::ThreadPool>,
) {
    let (rows, part) = ((requests.outer, extent, requests.bytes), (first, count, requests.count));
    by_row!(requests.bytes, requests.is_wide, place_rows, (rows, part, slots, from, to, pool));
}

fn place_rows<const N: usize, T: Number>(
    (outer, extent, bytes): (usize, usize, usize),
    (first, count, total): (usize, usize, usize),
    slots: &Slice,
    [table, answers]: [&Slice; 2],
    to: &Slice,
    pool: Option<&rayon::ThreadPool>,
) {
    let [slots, table, answers, to] = [slots, table, answers, to].map(Bytes::of_slice);
    each(pool, count, 4 * GRAIN / (outer * bytes).max(1), |range| {
        for stretch in 0..outer {
            let sources = [
                (answers.at(stretch * bytes), outer * bytes),
                (table.at(stretch * extent * bytes), bytes),
            ];
            let source = |at: usize| {
                // SAFETY: each position of the round has its slot.
                let slot = unsafe { *slots.at(at * size_of::<T>()).cast::<T>() }.number();
                // Whose row it is changes from position to position, so there is no branch on it.
                let is_own = slot >> 63;
                let (from, step) = sources[(is_own & 1) as usize];
                from.wrapping_add((slot ^ is_own) as usize * step)
            };
            for at in range.clone() {
                prefetch(source((at + AHEAD).min(range.end - 1)));
                let to = to.at((stretch * total + first + at) * bytes);
                // SAFETY: slots are places of answers, or rows of the table; the row of the result
                // is this turn's alone.
                unsafe { copy_row::<N>(source(at), to, bytes) };
            }
        }
    });
}

/// How many rows ahead of the one that is read the memory is told of.
const AHEAD: usize = 24;

/// Puts the values of a round in the order of their requests.
pub(super) fn carry(
    requests: &Requests,
    count: usize,
    slots: &Slice,
    slices: [&Slice; 2],
    pool: Option<&rayon::ThreadPool>,
) {
    let bytes = requests.bytes;
    by_row!(bytes, requests.is_wide, carry_rows, (count, bytes, slots, slices, pool));
}

fn carry_rows<const N: usize, T: Number>(
    count: usize,
    bytes: usize,
    slots: &Slice,
    [values, to]: [&Slice; 2],
    pool: Option<&rayon::ThreadPool>,
) {
    let [slots, values, to] = [slots, values, to].map(Bytes::of_slice);
    each(pool, count, GRAIN, |range| {
        for at in range {
            // SAFETY: each position of the round has its slot.
            let slot = unsafe { *slots.at(at * size_of::<T>()).cast::<T>() }.number();
            if let Ok(place) = usize::try_from(slot) {
                // SAFETY: slots are places of requests, of which no two are the same.
                unsafe { copy_row::<N>(values.at(at * bytes), to.at(place * bytes), bytes) };
            }
        }
    });
}
