//! `.npz` files: zip archives of `.npy` files.

use super::header;
use super::npy::{self, read_error};
use super::{IoError, write_atomically};
use crate::host::HostArray;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Deflate makes no byte of data out of less than this part of a byte.
const DEFLATE_RATIO: u64 = 1032;

/// How much is reserved at once for the data of a compressed array.
const CAUTIOUS_RESERVE: usize = 1 << 26;

/// From this size on an array needs the 64-bit fields of a zip archive; its header is below 64 KiB.
const LARGE: u64 = u32::MAX as u64 - (1 << 16);

type Archive = ZipArchive<BufReader<File>>;

/// The names of the arrays in the file `path`, in the file's order.
///
/// Collectivity  Local.
/// Errors      `IoError` `Read` (PX080), `Archive` (PX088)
pub fn npz_names(path: &Path) -> Result<Vec<String>, IoError> {
    Ok(names(&open(path)?))
}

/// The arrays in the file `path` with their names, in the file's order.
///
/// Collectivity  Local.
/// Errors      those of `npz_names` and `read_npy`
pub fn read_npz(path: &Path) -> Result<Vec<(String, HostArray)>, IoError> {
    let mut archive = open(path)?;
    let mut arrays = Vec::new();
    for name in names(&archive) {
        let array = member(&mut archive, &name, path)?;
        arrays.push((name, array));
    }
    Ok(arrays)
}

/// The array `name` in the file `path`.
///
/// Collectivity  Local.
/// Errors      `IoError::NoSuchArray` (PX089) and those of `npz_names` and `read_npy`
pub fn read_npz_member(path: &Path, name: &str) -> Result<HostArray, IoError> {
    let mut archive = open(path)?;
    let available = names(&archive);
    if !available.iter().any(|found| found == name) {
        let (path, name) = (path.to_owned(), name.to_owned());
        return Err(IoError::NoSuchArray { path, name, available });
    }
    member(&mut archive, name, path)
}

/// Writes `arrays` to the file `path` under their names, as `numpy.savez` does; the file appears
/// whole or not at all.
///
/// Collectivity  Local.
/// Errors      `IoError` `Write` (PX081), `UnsupportedDtype` (PX086: bfloat16), `Archive` (PX088:
///             two arrays of one name)
pub fn write_npz(path: &Path, arrays: &[(&str, &HostArray)]) -> Result<(), IoError> {
    let mut headers = Vec::with_capacity(arrays.len());
    for (index, (name, array)) in arrays.iter().enumerate() {
        if arrays[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(broken(path, format!("two arrays are named `{name}`")));
        }
        headers.push(header::encode(array.dtype, &array.shape, path)?);
    }
    write_atomically(path, |writer| {
        let mut archive = ZipWriter::new(FailsOnce::new(writer));
        for ((name, array), header) in arrays.iter().zip(&headers) {
            let data = npy::data_of(array)?;
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .large_file(data.len() as u64 >= LARGE);
            archive.start_file(format!("{name}.npy"), options)?;
            archive.write_all(header)?;
            archive.write_all(data)?;
        }
        archive.finish()?;
        Ok(())
    })
}

/// A writer that fails once and then only pretends to write: an archive that is dropped after an
/// error tries to end its file again, and would print that it failed.
struct FailsOnce<W> {
    writer: W,
    position: u64,
    end: u64,
    has_failed: bool,
}

impl<W: Write + Seek> FailsOnce<W> {
    fn new(writer: W) -> FailsOnce<W> {
        FailsOnce { writer, position: 0, end: 0, has_failed: false }
    }

    fn attempt<R>(
        &mut self,
        pretended: R,
        act: impl FnOnce(&mut W) -> io::Result<R>,
    ) -> io::Result<R> {
        if self.has_failed {
            return Ok(pretended);
        }
        let result = act(&mut self.writer);
        self.has_failed = matches!(&result, Err(error) if error.kind() != ErrorKind::Interrupted);
        result
    }

    fn reach(&mut self, position: u64) {
        self.position = position;
        self.end = self.end.max(position);
    }
}

impl<W: Write + Seek> Write for FailsOnce<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.attempt(bytes.len(), |writer| writer.write(bytes))?;
        self.reach(self.position + written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), W::flush)
    }
}

impl<W: Write + Seek> Seek for FailsOnce<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let pretended = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.position.saturating_add_signed(by),
            SeekFrom::End(by) => self.end.saturating_add_signed(by),
        };
        let position = self.attempt(pretended, |writer| writer.seek(to))?;
        self.reach(position);
        Ok(position)
    }
}

fn open(path: &Path) -> Result<Archive, IoError> {
    let file = File::open(path).map_err(|error| read_error(path, &error))?;
    ZipArchive::new(BufReader::new(file)).map_err(|error| zip_error(path, error))
}

/// The names without their `.npy`; members that have none, or are not named in text, are no arrays.
fn names(archive: &Archive) -> Vec<String> {
    let names = archive.file_names().flatten();
    names.filter_map(|name| Some(name.strip_suffix(".npy")?.to_owned())).collect()
}

fn member(archive: &mut Archive, name: &str, path: &Path) -> Result<HostArray, IoError> {
    let mut file =
        archive.by_name(&format!("{name}.npy")).map_err(|error| zip_error(path, error))?;
    let (size, packed) = (file.size(), file.compressed_size());
    let possible = match file.compression() {
        CompressionMethod::Stored => packed,
        _ => packed.saturating_mul(DEFLATE_RATIO),
    };
    if size > possible {
        return Err(broken(path, format!("`{name}` claims {size} bytes, packed into {packed}")));
    }
    // Messages name the array, as far as a path can.
    let inside = path.join(format!("{name}.npy"));
    let reserve = CAUTIOUS_RESERVE;
    let array =
        npy::read_from(&mut file, Some(size), reserve, &inside).map_err(|error| match error {
            IoError::Read { kind, reason, .. } if kind != io::ErrorKind::OutOfMemory => {
                broken(path, format!("`{name}`: {reason}"))
            }
            other => other,
        })?;
    // The checksum is compared at the end of the member, which is therefore read to it.
    io::copy(&mut file, &mut io::sink())
        .map_err(|error| broken(path, format!("`{name}`: {error}")))?;
    Ok(array)
}

fn broken(path: &Path, reason: String) -> IoError {
    IoError::Archive { path: path.to_owned(), reason }
}

fn zip_error(path: &Path, error: ZipError) -> IoError {
    match error {
        // The end of the file in the midst of a structure is a fault of the archive.
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            read_error(path, &error)
        }
        other => broken(path, other.to_string()),
    }
}
