//! Sorting of contiguous lines of real elements on a GPU, by the digits of integers in the order of
//! the elements.
//!
//! Each pass places the elements by one digit of eight bits in one pass over memory: a tile
//! computes its offsets from the counts of earlier tiles ("Onesweep: A Faster Least Significant
//! Digit Radix Sort for GPUs", Adinets and Merrill, 2022). A thread block sorts each short line.

use super::order::infinity;
use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Device, DeviceError};
use phalanx_ops::structured::Order;
use phalanx_ops::{DType, Kind};
use std::sync::Arc;

static TEXT: &str = include_str!("sort.cu");
const THREADS: u32 = 384;
/// Elements of a tile of narrow keys; a tile of wide keys has half as many. `SHORT` is the longest
/// line that one thread block sorts. The text has the same numbers.
const TILE: usize = 6144;
const SHORT: usize = 2048;
/// Blocks of a kernel that has one for each line.
const MOST_BLOCKS: usize = 1 << 30;
/// Lines are counted in 30 bits.
pub(in crate::structured) const MOST: usize = 1 << 30;
/// Blocks that count digits.
const COUNTING: usize = 1024;
/// The most elements of lines that are sorted together, which bounds the memory between passes.
const TOGETHER: usize = 1 << 24;

/// The text with elements of a real dtype, for one line or for `many`.
pub(in crate::structured) fn routine(order: Order, dtype: DType, many: bool) -> Routine {
    let key = ["u8", "u16", "u32", "u64"][dtype.size().trailing_zeros() as usize];
    let kind = match dtype.kind() {
        Kind::Signed => 1,
        Kind::Float => 2,
        _ => 0,
    };
    let infinite = infinity(dtype);
    let defines = [
        ("K", String::from(key)),
        ("KIND", kind.to_string()),
        ("INFINITE", format!("(({key}){infinite})")),
        ("POSITIONS", u8::from(writes_positions(order)).to_string()),
        ("PACKED", u8::from(order == Order::Packed).to_string()),
        ("UNPACKED", u8::from(order == Order::Unpacked).to_string()),
        ("MANY", u8::from(many).to_string()),
    ];
    Routine::new(TEXT, defines, Uses::default())
}

/// Whether the positions of elements are carried from pass to pass.
fn writes_positions(order: Order) -> bool {
    matches!(order, Order::Positions | Order::Packed)
}

/// Sorting of elements of a real dtype.
pub(in crate::structured) struct Sorting<'a> {
    device: &'a Arc<CudaDevice>,
    order: Order,
    dtype: DType,
    /// The number of low digits in which elements differ.
    digits: usize,
    /// The position of the first element of a line.
    origin: usize,
}

impl<'a> Sorting<'a> {
    pub(in crate::structured) fn new(
        order: Order,
        dtype: DType,
        device: &'a Arc<CudaDevice>,
    ) -> Sorting<'a> {
        Sorting { device, order, dtype, digits: dtype.size(), origin: 0 }
    }

    /// Sorts by the lowest `digits` digits of eight bits only.
    pub(in crate::structured) fn of_digits(self, digits: usize) -> Sorting<'a> {
        Sorting { digits: digits.clamp(1, self.dtype.size()), ..self }
    }

    /// Counts positions from `origin` on.
    pub(in crate::structured) fn from(self, origin: usize) -> Sorting<'a> {
        Sorting { origin, ..self }
    }

    /// Sorts `count` contiguous lines of fewer than `MOST` elements, as many at a time as have
    /// `TOGETHER` elements.
    pub(in crate::structured) fn lines(
        &self,
        from: u64,
        to: u64,
        count: usize,
        extent: usize,
    ) -> Result<(), DeviceError> {
        let mut words = [0u64; 16];
        words[8] = extent as u64;
        words[11] = self.origin as u64;
        let item = self.dtype.size();
        let result = if writes_positions(self.order) { 8 } else { item };
        let routine = routine(self.order, self.dtype, count > 1);
        let launch = |entry: &'static str, blocks: usize, words: &[u64]| {
            let threads = if entry == "sort_starts" { 256 } else { THREADS };
            // SAFETY: the words are those of `Argument` in the text; the buffers at the addresses
            // have the lengths that the counts state.
            unsafe { routine.launch(entry, self.device, (blocks, threads), words) }
        };
        if extent <= SHORT {
            let steps = [item, result];
            for first in (0..count).step_by(MOST_BLOCKS) {
                let before = steps.map(|step| (first * extent * step) as u64);
                words[..2].copy_from_slice(&[from + before[0], to + before[1]]);
                launch("sort_short", MOST_BLOCKS.min(count - first), &words)?;
            }
            return Ok(());
        }
        let tiles = extent.div_ceil(self.tile());
        let passing = self.passing(count, extent, tiles)?;
        let together = passing.lines;
        let address = |buffer: &Buffer| buffer.as_ptr() as u64;
        words[6] = address(&passing.histogram);
        words[7] = address(&passing.status);
        words[10] = self.digits as u64;
        words[13..].copy_from_slice(&passing.steps.map(|step| step as u64));
        for first in (0..count).step_by(together) {
            let lines = together.min(count - first);
            words[0] = from + (first * extent * item) as u64;
            words[1] = to + (first * extent * result) as u64;
            let of_lines = |entry: &'static str, blocks: usize, words: &mut [u64; 16]| {
                words[12] = blocks as u64;
                launch(entry, blocks * lines, words)
            };
            passing.histogram.zero(0, passing.histogram.len());
            of_lines("sort_count", (COUNTING / lines).clamp(1, tiles), &mut words)?;
            of_lines("sort_starts", 1, &mut words)?;
            for pass in 0..self.digits {
                words[2] = address(&passing.keys[pass % 2]);
                words[3] = address(&passing.keys[(pass + 1) % 2]);
                words[4] = address(&passing.positions[pass % 2]);
                words[5] = address(&passing.positions[(pass + 1) % 2]);
                words[9] = pass as u64;
                passing.status.zero(0, passing.status.len());
                of_lines("sort_pass", tiles, &mut words)?;
            }
        }
        Ok(())
    }

    /// The elements of a tile.
    fn tile(&self) -> usize {
        if self.dtype.size() > 4 { TILE / 2 } else { TILE }
    }

    /// Memory for as many of the lines as `TOGETHER` and the device allow, at least for one.
    ///
    /// Errors: `DeviceError::OutOfMemory`.
    fn passing(&self, count: usize, extent: usize, tiles: usize) -> Result<Passing, DeviceError> {
        let item = self.dtype.size();
        // Keys that are smaller than positions leave no room for those of a tile.
        let room = if item < 4 { tiles * self.tile() } else { 0 };
        let has_positions = writes_positions(self.order);
        let of_positions = if has_positions { 4 * (extent + room) } else { 0 };
        let steps = [extent * item, of_positions, 4 * (1 + 256 * tiles)];
        let steps = steps.map(|step| step.next_multiple_of(512));
        let mut lines = (TOGETHER / extent).min(count).max(1);
        loop {
            let allocate = |bytes: usize| self.device.clone().allocate(bytes * lines);
            let made = || {
                let [of_keys, of_positions, of_status] = steps;
                Ok(Passing {
                    keys: [allocate(of_keys)?, allocate(of_keys)?],
                    positions: [allocate(of_positions)?, allocate(of_positions)?],
                    status: allocate(of_status)?,
                    histogram: allocate(4 * 256 * item)?,
                    steps,
                    lines,
                })
            };
            match made() {
                Err(DeviceError::OutOfMemory { .. }) if lines > 1 => lines /= 2,
                made => return made,
            }
        }
    }
}

/// The memory between passes.
struct Passing {
    keys: [Buffer; 2],
    positions: [Buffer; 2],
    status: Buffer,
    histogram: Buffer,
    /// The bytes of a line's keys, positions and status.
    steps: [usize; 3],
    /// The lines that it is for.
    lines: usize,
}
