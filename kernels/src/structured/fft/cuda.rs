//! Fourier transforms on a GPU by cuFFT, except short lines of many stretches (`columns`).

use super::check::check;
use super::columns::{self, Columns};
use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use crate::structured::lines::Lines;
use crate::structured::transpose::{Transposed, routine as of_transposes, transpose};
use phalanx_device::cuda::{CudaDevice, Fourier, FourierLines};
use phalanx_device::{Buffer, Device, DeviceError, Strided, copy_strided};
use phalanx_ops::DType;
use phalanx_ops::structured::{Fft, Transform};
use std::sync::Arc;

static TEXT: &str = include_str!("spectrum.cu");
const THREADS: u32 = 256;
const MOST_BLOCKS: usize = 1 << 20;
/// A transform may always use this many calls of the library, and more if each has `LARGE` bytes.
const FEW_CALLS: usize = 4;
const LARGE: usize = 16 << 20;

/// Transforms the lines of a block along an axis; only rounding differs from the CPU's routine.
///
/// Panics (`bug:`) if shapes or dtypes do not fit. Errors: those of `Fft::transform` and of
/// the compiler.
pub fn run(
    fft: &Fft,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let from = &operands[0];
    check(fft, from, to);
    if to.is_empty() {
        return Ok(());
    }
    let (before, after) = (Lines::of(from.shape, fft.axis), Lines::of(to.shape, fft.axis));
    if before.extent == 0 {
        to.buffer.zero(0, to.len() * to.dtype.size());
        return Ok(());
    }
    let (kind, length) = kind_and_length(fft, before, after);
    if length == 1 {
        single(from, to);
        return Ok(());
    }
    let way = way(kind, length, [from.dtype, to.dtype], [before, after]);
    if kind != Fourier::RealInverse {
        return transform(kind, length, way, (from, from.buffer, before), (to, after), device);
    }
    // The library overwrites the spectrum of a real inverse transform, and does not define how it
    // treats imaginary parts that must be 0: so it gets a prepared copy.
    let spectrum = device.clone().allocate(from.len() * from.dtype.size())?;
    let middle = if length.is_multiple_of(2) { length / 2 } else { 0 };
    let numbers = [from.len(), before.extent, before.inner, middle].map(|number| number as u64);
    let addresses = [from.buffer, &spectrum].map(|buffer| buffer.as_ptr() as u64);
    let words: Vec<u64> = addresses.into_iter().chain(numbers).collect();
    let blocks = from.len().div_ceil(THREADS as usize).min(MOST_BLOCKS);
    // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
    unsafe { of_spectra(to.dtype).launch("spectrum", device, (blocks, THREADS), &words)? };
    transform(kind, length, way, (from, &spectrum, before), (to, after), device)
}

/// How lines are transformed.
#[derive(Clone, Copy)]
enum Way {
    /// By `calls` calls of the library; `steps` are the bytes from one call's lines to the next's.
    Library { lines: FourierLines, calls: usize, steps: [usize; 2] },
    /// By our own kernel.
    Columns(Columns),
    /// By the library, after a transposed copy that makes each line contiguous.
    Together,
}

fn kind_and_length(fft: &Fft, before: Lines, after: Lines) -> (Fourier, usize) {
    match fft.transform {
        Transform::Forward => (Fourier::Forward, before.extent),
        Transform::Inverse => (Fourier::Inverse, before.extent),
        Transform::RealForward => (Fourier::RealForward, before.extent),
        Transform::RealInverse { .. } => (Fourier::RealInverse, after.extent),
    }
}

/// Contiguous lines, one after the other.
fn along(length: usize, before: Lines, after: Lines, is_double: bool) -> FourierLines {
    let distances = [before.extent, after.extent];
    FourierLines { length, count: before.outer, strides: [1; 2], distances, is_double }
}

fn way(kind: Fourier, length: usize, dtypes: [DType; 2], [before, after]: [Lines; 2]) -> Way {
    let is_double = dtypes[1].real() == DType::F64;
    let sizes = dtypes.map(DType::size);
    let extents = [before.extent, after.extent];
    let (outer, inner) = (before.outer, before.inner);
    let along = along(length, before, after, is_double);
    if inner == 1 {
        return Way::Library { lines: along, calls: 1, steps: [0; 2] };
    }
    // Neighbouring lines of a stretch, and those at the same position of all stretches.
    let neighbours = FourierLines { count: inner, strides: [inner; 2], distances: [1; 2], ..along };
    let across = FourierLines {
        count: outer,
        strides: [inner; 2],
        distances: extents.map(|extent| extent * inner),
        ..along
    };
    let (lines, calls, steps) = if inner < outer {
        (across, inner, sizes)
    } else {
        (neighbours, outer, [0, 1].map(|side| extents[side] * inner * sizes[side]))
    };
    let is_aligned =
        calls == 1 || steps.iter().all(|step| step.is_multiple_of(if is_double { 16 } else { 8 }));
    let bytes = lines.count * extents[0].max(extents[1]) * sizes[0].max(sizes[1]);
    if is_aligned && (calls <= FEW_CALLS || bytes >= LARGE) {
        return Way::Library { lines, calls, steps };
    }
    let is_inverse = kind == Fourier::Inverse;
    let columns = Columns { length, outer, inner, is_double, is_inverse };
    if matches!(kind, Fourier::Forward | Fourier::Inverse) && columns.is_suitable() {
        Way::Columns(columns)
    } else {
        Way::Together
    }
}

/// The routines that `run` launches in addition to the library.
pub fn routines(fft: &Fft, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    let from = &operands[0];
    let (before, after) = (Lines::of(from.shape, fft.axis), Lines::of(to.shape, fft.axis));
    let (kind, length) = kind_and_length(fft, before, after);
    if to.is_empty() || before.extent == 0 || length == 1 {
        return Vec::new();
    }
    let mut routines = match way(kind, length, [from.dtype, to.dtype], [before, after]) {
        Way::Library { .. } => Vec::new(),
        Way::Columns(columns) => vec![columns.routine()],
        Way::Together => [from, to].map(|block| of_transposes(block.dtype.size())).into(),
    };
    if kind == Fourier::RealInverse {
        routines.push(of_spectra(to.dtype));
    }
    routines
}

/// Transforms the elements of a buffer with the layout of the block `from`.
fn transform(
    kind: Fourier,
    length: usize,
    way: Way,
    (from, source, before): (&Block<'_>, &Buffer, Lines),
    (to, after): (&Block<'_>, Lines),
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let is_double = to.dtype.real() == DType::F64;
    let sizes = [from.dtype.size(), to.dtype.size()];
    let extents = [before.extent, after.extent];
    let (outer, inner) = (before.outer, before.inner);
    let start = [source.as_ptr() as u64, to.buffer.as_ptr() as u64];
    let along = along(length, before, after, is_double);
    match way {
        Way::Library { lines, calls, steps } => {
            let start = [source, to.buffer].map(Buffer::device_pointer);
            let places = (0..calls as u64)
                .map(|call| [0, 1].map(|side| start[side].after(call * steps[side] as u64)));
            // SAFETY: the blocks are whole, of the lengths that were checked; they begin at
            // addresses aligned for every dtype, and each call has different lines, which begin at
            // aligned addresses.
            return unsafe { device.fft().transform(kind, &lines, places) };
        }
        // SAFETY: as above.
        Way::Columns(columns) => return unsafe { columns.launch(start, device) },
        Way::Together => {}
    }
    // Many small calls take longer than two transposed copies.
    let [packed, result] = [0, 1].map(|side| outer * inner * extents[side] * sizes[side]);
    let (packed, result) = (device.clone().allocate(packed)?, device.clone().allocate(result)?);
    let [middle, end] = [&packed, &result].map(|buffer| buffer.as_ptr() as u64);
    let together = Transposed::packed(sizes[0], extents[0], inner, outer);
    let back = Transposed::packed(sizes[1], inner, extents[1], outer);
    let lines = FourierLines { count: outer * inner, ..along };
    // SAFETY: the buffers have room for all lines, and the blocks are whole.
    unsafe {
        transpose(&together, start[0], middle, device)?;
        let places = [&packed, &result].map(Buffer::device_pointer);
        device.fft().transform(kind, &lines, [places].into_iter())?;
        transpose(&back, end, start[1], device)
    }
}

/// Transforms lines of one element: the element itself.
fn single(from: &Block<'_>, to: &Block<'_>) {
    let [size, target] = [from, to].map(|block| block.dtype.size());
    if target > size {
        to.buffer.zero(0, to.len() * target);
    }
    let strides = [[size as isize], [target as isize]];
    let place = |block: &Block<'_>| block.buffer.clone();
    let (source, result) = (place(from), place(to));
    copy_strided(
        &Strided { buffer: &source, offset: 0, strides: &strides[0] },
        &Strided { buffer: &result, offset: 0, strides: &strides[1] },
        &[to.len()],
        size.min(target),
    );
}

/// The text that prepares spectra, for numbers of a real dtype.
fn of_spectra(dtype: DType) -> Routine {
    Routine::new(TEXT, [("R", String::from(dtype.real().name()))], Uses::default())
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let source = |dtype| of_spectra(dtype).source();
    [DType::F32, DType::F64].into_iter().map(source).chain(columns::sources()).collect()
}
