//! Writing at positions on a GPU, with the same result each time.
//!
//! - Without an operation, each value claims its target position, and the last claim is written. If
//!   a table of claims would take more memory than sorting the values by target position, the
//!   values are sorted.
//! - Integers are combined by atomic operations if their order does not matter.
//! - In all other cases the values are sorted by target position, which keeps the order of values
//!   for a position, and combined along the sorted positions.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Routine, word};
use crate::structured::Block;
use crate::structured::combining::has_loop;
use crate::structured::grouped::cuda::{Combined, Grouping, places_of};
use crate::structured::lines::Lines;
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError, Strided, copy_strided};
use phalanx_ops::structured::Put;
use phalanx_ops::{DType, Op};
use std::sync::Arc;

static TEXT: &str = concat!(include_str!("../../../cuda/text/atomics.cu"), include_str!("put.cu"));
const THREADS: u32 = 256;
const MOST_BLOCKS: usize = 1 << 20;

/// How values are written to their target positions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    AnyOrder(Op),
    Claims,
    Sorted(Option<Op>),
}

/// The text that moves words of `size` bytes.
fn of_words(size: usize) -> Routine {
    Routine::new(TEXT, [("Word", String::from(word(size)))], Uses::default())
}

/// The text that finds the target positions of values in `elements` elements.
fn of_places(elements: usize) -> Routine {
    Routine::new(TEXT, [("Slot", String::from(places_of(elements)))], Uses::default())
}

/// The text that combines values in any order.
fn in_any_order(op: Op, dtype: DType) -> Routine {
    let mut uses = Uses::default();
    uses.ops.insert((op, vec![dtype, dtype]));
    let name = if dtype == DType::Bool { "bool" } else { dtype.name() };
    let mut defines = vec![("Element", String::from(name)), ("OP", format!("op_{}", op.name()))];
    // The device's atomic operations for this size; sums and bits do not depend on the sign.
    let (unsigned, signed) = match dtype {
        DType::I32 => ("u32", "i32"),
        DType::I64 => ("u64", "i64"),
        DType::U32 => ("u32", "u32"),
        DType::U64 => ("u64", "u64"),
        _ => return Routine::new(TEXT, defines, uses),
    };
    let native = match op {
        Op::Add => Some(("atomic_add", unsigned)),
        Op::BitwiseAnd => Some(("atomic_and", unsigned)),
        Op::BitwiseOr => Some(("atomic_or", unsigned)),
        Op::BitwiseXor => Some(("atomic_xor", unsigned)),
        Op::Maximum | Op::Fmax => Some(("atomic_max", signed)),
        Op::Minimum | Op::Fmin => Some(("atomic_min", signed)),
        _ => None,
    };
    if let Some((atomic, operand)) = native {
        defines.push(("ATOMIC", String::from(atomic)));
        defines.push(("Operand", String::from(operand)));
    }
    Routine::new(TEXT, defines, uses)
}

/// Whether the order of combination never changes the result.
fn is_order_free(op: Op, dtype: DType) -> bool {
    op.is_associative() && !dtype.is_inexact()
}

/// The texts for words of every size, for target positions, and for some operations.
pub fn put_sources() -> Vec<String> {
    let mut sources: Vec<String> = [1, 2, 4, 8, 16].map(|size| of_words(size).source()).into();
    sources.extend([1, 1 << 40].map(|elements| of_places(elements).source()));
    for op in [Op::Add, Op::Maximum, Op::BitwiseXor, Op::Multiply] {
        for &dtype in DType::ALL.iter().filter(|&&dtype| has_loop(op, dtype)) {
            if is_order_free(op, dtype) {
                sources.push(in_any_order(op, dtype).source());
            }
        }
    }
    sources
}

/// The way for these operands; `None` for operations that run on the host.
fn way(put: Put, operands: &[Block<'_>], to: &Block<'_>) -> Option<Way> {
    let (positions, values) = (&operands[1], &operands[2]);
    let (total, elements) = (positions.len(), to.len());
    let room = Grouping::room(total, elements);
    match put.op {
        Some(_) if !put.is_plain(to.dtype, values.dtype) => None,
        Some(op) if !has_loop(op, to.dtype) => None,
        Some(op) if is_order_free(op, to.dtype) => Some(Way::AnyOrder(op)),
        op => {
            let extent = Lines::of(positions.shape, put.axis).extent;
            let claims = op.is_none() && extent < u32::MAX as usize;
            // Claims take less memory than sorting, unless few values are written to a large block.
            if claims && room.is_none_or(|room| 4 * elements <= room.max(1 << 20)) {
                Some(Way::Claims)
            } else {
                room.map(|_| Way::Sorted(op))
            }
        }
    }
}

/// The routines that `put` launches.
pub fn put_routines(put: Put, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    let positions = &operands[1];
    if to.is_empty() || positions.is_empty() {
        return Vec::new();
    }
    let elements = to.len();
    match way(put, operands, to) {
        None => Vec::new(),
        Some(Way::AnyOrder(op)) => vec![in_any_order(op, to.dtype)],
        Some(Way::Claims) => vec![of_words(to.dtype.size())],
        Some(Way::Sorted(op)) => {
            let combined = match op {
                None => Combined::Last { size: to.dtype.size() },
                Some(op) => Combined::Op { op, dtype: to.dtype, in_order: put.in_order },
            };
            let mut routines = Grouping::routines(elements, combined);
            routines.push(of_places(elements));
            routines
        }
    }
}

/// `to[…, positions[…, k, …], …] = values[…, k, …]`, or the operation on both, in C order; the
/// other elements are those of `old`. Positions outside of the block write nothing. False for more
/// values than can be sorted, and for operations that have no loop from and to the array's dtype.
///
/// Errors: those of the compiler; `DeviceError::OutOfMemory` for claims (four bytes for each
/// element of the block) or for sorting (28 bytes for each value, 40 if the block has 2³² elements
/// and more).
pub fn put(
    put: Put,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    let (old, positions, values) = (&operands[0], &operands[1], &operands[2]);
    let (lines, given) = (Lines::of(to.shape, put.axis), Lines::of(positions.shape, put.axis));
    assert!(
        (values.dtype == to.dtype || put.op.is_some())
            && old.dtype == to.dtype
            && old.shape == to.shape
            && positions.dtype == DType::I64
            && values.shape == positions.shape
            && (lines.outer, lines.inner) == (given.outer, given.inner),
        "bug: {:?} at {:?} into {:?}",
        values.shape,
        positions.shape,
        to.shape
    );
    let (dtype, total, elements) = (to.dtype, values.len(), to.len());
    let Some(way) = way(put, operands, to) else { return Ok(false) };
    copy(old, to);
    if to.is_empty() || total == 0 {
        return Ok(true);
    }
    let address = |block: &Block<'_>| block.buffer.as_ptr() as u64;
    let first = to.origin[usize::from(put.axis)];
    let sizes = [total, given.extent, lines.extent, lines.inner, first, elements];
    let sizes = sizes.map(|number| number as u64);
    let launch = |entry, routine: &Routine, winners: u64, places: u64| {
        let addresses = [address(positions), address(values), address(to), winners, places];
        let words: Vec<u64> = addresses.into_iter().chain(sizes).collect();
        let blocks = total.div_ceil(THREADS as usize).min(MOST_BLOCKS);
        // SAFETY: the words are those of `Argument` in the text; there are as many positions as
        // values, only target positions inside of the block are written, and there are as many
        // winners as elements of the block and as many target positions as values.
        unsafe { routine.launch(entry, device, (blocks, THREADS), &words) }
    };
    match way {
        Way::AnyOrder(op) => launch("put_any_order", &in_any_order(op, dtype), 0, 0)?,
        Way::Claims => {
            let claimed = device.clone().allocate(4 * elements)?;
            claimed.zero(0, 4 * elements);
            let (winners, words) = (claimed.as_ptr() as u64, of_words(dtype.size()));
            launch("put_claim", &words, winners, 0)?;
            launch("put_write", &words, winners, 0)?;
        }
        Way::Sorted(op) => {
            let item = if places_of(elements) == "u32" { 4 } else { 8 };
            let places = device.clone().allocate(total * item)?;
            launch("put_places", &of_places(elements), 0, places.as_ptr() as u64)?;
            let grouping = Grouping::new(&places, total, elements, device)?;
            match op {
                None => grouping.last(address(values), address(to), dtype.size())?,
                Some(op) => {
                    let how = (op, put.in_order);
                    grouping.combine(how, dtype, address(values), address(to))?;
                }
            }
        }
    }
    Ok(true)
}

/// Copies a block of equal shape and dtype, unless it is the same block.
fn copy(from: &Block<'_>, to: &Block<'_>) {
    if from.buffer.same(to.buffer) || to.is_empty() {
        return;
    }
    let size = to.dtype.size();
    let strides = [size as isize];
    let all = |buffer| Strided { buffer, offset: 0, strides: &strides };
    copy_strided(&all(from.buffer), &all(to.buffer), &[to.len()], size);
}
