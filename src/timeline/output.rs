//! The output of a timeline.

use super::{file, table};
use phalanx_array::io::{IoError, write_atomically};
use phalanx_scheduler::Timeline;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Where a rank writes a timeline of this file name: rank 0 that of all ranks, others their own
/// after an end without order.
fn path_of(path: &Path, rank: usize) -> PathBuf {
    match rank {
        0 => path.to_owned(),
        _ => {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".rank-{rank}"));
            PathBuf::from(name)
        }
    }
}

/// Checks that the file can be written, before a program runs for hours.
///
/// Errors: `IoError::Write` (PX081).
pub(crate) fn check(path: &Path) -> Result<(), IoError> {
    let metadata = std::fs::metadata(path);
    // Opening a pipe would wait for its reader.
    let is_pipe = |found: &std::fs::Metadata| found.file_type().is_fifo();
    if metadata.as_ref().is_ok_and(is_pipe) {
        return Ok(());
    }
    // A link to no file stays.
    let exists = metadata.is_ok() || path.is_symlink();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    // A session that is killed leaves no empty file.
    let tried = opened.and_then(|_| if exists { Ok(()) } else { std::fs::remove_file(path) });
    tried.map_err(|error| IoError::Write {
        path: path.to_owned(),
        kind: error.kind(),
        reason: error.to_string(),
    })
}

/// Writes the file, and the table to standard error.
///
/// Errors: `IoError::Write` (PX081).
pub(crate) fn write(timeline: &Timeline, path: &Path, rank: usize) -> Result<(), IoError> {
    let path = path_of(path, rank);
    write_atomically(&path, |writer| file::write(timeline, writer))?;
    // A standard error that is closed or full must not end the program.
    let _ = writeln!(std::io::stderr(), "{}in {}", table::text(timeline), path.display());
    Ok(())
}
