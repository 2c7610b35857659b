//! Windows around each element, on a GPU.

use super::geometry::{Axis, Geometry};
use super::rank::network;
use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Define, Routine};
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::DType;
use phalanx_ops::structured::{Border, Neighbourhood, WindowCombine};

static TEXT: &str = include_str!("neighbourhood.cu");
const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;
/// The boxes of the value that the text has room for.
const BOXES: usize = 12;
/// The elements of a run along an axis; the text has the same.
const EACH: usize = 8;
/// Elements of shared memory for the windows of a part of a row.
const LARGEST: usize = 352;
/// The most elements of a window for which a text of its own is compiled.
const WRITTEN_OUT: usize = 64;
/// Thread blocks that share a multiprocessor's work on windows: each thread computes many elements.
const FEW_BLOCKS: usize = 4096;
/// Registers for the elements of a window.
const REGISTERS: usize = 128;

/// The type of the elements of a dtype in the text.
fn name(dtype: DType) -> &'static str {
    if dtype == DType::Bool { "u8" } else { dtype.name() }
}

/// An expression of a dtype for a number `x` of type `f64`, as C casts it on the host.
fn narrowed(dtype: DType) -> String {
    match dtype {
        DType::F64 => String::from("(x)"),
        DType::F32 => String::from("((f32)(x))"),
        DType::Bool => String::from("((u8)((x) != 0))"),
        DType::U64 => String::from("((x) > -1.0 ? (u64)(x) : (u64)(i64)(x))"),
        other => format!("(({})(i64)(x))", other.name()),
    }
}

/// The greatest element of a dtype.
fn greatest(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "1",
        DType::I8 => "127",
        DType::U8 => "255",
        DType::I16 => "32767",
        DType::U16 => "65535",
        DType::I32 => "2147483647",
        DType::U32 => "4294967295u",
        DType::I64 => "9223372036854775807ll",
        DType::U64 => "18446744073709551615ull",
        DType::F32 => "from_bits(0x7f800000u)",
        _ => "from_bits(0x7ff0000000000000ull)",
    }
}

/// An integer in the order of the elements, for an element of a dtype.
fn ordered(dtype: DType) -> String {
    match dtype {
        DType::F32 => {
            String::from("(u64)(bits(element) ^ (bits(element) >> 31 ? 0xffffffffu : 0x80000000u))")
        }
        DType::F64 => {
            String::from("(bits(element) ^ (bits(element) >> 63 ? ~0ull : 0x8000000000000000ull))")
        }
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            let sign = 1u64 << (8 * dtype.size() - 1);
            format!("((u64)(element + (i64){sign}ull) & {}ull)", (sign - 1) * 2 + 1)
        }
        _ => String::from("(u64)element"),
    }
}

/// The text for windows with these extents, of as many axes as the geometry has.
fn routine(op: &Neighbourhood, dtype: DType, window: &[usize]) -> Routine {
    let (axes, count) = (window.len(), window.iter().product::<usize>());
    let is_sum =
        matches!(op.combine, WindowCombine::Sum | WindowCombine::Line | WindowCombine::Mean);
    let kind = match op.combine {
        WindowCombine::Sum => "SUM",
        WindowCombine::Line => "LINE",
        WindowCombine::Mean => "MEAN",
        WindowCombine::Minimum if op.has_heights => "LEAST",
        WindowCombine::Maximum if op.has_heights => "GREATEST",
        WindowCombine::Minimum => "MINIMUM",
        WindowCombine::Maximum => "MAXIMUM",
        WindowCombine::Rank(_) => "RANK",
    };
    let outside = if is_sum { String::from("(x)") } else { narrowed(dtype) };
    let of_result = if is_sum { narrowed(op.dtype) } else { String::from("(x)") };
    let mut defines: Vec<Define> = vec![
        ("T", name(dtype).into()),
        ("U", name(op.dtype).into()),
        ("A", if is_sum { "f64".into() } else { name(dtype).into() }),
        ("AXES", axes.to_string()),
        ("BOXES", BOXES.to_string()),
        ("LARGEST", LARGEST.to_string()),
        ("KEEP_OUTSIDE(x)", outside),
        ("NARROW_U(x)", of_result),
    ];
    // Loops over small windows in a plane are written out.
    let [planes @ .., rows, columns] = window else { unreachable!("bug: fewer than two axes") };
    if planes.iter().all(|&extent| extent == 1) && count <= WRITTEN_OUT {
        defines.push(("SIZE_ROWS", rows.to_string()));
        defines.push(("SIZE_COLUMNS", columns.to_string()));
    }
    if let WindowCombine::Rank(rank) = op.combine {
        defines.push((kind, rank.to_string()));
        defines.push(("ORDERED", ordered(dtype)));
        if has_network(dtype, count) {
            defines.push(("COUNT", count.to_string()));
            defines.push(("GREATEST_OF_ALL", format!("(T)({})", greatest(dtype))));
            defines.push(("NETWORK", exchanges(count, rank as usize)));
        }
    } else {
        defines.push((kind, String::new()));
    }
    Routine::new(TEXT, defines, Uses::default())
}

/// Whether the elements of a window fit in registers.
fn has_network(dtype: DType, count: usize) -> bool {
    count * dtype.size().div_ceil(4) <= REGISTERS
}

/// The exchanges of a network, as the text writes them.
fn exchanges(count: usize, rank: usize) -> String {
    let written = network(count, rank).into_iter().map(|exchange| {
        let name = match exchange.keeps {
            [true, true] => "BOTH",
            [true, false] => "LOW",
            _ => "HIGH",
        };
        format!("{name}({},{})", exchange.low, exchange.high)
    });
    written.collect()
}

/// The geometry of a call. The operands are those of the host's routine.
fn geometry(op: &Neighbourhood, operands: &[Block<'_>], to: &Block<'_>) -> Geometry {
    let halo = operands[2 + usize::from(op.has_heights)..].iter();
    let boxes: Vec<&Block<'_>> = [&operands[0]].into_iter().chain(halo).collect();
    Geometry::of(op, operands[1].shape, &boxes, to)
}

/// The extents of the window along the axes.
fn windows(axes: &[Axis]) -> Vec<usize> {
    axes.iter().map(|axis| axis.window).collect()
}

/// The texts that `run` runs.
pub fn routines(op: &Neighbourhood, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() {
        return Vec::new();
    }
    vec![routine(op, operands[0].dtype, &windows(&geometry(op, operands, to).axes))]
}

/// Computes the block `to` of the result from the block of the value, the window, the heights if
/// there are any, and the boxes of the halo. Returns whether the text has room for all boxes.
///
/// Errors: those of the compiler.
pub fn run(
    op: &Neighbourhood,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<bool, DeviceError> {
    if to.is_empty() {
        return Ok(true);
    }
    let Geometry { axes, boxes, border } = geometry(op, operands, to);
    if boxes.len() > BOXES {
        return Ok(false);
    }
    let (border, outside) = match border {
        Border::Constant(bits) => (0, bits),
        Border::Nearest => (1, 0),
        Border::Reflect => (2, 0),
        Border::Mirror => (3, 0),
        Border::Wrap => (4, 0),
    };
    let rank = if let WindowCombine::Rank(rank) = op.combine { rank.into() } else { 0 };
    let address = |operand: &Block<'_>| operand.buffer.as_ptr() as u64;
    let heights = if op.has_heights { address(&operands[2]) } else { 0 };
    let [window, to_address] = [address(&operands[1]), address(to)];
    let total = to.len() as u64;
    let mut words =
        vec![window, heights, to_address, total, border, outside, rank, boxes.len() as u64];
    words.extend(axes.iter().map(|axis| axis.extent as u64));
    words.extend(axes.iter().map(|axis| axis.range.start as u64));
    words.extend(axes.iter().map(|axis| axis.range.len() as u64));
    words.extend(axes.iter().map(|axis| axis.window as u64));
    words.extend(axes.iter().map(|axis| axis.before as u64));
    for number in 0..BOXES {
        let Some(own) = boxes.get(number) else {
            words.extend(std::iter::repeat_n(0, 1 + 2 * axes.len()));
            continue;
        };
        words.push(own.address as u64);
        words.extend(own.ranges.iter().map(|range| range.start as u64));
        words.extend(own.ranges.iter().map(|range| range.len() as u64));
    }
    let [rows, columns] = [axes.len() - 2, axes.len() - 1];
    let windowed: Vec<usize> = (0..axes.len()).filter(|&axis| axes[axis].window > 1).collect();
    let length = |axis: usize| axes[axis].range.len();
    let (kernel, threads) = match (op.combine, &windowed[..]) {
        (WindowCombine::Rank(_), _) => ("ranks", to.len()),
        // Integers are truncated, so the last bit of a sum matters.
        (WindowCombine::Line, &[_]) if !op.dtype.is_inexact() => ("line", to.len()),
        (_, &[axis]) if axis == rows => {
            ("across", to.len() / length(rows) * length(rows).div_ceil(EACH))
        }
        (_, &[axis]) if axis == columns && axes[axis].window + 2 * EACH <= LARGEST => {
            ("along", to.len() / length(columns) * length(columns).div_ceil(32 * EACH) * 32)
        }
        _ => ("windows", to.len()),
    };
    let most = if matches!(kernel, "windows" | "ranks") { FEW_BLOCKS } else { MOST_BLOCKS };
    let blocks = threads.div_ceil(THREADS).min(most);
    let routine = routine(op, operands[0].dtype, &windows(&axes));
    // SAFETY: the words are those of `Argument` in the text; the blocks are whole, and the kernels
    // read only what the boxes have.
    unsafe { routine.launch(kernel, device, (blocks, THREADS as u32), &words)? };
    Ok(true)
}

/// The texts of every dtype of elements, of each combination and of some numbers of axes.
pub fn sources() -> Vec<String> {
    let mut sources = Vec::new();
    for &dtype in DType::ALL {
        if dtype.is_complex() || matches!(dtype, DType::F16 | DType::BF16) {
            continue;
        }
        let combines = [
            (WindowCombine::Sum, false, DType::F64),
            (WindowCombine::Line, false, dtype),
            (WindowCombine::Mean, false, dtype),
            (WindowCombine::Minimum, false, dtype),
            (WindowCombine::Maximum, true, dtype),
            (WindowCombine::Rank(4), false, dtype),
        ];
        for (axes, (combine, has_heights, result)) in (2..).zip(combines) {
            let op = Neighbourhood {
                combine,
                border: Border::Reflect,
                before: Default::default(),
                extents: Default::default(),
                has_heights,
                dtype: result,
            };
            // Small and large windows, in a plane and beyond.
            let mut large = vec![10; axes.min(4)];
            large[0] = 20;
            let texts = [vec![3, 3], vec![3, 1, 3, 3], large].map(|it| routine(&op, dtype, &it));
            let texts = texts.iter();
            sources.extend(texts.map(|text| text.source()));
        }
    }
    sources
}
