//! Remains that a job must not leave: processes, open ports, shared memory.

use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

trials![remains_of_a_job_are_found];

/// How long the remains of a job may exist: a launcher may not wait for processes that it kills,
/// and a busy machine takes its time to end them.
const PATIENCE: Duration = Duration::from_secs(30);

/// The shared memory that existed before a job started.
pub struct Before {
    shared: BTreeSet<PathBuf>,
}

/// Runs a job, and once more if it left shared memory: a killed job of another program of this
/// machine may have left that meanwhile, but hardly both times.
pub fn leaves_nothing<T>(told: &str, mut job: impl FnMut() -> (T, Vec<PathBuf>)) -> T {
    let (result, left) = job();
    if left.is_empty() {
        return result;
    }
    println!("{told}: {left:?} are left; once more");
    let (result, left) = job();
    assert!(left.is_empty(), "{told}: left are {left:?}");
    result
}

impl Before {
    /// The shared memory that exists now.
    pub fn now() -> Before {
        Before { shared: shared_memory() }
    }

    /// Checks that no process of the job runs, and that no process listens where its ranks met.
    /// The job's processes are those that know the path of its secret. Returns the shared memory
    /// that was made since the job started and that no process uses.
    pub fn left(&self, told: &str, token: &str, address: &str) -> Vec<PathBuf> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let (running, memory) = (running(token, address), self.memory());
            if running.is_empty() && memory.is_empty() || Instant::now() > deadline {
                assert!(running.is_empty(), "{told}: left are {running:?}");
                return memory;
            }
            // Memory that another job has just made, and not mapped yet, is not of this job.
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The new shared memory that no process uses. Tests that run beside this one use theirs.
    fn memory(&self) -> Vec<PathBuf> {
        let new = shared_memory().into_iter().filter(|path| !self.shared.contains(path));
        new.filter(|path| !is_mapped(path)).collect()
    }
}

/// The processes of a job, and one that listens at this address.
fn running(token: &str, address: &str) -> Vec<String> {
    let mut running: Vec<String> =
        processes(token).iter().map(|path| path.display().to_string()).collect();
    if TcpStream::connect(address).is_ok() {
        running.push(format!("a process that listens at {address}"));
    }
    running
}

/// The other processes with a text in their environment.
fn processes(token: &str) -> Vec<PathBuf> {
    // Those of other users, and those that have ended meanwhile, are not of this job.
    let knows = |path: &PathBuf| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.windows(token.len()).any(|part| part == token.as_bytes())
    };
    others().filter(knows).collect()
}

fn others() -> impl Iterator<Item = PathBuf> {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter(move |entry| entry.file_name().to_str() != Some(&own)).map(|entry| entry.path())
}

/// This user's shared memory that has a name.
fn shared_memory() -> BTreeSet<PathBuf> {
    let own = std::fs::metadata("/proc/self").map(|own| own.uid()).ok();
    let is_own = |path: &PathBuf| std::fs::metadata(path).map(|file| file.uid()).ok() == own;
    let entries = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_own).collect()
}

/// Whether a running process uses shared memory.
fn is_mapped(path: &Path) -> bool {
    let path = path.to_string_lossy();
    others().any(|process| {
        let maps = std::fs::read_to_string(process.join("maps")).unwrap_or_default();
        maps.contains(&*path)
    })
}

fn remains_of_a_job_are_found() {
    let (before, token) = (Before::now(), format!("a secret of process {}", std::process::id()));
    let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
    let address = listener.local_addr().expect("a bound socket has an address").to_string();
    let file = tempfile::Builder::new().prefix("left").tempfile_in("/dev/shm");
    let file = file.expect("there is shared memory");
    let mut process = Command::new("sleep").arg("60").env("SECRET", &token).spawn().expect("sleep");
    let are = |part: &str, left: &[String]| left.iter().any(|one| one.contains(part));
    let (deadline, mut left) = (Instant::now() + PATIENCE, Vec::new());
    // The environment of a program that has just started may not exist yet.
    while !are("/proc/", &left) && Instant::now() < deadline {
        left = running(&token, &address);
    }
    left.extend(before.memory().iter().map(|path| path.display().to_string()));
    process.kill().expect("the process is ours to kill");
    process.wait().expect("the process is ours to wait for");
    drop((listener, file));
    for part in ["/proc/", "a process that listens", "/dev/shm/left"] {
        assert!(are(part, &left), "{left:?}");
    }
    let told = "a test of remains";
    leaves_nothing(told, || ((), before.left(told, &token, &address)));
}
