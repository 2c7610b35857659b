//! Detects forks. A forked process inherits memory and sockets, but no threads.
//!
//! A type that depends on threads stores the [`Process`] that made it, and checks it before it
//! waits for them. A forked child replaces the sockets of a world with `/dev/null` at once: if the
//! child kept them, the other ranks would not see the connections end when the parent dies.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// The number of forks between the first process and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);
/// The sockets that forked children must not keep.
static SOCKETS: Mutex<Vec<RawFd>> = Mutex::new(Vec::new());

/// The identity of a process, which differs from that of its forks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process(u64);

impl Process {
    /// The running process.
    pub fn own() -> Process {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // SAFETY: `forked` does only what a fork handler may do: it allocates nothing, waits
            // for no lock, and calls nothing but `open`, `dup2` and `close`.
            let status = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
            if status != 0 {
                tracing::warn!("forks of this process will not be detected");
            }
        });
        Process(FORKS.load(Ordering::Relaxed))
    }

    /// Whether this is the running process.
    pub fn is_own(self) -> bool {
        self.0 == FORKS.load(Ordering::Relaxed)
    }

    /// The fork depth: it differs from the number of every ancestor and descendant of the process.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// Makes the forks of this process lose these sockets, until `release` is called.
pub(crate) fn keep(sockets: &[RawFd]) {
    known().extend(sockets);
}

/// Stops keeping these sockets from forks; call it before they are closed.
pub(crate) fn release(sockets: &[RawFd]) {
    known().retain(|socket| !sockets.contains(socket));
}

fn known() -> MutexGuard<'static, Vec<RawFd>> {
    SOCKETS.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // A thread that does not exist in this process may hold the lock for ever. Then the child keeps
    // the sockets, and the others notice the parent's death later.
    let Ok(sockets) = SOCKETS.try_lock() else { return };
    // SAFETY: the path ends with a zero.
    let nothing = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    for socket in sockets.iter() {
        // SAFETY: the descriptors stay open, because code that owns them may close them. The
        // sockets themselves stay open in the parent process.
        unsafe { libc::dup2(nothing, *socket) };
    }
    // SAFETY: no other code knows this descriptor.
    unsafe { libc::close(nothing) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_fork_knows_that_it_is_one_and_has_no_sockets() {
        let process = Process::own();
        let (mut kept, mut far) = UnixStream::pair().unwrap();
        keep(&[kept.as_raw_fd()]);
        // SAFETY: the child calls `write`, which is allowed in a fork of a process with threads,
        // and ends at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let is_well = !process.is_own() && Process(FORKS.load(Ordering::Relaxed)).is_own();
            // The socket is `/dev/null` here.
            // SAFETY: two bytes are read.
            let written = unsafe { libc::write(kept.as_raw_fd(), b"no".as_ptr().cast(), 2) };
            let is_well = is_well && written == 2;
            // SAFETY: ends the child.
            unsafe { libc::_exit(if is_well { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: the child is this process's, and the status is one integer.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
        release(&[kept.as_raw_fd()]);
        assert!(process.is_own());
        kept.write_all(b"yes").unwrap();
        drop(kept);
        let mut received = String::new();
        far.read_to_string(&mut received).unwrap();
        assert_eq!(received, "yes");
    }
}
