//! Writing a file whole or not at all.

use super::{IoError, leftovers};
use phalanx_waiting::aside;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Creates or replaces the file `path` with what `write` writes.
///
/// The data are written to a temporary file in the same folder. When they are complete and on disk,
/// the temporary file replaces `path`. On an error the temporary file is removed, and an older file
/// of that name is unchanged. A path that is not a regular file, such as `/dev/null`, is written
/// directly. A symbolic link is followed: its target is replaced. A file without write permission
/// is not replaced. Temporary files of processes that were killed during a write are removed from
/// the folder.
///
/// Collectivity  Local.
/// Errors      `IoError::Write` (PX081)
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), IoError> {
    write_whole(path, write).map_err(|error| write_error(path, &error))
}

/// The error for a system error when `path` is written.
pub(super) fn write_error(path: &Path, error: &io::Error) -> IoError {
    IoError::Write { path: path.to_owned(), kind: error.kind(), reason: error.to_string() }
}

fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let Some(unfinished) = begin(path)? else {
        let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        write(&mut writer)?;
        return writer.flush();
    };
    let mut writer = BufWriter::with_capacity(1 << 16, unfinished.file.try_clone()?);
    write(&mut writer)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    unfinished.complete()
}

/// Starts to create or replace a file under a temporary name. `None` if `path` is not a regular
/// file, which is written directly.
pub(super) fn begin(path: &Path) -> io::Result<Option<Unfinished>> {
    let existing = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(metadata) = &existing {
        if metadata.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        if metadata.permissions().readonly() {
            return Err(ErrorKind::PermissionDenied.into());
        }
        if !metadata.is_file() {
            return Ok(None);
        }
    }
    let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let unfinished = create_beside(target)?;
    if let Some(metadata) = existing {
        unfinished.file.set_permissions(metadata.permissions())?;
    }
    Ok(Some(unfinished))
}

/// A file that is removed unless it is completed.
pub(super) struct Unfinished {
    /// The file under its temporary name.
    pub file: File,
    /// The temporary name.
    pub path: PathBuf,
    target: PathBuf,
    is_complete: bool,
}

impl Unfinished {
    /// Renames the file to its target once all of it is on disk.
    pub fn complete(mut self) -> io::Result<()> {
        // Some disks report that they are full only at this call.
        aside(|| self.file.sync_all())?;
        fs::rename(&self.path, &self.target)?;
        self.is_complete = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_complete {
            // Only the error that caused the removal is reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A new empty file in the folder of `target`.
fn create_beside(target: PathBuf) -> io::Result<Unfinished> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if target.file_name().is_none() {
        return Err(ErrorKind::InvalidFilename.into());
    }
    if let Some(folder) = target.parent() {
        leftovers::sweep(folder);
    }
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let path = target.with_file_name(leftovers::name(count, now));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) if leftovers::keep(&file, &path) => {
                return Ok(Unfinished { file, path, target, is_complete: false });
            }
            Ok(_) => {}
            // A process with the same number, from earlier or on another machine, has used the
            // name.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::tests::Folder;

    fn names(folder: &Folder) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_appears_complete_and_alone() {
        let folder = Folder::new();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |writer| writer.write_all(b"one")).unwrap();
        write_atomically(&path, |writer| writer.write_all(b"two")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&folder), ["a.txt"]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = Folder::new();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |writer| writer.write_all(b"old")).unwrap();
        let error = write_atomically(&path, |writer| {
            writer.write_all(b"half of the new")?;
            Err(ErrorKind::StorageFull.into())
        })
        .unwrap_err();
        assert!(matches!(&error, IoError::Write { kind: ErrorKind::StorageFull, .. }));
        assert_eq!(error.code(), "PX081");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(&folder), ["a.txt"]);
    }

    #[test]
    fn a_panic_while_writing_leaves_nothing() {
        let folder = Folder::new();
        let path = folder.path().join("a.txt");
        let write = || write_atomically(&path, |_| panic!("while writing"));
        assert!(std::panic::catch_unwind(write).is_err());
        assert!(names(&folder).is_empty());
    }

    #[test]
    fn unwritable_places_are_errors() {
        let folder = Folder::new();
        let write = |path: &Path| write_atomically(path, |writer| writer.write_all(b"x"));
        let missing = write(&folder.path().join("no/such/folder/a.txt")).unwrap_err();
        assert!(matches!(missing, IoError::Write { kind: ErrorKind::NotFound, .. }));
        let directory = write(folder.path()).unwrap_err();
        assert!(matches!(directory, IoError::Write { kind: ErrorKind::IsADirectory, .. }));
        assert!(write(Path::new("")).is_err());

        let read_only = folder.path().join("read_only.txt");
        fs::write(&read_only, b"kept").unwrap();
        let mut permissions = fs::metadata(&read_only).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&read_only, permissions).unwrap();
        let refused = write(&read_only).unwrap_err();
        assert!(matches!(refused, IoError::Write { kind: ErrorKind::PermissionDenied, .. }));
        assert_eq!(fs::read(&read_only).unwrap(), b"kept");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_links_are_followed() {
        let write = |path: &Path| write_atomically(path, |writer| writer.write_all(b"x"));
        write(Path::new("/dev/null")).unwrap();
        let full = write(Path::new("/dev/full")).unwrap_err();
        assert!(matches!(full, IoError::Write { kind: ErrorKind::StorageFull, .. }));

        let folder = Folder::new();
        let target = folder.path().join("target.txt");
        let link = folder.path().join("link.txt");
        fs::write(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"x");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
