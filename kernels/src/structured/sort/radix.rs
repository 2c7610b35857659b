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

/// The text with elements of a real dtype.
pub(in crate::structured) fn routine(order: Order, dtype: DType) -> Routine {
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
        ("POSITIONS", u8::from(order == Order::Positions).to_string()),
    ];
    Routine::new(TEXT, defines, Uses::default())
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
    routine: Routine,
}

impl<'a> Sorting<'a> {
    pub(in crate::structured) fn new(
        order: Order,
        dtype: DType,
        device: &'a Arc<CudaDevice>,
    ) -> Sorting<'a> {
        let routine = routine(order, dtype);
        Sorting { device, order, dtype, digits: dtype.size(), origin: 0, routine }
    }

    /// Sorts by the lowest `digits` digits of eight bits only.
    pub(in crate::structured) fn of_digits(self, digits: usize) -> Sorting<'a> {
        Sorting { digits: digits.clamp(1, self.dtype.size()), ..self }
    }

    /// Counts positions from `origin` on.
    pub(in crate::structured) fn from(self, origin: usize) -> Sorting<'a> {
        Sorting { origin, ..self }
    }

    fn launch(&self, entry: &'static str, blocks: usize, words: &[u64]) -> Result<(), DeviceError> {
        let threads = if entry == "sort_starts" { 256 } else { THREADS };
        // SAFETY: the words are those of `Argument` in the text; the buffers at the addresses have
        // the lengths that the counts state.
        unsafe { self.routine.launch(entry, self.device, (blocks, threads), words) }
    }

    /// Sorts `count` contiguous lines of fewer than `MOST` elements, one after the other.
    pub(in crate::structured) fn lines(
        &self,
        from: u64,
        to: u64,
        count: usize,
        extent: usize,
    ) -> Result<(), DeviceError> {
        let mut words = [0u64; 13];
        words[8] = extent as u64;
        words[11] = count as u64;
        words[12] = self.origin as u64;
        let item = self.dtype.size();
        let has_positions = self.order == Order::Positions;
        let result = if has_positions { 8 } else { item };
        if extent <= SHORT {
            let steps = [item, result];
            for first in (0..count).step_by(MOST_BLOCKS) {
                let before = steps.map(|step| (first * extent * step) as u64);
                words[..2].copy_from_slice(&[from + before[0], to + before[1]]);
                self.launch("sort_short", MOST_BLOCKS.min(count - first), &words)?;
            }
            return Ok(());
        }
        let tile = if item > 4 { TILE / 2 } else { TILE };
        let tiles = extent.div_ceil(tile);
        let whole = (extent * item).next_multiple_of(512);
        let allocate = |bytes: usize| self.device.clone().allocate(bytes);
        let keys = [allocate(whole)?, allocate(whole)?];
        // After the positions there is room for tiles whose keys are smaller than positions.
        let room = if has_positions { 4 * (extent + tiles * tile) } else { 0 };
        let positions = [allocate(room)?, allocate(room)?];
        let status = allocate(4 * (1 + 256 * tiles))?;
        let histogram = allocate(4 * 256 * item)?;
        let address = |buffer: &Buffer| buffer.as_ptr() as u64;
        for line in 0..count {
            words[0] = from + (line * extent * item) as u64;
            words[1] = to + (line * extent * result) as u64;
            words[6] = address(&histogram);
            words[7] = address(&status);
            words[10] = self.digits as u64;
            histogram.zero(0, histogram.len());
            self.launch("sort_count", tiles.min(COUNTING), &words)?;
            self.launch("sort_starts", 1, &words)?;
            for pass in 0..self.digits {
                words[2] = address(&keys[pass % 2]);
                words[3] = address(&keys[(pass + 1) % 2]);
                words[4] = address(&positions[pass % 2]);
                words[5] = address(&positions[(pass + 1) % 2]);
                words[9] = pass as u64;
                status.zero(0, status.len());
                self.launch("sort_pass", tiles, &words)?;
            }
        }
        Ok(())
    }
}
