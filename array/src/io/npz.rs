//! `.npz` files: zip archives of `.npy` files.

use super::archive::StoredArchive;
use super::error::read_error;
use super::header::{self, Header};
use super::npy;
use super::{IoError, write_atomically};
use phalanx_graph::HostArray;
use phalanx_ops::DType;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// The largest number of bytes of data that one byte of Deflate can contain.
const DEFLATE_RATIO: u64 = 1032;

/// The number of bytes reserved at once for the data of a compressed array.
const CAUTIOUS_RESERVE: usize = 1 << 26;

/// An open archive. Its directory is read once, and its members are those of the opened file, even
/// if another file gets its name.
pub(super) struct Archive {
    path: PathBuf,
    members: ZipArchive<BufReader<File>>,
    /// The same file, for uncompressed members.
    file: File,
}

/// The names of the arrays in the file `path`, in the order of the file.
///
/// Collectivity  Local.
/// Errors      `IoError` `Read` (PX080), `Archive` (PX088)
pub fn npz_names(path: &Path) -> Result<Vec<String>, IoError> {
    Ok(Archive::open(path)?.names())
}

/// The arrays in the file `path` with their names, in the order of the file.
///
/// Collectivity  Local.
/// Errors      those of `npz_names` and `read_npy`
pub fn read_npz(path: &Path) -> Result<Vec<(String, HostArray)>, IoError> {
    let mut archive = Archive::open(path)?;
    let mut arrays = Vec::new();
    for name in archive.names() {
        let array = archive.read(&name)?;
        arrays.push((name, array));
    }
    Ok(arrays)
}

/// The array `name` in the file `path`.
///
/// Collectivity  Local.
/// Errors      `IoError::NoSuchArray` (PX089) and those of `npz_names` and `read_npy`
pub fn read_npz_member(path: &Path, name: &str) -> Result<HostArray, IoError> {
    Archive::open(path)?.read(name)
}

/// An uncompressed member of an archive.
pub(super) struct Stored {
    /// The archive.
    pub file: File,
    /// The offset of the `.npy` file of the member.
    pub at: u64,
    /// The size of the `.npy` file in bytes.
    pub size: u64,
    /// The CRC-32 of the `.npy` file.
    pub checksum: u32,
}

impl Archive {
    /// Opens an archive and reads its directory.
    pub fn open(path: &Path) -> Result<Archive, IoError> {
        let file = File::open(path).map_err(|error| read_error(path, &error))?;
        let other = file.try_clone().map_err(|error| read_error(path, &error))?;
        let members = ZipArchive::new(BufReader::new(file));
        let members = members.map_err(|error| zip_error(path, error))?;
        Ok(Archive { path: path.to_owned(), members, file: other })
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names without their `.npy`. Members without that suffix, or with names that are not
    /// text, are not arrays.
    pub fn names(&self) -> Vec<String> {
        let names = self.members.file_names().flatten();
        names.filter_map(|name| Some(name.strip_suffix(".npy")?.to_owned())).collect()
    }

    /// The member of an array. Errors: also `IoError::Archive` for a claimed size that is
    /// impossible.
    fn by_name(&mut self, name: &str) -> Result<zip::read::ZipFile<'_, BufReader<File>>, IoError> {
        let file_name = format!("{name}.npy");
        if self.members.index_for_name(&file_name).is_none() {
            let (path, name, available) = (self.path.clone(), name.to_owned(), self.names());
            return Err(IoError::NoSuchArray { path, name, available });
        }
        let path = &self.path;
        let file = self.members.by_name(&file_name).map_err(|error| zip_error(path, error))?;
        let (size, packed) = (file.size(), file.compressed_size());
        let possible = match file.compression() {
            CompressionMethod::Stored => packed,
            CompressionMethod::Deflated => packed.saturating_mul(DEFLATE_RATIO),
            // Other methods compress zeros to almost nothing, so any size is possible. No memory is
            // reserved for such data before they are read.
            _ => u64::MAX,
        };
        if size > possible {
            return Err(broken(
                path,
                format!("`{name}` declares {size} bytes, packed into {packed}"),
            ));
        }
        Ok(file)
    }

    /// The header of an array, and the location of the array if it is not compressed.
    ///
    /// Errors: those of `read_npz_member`, except errors of the data.
    pub fn find(&mut self, name: &str) -> Result<(Header, Option<Stored>), IoError> {
        let path = self.path.clone();
        let (header, place) = {
            let mut file = self.by_name(name)?;
            let header = Header::read(&mut file, &inside(&path, name))
                .map_err(|error| within_archive(error, name, &path))?;
            header.check_size(file.size(), &inside(&path, name))?;
            let is_stored = file.compression() == CompressionMethod::Stored && !file.encrypted();
            let place = file.data_start().filter(|_| is_stored);
            (header, place.map(|at| (at, file.size(), file.crc32())))
        };
        let Some((at, size, checksum)) = place else { return Ok((header, None)) };
        let file = self.file.try_clone().map_err(|error| read_error(&path, &error))?;
        Ok((header, Some(Stored { file, at, size, checksum })))
    }

    /// An array, with its data.
    pub fn read(&mut self, name: &str) -> Result<HostArray, IoError> {
        let path = self.path.clone();
        let mut file = self.by_name(name)?;
        let (size, reserve) = (file.size(), CAUTIOUS_RESERVE);
        let reader = &mut file as &mut dyn Read;
        let array = npy::read_from(reader, Some(size), reserve, &inside(&path, name))
            .map_err(|error| within_archive(error, name, &path))?;
        // The checksum is compared at the end of the member, so the member is read to its end.
        io::copy(&mut file, &mut io::sink())
            .map_err(|error| broken(&path, format!("`{name}`: {error}")))?;
        Ok(array)
    }
}

/// Writes `arrays` to the file `path` under their names, as `numpy.savez` does. The file appears
/// complete or not at all.
///
/// Collectivity  Local.
/// Errors      `IoError` `Write` (PX081), `Archive` (PX088: two arrays of one name)
pub fn write_npz(path: &Path, arrays: &[(&str, &HostArray)]) -> Result<(), IoError> {
    let layout =
        layout(path, arrays.iter().map(|(name, array)| (*name, array.dtype, &*array.shape)))?;
    write_atomically(path, |writer| {
        let mut checksums = Vec::with_capacity(arrays.len());
        for (number, (_, array)) in arrays.iter().enumerate() {
            let data = npy::data_of(array)?;
            let mut checksum = crc32fast::Hasher::new();
            checksum.update(layout.member(number).0);
            checksum.update(data);
            checksums.push(checksum.finalize());
            writer.write_all(&layout.head(number, checksums[number]).1)?;
            writer.write_all(data)?;
        }
        writer.write_all(&layout.directory(&checksums).1)
    })
}

/// The layout of an archive of arrays with these names, dtypes and shapes.
pub(super) fn layout<'a>(
    path: &Path,
    arrays: impl Iterator<Item = (&'a str, DType, &'a [usize])>,
) -> Result<StoredArchive, IoError> {
    let with_header = |(name, dtype, shape): (&'a str, DType, &'a [usize])| {
        let data = phalanx_ops::shape::size(shape) as u64 * dtype.size() as u64;
        Ok((name, header::encode(dtype, shape, path)?, data))
    };
    StoredArchive::new(path, arrays.map(with_header).collect::<Result<_, _>>()?)
}

/// The path of an array in an archive, as messages show it.
pub(super) fn inside(path: &Path, name: &str) -> PathBuf {
    path.join(format!("{name}.npy"))
}

/// Converts an error of reading a member to an error of the archive.
fn within_archive(error: IoError, name: &str, path: &Path) -> IoError {
    match error {
        IoError::Read { kind, reason, .. } if kind != io::ErrorKind::OutOfMemory => {
            broken(path, format!("`{name}`: {reason}"))
        }
        other => other,
    }
}

pub(super) fn broken(path: &Path, reason: String) -> IoError {
    IoError::Archive { path: path.to_owned(), reason }
}

fn zip_error(path: &Path, error: ZipError) -> IoError {
    match error {
        // A file that ends inside a structure is an error of the archive.
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            read_error(path, &error)
        }
        other => broken(path, other.to_string()),
    }
}
