//! Windows around each element, on a GPU.

use super::geometry::{Axis, Geometry};
use super::rank::network;
use crate::cuda::prelude::Uses;
use crate::cuda::routine::{Define, Routine};
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::structured::{Border, Neighbourhood, WindowCombine};
use phalanx_ops::{DType, Kind};

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
/// The elements along a row of which sums read each from memory.
const FEW: usize = 5;
/// Thread blocks for windows, of which each thread computes many elements. A prime number, so that
/// the elements of a thread do not all lie beside the border of an image: those take much longer.
const FEW_BLOCKS: usize = 8191;
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
        DType::U64 => String::from("whole(x)"),
        DType::I64 | DType::U32 => format!("(({})long_of(x))", dtype.name()),
        other => format!("(({})word(x))", other.name()),
    }
}

/// An expression for a sum or a difference of two elements; integers wrap.
fn wrapped(dtype: DType, sign: char) -> String {
    match dtype.is_inexact() {
        true => format!("((a) {sign} (b))"),
        false => format!("(({})((u64)(a) {sign} (u64)(b)))", name(dtype)),
    }
}

/// The integers by which elements of a dtype are ordered: their type, the greatest one, and the bit
/// that is turned to compare them without signs.
fn keys(dtype: DType) -> [String; 3] {
    let (key, is_signed) = match dtype {
        DType::F32 => ("i32", true),
        DType::F64 => ("i64", true),
        DType::Bool => ("u8", false),
        other => (other.name(), other.kind() == Kind::Signed),
    };
    let bits = 8 * dtype.size();
    let greatest = if is_signed { u64::MAX >> (65 - bits) } else { u64::MAX >> (64 - bits) };
    // A negative integer is extended to 64 bits.
    let sign = if is_signed { 1u64 << 63 } else { 0 };
    [key.into(), format!("(({key}){greatest}ull)"), format!("{sign}ull")]
}

/// What the extremes of integers begin with: no element exceeds it. `None` for other combinations.
fn start(op: &Neighbourhood, dtype: DType) -> Option<String> {
    if op.has_heights || dtype.is_inexact() {
        return None;
    }
    let (name, highest) = (name(dtype), 8 * dtype.size() - 1);
    let is_signed = dtype.kind() == Kind::Signed;
    let (least, greatest) = match dtype {
        DType::Bool => ("0".into(), "1".into()),
        _ if is_signed => (format!("1ull << {highest}"), format!("(1ull << {highest}) - 1")),
        _ => ("0".into(), "~0ull".into()),
    };
    match op.combine {
        WindowCombine::Minimum => Some(format!("(({name})({greatest}))")),
        WindowCombine::Maximum => Some(format!("(({name})({least}))")),
        _ => None,
    }
}

/// The rows of the result that a thread computes at a time with a small window: of as many
/// registers as their windows need.
fn strip(rows: usize, window: &[usize]) -> usize {
    let is_line = window.last() == Some(&1);
    let most = if is_line || window.iter().product::<usize>() <= 25 { 8 } else { 4 };
    [8, 4, 2].into_iter().find(|&strip| strip <= most.min(rows)).unwrap_or(1)
}

/// The text for windows with these extents, of as many axes as the geometry has, and a block of
/// `height` rows.
fn routine(op: &Neighbourhood, dtype: DType, window: &[usize], height: usize) -> Routine {
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
    let is_wide = is_sum || op.has_heights;
    let outside = if is_sum { String::from("(x)") } else { narrowed(dtype) };
    let of_height = if dtype == DType::Bool { DType::U8 } else { dtype };
    let of_result = if is_wide { narrowed(op.dtype) } else { String::from("(x)") };
    let start = start(op, dtype);
    let mut defines: Vec<Define> = vec![
        ("T", name(dtype).into()),
        ("U", name(op.dtype).into()),
        ("R", if is_wide { "f64".into() } else { name(dtype).into() }),
        ("A", if is_sum { "f64".into() } else { name(dtype).into() }),
        ("AXES", axes.to_string()),
        ("BOXES", BOXES.to_string()),
        ("LARGEST", LARGEST.to_string()),
        ("KEEP_OUTSIDE(x)", outside),
        ("NARROW_U(x)", of_result),
        ("NARROW_T(x)", narrowed(of_height)),
        ("PLUS(a,b)", wrapped(dtype, '+')),
        ("MINUS(a,b)", wrapped(dtype, '-')),
        ("STARTS_BEYOND", u8::from(start.is_some()).to_string()),
        ("START", start.unwrap_or_else(|| "0".into())),
    ];
    let [.., rows, columns] = window else { unreachable!("bug: fewer than two axes") };
    let kernel = kernel(op, window);
    let runs = match kernel {
        "windows" => "RUNS_WINDOWS",
        "line" => "RUNS_LINE",
        "across" => "RUNS_ACROSS",
        "along" => "RUNS_ALONG",
        _ => "RUNS_RANKS",
    };
    defines.push((runs, String::new()));
    if is_written_out(kernel, window) {
        defines.push(("SIZE_ROWS", rows.to_string()));
        defines.push(("SIZE_COLUMNS", columns.to_string()));
        if kernel == "windows" {
            defines.push(("STRIP", strip(height, window).to_string()));
        }
    }
    if is_sum && !op.dtype.is_inexact() {
        defines.push(("TRUNCATED", String::new()));
    }
    if let WindowCombine::Rank(rank) = op.combine {
        defines.push((kind, rank.to_string()));
        let [key, greatest, sign] = keys(dtype);
        defines.extend([("KEY", key), ("LARGEST_KEY", greatest), ("SIGN", sign)]);
        if dtype.is_inexact() {
            let (bits, nan) = match dtype {
                DType::F32 => ("u32", "from_bits(0x7fc00000u)"),
                _ => ("u64", "from_bits(0x7ff8000000000000ull)"),
            };
            let words = [("IS_FLOAT", ""), ("BITS", bits), ("NOT_A_NUMBER", nan)];
            defines.extend(words.map(|(name, value)| (name, String::from(value))));
        }
        if has_network(dtype, count) {
            defines.push(("COUNT", count.to_string()));
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

/// The extents of the window along the axes.
fn windows(axes: &[Axis]) -> Vec<usize> {
    axes.iter().map(|axis| axis.window).collect()
}

/// Whether the text of a kernel has the loops over the window written out.
fn is_written_out(kernel: &str, window: &[usize]) -> bool {
    let planes = &window[..window.len() - 2];
    let is_small = window.iter().product::<usize>() <= WRITTEN_OUT;
    planes.iter().all(|&extent| extent == 1) && is_small && kernel != "line"
}

/// The rows of the block of the result.
fn height(axes: &[Axis]) -> usize {
    axes[axes.len() - 2].range.len()
}

/// The kernel for windows with these extents.
fn kernel(op: &Neighbourhood, window: &[usize]) -> &'static str {
    let (rows, columns) = (window.len() - 2, window.len() - 1);
    let is_weighted = matches!(op.combine, WindowCombine::Sum | WindowCombine::Line);
    let windowed: Vec<usize> = (0..window.len()).filter(|&axis| window[axis] > 1).collect();
    match (op.combine, &windowed[..]) {
        (WindowCombine::Rank(_), _) => "ranks",
        // Integers are truncated, so the last bit of a sum matters.
        (WindowCombine::Line, &[_]) if !op.dtype.is_inexact() => "line",
        (_, &[axis]) if axis == rows && window[axis] > WRITTEN_OUT => "across",
        // Results in shared memory have the room of elements. A few doubles are read sooner where
        // they are.
        (_, &[axis])
            if axis == columns
                && window[axis] + 2 * EACH <= LARGEST
                && !op.has_heights
                && (window[axis] > FEW || !is_weighted) =>
        {
            "along"
        }
        _ => "windows",
    }
}

/// The texts that `run` runs.
pub fn routines(op: &Neighbourhood, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() {
        return Vec::new();
    }
    let axes = Geometry::of(op, operands, to).axes;
    vec![routine(op, operands[0].dtype, &windows(&axes), height(&axes))]
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
    let Geometry { axes, boxes, border } = Geometry::of(op, operands, to);
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
    let extents = windows(&axes);
    let kernel = kernel(op, &extents);
    let [.., rows, columns] = &axes[..] else { unreachable!("bug: fewer than two axes") };
    let [rows, columns] = [rows, columns].map(|axis| axis.range.len());
    let threads = match kernel {
        "across" => to.len() / rows * rows.div_ceil(EACH),
        "along" => to.len() / columns * columns.div_ceil(32 * EACH) * 32,
        "windows" if is_written_out(kernel, &extents) => {
            to.len() / rows * rows.div_ceil(strip(rows, &extents))
        }
        _ => to.len(),
    };
    let is_few = matches!(kernel, "windows" | "ranks") || is_written_out(kernel, &extents);
    let most = if is_few { FEW_BLOCKS } else { MOST_BLOCKS };
    let blocks = threads.div_ceil(THREADS).min(most);
    let routine = routine(op, operands[0].dtype, &extents, rows);
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
            // Small and large windows, in a plane, along an axis and beyond.
            let mut large = vec![10; axes.min(4)];
            large[0] = 20;
            let line = |extent| if axes % 2 == 0 { vec![1, extent] } else { vec![extent, 1] };
            let lines = [5 + 11 * axes % 29, 70].map(|extent| (line(extent), 100));
            let [short, long] = lines;
            let texts = [(vec![3, 3], 100), short, long, (vec![3, 1, 3, 3], 1), (large, 100)]
                .map(|(extents, height)| routine(&op, dtype, &extents, height));
            let texts = texts.iter();
            sources.extend(texts.map(|text| text.source()));
        }
    }
    sources
}
