//! Removal of temporary files of processes that were killed during a write.
//!
//! A process locks the temporary file that it writes. The system releases the lock when the process
//! ends for any reason. A temporary file that can be locked therefore has no writer.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// The name of a temporary file of this process. It must be unique on all machines, because other
/// processes open the file by its name.
pub(super) fn name(count: u64, now: u128) -> String {
    format!(".phalanx-{}-{count}-{now:x}.tmp", std::process::id())
}

/// Whether `name` could have made this name in some process.
fn is_ours(name: &str) -> bool {
    let Some(inner) = name.strip_prefix(".phalanx-").and_then(|rest| rest.strip_suffix(".tmp"))
    else {
        return false;
    };
    let parts: Vec<&str> = inner.split('-').collect();
    let all = |part: &str, is_digit: fn(&u8) -> bool| {
        !part.is_empty() && part.bytes().all(|byte| is_digit(&byte))
    };
    matches!(parts[..], [process, count, time] if all(process, u8::is_ascii_digit)
        && all(count, u8::is_ascii_digit)
        && all(time, u8::is_ascii_hexdigit))
}

/// Locks a new temporary file. Returns false if another process removed the file as a leftover
/// before it was locked. If files cannot be locked, none is removed.
pub(super) fn keep(file: &File, path: &Path) -> bool {
    match file.lock() {
        Ok(()) => path.symlink_metadata().is_ok(),
        Err(_) => true,
    }
}

/// The share of time for sweeps of folders: at most one part in `SHARE`.
const SHARE: u32 = 20;

/// The earliest time of the next sweep. It keeps a program that writes thousands of files into a
/// folder from listing the folder each time.
static NEXT: Mutex<Option<Instant>> = Mutex::new(None);

/// Removes the temporary files of dead processes in a folder. A file that cannot be examined
/// remains.
pub(super) fn sweep(folder: &Path) {
    let start = Instant::now();
    let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    if next.is_some_and(|next| start < next) {
        return;
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let _ = sweep_all(folder);
    // After a short sweep the next one need not wait.
    let took = start.elapsed();
    *next = (took > Duration::from_millis(1)).then(|| Instant::now() + took * SHARE);
}

fn sweep_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_leftover = entry.file_name().to_str().is_some_and(is_ours)
            && entry.file_type().is_ok_and(|kind| kind.is_file());
        let Some(file) = is_leftover.then(|| File::open(entry.path()).ok()).flatten() else {
            continue;
        };
        match file.try_lock() {
            // The lock is held until the file is removed; see `keep`.
            Ok(()) => drop(fs::remove_file(entry.path())),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::tests::Folder;

    #[test]
    fn only_names_of_temporary_files_are_ours() {
        assert!(is_ours(&name(3, 0xfe12)));
        for other in
            [".phalanx-1-2-3", "phalanx-1-2-3.tmp", ".phalanx-1-2.tmp", ".phalanx-1-2-xyz.tmp"]
        {
            assert!(!is_ours(other), "{other}");
        }
        for other in [".phalanx--2-3.tmp", ".phalanx-1-2-3-4.tmp", ".phalanx-a-2-3.tmp", "a.npy"] {
            assert!(!is_ours(other), "{other}");
        }
    }

    #[test]
    fn unlocked_leftovers_are_removed_and_all_else_stays() {
        let folder = Folder::new();
        let at = |name: &str| folder.path().join(name);
        let leftover = at(".phalanx-1-0-17.tmp");
        fs::write(&leftover, b"half of it").unwrap();
        fs::write(at("a.tmp"), b"kept").unwrap();
        fs::create_dir(at(".phalanx-1-0-18.tmp")).unwrap();
        let written = at(".phalanx-1-0-19.tmp");
        let file = File::create(&written).unwrap();
        assert!(keep(&file, &written));
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("a.tmp"), at(".phalanx-1-0-20.tmp")).unwrap();
        sweep_all(folder.path()).unwrap();
        assert!(!leftover.exists());
        assert!(at("a.tmp").exists() && at(".phalanx-1-0-18.tmp").exists() && written.exists());
        #[cfg(unix)]
        assert!(at(".phalanx-1-0-20.tmp").exists());
        drop(file);
        sweep_all(folder.path()).unwrap();
        assert!(!written.exists());
    }

    #[test]
    fn a_file_that_was_removed_before_it_was_locked_is_not_kept() {
        let folder = Folder::new();
        let path = folder.path().join(name(0, 1));
        let file = File::create(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!keep(&file, &path));
    }
}
