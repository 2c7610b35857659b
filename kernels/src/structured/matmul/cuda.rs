//! Matrix products on a GPU by cuBLAS.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::cuda::{CudaDevice, MatrixElement, Product};
use phalanx_device::{Device, DeviceError, DevicePointer, Strided, copy_strided};
use phalanx_ops::structured::Matmul;
use phalanx_ops::{DType, Op};
use std::sync::Arc;

static TEXT: &str = include_str!("parts.cu");
static IN_ORDER: &str = include_str!("in_order.cu");
const THREADS: u32 = 256;
/// Threads of a block along each axis of a tile of a product in order.
const SIDE: usize = 16;
/// Thread blocks of a launch of products in order.
const MOST_BLOCKS: usize = 1 << 30;
/// Products of at most `SMALL` elements over an inner axis of at least `LONG` run in parts.
const SMALL: usize = 1 << 14;
const LONG: usize = 1 << 16;
/// The shortest part of the axis, and the most parts.
const PART: usize = 4096;
const MOST_PARTS: usize = 1024;

/// `to = a · b` for stacks of matrices, or `to = c + a · b`; false for dtypes that the library does
/// not multiply.
///
/// f16 and bf16 are summed in f32; f32 is multiplied in f32. Errors: as `Blas::multiply`.
pub fn run(
    matmul: Matmul,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<bool, DeviceError> {
    let element = match to.dtype {
        DType::F16 => MatrixElement::F16,
        DType::BF16 => MatrixElement::BF16,
        DType::F32 => MatrixElement::F32,
        DType::F64 => MatrixElement::F64,
        DType::C64 => MatrixElement::C64,
        DType::C128 => MatrixElement::C128,
        _ => return Ok(false),
    };
    let (a, b) = (&operands[0], &operands[1]);
    let [m, k, n] = matmul.sizes(a.shape, b.shape);
    let count = to.shape[..to.shape.len() - 2].iter().product::<usize>();
    assert!(
        a.len() == count * m * k && b.len() == count * k * n && to.len() == count * m * n,
        "bug: a product of {:?} and {:?} into {:?}",
        a.shape,
        b.shape,
        to.shape
    );
    if to.is_empty() {
        return Ok(true);
    }
    let bytes = to.len() * to.dtype.size();
    let old = operands.get(2);
    if let Some(old) = old.filter(|old| !old.buffer.same(to.buffer)) {
        let all = |buffer| Strided { buffer, offset: 0, strides: &[1] };
        copy_strided(&all(old.buffer), &all(to.buffer), &[bytes], 1);
    }
    if k == 0 {
        if old.is_none() {
            to.buffer.zero(0, bytes);
        }
        return Ok(true);
    }
    if matmul.in_order {
        multiply_in_order(matmul, [m, k, n], [a, b, to], (count, old.is_some()), device)?;
        return Ok(true);
    }
    let transposed = matmul.transposed;
    let rows = [if transposed[0] { m } else { k }, if transposed[1] { k } else { n }];
    let (steps, adds) = ([m * k, k * n], old.is_some());
    let product = Product { element, m, n, k, transposed, rows, steps, count, adds };
    if is_in_parts([m, n, k], count, to.dtype) {
        multiply_in_parts(product, a, b, to, device)?;
        return Ok(true);
    }
    // SAFETY: the blocks are whole, of the lengths that were checked, in this device's memory.
    unsafe { device.blas().multiply(&product, [a, b, to].map(start))? };
    Ok(true)
}

/// Whether a product is computed in parts of its inner axis.
fn is_in_parts([m, n, k]: [usize; 3], count: usize, dtype: DType) -> bool {
    let is_small = m * n <= SMALL && m * n > 0;
    count == 1 && is_small && k >= LONG && dtype.size() >= 4 && dtype.is_inexact()
}

/// The routines that `run` launches in addition to the library.
pub fn routines(matmul: Matmul, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    let [m, k, n] = matmul.sizes(operands[0].shape, operands[1].shape);
    let count = to.shape[..to.shape.len() - 2].iter().product();
    match matmul.in_order {
        true => vec![of_order(matmul, to.dtype)],
        false if is_in_parts([m, n, k], count, to.dtype) => vec![of_sums(to.dtype)],
        false => Vec::new(),
    }
}

fn start(block: &Block<'_>) -> DevicePointer {
    block.buffer.device_pointer()
}

/// A small product over a long axis: computes a product for each part of the axis, which together
/// keep the device busy, and sums these.
fn multiply_in_parts(
    whole: Product,
    a: &Block<'_>,
    b: &Block<'_>,
    to: &Block<'_>,
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let Product { m, n, k, transposed, adds, .. } = whole;
    let size = to.dtype.size() as u64;
    // The distance in elements from one term of the sums to the next.
    let terms = [if transposed[0] { m } else { 1 }, if transposed[1] { 1 } else { n }];
    let parts = (k / PART).min(MOST_PARTS);
    let (part, rest) = (k / parts, k % parts);
    let many = parts + usize::from(rest > 0);
    let partials = device.clone().allocate(many * m * n * to.dtype.size())?;
    let sums = partials.device_pointer();
    let steps = terms.map(|term| part * term);
    let product = Product { k: part, steps, count: parts, adds: false, ..whole };
    // SAFETY: the parts are inside the blocks, whose lengths were checked, and the partial products
    // in a buffer as long as all of them.
    unsafe { device.blas().multiply(&product, [start(a), start(b), sums])? };
    if rest > 0 {
        let [a_done, b_done] = terms.map(|term| ((k - rest) * term) as u64 * size);
        let product = Product { k: rest, count: 1, ..product };
        let last = sums.after((parts * m * n) as u64 * size);
        let places = [start(a).after(a_done), start(b).after(b_done), last];
        // SAFETY: as above.
        unsafe { device.blas().multiply(&product, places)? };
    }
    let ends = [sums, start(to)].map(DevicePointer::address);
    let words = [ends[0], ends[1], (m * n) as u64, many as u64, u64::from(adds)];
    // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
    unsafe {
        let size = ((m * n).div_ceil(32), THREADS);
        of_sums(to.dtype).launch("sum_parts", device, size, &words)
    }
}

/// The text with elements of a dtype.
fn of_sums(dtype: DType) -> Routine {
    let mut uses = Uses::default();
    uses.ops.insert((Op::Add, vec![dtype; 2]));
    let defines = [("T", String::from(dtype.name())), ("OP", String::from("op_add"))];
    Routine::new(TEXT, defines, uses)
}

/// Products whose terms are added from the first to the last, without the library.
fn multiply_in_order(
    matmul: Matmul,
    [m, k, n]: [usize; 3],
    [a, b, to]: [&Block<'_>; 3],
    (count, adds): (usize, bool),
    device: &Arc<CudaDevice>,
) -> Result<(), DeviceError> {
    let routine = of_order(matmul, to.dtype);
    let tile = SIDE * of_thread(to.dtype);
    let tiles = m.div_ceil(tile) * n.div_ceil(tile);
    let addresses = [a, b, to].map(|block| start(block).address());
    let at_once = (MOST_BLOCKS / tiles.max(1)).max(1);
    for first in (0..count).step_by(at_once) {
        let products = at_once.min(count - first);
        let sizes = [m, k, n, usize::from(adds), first].map(|number| number as u64);
        let words: Vec<u64> = addresses.into_iter().chain(sizes).collect();
        // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
        unsafe {
            let size = (products * tiles, THREADS);
            routine.launch("multiply_in_order", device, size, &words)?;
        }
    }
    Ok(())
}

/// Rows, and columns, of a tile that one thread computes.
fn of_thread(dtype: DType) -> usize {
    if dtype.size() > 4 && dtype.is_complex() { 4 } else { 8 }
}

/// The text of products in order.
fn of_order(matmul: Matmul, dtype: DType) -> Routine {
    let [a, b] = matmul.transposed.map(|transposed| u8::from(transposed).to_string());
    let mut defines = vec![
        ("T", String::from(dtype.name())),
        ("ROWS", of_thread(dtype).to_string()),
        ("COLUMNS", of_thread(dtype).to_string()),
        // As measured on an H200: more blocks leave too few registers to each thread.
        ("BLOCKS", if dtype == DType::C64 { "2" } else { "1" }.to_owned()),
        ("A_TURNED", a),
        ("B_TURNED", b),
    ];
    if dtype.is_complex() {
        defines.push(("IS_COMPLEX", String::from("1")));
    }
    Routine::new(IN_ORDER, defines, Uses::default())
}

/// The texts of every dtype.
pub fn sources() -> Vec<String> {
    let dtypes = [DType::F32, DType::F64, DType::C64, DType::C128];
    let turned = [[false, false], [true, false], [false, true], [true, true]];
    let in_order = dtypes.iter().zip(turned).map(|(&dtype, transposed)| {
        of_order(Matmul { transposed, in_order: true }, dtype).source()
    });
    dtypes.iter().map(|&dtype| of_sums(dtype).source()).chain(in_order).collect()
}
