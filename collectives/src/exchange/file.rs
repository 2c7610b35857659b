//! A file that all processes can open, such as one in the user's home folder.
//!
//! Rank 0 writes the whole file (under another name, then a rename), readable by its owner only,
//! and removes it when all have met. The others accept the file only if it belongs to their user,
//! nobody else can open it, its job and number are theirs, and the object that its text describes
//! exists. They ignore a file that a killed job has left until rank 0 replaces it.

use super::way::{Exchange, ExchangeError, late};
use crate::private_file::{Links, read_private};
use phalanx_waiting::look;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const WAY: &str = "a file";
/// The first line, with the version of the format.
const HEAD: &str = "phalanx meeting 1";
/// The interval between two checks of the file.
const PAUSE: Duration = Duration::from_millis(20);
/// The most bytes that are read from the file.
const LONGEST: u64 = 1 << 16;

/// The number of exchanges so far. It distinguishes the files of different exchanges.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The exchange by a file. On rank 0, dropping it removes the file.
pub struct MeetingFile {
    path: PathBuf,
    job: String,
    is_there: fn(&str) -> bool,
    written: Option<String>,
}

impl MeetingFile {
    /// The exchange by the file at `path`, which processes of the same `job` share. `is_there`
    /// tests whether the thing that a text describes exists; the thing of an earlier run does not.
    pub fn new(path: PathBuf, job: &str, is_there: fn(&str) -> bool) -> MeetingFile {
        MeetingFile { path, job: job.replace('\n', " "), is_there, written: None }
    }

    /// Writes the file atomically under its name.
    fn write(&mut self, content: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut new = self.path.clone().into_os_string();
        new.push(format!(".{}.new", std::process::id()));
        let new = PathBuf::from(new);
        // An earlier process with the same id may have left such a file.
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        let written = file.write_all(content.as_bytes()).and_then(|()| file.sync_all());
        let written = written.and_then(|()| fs::rename(&new, &self.path));
        if written.is_err() {
            // Report the first error only.
            let _ = fs::remove_file(&new);
        } else {
            self.written = Some(content.to_owned());
        }
        written
    }

    /// The text of the file, if it belongs to this meeting; otherwise why not.
    fn read(&self, head: &str) -> Result<String, String> {
        let content = content(&self.path)?;
        let text = content.strip_prefix(head).ok_or("it belongs to another job or an old run")?;
        if !(self.is_there)(text) {
            return Err(String::from("the process that wrote it has ended"));
        }
        Ok(text.to_owned())
    }
}

/// The content of a file of this user that nobody else can open.
fn content(path: &Path) -> Result<String, String> {
    let content = read_private(path, LONGEST, Links::Refused);
    let content = content.map_err(|error| error.to_string())?;
    String::from_utf8(content).map_err(|error| error.to_string())
}

impl Exchange for MeetingFile {
    fn name(&self) -> &'static str {
        WAY
    }

    fn broadcast(&mut self, own: Option<&str>, timeout: Duration) -> Result<String, ExchangeError> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let head = format!("{HEAD}\n{} {number}\n", self.job);
        let named = |path: &Path, reason: &str| {
            ExchangeError::new(WAY, format!("{}: {reason}", path.display()))
        };
        if let Some(own) = own {
            let written = self.write(&format!("{head}{own}"));
            return match written {
                Ok(()) => Ok(own.to_owned()),
                Err(error) => Err(named(&self.path, &error.to_string())),
            };
        }
        let deadline = Instant::now() + timeout;
        loop {
            let reason = match self.read(&head) {
                Ok(text) => return Ok(text),
                Err(reason) => reason,
            };
            if look() {
                return Err(named(&self.path, "the user interrupted the wait"));
            }
            if Instant::now() >= deadline {
                return Err(named(&self.path, &format!("{} ({reason})", late(timeout))));
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for MeetingFile {
    fn drop(&mut self) {
        let Some(written) = self.written.take() else { return };
        // Another job may have put its own file there.
        if content(&self.path).is_ok_and(|content| content == written) {
            // A file that stays is recognised as old.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir();
        let folder = folder.join(format!("phalanx-meeting-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn is_new(text: &str) -> bool {
        text == "new"
    }

    #[test]
    fn files_of_earlier_runs_and_other_users_are_ignored() {
        let folder = folder("past");
        let path = folder.join("below/meeting");
        let mut first = MeetingFile::new(path.clone(), "job 1", is_new);
        let head = format!("{HEAD}\njob 1 0\n");
        assert!(first.read(&head).is_err(), "there is none");
        first.write(&format!("{head}old")).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let other = MeetingFile::new(path.clone(), "job 1", is_new);
        assert_eq!(other.read(&head), Err(String::from("the process that wrote it has ended")));
        first.write(&format!("{head}new")).unwrap();
        assert_eq!(other.read(&head).as_deref(), Ok("new"));
        let of_another = other.read(&format!("{HEAD}\njob 2 0\n")).unwrap_err();
        assert!(of_another.contains("another job"), "{of_another}");

        fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        assert!(other.read(&head).unwrap_err().contains("other users can open it"));
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        assert!(content(Path::new("/dev/zero")).unwrap_err().contains("it is no file"));
        let link = folder.join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(content(&link).is_err(), "a link may lead anywhere");

        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left");
        drop(first);
        assert!(!path.exists(), "the secret is removed when all have met");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_waiting_process_receives_the_text() {
        let folder = folder("wait");
        let path = folder.join("meeting");
        let late = MeetingFile::new(path.clone(), "job", is_new)
            .broadcast(None, Duration::from_millis(1))
            .unwrap_err();
        assert!(late.to_string().contains("within 0.001 s"), "{late}");
        // All processes of a world count alike; here one process plays both.
        let number = COUNT.load(Ordering::Relaxed);
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut file = MeetingFile::new(path, "job", is_new);
                file.broadcast(None, Duration::from_secs(60))
            }
        });
        let mut first = MeetingFile::new(path, "job", is_new);
        first.write(&format!("{HEAD}\njob {number}\nnew")).unwrap();
        assert_eq!(waiting.join().unwrap().as_deref(), Ok("new"));
        fs::remove_dir_all(folder).unwrap();
    }
}
