//! Compiled kernels on disk.
//!
//! A file holds a digest of its contents, so that a damaged one is compiled again; it is written
//! under a name of its own and renamed, so that any number of processes may share the folder.

use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What tells files of this form from others.
const MARK: &[u8; 8] = b"PXCUBIN1";

/// The digest of a kernel's source and of everything else that its machine code depends on.
pub(super) fn key(parts: &[&str]) -> String {
    // Two digests of 64 bits with different beginnings: no two kernels of a cache share both.
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

/// The machine code of a key, if it is there and whole.
pub(super) fn load(folder: &Path, key: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path(folder, key)).ok()?;
    let (head, code) = bytes.split_at_checked(16)?;
    (&head[..8] == MARK && head[8..] == digest(code)).then(|| code.to_vec())
}

/// Keeps machine code. A folder that cannot be written to is no error: the next run compiles again.
pub(super) fn store(folder: &Path, key: &str, code: &[u8]) {
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let unfinished = folder.join(format!("{key}.{}.part", std::process::id()));
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
}
