//! Compiled kernels on disk.
//!
//! A file contains a digest of its contents, so a damaged file is compiled again. It is written
//! under a temporary name and renamed, so any number of processes can share the folder. The first
//! process that needs a kernel compiles it; the others wait for the file.

use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The mark at the start of each file.
const MARK: &[u8; 8] = b"PXCUBIN1";

/// The digest of a kernel's source and of everything else that its machine code depends on.
pub(super) fn key(parts: &[&str]) -> String {
    // Two digests of 64 bits with different seeds: no two kernels of a cache share both.
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(seed);
        for part in parts {
            hasher.write(part.as_bytes());
            hasher.write_u8(0);
        }
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(1), half(2))
}

fn path(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.cubin"))
}

fn digest(code: &[u8]) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    hasher.write(code);
    hasher.finish().to_le_bytes()
}

/// The machine code of a key, if the file exists and is undamaged.
pub(super) fn load(folder: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path(folder, key)).ok()?;
    let (head, code) = bytes.split_at_checked(16)?;
    (&head[..8] == MARK && head[8..] == digest(code)).then(|| code.to_vec())
}

/// The longest wait for another process that compiles the same kernel, and the time between checks.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(2);

/// The right to compile a kernel, until it is dropped.
pub(super) struct Turn {
    /// The locked file; `None` if the file system has no locks, or if another process holds its
    /// turn for too long.
    file: Option<File>,
    path: PathBuf,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.file.is_some() {
            // A process that waits for the deleted file gets its turn next, and finds the kernel or
            // compiles it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Waits for the turn to compile a kernel.
pub(super) fn turn(folder: &Path, key: &str) -> Turn {
    let path = folder.join(format!("{key}.lock"));
    let _ = std::fs::create_dir_all(folder);
    let begin = Instant::now();
    let Ok(file) = File::options().create(true).append(true).open(&path) else {
        return Turn { file: None, path };
    };
    loop {
        match file.try_lock() {
            Ok(()) => return Turn { file: Some(file), path },
            Err(TryLockError::WouldBlock) if begin.elapsed() < LONGEST_WAIT => {
                std::thread::sleep(LOOK);
            }
            Err(_) => return Turn { file: None, path },
        }
    }
}

/// Stores machine code. A folder that cannot be written is no error: the next run compiles again.
pub(super) fn store(folder: &Path, key: &str, code: &[u8]) {
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        // Processes on different machines or in different containers may have the same id.
        let unfinished = folder.join(format!(
            "{key}.{}.{:x}.part",
            std::process::id(),
            RandomState::new().hash_one(key)
        ));
        let mut file = std::fs::File::create(&unfinished)?;
        file.write_all(MARK)?;
        file.write_all(&digest(code))?;
        file.write_all(code)?;
        drop(file);
        std::fs::rename(&unfinished, path(folder, key))
    };
    let _ = write();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_not_loaded() {
        let folder = std::env::temp_dir().join(format!("phalanx-cache-{}", std::process::id()));
        let key = key(&["source", "sm_90"]);
        assert_ne!(key, super::key(&["sources", "m_90"]));
        assert_eq!(load(&folder, &key), None);
        store(&folder, &key, b"code");
        assert_eq!(load(&folder, &key).as_deref(), Some(b"code".as_slice()));
        std::fs::write(path(&folder, &key), b"PXCUBIN1damagedcode").unwrap();
        assert_eq!(load(&folder, &key), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn one_compiles_and_the_others_wait() {
        let folder = std::env::temp_dir().join(format!("phalanx-turn-{}", std::process::id()));
        let compiled = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _turn = turn(&folder, "key");
                    if load(&folder, "key").is_none() {
                        compiled.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(50));
                        store(&folder, "key", b"code");
                    }
                });
            }
        });
        assert_eq!(compiled.into_inner(), 1);
        assert!(!folder.join("key.lock").exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
