//! Errors of reading and writing files.

use phalanx_graph::Failure;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// An error of reading or writing a file.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum IoError {
    /// The system refused to open or read a file.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The kind of failure.
        kind: ErrorKind,
        /// The message of the system.
        reason: String,
    },
    /// The system refused to create, write or rename a file. An older file of that name is
    /// unchanged.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The kind of failure.
        kind: ErrorKind,
        /// The message of the system.
        reason: String,
    },
    /// A file does not start with the bytes of an `.npy` file.
    #[error("{} is not an .npy file: it starts with {found:02x?}", path.display())]
    NotNpy {
        /// The file.
        path: PathBuf,
        /// The file's first bytes, at most six.
        found: Vec<u8>,
    },
    /// The header of an `.npy` file is not valid.
    #[error("{} has a bad .npy header: {problem}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The problem.
        #[source]
        problem: HeaderProblem,
    },
    /// A file ends before its data are complete.
    #[error("{} is cut short: {expected} bytes of {part} expected, {found} found", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// `header` or `data`.
        part: &'static str,
        /// The expected number of bytes.
        expected: u64,
        /// The number of bytes found.
        found: u64,
    },
    /// A file contains Python objects, which can only be read by executing code from the file.
    #[error("{} holds Python objects (dtype {descr}), which are never loaded", path.display())]
    ObjectArray {
        /// The file.
        path: PathBuf,
        /// The dtype as the file spells it.
        descr: String,
    },
    /// A dtype of NumPy that arrays do not support.
    #[error("{}: arrays do not have the dtype {descr}", path.display())]
    UnsupportedDtype {
        /// The file.
        path: PathBuf,
        /// The dtype as the file spells it.
        descr: String,
    },
    /// The shape needs more bytes than can be addressed.
    #[error("{}: an array of shape {shape:?} cannot be addressed", path.display())]
    SizeOverflow {
        /// The file.
        path: PathBuf,
        /// The shape that the file declares.
        shape: Vec<u128>,
    },
    /// An `.npz` file is not a readable zip archive, or cannot be written as one.
    #[error("{}: {reason}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// The problem of the archive.
        reason: String,
    },
    /// An `.npz` file has no array with that name.
    #[error("{} holds no array `{name}`; it has {}", path.display(), list(available))]
    NoSuchArray {
        /// The file.
        path: PathBuf,
        /// The requested name.
        name: String,
        /// The names of the arrays in the file.
        available: Vec<String>,
    },
}

/// The problem of the header of an `.npy` file.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum HeaderProblem {
    /// The version is not one of NumPy's.
    #[error("format version {major}.{minor} is not 1.0, 2.0 or 3.0")]
    Version {
        /// The major number.
        major: u8,
        /// The minor number.
        minor: u8,
    },
    /// The header is longer than any header of a supported dtype.
    #[error("its length is {length} bytes, the limit is {limit}")]
    TooLong {
        /// The number of bytes of the header.
        length: u64,
        /// The limit.
        limit: u64,
    },
    /// The header is not text.
    #[error("it is not text")]
    NotText,
    /// The header is not a dictionary of the expected form.
    #[error("{expected} expected at byte {at}")]
    Syntax {
        /// The offset in bytes from the start of the dictionary.
        at: usize,
        /// The text that was expected there.
        expected: &'static str,
    },
    /// The dictionary lacks a key.
    #[error("the key `{key}` is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
}

impl IoError {
    /// The stable code of the error.
    pub const fn code(&self) -> &'static str {
        match self {
            IoError::Read { .. } => "PX080",
            IoError::Write { .. } => "PX081",
            IoError::NotNpy { .. } => "PX082",
            IoError::Header { .. } => "PX083",
            IoError::Truncated { .. } => "PX084",
            IoError::ObjectArray { .. } => "PX085",
            IoError::UnsupportedDtype { .. } => "PX086",
            IoError::SizeOverflow { .. } => "PX087",
            IoError::Archive { .. } => "PX088",
            IoError::NoSuchArray { .. } => "PX089",
        }
    }

    /// An instruction for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            IoError::Read { kind: ErrorKind::NotFound, .. } => {
                "check the name; relative names start at the folder the program runs in"
            }
            IoError::Read { kind: ErrorKind::OutOfMemory, .. } => {
                "the array is larger than the memory of this machine"
            }
            IoError::Read { .. } => "check that the name is a file and that you may read it",
            IoError::Write { kind: ErrorKind::StorageFull, .. } => {
                "free some space, or write to another disk; an older file of that name is untouched"
            }
            IoError::Write { kind: ErrorKind::NotFound, .. } => {
                "create the folder of the file first"
            }
            IoError::Write { .. } => {
                "check that the folder exists and that you may write there; \
                 an older file of that name is untouched"
            }
            IoError::NotNpy { found, .. } if found.starts_with(b"PK") => {
                "this is a zip archive: if it is an .npz file, load an array of it by its name"
            }
            IoError::NotNpy { .. } => "write the file with numpy.save",
            IoError::Header { .. } => "the file is damaged: write it again with numpy.save",
            IoError::Truncated { .. } => "the file is incomplete: copy or write it again",
            IoError::ObjectArray { .. } => {
                "give the array a numeric dtype in NumPy: a.astype(float)"
            }
            IoError::UnsupportedDtype { .. } => {
                "convert the array with astype in NumPy, and save it again"
            }
            IoError::SizeOverflow { .. } => "the file is damaged, or was not written by NumPy",
            IoError::Archive { .. } => {
                "write the file with numpy.savez or numpy.savez_compressed, one name for each array"
            }
            IoError::NoSuchArray { .. } => "ask for one of the names that the file has",
        }
    }
}

/// The error for a system error when `path` is read.
pub(super) fn read_error(path: &Path, error: &io::Error) -> IoError {
    IoError::Read { path: path.to_owned(), kind: error.kind(), reason: error.to_string() }
}

/// The error for a lack of memory when `path` is read.
pub(super) fn out_of_memory(path: &Path) -> IoError {
    read_error(path, &ErrorKind::OutOfMemory.into())
}

impl Failure for IoError {
    fn code(&self) -> &'static str {
        IoError::code(self)
    }

    fn hint(&self) -> &'static str {
        IoError::hint(self)
    }

    fn numpy_class(&self) -> &'static str {
        match self {
            IoError::Read { kind, .. } | IoError::Write { kind, .. } => match kind {
                ErrorKind::NotFound => "FileNotFoundError",
                ErrorKind::PermissionDenied => "PermissionError",
                ErrorKind::OutOfMemory => "MemoryError",
                _ => "OSError",
            },
            IoError::NoSuchArray { .. } => "KeyError",
            IoError::NotNpy { .. }
            | IoError::Header { .. }
            | IoError::Truncated { .. }
            | IoError::ObjectArray { .. }
            | IoError::UnsupportedDtype { .. }
            | IoError::SizeOverflow { .. }
            | IoError::Archive { .. } => "ValueError",
        }
    }
}

/// The names, formatted for a message.
fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
