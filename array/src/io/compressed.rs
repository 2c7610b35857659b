//! Archives with compressed members, written by one process.

use super::atomic::{Unfinished, begin, write_error};
use super::{IoError, header, npy};
use phalanx_graph::HostArray;
use phalanx_waiting::copying;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An archive during its writing.
pub(super) struct Packing {
    writer: ZipWriter<Target>,
    place: Place,
}

/// The destination of the archive.
enum Place {
    /// A file that is renamed to its target when it is complete.
    Whole(Unfinished),
    /// A path that is not a regular file, such as a pipe.
    Direct(PathBuf),
}

/// The buffer that receives the archive. It must be seekable, because the sizes of a member are
/// filled in after the member.
enum Target {
    File(BufWriter<File>),
    Memory(Cursor<Vec<u8>>),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(file) => file.flush(),
            Target::Memory(_) => Ok(()),
        }
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Target::File(file) => file.seek(to),
            Target::Memory(memory) => memory.seek(to),
        }
    }
}

impl Packing {
    /// Starts to create or replace a file.
    pub fn begin(path: &Path) -> io::Result<Packing> {
        let (target, place) = match begin(path)? {
            Some(unfinished) => {
                let file = BufWriter::with_capacity(1 << 16, unfinished.file.try_clone()?);
                (Target::File(file), Place::Whole(unfinished))
            }
            None => (Target::Memory(Cursor::default()), Place::Direct(path.to_owned())),
        };
        Ok(Packing { writer: ZipWriter::new(target), place })
    }

    /// Compresses an array into the archive. `path` is for messages.
    pub fn add(&mut self, name: &str, array: &HostArray, path: &Path) -> Result<(), IoError> {
        let header = header::encode(array.dtype, &array.shape, path)?;
        let failed = |error: io::Error| write_error(path, &error);
        let data = npy::data_of(array).map_err(failed)?;
        // The date is constant, so that equal arrays make equal files.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o644)
            .large_file(data.len() as u64 + header.len() as u64 >= u64::from(u32::MAX));
        let mut pack = || -> io::Result<()> {
            self.writer.start_file(format!("{name}.npy"), options)?;
            self.writer.write_all(&header)?;
            self.writer.write_all(data)
        };
        copying(data.len(), &mut pack).map_err(failed)
    }

    /// Completes the archive, which then appears under its name.
    pub fn finish(self) -> io::Result<()> {
        match (self.writer.finish()?, self.place) {
            (Target::File(file), Place::Whole(unfinished)) => {
                file.into_inner().map_err(io::IntoInnerError::into_error)?;
                unfinished.complete()
            }
            (Target::Memory(bytes), Place::Direct(path)) => {
                OpenOptions::new().write(true).open(path)?.write_all(bytes.get_ref())
            }
            _ => unreachable!("bug: an archive is continued by another writer"),
        }
    }
}
