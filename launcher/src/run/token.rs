//! The file with the secret of a run, and the cleanup of files that killed runs have left.
//!
//! The file exists as long as the run, because a rank may start several sessions in turn. It is
//! removed with the launcher however the run ends. Only a launcher that is killed by an uncatchable
//! signal leaves its file; a later run removes it. A launcher locks its file, and the system frees
//! the lock with the process. The lock distinguishes the file of a running launcher from an
//! abandoned one, however old it is.

use rustix::process::getuid;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::NamedTempFile;

/// The number of random bytes in the secret.
const TOKEN_BYTES: usize = 32;
/// The start of the names of all such files.
const PREFIX: &str = "phalanx-token-";
/// The age at which a file without a lock may be removed.
const LEFT_ALONE: Duration = Duration::from_secs(24 * 60 * 60);

/// Writes a new secret in hexadecimal to a file that only its owner can open and that is removed
/// with the handle. First removes files that killed runs have left.
pub fn write_token() -> io::Result<NamedTempFile> {
    let mut token = [0; TOKEN_BYTES];
    getrandom::fill(&mut token)?;
    let spelled: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
    keep_token(&spelled)
}

/// As [`write_token`], with a given secret.
pub fn keep_token(token: &str) -> io::Result<NamedTempFile> {
    let folder = std::env::temp_dir();
    sweep(&folder, getuid().as_raw(), SystemTime::now());
    let mut file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(&folder)?;
    // If files cannot be locked, none is removed either.
    let _ = file.as_file().try_lock();
    file.write_all(token.as_bytes())?;
    file.flush()?;
    Ok(file)
}

/// Removes a user's token files that are older than a day and that no launcher locks. In doubt, a
/// file stays.
fn sweep(folder: &Path, user: u32, now: SystemTime) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        // The metadata of the entry itself, not of a link's target.
        let is_old = entry.metadata().is_ok_and(|file| may_be_left(&file, user, now));
        let path = entry.path();
        if is_old && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            // Another launcher may have removed it first.
            let _ = std::fs::remove_file(&path);
        }
    }
}

fn may_be_left(file: &Metadata, user: u32, now: SystemTime) -> bool {
    let age = file.modified().ok().and_then(|written| now.duration_since(written).ok());
    file.is_file() && file.uid() == user && age.is_some_and(|age| age > LEFT_ALONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_token_is_long_and_its_owners_alone() {
        let file = write_token().unwrap();
        let mode = file.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read(file.path()).unwrap().len(), 2 * TOKEN_BYTES);
        let other = write_token().unwrap();
        assert_ne!(std::fs::read(file.path()).unwrap(), std::fs::read(other.path()).unwrap());
    }

    #[test]
    fn old_token_files_without_a_lock_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let names = ["phalanx-token-left", "phalanx-token-held", "phalanx-other", "token"];
        names.iter().for_each(|name| std::fs::write(place(name), "secret").unwrap());
        std::fs::create_dir(place("phalanx-token-folder")).unwrap();
        symlink(place("token"), place("phalanx-token-link")).unwrap();
        let held = File::open(place("phalanx-token-held")).unwrap();
        held.try_lock().unwrap();
        let there = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        let all = there();
        let (user, now) = (getuid().as_raw(), SystemTime::now());
        sweep(folder.path(), user, now);
        assert_eq!(there(), all, "all are young");
        let tomorrow = now + LEFT_ALONE + Duration::from_secs(60);
        sweep(folder.path(), user + 1, tomorrow);
        assert_eq!(there(), all, "they belong to somebody else");
        sweep(folder.path(), user, tomorrow);
        let removed: Vec<&String> = all.iter().filter(|name| !there().contains(name)).collect();
        assert_eq!(removed, ["phalanx-token-left"]);
        drop(held);
        // A process that another test starts at this moment has a copy of the handle, and so the
        // lock, from its fork to its exec.
        let is_swept = (0..500).any(|_| {
            sweep(folder.path(), user, tomorrow);
            let is_removed = !place("phalanx-token-held").exists();
            std::thread::sleep(Duration::from_millis(if is_removed { 0 } else { 10 }));
            is_removed
        });
        assert!(is_swept, "its lock is released");
        sweep(Path::new("/nonexistent"), user, tomorrow);
    }
}
