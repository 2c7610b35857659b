//! The sessions that this process has started: its rank, and the default mesh.

use phalanx_collectives::Process;
use phalanx_graph::{Error, MeshHandle, Site, call_site};
use phalanx_scheduler::RunError;
use phalanx_waiting::lock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The rank of this process in the newest session, and the number of processes.
static RANK: AtomicUsize = AtomicUsize::new(0);
static SIZE: AtomicUsize = AtomicUsize::new(1);
/// Stands for no process: no program forks this often.
const NOBODY: u64 = u64::MAX;
/// The process that started the newest session.
static PROCESS: AtomicU64 = AtomicU64::new(NOBODY);
/// The sessions that have started and not ended, the newest last.
static SESSIONS: Mutex<Vec<Begun>> = Mutex::new(Vec::new());

/// A started session, and the default mesh that it replaced.
struct Begun {
    mesh: MeshHandle,
    /// The default mesh before it; never the mesh of an ended session.
    replaced: Option<MeshHandle>,
}

/// The call of [`init`](super::init) whose session is running or about to start.
static INITIALISED: Mutex<Option<Site>> = Mutex::new(None);

/// Lets the call of `init` at `site` start a session, unless the session of another call, which is
/// returned, has not ended.
pub(super) fn claim(site: Site) -> Result<(), Site> {
    let mut initialised = lock(&INITIALISED);
    match *initialised {
        Some(begun) => Err(begun),
        None => {
            *initialised = Some(site);
            Ok(())
        }
    }
}

/// Lets `init` start a session again.
pub(super) fn release() {
    *lock(&INITIALISED) = None;
}

fn sessions() -> MutexGuard<'static, Vec<Begun>> {
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives the process a rank among a number of processes.
pub(super) fn become_rank(rank: usize, size: usize) {
    RANK.store(rank, Ordering::Relaxed);
    SIZE.store(size, Ordering::Relaxed);
}

/// Makes the mesh of a new session the default.
pub(super) fn begin(mesh: &MeshHandle) {
    PROCESS.store(Process::own().number(), Ordering::Relaxed);
    let mut sessions = sessions();
    let replaced = MeshHandle::set_default(Some(mesh.clone()));
    sessions.push(Begun { mesh: mesh.clone(), replaced });
    become_newest(&sessions);
}

/// Restores the default mesh that a session replaced, unless another mesh is the default now. The
/// mesh of this session never becomes the default again, in whatever order sessions end.
pub(super) fn end(mesh: &MeshHandle) {
    let mut sessions = sessions();
    let Some(position) = sessions.iter().position(|begun| begun.mesh.same(mesh)) else { return };
    let ended = sessions.remove(position);
    for later in &mut sessions[position..] {
        if later.replaced.as_ref().is_some_and(|replaced| replaced.same(mesh)) {
            later.replaced.clone_from(&ended.replaced);
        }
    }
    let current = MeshHandle::set_default(ended.replaced);
    if current.as_ref().is_none_or(|current| !current.same(mesh)) {
        MeshHandle::set_default(current);
    }
    become_newest(&sessions);
}

/// Gives the process its rank in the newest session again.
pub(super) fn restore_rank() {
    become_newest(&sessions());
}

/// Gives the process its rank in the newest session.
fn become_newest(sessions: &[Begun]) {
    if let Some(newest) = sessions.last() {
        let (rank, size) = newest.mesh.engine().process();
        become_rank(rank, size);
    }
}

/// The rank of this process. Local.
pub fn rank() -> usize {
    RANK.load(Ordering::Relaxed)
}

/// The number of processes. Local.
pub fn size() -> usize {
    SIZE.load(Ordering::Relaxed)
}

/// Checks that this process started the newest session. A process forked after `init` has the
/// memory of a session, but neither its threads nor its place in the world. Local.
///
/// Errors: `PX037`.
#[track_caller]
pub fn check_process() -> Result<(), Error> {
    match PROCESS.load(Ordering::Relaxed) {
        NOBODY => Ok(()),
        begun if begun == Process::own().number() => Ok(()),
        _ => Err(Error::failure(RunError::Forked, Some(call_site()))),
    }
}
