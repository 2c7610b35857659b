//! Requests on a GPU.

use super::deal::{Dealt, MOST_MEMBERS, Requests};
use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Routine, word};
use crate::structured::Block;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{DeviceError, Slice};
use std::sync::Arc;

static TEXT: &str = include_str!("requests.cu");
const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// The texts of requests of either size, with words of every size.
pub fn sources() -> Vec<String> {
    let sizes = [1, 2, 4, 8, 16];
    let of = |is_wide| sizes.map(|bytes| routine(is_wide, bytes).source());
    [of(false), of(true)].concat()
}

/// The text for rows of so many bytes in a stretch.
pub(super) fn routine(is_wide: bool, bytes: usize) -> Routine {
    let request = if is_wide { "i64" } else { "i32" };
    let defines = [("R", String::from(request)), ("W", String::from(word(word_size(bytes))))];
    Routine::new(TEXT, defines, Uses::default())
}

/// The largest words that divide a row.
fn word_size(bytes: usize) -> usize {
    1 << bytes.trailing_zeros().min(4)
}

/// The argument of all kernels.
#[derive(Default)]
struct Argument {
    positions: u64,
    firsts: u64,
    offsets: u64,
    starts: u64,
    requests: u64,
    slots: u64,
    table: u64,
    answers: u64,
    to: u64,
    first: usize,
    end: usize,
    of_round: usize,
    members: usize,
    own: usize,
    is_read: bool,
    tile: usize,
    tiles: usize,
    stretch: usize,
    inner: usize,
    outer: usize,
    words: usize,
    extent: usize,
    total: usize,
}

impl Argument {
    fn of(requests: &Requests) -> Argument {
        let (members, own) = (requests.members(), requests.own());
        Argument {
            of_round: requests.of_round,
            members,
            outer: requests.outer,
            words: requests.bytes / word_size(requests.bytes),
            own: own.unwrap_or(members),
            is_read: own.is_some(),
            tile: requests.tile(),
            tiles: requests.tiles(),
            stretch: requests.lines.map_or(0, |[rows, inner]| rows * inner),
            inner: requests.lines.map_or(1, |[_, inner]| inner),
            ..Argument::default()
        }
    }

    /// The words of `Argument` in the text.
    fn as_words(&self) -> [u64; 23] {
        let number = |number: usize| number as u64;
        [
            self.positions,
            self.firsts,
            self.offsets,
            self.starts,
            self.requests,
            self.slots,
            self.table,
            self.answers,
            self.to,
            number(self.first),
            number(self.end),
            number(self.of_round),
            number(self.members),
            number(self.own),
            u64::from(self.is_read),
            number(self.tile),
            number(self.tiles),
            number(self.stretch),
            number(self.inner),
            number(self.outer),
            number(self.words),
            number(self.extent),
            number(self.total),
        ]
    }
}

fn address(slice: &Slice) -> u64 {
    slice.as_ptr() as u64
}

/// The thread blocks for so many tiles, a warp each, and their threads. Each warp of a thread block
/// has a number for each member.
fn warps(tiles: usize, members: usize) -> (usize, u32) {
    let warps = 1 << (MOST_MEMBERS / members).clamp(1, THREADS / 32).ilog2();
    (tiles.div_ceil(warps), 32 * warps as u32)
}

/// The text of these requests.
fn text(requests: &Requests) -> Routine {
    routine(requests.is_wide, requests.bytes)
}

/// Writes the offsets, and returns the first place of each round and member.
pub(super) fn deal(
    requests: &Requests,
    dealt: &Dealt,
    positions: &Block<'_>,
    gpu: &Arc<CudaDevice>,
) -> Result<Vec<usize>, DeviceError> {
    let (rounds, members) = (requests.rounds(), requests.members());
    let firsts: Vec<u8> = requests.starts.iter().flat_map(|start| start.to_ne_bytes()).collect();
    dealt.firsts.buffer.write(dealt.firsts.offset, &firsts);
    let starts = &dealt.written;
    let argument = Argument {
        positions: positions.buffer.as_ptr() as u64,
        firsts: address(&dealt.firsts),
        offsets: address(&dealt.offsets),
        starts: address(starts),
        end: requests.count,
        total: rounds * requests.tiles(),
        ..Argument::of(requests)
    };
    let (words, text) = (argument.as_words(), text(requests));
    let grid = warps(argument.total, members);
    // SAFETY: the words are those of `Argument` in the text; the offsets and starts have room for
    // the numbers of all rounds.
    unsafe {
        text.launch("requests_count", gpu, grid, &words)?;
        text.launch("requests_sum", gpu, (rounds, 1024), &words)?;
    }
    let mut bytes = vec![0; 4 * rounds * (members + 1)];
    starts.buffer.read(starts.offset, &mut bytes);
    let (numbers, _) = bytes.as_chunks::<4>();
    Ok(numbers.iter().map(|number| u32::from_ne_bytes(*number) as usize).collect())
}

/// Writes the requests and slots of a round.
pub(super) fn write(
    requests: &Requests,
    (dealt, round): (&Dealt, usize),
    positions: &Block<'_>,
    [to, slots]: [&Slice; 2],
    gpu: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let (first, count) = requests.round(round);
    let argument = Argument {
        positions: positions.buffer.as_ptr() as u64,
        firsts: address(&dealt.firsts),
        offsets: address(&dealt.offsets),
        requests: address(to),
        slots: address(slots),
        first,
        end: first + count,
        total: count.div_ceil(requests.tile()),
        ..Argument::of(requests)
    };
    let grid = warps(argument.total, requests.members());
    // SAFETY: the words are those of `Argument` in the text; the caller has checked that the
    // requests and slots fit.
    unsafe { text(requests).launch("requests_write", gpu, grid, &argument.as_words()) }
}

/// The number of thread blocks for so many words, and their threads.
fn grid(words: usize) -> (usize, u32) {
    (words.div_ceil(THREADS).clamp(1, MOST_BLOCKS), THREADS as u32)
}

/// Reads the requested rows of the table.
pub(super) fn answer(
    requests: &Requests,
    extent: usize,
    (from, count): (&Slice, usize),
    [table, answers]: [&Slice; 2],
    gpu: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let argument = Argument {
        requests: address(from),
        table: address(table),
        answers: address(answers),
        extent,
        total: count,
        ..Argument::of(requests)
    };
    let grid = grid(count * requests.outer * argument.words);
    // SAFETY: the words are those of `Argument` in the text; requests are rows of the table.
    unsafe { text(requests).launch("requests_answer", gpu, grid, &argument.as_words()) }
}

/// Writes the rows of the result of a round, which has `count` positions from `first` on.
pub(super) fn place(
    requests: &Requests,
    (extent, first, count): (usize, usize, usize),
    slots: &Slice,
    [table, answers]: [&Slice; 2],
    to: &Slice,
    gpu: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let argument = Argument {
        slots: address(slots),
        table: address(table),
        answers: address(answers),
        to: address(to),
        first,
        end: first + count,
        extent,
        total: requests.count,
        ..Argument::of(requests)
    };
    let grid = grid(count * requests.outer * argument.words);
    // SAFETY: the words are those of `Argument` in the text; slots are places of answers or rows of
    // the table.
    unsafe { text(requests).launch("requests_place", gpu, grid, &argument.as_words()) }
}

/// Puts the values of a round in the order of their requests.
pub(super) fn carry(
    requests: &Requests,
    count: usize,
    slots: &Slice,
    [values, to]: [&Slice; 2],
    gpu: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let argument = Argument {
        slots: address(slots),
        answers: address(values),
        to: address(to),
        end: count,
        ..Argument::of(requests)
    };
    let grid = grid(count * argument.words);
    // SAFETY: the words are those of `Argument` in the text; slots are places of the result.
    unsafe { text(requests).launch("requests_carry", gpu, grid, &argument.as_words()) }
}
