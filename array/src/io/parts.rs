//! Parts of an array in a file: the bytes of a block, read and written by their offsets, and the
//! checksum of a whole file computed from parts.

use phalanx_waiting::copying;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// Calls `act` for each run of contiguous bytes of a block of a C-ordered array. `act` receives the
/// offset of the run in bytes from the start of the array, and the range of the run in the bytes of
/// the block, which is in C order itself.
pub(super) fn for_each_run(
    shape: &[usize],
    block: &[Range<usize>],
    item: usize,
    mut act: impl FnMut(u64, Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    if block.iter().any(Range::is_empty) {
        return Ok(());
    }
    // The last axes that the block has whole, and the one axis before them, are contiguous.
    let whole = shape.iter().zip(block).rev().take_while(|(extent, own)| own.len() == **extent);
    let outer = (shape.len() - whole.count()).saturating_sub(1);
    let run = block[outer..].iter().map(Range::len).product::<usize>() * item;
    let mut strides = vec![item as u64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as u64;
    }
    let first = if outer < block.len() { block[outer].start as u64 * strides[outer] } else { 0 };
    let mut index: Vec<usize> = block[..outer].iter().map(|own| own.start).collect();
    let mut done = 0;
    loop {
        let start = index.iter().zip(&strides).map(|(&at, stride)| at as u64 * stride).sum::<u64>();
        act(start + first, done..done + run)?;
        done += run;
        let mut axis = outer;
        loop {
            if axis == 0 {
                return Ok(());
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < block[axis].end {
                break;
            }
            index[axis] = block[axis].start;
        }
    }
}

/// The contribution of some bytes to the CRC-32 of a file. The checksum of the file is the
/// exclusive or of the contributions of all its bytes, in any order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checksum {
    /// The size of the file in bytes.
    size: u64,
    value: u32,
}

impl Checksum {
    /// An empty contribution to the checksum of a file of `size` bytes.
    pub fn of_file(size: u64) -> Checksum {
        Checksum { size, value: 0 }
    }

    /// Adds the bytes that start at offset `at`.
    pub fn add(&mut self, at: u64, bytes: &[u8]) {
        let after = self.size - at - bytes.len() as u64;
        let mut part = crc32fast::Hasher::new();
        part.update(bytes);
        // The checksum of `bytes`, followed by `after` bytes that contribute nothing.
        part.combine(&crc32fast::Hasher::new_with_initial_len(0, after));
        self.value ^= part.finalize();
    }

    pub fn value(&self) -> u32 {
        self.value
    }
}

/// Reads the bytes that start at offset `at`.
pub(super) fn read_at(file: &mut File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    copying(bytes.len(), || {
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    })
}

/// Writes bytes from offset `at` on.
pub(super) fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    copying(bytes.len(), || {
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(shape: &[usize], block: &[Range<usize>]) -> Vec<(u64, usize)> {
        let mut runs = Vec::new();
        for_each_run(shape, block, 2, |at, bytes| {
            runs.push((at, bytes.len()));
            Ok(())
        })
        .unwrap();
        runs
    }

    #[test]
    fn a_block_is_read_in_as_few_runs_as_there_are() {
        assert_eq!(runs(&[], &[]), [(0, 2)]);
        let part = 1..4;
        assert_eq!(runs(&[5], &[part]), [(2, 6)]);
        assert_eq!(runs(&[5, 3], &[1..4, 0..3]), [(6, 18)]);
        assert_eq!(runs(&[3, 5], &[1..3, 2..4]), [(14, 4), (24, 4)]);
        assert_eq!(runs(&[2, 3, 2], &[0..2, 1..2, 0..2]), [(4, 4), (16, 4)]);
        assert_eq!(runs(&[2, 2, 3], &[0..2, 0..2, 1..3]), [(2, 4), (8, 4), (14, 4), (20, 4)]);
        assert_eq!(runs(&[2, 3], &[0..2, 0..3]), [(0, 12)]);
        assert_eq!(runs(&[4, 3], &[2..2, 0..3]), []);
        assert_eq!(runs(&[0, 3], &[0..0, 0..3]), []);
    }

    #[test]
    fn blocks_have_each_byte_of_the_array_once_and_in_order() {
        let shape = [4, 3, 5];
        let mut seen = [0; 60];
        for rows in [0..1, 1..4] {
            for columns in [0..2, 2..2, 2..5] {
                let block = [rows.clone(), 0..3, columns.clone()];
                let own: Vec<usize> = rows
                    .clone()
                    .flat_map(|i| (0..3).map(move |j| i * 15 + j * 5))
                    .flat_map(|start| columns.clone().map(move |k| start + k))
                    .collect();
                for_each_run(&shape, &block, 1, |at, bytes| {
                    for (step, place) in bytes.enumerate() {
                        assert_eq!(own[place], at as usize + step);
                        seen[at as usize + step] += 1;
                    }
                    Ok(())
                })
                .unwrap();
            }
        }
        assert_eq!(seen, [1; 60]);
    }

    #[test]
    fn the_checksum_of_a_file_is_that_of_its_parts_in_any_order() {
        let bytes: Vec<u8> = (0..1000_u32).map(|number| (number * 37 % 251) as u8).collect();
        for bounds in [[0, 1, 500, 1000], [0, 0, 0, 1000], [0, 999, 999, 1000]] {
            let parts = [2, 0, 1].map(|part| {
                let mut checksum = Checksum::of_file(1000);
                checksum.add(bounds[part] as u64, &bytes[bounds[part]..bounds[part + 1]]);
                checksum.value()
            });
            assert_eq!(parts[0] ^ parts[1] ^ parts[2], crc32fast::hash(&bytes), "{bounds:?}");
        }
    }
}
