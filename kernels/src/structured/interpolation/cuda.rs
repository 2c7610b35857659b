//! Values of splines at points, on a GPU.

use super::points::Points;
use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use crate::structured::Block;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;
use phalanx_ops::DType;
use phalanx_ops::structured::{Interpolate, Outside, SPLINE_ORDER};

static TEXT: &str = include_str!("interpolation.cu");
const THREADS: usize = 256;
const MOST_BLOCKS: usize = 1 << 20;
/// The points of a thread along the joined axis before the last one, and those of many points.
const STRIPS: [usize; 2] = [8, 32];
const MANY: usize = 1 << 24;

/// The number of what is outside in the text.
fn number(outside: Outside) -> usize {
    match outside {
        Outside::Constant => 0,
        Outside::Coefficient => 1,
        Outside::Nearest => 2,
        Outside::Reflect => 3,
        Outside::Mirror => 4,
        Outside::Wrap => 5,
        Outside::Repeat => 6,
    }
}

/// Images of fewer elements have positions of 32 bits.
const SHORT: usize = 1 << 30;

/// How a thread goes over points.
#[derive(Clone, Copy)]
struct Way {
    /// The number of the points' joined axes.
    rank: usize,
    /// Points along the axis before the last one.
    strip: usize,
    /// Whether these have the same coordinate along the second of two axes, and share sums.
    is_shared: bool,
}

impl Way {
    fn of(op: &Interpolate, points: &Points, total: usize) -> Way {
        let rank = points.extents.len();
        if rank == 1 {
            return Way { rank, strip: 1, is_shared: false };
        }
        let is_fixed = op.axes == 2 && points.strides[1][rank - 2] == 0;
        let strip = STRIPS[usize::from(total >= MANY)];
        // Two rows of two coefficients are computed sooner than kept.
        Way { rank, strip, is_shared: is_fixed && op.order > 1 }
    }
}

/// The text for coefficients and coordinates of these dtypes, and images of so many elements.
fn routine(
    op: &Interpolate,
    [image, coordinates]: [DType; 2],
    way: Way,
    elements: usize,
) -> Routine {
    let (position, unsigned) = if elements < SHORT { ("i32", "u32") } else { ("i64", "u64") };
    let defines = [
        ("T", image.name().into()),
        ("U", op.dtype.name().into()),
        ("C", coordinates.name().into()),
        ("AXES", op.axes.to_string()),
        ("ORDER", op.order.to_string()),
        ("OUTSIDE", number(op.outside).to_string()),
        ("RANK", way.rank.to_string()),
        ("STRIP", way.strip.to_string()),
        ("SHARES_SUMS", u8::from(way.is_shared).to_string()),
        ("P", position.into()),
        ("UNSIGNED", unsigned.into()),
    ];
    Routine::new(TEXT, defines, Uses::default())
}

fn of_points(op: &Interpolate, operands: &[Block<'_>], points: &Points, way: Way) -> Routine {
    routine(op, [operands[0].dtype, operands[1].dtype], way, points.image())
}

/// The texts that `run` runs.
pub fn routines(op: &Interpolate, operands: &[Block<'_>], to: &Block<'_>) -> Vec<Routine> {
    if to.is_empty() {
        return Vec::new();
    }
    let points = Points::of(op, operands, to);
    vec![of_points(op, operands, &points, Way::of(op, &points, to.len()))]
}

/// Computes the block `to` of the result from the block of the coefficients and the coordinates.
/// Errors: those of the compiler.
pub fn run(
    op: &Interpolate,
    operands: &[Block<'_>],
    to: &Block<'_>,
    device: &CudaDevice,
) -> Result<(), DeviceError> {
    if to.is_empty() {
        return Ok(());
    }
    let points = Points::of(op, operands, to);
    let address = |block: &Block<'_>| block.buffer.as_ptr() as u64;
    let total = to.len();
    let mut words = vec![
        address(&operands[0]),
        address(to),
        total as u64,
        op.number,
        (total / points.leading) as u64,
        points.image() as u64,
    ];
    words.extend(points.coordinates.iter().map(|of| {
        let operand = &operands[of.operand];
        address(operand) + (of.first * operand.dtype.size()) as u64
    }));
    words.extend(points.axes.iter().map(|axis| axis.extent as u64));
    words.extend(points.axes.iter().map(|axis| axis.stride as u64));
    words.extend(points.extents.iter().map(|&extent| extent as u64));
    words.extend(points.strides.iter().flatten().map(|&stride| stride as u64));
    let way = Way::of(op, &points, total);
    let routine = of_points(op, operands, &points, way);
    let threads = match points.extents[..] {
        [.., rows, _] => total / rows * rows.div_ceil(way.strip),
        _ => total,
    };
    let blocks = threads.div_ceil(THREADS).min(MOST_BLOCKS);
    // SAFETY: the words are those of `Argument` in the text, and the blocks are whole.
    unsafe { routine.launch("interpolate", device, (blocks, THREADS as u32), &words) }
}

/// Texts of all orders, of all that is outside, and of some numbers of axes.
pub fn sources() -> Vec<String> {
    let kinds = [
        Outside::Constant,
        Outside::Coefficient,
        Outside::Nearest,
        Outside::Reflect,
        Outside::Mirror,
        Outside::Wrap,
        Outside::Repeat,
    ];
    let dtypes = [DType::F32, DType::F64];
    let orders = SPLINE_ORDER + 1;
    let texts = (0..).zip(kinds).flat_map(|(number, outside): (u8, Outside)| {
        [number % orders, (number + 3) % orders].map(|order| {
            let [first, second, third] = [number, number / 2, order].map(|it| usize::from(it % 2));
            let axes = 1 + (number + order) % 3;
            let op = Interpolate { axes, order, outside, number: 0, dtype: dtypes[third] };
            let elements = if number % 3 == 0 { SHORT } else { 1 };
            let rank = 1 + usize::from(number) % 3;
            let strip = if rank == 1 { 1 } else { STRIPS[first] };
            let way = Way { rank, strip, is_shared: rank > 1 && axes == 2 && order > 1 };
            routine(&op, [dtypes[first], dtypes[second]], way, elements).source()
        })
    });
    texts.collect()
}
