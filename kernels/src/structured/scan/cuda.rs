//! Running combinations on a GPU.
//!
//! Long lines are cut into tiles that are scanned in one pass over memory, as in "Single-pass
//! Parallel Prefix Scan with Decoupled Look-back" (Merrill and Garland, 2016), with one difference:
//! a tile always combines the totals of the same groups of tiles and of groups, not those that
//! happen to be available, so sums of floating-point numbers have the same bits each time.
//!
//! If another order is not allowed (`is_in_order`), a thread combines each line from left to right,
//! like the CPU.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::combining::has_loop;
use crate::structured::lines::Lines;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use phalanx_ops::structured::Scan;
use phalanx_ops::{DType, Op};
use std::sync::Arc;

static TEXT: &str = include_str!("scan.cu");
const THREADS: u32 = 256;
/// Blocks of a kernel that has one for each line.
const MOST_BLOCKS: usize = 1 << 30;
/// Tiles of a group, and groups of a group of groups; the text has the same number.
const GROUP: usize = 32;
/// The word of `Argument` in the text with the address of the elements before the lines.
const BEFORE: usize = 12;
/// The number of lines that keep a device busy with one block each.
const MANY_LINES: usize = 1024;

/// Elements of a thread. A tile is in shared memory and takes up to 32 KiB.
fn items(dtype: DType) -> usize {
    128 / dtype.size().clamp(4, 16)
}

/// Whether the elements must be combined from left to right.
fn is_in_order(scan: Scan, dtype: DType) -> bool {
    scan.in_order || !scan.op.is_free(dtype)
}

/// The text with an operation.
fn routine(scan: Scan, dtype: DType) -> Routine {
    let op = scan.op;
    let mut uses = Uses::default();
    uses.ops.insert((op, vec![dtype, dtype]));
    let name = if dtype == DType::Bool { "bool" } else { dtype.name() };
    let mut defines = vec![
        ("T", String::from(name)),
        ("OP", format!("op_{}", op.name())),
        ("ITEMS", items(dtype).to_string()),
    ];
    if is_in_order(scan, dtype) {
        defines.push(("IN_ORDER", String::from("1")));
    }
    Routine::new(TEXT, defines, uses)
}

/// The texts of running sums, differences and maxima.
pub fn sources() -> Vec<String> {
    let uses = |op| {
        DType::ALL.iter().filter(move |&&dtype| has_loop(op, dtype)).map(move |&dtype| (op, dtype))
    };
    let of = |op, dtype, in_order| routine(Scan { op, axis: 0, in_order }, dtype).source();
    let sums = uses(Op::Add).map(|(op, dtype)| of(op, dtype, true));
    uses(Op::Add)
        .chain(uses(Op::Maximum))
        .chain(uses(Op::Subtract))
        .map(|(op, dtype)| of(op, dtype, false))
        .chain(sums)
        .collect()
}

/// The routines that `run` launches.
pub fn routines(scan: Scan, to: &Block<'_>) -> Vec<Routine> {
    if has_loop(scan.op, to.dtype) && !to.is_empty() {
        vec![routine(scan, to.dtype)]
    } else {
        Vec::new()
    }
}

/// `to[0] = from[0]`, `to[i] = op(to[i - 1], from[i])` along an axis; false for operations that
/// have no such loop. If there is a second operand with elements, `to[0]` combines its element of
/// the line with `from[0]`.
///
/// Errors: those of the compiler; `DeviceError::OutOfMemory` for the totals of tiles.
pub fn run(
    scan: Scan,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    let from = &operands[0];
    assert_eq!((from.shape, from.dtype), (to.shape, to.dtype), "bug: unlike blocks of a scan");
    let dtype = to.dtype;
    let lines = Lines::of(to.shape, scan.axis);
    if !has_loop(scan.op, dtype) {
        return Ok(false);
    }
    if to.is_empty() {
        return Ok(true);
    }
    let routine = routine(scan, dtype);
    let addresses = [from.buffer.as_ptr() as u64, to.buffer.as_ptr() as u64];
    let sizes = [lines.outer, lines.extent, lines.inner].map(|number| number as u64);
    let mut words: Vec<u64> = addresses.into_iter().chain(sizes).chain([0; 8]).collect();
    let before = operands.get(1).filter(|before| !before.is_empty());
    if let Some(before) = before {
        let of_before = Lines::of(before.shape, scan.axis);
        assert!(
            before.dtype == dtype
                && (of_before.outer, of_before.extent, of_before.inner)
                    == (lines.outer, 1, lines.inner),
            "bug: {:?} before {:?}",
            before.shape,
            to.shape
        );
        words[BEFORE] = before.buffer.as_ptr() as u64;
    }
    // The same arguments for the lines from `first` on.
    let from_line = |first: usize| {
        let mut words = words.clone();
        let passed = (first * lines.extent * dtype.size()) as u64;
        words[..2].copy_from_slice(&addresses.map(|address| address + passed));
        if words[BEFORE] != 0 {
            words[BEFORE] += (first * dtype.size()) as u64;
        }
        words
    };
    if lines.inner > 1 {
        let blocks = (lines.outer * lines.inner).div_ceil(THREADS as usize);
        // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
        unsafe { routine.launch("scan_columns", device, (blocks, THREADS), &words)? };
        return Ok(true);
    }
    if is_in_order(scan, dtype) {
        // One line for each block until the blocks keep a device busy, then up to 32 lines, the
        // threads of a warp; always a divisor of a tile.
        let many = (lines.outer / MANY_LINES).clamp(1, 32).next_power_of_two();
        for first in (0..lines.outer).step_by(MOST_BLOCKS) {
            let left = MOST_BLOCKS.min(lines.outer - first);
            let mut words = from_line(first);
            words[2] = left as u64;
            words[5] = many as u64;
            let blocks = left.div_ceil(many);
            // SAFETY: the words are those of `Argument` in the text, and the blocks have all lines.
            unsafe { routine.launch("scan_in_order", device, (blocks, THREADS), &words)? };
        }
        return Ok(true);
    }
    let tiles = lines.extent.div_ceil(items(dtype) * THREADS as usize);
    if lines.outer >= MANY_LINES || tiles <= 4 {
        for first in (0..lines.outer).step_by(MOST_BLOCKS) {
            let many = MOST_BLOCKS.min(lines.outer - first);
            // SAFETY: as above.
            unsafe { routine.launch("scan_rows", device, (many, THREADS), &from_line(first))? };
        }
        return Ok(true);
    }
    let groups = tiles.div_ceil(GROUP);
    let slot = if dtype.size() > 8 { 32 } else { 16 };
    // The number of tiles begun, then the totals of tiles, groups, and groups of groups.
    let counts = [1, lines.outer * tiles, lines.outer * groups, lines.outer * (groups / GROUP)];
    let bytes = slot * counts.iter().sum::<usize>();
    let workspace = device.clone().allocate(bytes)?;
    workspace.zero(0, bytes);
    words[6] = tiles as u64;
    words[7] = groups as u64;
    let mut at = workspace.as_ptr() as u64;
    for (word, count) in words[8..BEFORE].iter_mut().zip(counts) {
        *word = at;
        at += (slot * count) as u64;
    }
    // SAFETY: as above; the workspace has a slot for each tile and group.
    unsafe {
        routine.launch("scan_chained", device, (lines.outer * tiles, THREADS), &words)?;
    }
    Ok(true)
}
