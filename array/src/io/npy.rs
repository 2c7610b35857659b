//! `.npy` files.

use super::error::{out_of_memory, read_error};
use super::header::{self, Header};
use super::{IoError, write_atomically};
use phalanx_graph::HostArray;
use phalanx_ops::DType;
use phalanx_waiting::copying;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The number of bytes reserved at once for data whose size the file does not confirm.
const CAUTIOUS_RESERVE: usize = 1 << 20;

/// The side of the squares in which Fortran order is transposed. 16 rows of 16-byte elements fit
/// several times into the smallest first-level cache.
const TURN_SIDE: usize = 16;

/// The array in the file `path`, in C order and native byte order.
///
/// Collectivity  Local.
/// Errors      `IoError` `Read` (PX080), `NotNpy` (PX082), `Header` (PX083), `Truncated` (PX084),
///             `ObjectArray` (PX085), `UnsupportedDtype` (PX086), `SizeOverflow` (PX087)
pub fn read_npy(path: &Path) -> Result<HostArray, IoError> {
    let mut file = File::open(path).map_err(|error| read_error(path, &error))?;
    let metadata = file.metadata().map_err(|error| read_error(path, &error))?;
    // A regular file has a size, and no memory is reserved for data beyond it. A pipe has none.
    let available = metadata.is_file().then_some(metadata.len());
    let reserve = if available.is_some() { usize::MAX } else { CAUTIOUS_RESERVE };
    read_from(&mut io::BufReader::new(&mut file), available, reserve, path)
}

/// Writes `array` to the file `path`, as `numpy.save` does. The file appears complete or not at
/// all.
///
/// Collectivity  Local.
/// Dtype       bfloat16 is written as `ml_dtypes` and NumPy write it, `<V2`
/// Errors      `IoError` `Write` (PX081)
pub fn write_npy(path: &Path, array: &HostArray) -> Result<(), IoError> {
    let header = header::encode(array.dtype, &array.shape, path)?;
    write_atomically(path, |writer| {
        writer.write_all(&header)?;
        writer.write_all(data_of(array)?)
    })
}

/// The bytes of an array to be written. Errors: the bytes do not fill the shape.
pub(super) fn data_of(array: &HostArray) -> io::Result<&[u8]> {
    match array.check() {
        Ok(()) => Ok(&array.bytes),
        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidInput, error)),
    }
}

/// Reads an array from a stream of at most `available` bytes, if that is known. At most `reserve`
/// bytes are reserved before the data are read.
pub(super) fn read_from(
    reader: &mut dyn Read,
    available: Option<u64>,
    reserve: usize,
    path: &Path,
) -> Result<HostArray, IoError> {
    let header = Header::read(reader, path)?;
    let expected = header.data_size();
    if let Some(available) = available {
        header.check_size(available, path)?;
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(expected.min(reserve)).map_err(|_| out_of_memory(path))?;
    copying(expected, || reader.take(expected as u64).read_to_end(&mut bytes))
        .map_err(|error| read_error(path, &error))?;
    header.check_size(header.data_offset + bytes.len() as u64, path)?;
    let bytes = native(bytes, &header, &header.shape, path)?;
    Ok(HostArray { dtype: header.dtype, shape: header.shape, bytes })
}

/// Converts bytes of a file with this header to an array of `shape` in C order and native byte
/// order.
pub(super) fn native(
    mut bytes: Vec<u8>,
    header: &Header,
    shape: &[usize],
    path: &Path,
) -> Result<Vec<u8>, IoError> {
    if header.swapped {
        swap(&mut bytes, header.dtype);
    }
    if header.dtype == DType::Bool {
        // NumPy treats any nonzero byte as true; in this project only 1 is true.
        bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
    if header.fortran_order && shape.len() > 1 {
        bytes = match header.dtype.size() {
            1 => turned::<1>(&bytes, shape),
            2 => turned::<2>(&bytes, shape),
            4 => turned::<4>(&bytes, shape),
            8 => turned::<8>(&bytes, shape),
            16 => turned::<16>(&bytes, shape),
            other => panic!("bug: a dtype of {other} bytes"),
        }
        .ok_or_else(|| out_of_memory(path))?;
    }
    Ok(bytes)
}

/// Reverses the byte order of every number.
fn swap(bytes: &mut [u8], dtype: DType) {
    match dtype.real().size() {
        2 => bytes.as_chunks_mut::<2>().0.iter_mut().for_each(|number| number.reverse()),
        4 => bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|number| number.reverse()),
        8 => bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|number| number.reverse()),
        _ => {}
    }
}

/// Elements of `SIZE` bytes, converted from the Fortran order of `shape` to C order. `None` if
/// memory is short.
///
/// Elements along the first axis are adjacent in the source, and elements along the last axis in
/// the result. For each index of the inner axes a matrix is therefore transposed. It is transposed
/// in squares, so that whole cache lines are read and written.
fn turned<const SIZE: usize>(bytes: &[u8], shape: &[usize]) -> Option<Vec<u8>> {
    let mut result = Vec::new();
    result.try_reserve_exact(bytes.len()).ok()?;
    result.resize(bytes.len(), 0);
    if bytes.is_empty() {
        return Some(result);
    }
    let source = bytes.as_chunks::<SIZE>().0;
    let target = result.as_chunks_mut::<SIZE>().0;
    let (rows, columns) = (shape[0], shape[shape.len() - 1]);
    let inner = &shape[1..shape.len() - 1];
    let inner_size = inner.iter().product::<usize>();
    let (source_stride, target_stride) = (rows * inner_size, inner_size * columns);

    for place in 0..inner_size {
        // `place` counts the inner axes in C order; the source counts them in Fortran order.
        let (mut rest, mut target_step, mut source_place) = (place, inner_size, 0);
        let mut source_step = 1;
        for &extent in inner {
            target_step /= extent;
            source_place += rest / target_step * source_step;
            rest %= target_step;
            source_step *= extent;
        }
        let (from, to) = (source_place * rows, place * columns);
        for row_start in (0..rows).step_by(TURN_SIDE) {
            for column_start in (0..columns).step_by(TURN_SIDE) {
                for row in row_start..(row_start + TURN_SIDE).min(rows) {
                    for column in column_start..(column_start + TURN_SIDE).min(columns) {
                        target[to + row * target_stride + column] =
                            source[from + column * source_stride + row];
                    }
                }
            }
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_order_is_turned_for_any_number_of_axes() {
        for shape in
            [&[5, 7][..], &[40, 33], &[1, 9], &[3, 4, 5], &[2, 3, 4, 5], &[17, 2, 1, 3, 18]]
        {
            let size = shape.iter().product::<usize>();
            // Element `i` in C order is the number `i`.
            let mut fortran = vec![0_u32; size];
            for number in 0..size {
                let (mut rest, mut place) = (number, 0);
                for axis in (0..shape.len()).rev() {
                    let coordinate = rest % shape[axis];
                    rest /= shape[axis];
                    place += coordinate * shape[..axis].iter().product::<usize>();
                }
                fortran[place] = number as u32;
            }
            let bytes: Vec<u8> = fortran.iter().flat_map(|number| number.to_ne_bytes()).collect();
            let expected: Vec<u8> = (0..size as u32).flat_map(u32::to_ne_bytes).collect();
            assert_eq!(turned::<4>(&bytes, shape).unwrap(), expected, "{shape:?}");
        }
        assert_eq!(turned::<8>(&[], &[3, 0, 2]).unwrap(), []);
    }

    #[test]
    fn complex_numbers_are_swapped_by_component() {
        let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        swap(&mut bytes, DType::C64);
        assert_eq!(bytes, [4, 3, 2, 1, 8, 7, 6, 5]);
        swap(&mut bytes, DType::I64);
        assert_eq!(bytes, [5, 6, 7, 8, 1, 2, 3, 4]);
        swap(&mut bytes, DType::U8);
        assert_eq!(bytes, [5, 6, 7, 8, 1, 2, 3, 4]);
    }
}
