//! Reads files with secrets. A read never blocks on a pipe, and refuses files that other users can
//! open.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Why a file was refused.
#[derive(Debug)]
pub enum PrivateFileError {
    /// The system's error.
    System(io::Error),
    /// The path is a folder, a pipe, a device or a socket.
    NoFile,
    /// The file belongs to the user of this number.
    Foreign(u32),
    /// Other users may read or write the file; the value is its permission bits.
    Open(u32),
    /// The file is longer than this limit in bytes.
    Long(u64),
}

impl From<io::Error> for PrivateFileError {
    fn from(error: io::Error) -> PrivateFileError {
        PrivateFileError::System(error)
    }
}

impl fmt::Display for PrivateFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrivateFileError::System(error) => error.fmt(f),
            PrivateFileError::NoFile => f.write_str("it is no file, but a folder, pipe or device"),
            PrivateFileError::Foreign(user) => write!(f, "it belongs to another user ({user})"),
            PrivateFileError::Open(mode) => {
                write!(f, "other users can open it (its mode is {mode:03o})")
            }
            PrivateFileError::Long(most) => write!(f, "it has more than {most} bytes"),
        }
    }
}

/// Whether the last component of a path may be a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// For folders of secrets that a system replaces as a whole through links.
    Followed,
    /// For folders where other users may write.
    Refused,
}

/// Reads a file of at most `most` bytes that belongs to this user or to root and that nobody else
/// can open. All of this is checked before a byte is read. A pipe or device does not block the
/// call.
pub fn read_private(path: &Path, most: u64, links: Links) -> Result<Vec<u8>, PrivateFileError> {
    let links = if links == Links::Refused { libc::O_NOFOLLOW } else { 0 };
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY | links;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let known = file.metadata()?;
    // SAFETY: takes nothing and cannot fail.
    let own = unsafe { libc::geteuid() };
    if !known.is_file() {
        return Err(PrivateFileError::NoFile);
    }
    if known.uid() != own && known.uid() != 0 {
        return Err(PrivateFileError::Foreign(known.uid()));
    }
    if known.mode() & 0o077 != 0 {
        return Err(PrivateFileError::Open(known.mode() & 0o777));
    }
    let mut content = Vec::new();
    // The file may grow while it is read.
    file.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        return Err(PrivateFileError::Long(most));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs::{self, Permissions};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    #[test]
    fn pipes_devices_links_and_files_open_to_others_are_refused_at_once() {
        let folder = std::env::temp_dir();
        let folder = folder.join(format!("phalanx-private-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
        fs::write(at("own"), b"secret").unwrap();
        fs::set_permissions(at("own"), Permissions::from_mode(0o600)).unwrap();
        symlink(at("own"), at("link")).unwrap();
        let pipe = CString::new(at("pipe").as_os_str().as_bytes()).unwrap();
        // SAFETY: the path ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);

        let read = |name: &str, links| read_private(&at(name), 6, links);
        for name in ["own", "link"] {
            assert_eq!(read(name, Links::Followed).unwrap(), b"secret");
        }
        assert!(matches!(read("link", Links::Refused), Err(PrivateFileError::System(_))));
        // No process writes to the pipe, and the call must not wait for a writer.
        assert!(matches!(read("pipe", Links::Followed), Err(PrivateFileError::NoFile)));
        assert!(matches!(read("", Links::Followed), Err(PrivateFileError::NoFile)));
        let device = read_private(Path::new("/dev/zero"), 6, Links::Followed);
        assert!(matches!(device, Err(PrivateFileError::NoFile)));
        assert!(matches!(read("none", Links::Followed), Err(PrivateFileError::System(_))));
        let long = read_private(&at("own"), 5, Links::Followed);
        assert!(matches!(long, Err(PrivateFileError::Long(5))));
        fs::set_permissions(at("own"), Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(read("own", Links::Followed), Err(PrivateFileError::Open(0o640))));
        // Only root can give a file to another user.
        match chown(at("own"), Some(12_345), None) {
            Ok(()) => {
                fs::set_permissions(at("own"), Permissions::from_mode(0o600)).unwrap();
                let foreign = read("own", Links::Followed);
                assert!(matches!(foreign, Err(PrivateFileError::Foreign(12_345))));
            }
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::PermissionDenied),
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
