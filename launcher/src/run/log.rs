//! The log files of the ranks.

use crate::error::{LauncherError, Need};
use std::fs::{File, create_dir_all};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The log file of one rank, shared by the threads that read its output and its errors.
#[derive(Clone)]
pub struct Log {
    /// `None` once a write has failed.
    file: Arc<Mutex<Option<File>>>,
    rank: usize,
}

/// Creates `rank-0.log`, `rank-1.log` and so on in a folder, and the folder if it does not exist.
/// Overwrites the files of an earlier run.
pub fn files(folder: &Path, ranks: usize) -> Result<Vec<Log>, LauncherError> {
    let made = create_dir_all(folder).and_then(|()| {
        let file = |rank| File::create(folder.join(format!("rank-{rank}.log")));
        (0..ranks).map(|rank| Ok(Log::new(rank, file(rank)?))).collect()
    });
    made.map_err(|source| LauncherError::Preparation { need: Need::Log, source })
}

impl Log {
    fn new(rank: usize, file: File) -> Log {
        Log { file: Arc::new(Mutex::new(Some(file))), rank }
    }

    /// Writes bytes as they arrive. A full disk ends the log, with one message, but not the run.
    pub fn write(&self, bytes: &[u8]) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.as_mut().map_or(Ok(()), |file| file.write_all(bytes));
        if let Err(error) = written {
            *file = None;
            eprintln!("phalanx: the log of rank {} ends here: {error}", self.rank);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_has_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("a/b");
        let logs = files(&inside, 2).unwrap_or_else(|error| panic!("{}", error.report()));
        logs[1].write(b"one");
        logs[1].clone().write(b" two");
        assert_eq!(std::fs::read(inside.join("rank-1.log")).unwrap(), b"one two");
        assert_eq!(std::fs::read(inside.join("rank-0.log")).unwrap(), b"");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = files(file.path(), 1).err().unwrap();
        assert!(error.report().contains("--logs"), "{}", error.report());
    }

    #[test]
    fn a_failed_write_ends_the_log() {
        let file = File::open("/dev/null").unwrap();
        let log = Log::new(0, file);
        log.write(b"x");
        assert!(log.file.lock().unwrap().is_none());
    }
}
