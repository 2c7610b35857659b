//! The layout of a zip archive of uncompressed members, computed before their checksums are known.
//!
//! Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16 and 4.5.3.

use super::IoError;
use rustc_hash::FxHashSet;
use std::path::Path;

/// The value of a 32-bit field whose real value is in the 64-bit extra field.
const ELSEWHERE: u32 = u32::MAX;
/// The value of a 16-bit field whose real value is in the 64-bit record.
const ELSEWHERE_SHORT: u16 = u16::MAX;
/// The identifier of the extra field with 64-bit values.
const LARGE_FIELD: u16 = 1;
/// 1980-01-01, the first possible date. A constant date makes equal files of equal arrays.
const DATE: u16 = 0x21;
/// The flag for names in UTF-8.
const UTF8_NAMES: u16 = 1 << 11;
/// A regular file made on Unix, which its owner may write and everyone may read.
const ATTRIBUTES: u32 = 0o100_644 << 16;
const MADE_ON_UNIX: u16 = 3 << 8;

/// The layout of an archive of uncompressed `.npy` files.
pub(super) struct StoredArchive {
    members: Vec<Member>,
    directory_at: u64,
}

/// One `.npy` file of an archive.
struct Member {
    name: String,
    /// The bytes before the data of the array.
    header: Vec<u8>,
    /// The number of bytes of the `.npy` file.
    size: u64,
    /// The offset of its local header.
    at: u64,
}

impl Member {
    fn is_large(&self) -> bool {
        self.size >= u64::from(ELSEWHERE)
    }

    fn version(&self, is_far: bool) -> u16 {
        if self.is_large() || is_far { 45 } else { 20 }
    }

    fn flags(&self) -> u16 {
        if self.name.is_ascii() { 0 } else { UTF8_NAMES }
    }

    fn local_header_size(&self) -> u64 {
        30 + self.name.len() as u64 + if self.is_large() { 20 } else { 0 }
    }

    /// The fields that the local header and the entry of the directory share.
    fn shared_fields(&self, is_far: bool, checksum: u32, extra: usize) -> Vec<u8> {
        let size = if self.is_large() { ELSEWHERE } else { self.size as u32 };
        let mut bytes = Vec::new();
        // The method (stored) and the time are zero.
        for field in [self.version(is_far), self.flags(), 0, 0, DATE] {
            bytes.extend(field.to_le_bytes());
        }
        for field in [checksum, size, size] {
            bytes.extend(field.to_le_bytes());
        }
        for field in [self.name.len() as u16, extra as u16] {
            bytes.extend(field.to_le_bytes());
        }
        bytes
    }
}

impl StoredArchive {
    /// The layout of an archive of arrays, from their names, their `.npy` headers and the sizes of
    /// their data in bytes. `path` is for messages.
    ///
    /// Errors: `IoError::Archive` for two arrays of one name, or a name too long for an archive.
    pub fn new(path: &Path, arrays: Vec<(&str, Vec<u8>, u64)>) -> Result<StoredArchive, IoError> {
        let broken = |reason| Err(IoError::Archive { path: path.to_owned(), reason });
        let mut members: Vec<Member> = Vec::with_capacity(arrays.len());
        let mut names = FxHashSet::default();
        let mut at = 0;
        for (name, header, data) in arrays {
            let file_name = format!("{name}.npy");
            if !names.insert(name) {
                return broken(format!("two arrays are named `{name}`"));
            }
            if file_name.len() > usize::from(u16::MAX) {
                let start: String = name.chars().take(20).collect();
                return broken(format!("the name `{start}…` is longer than an archive allows"));
            }
            let size = header.len() as u64 + data;
            let member = Member { name: file_name, header, size, at };
            at += member.local_header_size() + size;
            members.push(member);
        }
        Ok(StoredArchive { members, directory_at: at })
    }

    /// The offset of the data of an array.
    pub fn data_at(&self, array: usize) -> u64 {
        let member = &self.members[array];
        member.at + member.local_header_size() + member.header.len() as u64
    }

    /// The bytes before the data of an array in its `.npy` file, and the size of that file in
    /// bytes.
    pub fn member(&self, array: usize) -> (&[u8], u64) {
        (&self.members[array].header, self.members[array].size)
    }

    /// The bytes between the data of the previous array and those of this one, with their offset.
    pub fn head(&self, array: usize, checksum: u32) -> (u64, Vec<u8>) {
        let member = &self.members[array];
        let mut extra = Vec::new();
        if member.is_large() {
            extra.extend(LARGE_FIELD.to_le_bytes());
            extra.extend(16_u16.to_le_bytes());
            extra.extend([member.size.to_le_bytes(); 2].concat());
        }
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(member.shared_fields(false, checksum, extra.len()));
        bytes.extend(member.name.as_bytes());
        bytes.extend(extra);
        bytes.extend(&member.header);
        (member.at, bytes)
    }

    /// The bytes after the data of the last array, with their offset.
    pub fn directory(&self, checksums: &[u32]) -> (u64, Vec<u8>) {
        let mut bytes = Vec::new();
        for (member, &checksum) in self.members.iter().zip(checksums) {
            let is_far = member.at >= u64::from(ELSEWHERE);
            let mut large = Vec::new();
            if member.is_large() {
                large.extend([member.size.to_le_bytes(); 2].concat());
            }
            if is_far {
                large.extend(member.at.to_le_bytes());
            }
            let mut extra = Vec::new();
            if !large.is_empty() {
                extra.extend(LARGE_FIELD.to_le_bytes());
                extra.extend((large.len() as u16).to_le_bytes());
                extra.extend(large);
            }
            bytes.extend(b"PK\x01\x02");
            bytes.extend((MADE_ON_UNIX | member.version(is_far)).to_le_bytes());
            bytes.extend(member.shared_fields(is_far, checksum, extra.len()));
            // The length of the comment, the number of the disk and the internal attributes are
            // zero.
            bytes.extend([0; 6]);
            bytes.extend(ATTRIBUTES.to_le_bytes());
            let at = if is_far { ELSEWHERE } else { member.at as u32 };
            bytes.extend(at.to_le_bytes());
            bytes.extend(member.name.as_bytes());
            bytes.extend(extra);
        }
        let (count, size) = (self.members.len() as u64, bytes.len() as u64);
        let is_large = count >= u64::from(ELSEWHERE_SHORT)
            || size >= u64::from(ELSEWHERE)
            || self.directory_at >= u64::from(ELSEWHERE);
        if is_large {
            let end_at = self.directory_at + size;
            bytes.extend(b"PK\x06\x06");
            bytes.extend(44_u64.to_le_bytes());
            bytes.extend([(MADE_ON_UNIX | 45).to_le_bytes(), 45_u16.to_le_bytes()].concat());
            bytes.extend([0; 8]);
            for field in [count, count, size, self.directory_at] {
                bytes.extend(field.to_le_bytes());
            }
            bytes.extend(b"PK\x06\x07");
            bytes.extend(0_u32.to_le_bytes());
            bytes.extend(end_at.to_le_bytes());
            bytes.extend(1_u32.to_le_bytes());
        }
        let count = u16::try_from(count).unwrap_or(ELSEWHERE_SHORT);
        bytes.extend(b"PK\x05\x06");
        bytes.extend([0; 4]);
        bytes.extend([count.to_le_bytes(); 2].concat());
        for field in [size, self.directory_at] {
            bytes.extend(u32::try_from(field).unwrap_or(ELSEWHERE).to_le_bytes());
        }
        bytes.extend([0; 2]);
        (self.directory_at, bytes)
    }

    /// The size of the whole archive in bytes.
    pub fn size(&self) -> u64 {
        let (at, bytes) = self.directory(&vec![0; self.members.len()]);
        at + bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Read};

    #[test]
    fn names_beyond_ascii_and_checksums_are_read_back() {
        let data = [b"HEADone".to_vec(), b"HEADthe other".to_vec()];
        let arrays = vec![("a", b"HEAD".to_vec(), 3), ("größe", b"HEAD".to_vec(), 9)];
        let layout = StoredArchive::new(Path::new("a.npz"), arrays).unwrap();
        let checksums = data.each_ref().map(|data| crc32fast::hash(data));
        let mut file = vec![0; layout.size() as usize];
        let mut write = |at: u64, bytes: &[u8]| {
            file[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        };
        for (array, data) in data.iter().enumerate() {
            let (at, head) = layout.head(array, checksums[array]);
            write(at, &head);
            assert_eq!(layout.data_at(array), at + head.len() as u64);
            write(layout.data_at(array), &data[4..]);
        }
        let (at, directory) = layout.directory(&checksums);
        write(at, &directory);
        let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
        for (name, data) in ["a.npy", "größe.npy"].iter().zip(&data) {
            let mut found = Vec::new();
            archive.by_name(name).unwrap().read_to_end(&mut found).unwrap();
            assert_eq!(found, *data);
        }
    }

    #[test]
    fn sizes_and_places_beyond_32_bits_are_read_back() {
        let large = 5_u64 << 30;
        let arrays = vec![("a", vec![0; 64], large), ("b", vec![0; 64], 8)];
        let layout = StoredArchive::new(Path::new("a.npz"), arrays).unwrap();
        let (at, bytes) = layout.directory(&[1, 2]);
        assert_eq!(layout.data_at(0), 64 + 30 + 5 + 20);
        assert_eq!(layout.data_at(1), layout.data_at(0) + large + 64 + 30 + 5);
        assert_eq!(at, layout.data_at(1) + 8);
        let size = at + bytes.len() as u64;
        let parts = vec![layout.head(0, 1), layout.head(1, 2), (at, bytes)];
        let mut archive = zip::ZipArchive::new(Sparse { at: 0, size, parts }).unwrap();
        let a = archive.by_index_raw(0).map(|file| (file.size(), file.crc32())).unwrap();
        assert_eq!(a, (large + 64, 1));
        let b = archive.by_index_raw(1).map(|file| (file.header_start(), file.size())).unwrap();
        assert_eq!(b, (layout.data_at(0) + large, 72));
    }

    /// A file of zeros except for some parts.
    struct Sparse {
        at: u64,
        size: u64,
        parts: Vec<(u64, Vec<u8>)>,
    }

    impl Read for Sparse {
        fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
            let count = bytes.len().min(self.size.saturating_sub(self.at) as usize);
            for byte in &mut bytes[..count] {
                let at = self.at;
                let part = self.parts.iter().find_map(|(start, part)| {
                    part.get(usize::try_from(at.checked_sub(*start)?).ok()?)
                });
                *byte = part.copied().unwrap_or(0);
                self.at += 1;
            }
            Ok(count)
        }
    }

    impl std::io::Seek for Sparse {
        fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
            self.at = match to {
                std::io::SeekFrom::Start(at) => at,
                std::io::SeekFrom::Current(by) => self.at.saturating_add_signed(by),
                std::io::SeekFrom::End(by) => self.size.saturating_add_signed(by),
            };
            Ok(self.at)
        }
    }

    #[test]
    fn names_that_no_archive_can_have_are_errors() {
        let long = "x".repeat(70_000);
        for names in [["a", "a"], ["a", &long]] {
            let arrays = names.iter().map(|&name| (name, Vec::new(), 0)).collect();
            let error = StoredArchive::new(Path::new("a.npz"), arrays).err().unwrap();
            assert_eq!(error.code(), "PX088", "{error}");
        }
    }
}
