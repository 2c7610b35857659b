//! Lines of real elements that consist of few ascending runs, on a GPU: the runs are merged in
//! pairs.
//!
//! Source: "GPU Merge Path: A GPU Merging Algorithm" (Green, McColl and Bader, 2012).

use super::order::defines;
use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use phalanx_ops::DType;
use phalanx_ops::structured::Order;
use std::sync::Arc;

static TEXT: &str = concat!(include_str!("order.cu"), include_str!("merge_path.cu"));
const THREADS: u32 = 256;
/// Elements that a thread compares at a time.
const AHEAD: usize = 8;
/// Elements of a tile; a tile of wide elements has half as many. The text has the same numbers.
const TILE: usize = 4096;
/// The bytes that the text has for a tile and its cut.
const TILE_BYTES: usize = 40;
/// Blocks that look for the starts of runs.
const MOST_BLOCKS: usize = 1 << 14;

/// The text that merges elements of a real dtype, their positions, or packed positions.
pub(super) fn routine(order: Order, dtype: DType) -> Routine {
    let mut defines = defines(dtype).to_vec();
    defines.push(("POSITIONS", u8::from(order == Order::Positions).to_string()));
    defines.push(("UNPACKED", u8::from(order == Order::Unpacked).to_string()));
    Routine::new(TEXT, defines, Uses::default())
}

/// Merging of lines that each have at most `runs` runs; 2 for positions.
pub(super) struct Merge {
    pub order: Order,
    pub dtype: DType,
    pub runs: usize,
}

impl Merge {
    /// Merges the runs of `count` contiguous lines of `extent` elements. Positions count from
    /// `origin` on.
    ///
    /// Errors: those of the compiler; `DeviceError::OutOfMemory` for the starts of runs, and for
    /// the elements between passes.
    pub(super) fn lines(
        &self,
        device: &Arc<CudaDevice>,
        [from, to]: [u64; 2],
        count: usize,
        [extent, origin]: [usize; 2],
    ) -> Result<(), DeviceError> {
        let Merge { order, dtype, runs } = *self;
        let routine = routine(order, dtype);
        let bytes = extent * dtype.size();
        let of_result = match order {
            Order::Values => bytes,
            Order::Positions | Order::Packed | Order::Unpacked => extent * DType::I64.size(),
        };
        let levels = runs.next_power_of_two().ilog2().max(1);
        assert!(
            levels == 1 || order != Order::Positions,
            "bug: positions of {runs} runs are merged"
        );
        let found = device.clone().allocate(8 * (runs + 1))?;
        let starts = device.clone().allocate(8 * (runs + 1))?;
        let between = if levels > 1 { bytes.next_multiple_of(512) } else { 0 };
        let room = device.clone().allocate(between)?;
        let tile = if dtype.size() > 4 { TILE / 2 } else { TILE };
        let most_tiles = extent.div_ceil(tile) + runs.div_ceil(2);
        let of_pass = device.clone().allocate(TILE_BYTES * most_tiles)?;
        for line in 0..count {
            let (mut source, target) =
                (from + (line * bytes) as u64, to + (line * of_result) as u64);
            let launch = |entry,
                          blocks: usize,
                          [from, to]: [u64; 2],
                          [width, tiles, is_last]: [usize; 3]| {
                let [found, starts, of_pass] =
                    [&found, &starts, &of_pass].map(|buffer| buffer.as_ptr() as u64);
                let [extent, runs, width, origin, tiles, is_last] =
                    [extent, runs, width, origin, tiles, is_last].map(|number| number as u64);
                let words =
                    [from, to, found, starts, extent, runs, width, origin, of_pass, tiles, is_last];
                // SAFETY: the words are those of `Argument` in the text; the line has `extent`
                // elements at both addresses, and there are a start for each run, the end and
                // memory for each tile.
                unsafe { routine.launch(entry, device, (blocks, THREADS), &words) }
            };
            found.zero(0, 8);
            let blocks = extent.div_ceil(THREADS as usize * AHEAD).min(MOST_BLOCKS);
            launch("find_runs", blocks, [source, target], [0; 3])?;
            launch("order_runs", 1, [source, target], [0; 3])?;
            for level in 0..levels {
                // The last pass writes the result.
                let is_to_target = (levels - level) % 2 == 1;
                let next = if is_to_target { target } else { room.as_ptr() as u64 };
                let pairs = runs.div_ceil(2 << level);
                let tiles = extent.div_ceil(tile) + pairs;
                let width = [1 << level, tiles, usize::from(level + 1 == levels)];
                launch("cut_tiles", tiles.div_ceil(THREADS as usize), [source, next], width)?;
                launch("merge_runs", tiles, [source, next], width)?;
                source = next;
            }
        }
        Ok(())
    }
}
