//! Packing of bits into bytes, unpacking of bytes into bits, and the byte order of elements.

use crate::array::Array;
use crate::creation::zeros;
use crate::manipulation::{AxisList, along, moveaxis, refused, span, try_concatenate, with_extent};
use crate::recording::{check_shape, on_mesh_of};
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Scalar};

/// The order of the bits in a byte: the bit that the first element becomes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BitOrder {
    /// The highest bit is first.
    #[default]
    Big,
    /// The lowest bit is first.
    Little,
}

impl BitOrder {
    /// A word whose bytes in memory are the weights of the bits, in this order or in the other one.
    fn weights(self, is_other: bool) -> Scalar {
        let weights = std::array::from_fn(|place| match (self, is_other) {
            (BitOrder::Big, false) | (BitOrder::Little, true) => 0x80 >> place,
            (BitOrder::Little, false) | (BitOrder::Big, true) => 1 << place,
        });
        Scalar::new(u64::from_ne_bytes(weights))
    }
}

/// A one in each byte of a word.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The array with `axis` moved to the end, and the number of that axis; without an axis, all
/// elements in C order, and 0.
fn line(array: &Array, axis: Option<i64>, site: Site) -> Result<(Array, i64), Error> {
    let Some(axis) = axis else { return Ok((array.reshape([-1]), 0)) };
    let axis = array.axis(axis, site)? as i64;
    Ok((moveaxis(array, axis, -1), axis))
}

/// The bits, followed by `count` zeros along the last axis.
fn followed_by_zeros(bits: &Array, count: usize, site: Site) -> Result<Array, Error> {
    let last = bits.ok()?.ndim() - 1;
    let shape = with_extent(bits.shape(), last, count);
    check_shape(&shape, DType::U8, site)?;
    let zeros = zeros(shape.as_slice(), DType::U8);
    try_concatenate(&[bits, &zeros], &AxisList::from(-1), None, site)
}

/// NumPy's `byteswap`: a copy in C order with the bytes of each element reversed. Of a complex
/// number, the bytes of each part are reversed. Local (records nodes).
#[track_caller]
#[must_use]
pub fn byteswap(array: &Array) -> Array {
    let site = call_site();
    let swap = || {
        let dtype = array.ok()?.dtype();
        let part = dtype.real();
        let column = array.copy().reshape([-1, 1]);
        if part.size() == 1 || array.size() == 0 {
            return column.reshape(array.shape()).into_result();
        }
        let word = match part.size() {
            2 => DType::U16,
            4 => DType::U32,
            _ => DType::U64,
        };
        let swapped = reversed_bytes(&column.view(word), word).view(dtype);
        swapped.reshape(array.shape()).into_result()
    };
    on_mesh_of(array, site, swap)
}

/// Unsigned integers of more than one byte with their bytes reversed: neighbours change places,
/// then pairs of neighbours, and so on.
fn reversed_bytes(words: &Array, dtype: DType) -> Array {
    let number = |value: u64| match dtype {
        DType::U16 => Scalar::new(value as u16),
        DType::U32 => Scalar::new(value as u32),
        _ => Scalar::new(value),
    };
    let steps: [(u64, u64); 3] =
        [(8, 0x00ff_00ff_00ff_00ff), (16, 0x0000_ffff_0000_ffff), (32, 0xffff_ffff)];
    let needed = dtype.size().ilog2() as usize;
    steps[..needed].iter().fold(words.clone(), |word, &(by, lower)| {
        let (by, lower) = (number(by), number(lower));
        (word.right_shift(by) & lower) | (&word & lower).left_shift(by)
    })
}

/// NumPy's `packbits`: each eight elements along an axis become one byte, with a bit set for each
/// element that is not zero. Without an axis, the elements are taken in C order. Missing bits of
/// the last byte are zero.
///
/// Dtype `u8`. Local (records nodes). Errors: `OpError::Dtype` for elements that are neither
/// integers nor bools, `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn packbits(array: &Array, axis: impl Into<Option<i64>>, order: BitOrder) -> Array {
    let (site, axis) = (call_site(), axis.into());
    let pack = || {
        array.ok()?;
        if !matches!(array.dtype().kind(), Kind::Bool | Kind::Signed | Kind::Unsigned) {
            let (operation, dtypes) = ("packbits", vec![array.dtype()]);
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        let (line, axis) = line(array, axis, site)?;
        let mut bits = line.not_equal(0).converted(DType::U8, site);
        let last = line.ndim() - 1;
        let mut shape = line.shape().to_vec();
        let bytes = shape[last].div_ceil(8);
        shape[last] = bytes * 8 - shape[last];
        if shape[last] > 0 {
            bits = followed_by_zeros(&bits, shape[last], site)?;
        }
        shape[last] = bytes;
        let flat = bits.reshape([-1]);
        if flat.size() == 0 {
            return moveaxis(&flat.reshape(shape.as_slice()), -1, axis).into_result();
        }
        // Eight bits are the bytes of a word. The product moves each of them to its place in the
        // highest byte, where no two of its terms meet.
        let words = flat.view(DType::U64).multiply(order.weights(true));
        let packed = words.right_shift(Scalar::new(56u64)).converted(DType::U8, site);
        moveaxis(&packed.reshape(shape.as_slice()), -1, axis).into_result()
    };
    on_mesh_of(array, site, pack)
}

/// NumPy's `unpackbits`: the bits of the bytes along an axis; without an axis, of all bytes in C
/// order. A `count` sets the number of bits: zeros are added if there are fewer. A negative `count`
/// removes that many bits from the end.
///
/// Dtype `u8`. Local (records nodes). Errors: `OpError::Dtype` for a dtype other than `u8`,
/// `OpError::Axis`, `OpError::Argument` if a negative `count` removes more bits than there are.
#[track_caller]
#[must_use]
pub fn unpackbits(
    array: &Array,
    axis: impl Into<Option<i64>>,
    count: impl Into<Option<i64>>,
    order: BitOrder,
) -> Array {
    let (site, axis, count) = (call_site(), axis.into(), count.into());
    let unpack = || {
        if array.ok()?.dtype() != DType::U8 {
            let (operation, dtypes) = ("unpackbits", vec![array.dtype()]);
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        let (line, axis) = line(array, axis, site)?;
        let last = line.ndim() - 1;
        let mut shape = line.shape().to_vec();
        let there = shape[last] * 8;
        let wanted = match count {
            None => there as i64,
            Some(count) if count < 0 => there as i64 + count,
            Some(count) => count,
        };
        if wanted < 0 {
            return Err(refused(
                "unpackbits",
                "count",
                count.unwrap_or_default().to_string(),
                site,
            ));
        }
        shape[last] = there;
        let mut bits = line.reshape([-1]);
        if bits.size() > 0 {
            // The bytes of a word are copies of a byte, of which each keeps a bit; a sum moves it
            // to the highest place.
            let copies = bits.converted(DType::U64, site).multiply(Scalar::new(ONES));
            let highest = copies.bitwise_and(order.weights(false)).add(Scalar::new(0x7f * ONES));
            let words = highest.right_shift(Scalar::new(7u64)) & Scalar::new(ONES);
            bits = words.view(DType::U8);
        }
        let mut bits = bits.reshape(shape.as_slice());
        if wanted as usize > there {
            bits = followed_by_zeros(&bits, wanted as usize - there, site)?;
        } else if (wanted as usize) < there {
            bits = bits.slice(along(last + 1, last, span(0, wanted as usize))).copy();
        }
        moveaxis(&bits, -1, axis).into_result()
    };
    on_mesh_of(array, site, unpack)
}
