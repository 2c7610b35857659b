//! The thread that ends communicator groups of GPUs when the world ends, and the world when a group
//! fails.

use super::peers::{END, Peers};
use crate::CollectiveError;
use crate::transport::Fabric;
use phalanx_device::cuda::NcclCommunicator;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// The interval between two checks of the world.
const LOOK: Duration = Duration::from_millis(10);
/// The number of checks of the world for each check of the communicator groups, which calls the
/// library.
const LOOKS: u32 = 20;

/// All communicator groups of GPUs of a process in a world.
pub(crate) struct Watch {
    fabric: Arc<Fabric>,
    links: Mutex<Vec<Weak<NcclCommunicator>>>,
    /// Communicator groups that read each other's memory. Their kernels may run after the group is
    /// dropped.
    peers: Mutex<Vec<Arc<Peers>>>,
    is_watching: AtomicBool,
}

impl Watch {
    pub(crate) fn new(fabric: Arc<Fabric>) -> Arc<Watch> {
        let (links, peers) = (Mutex::default(), Mutex::default());
        Arc::new(Watch { fabric, links, peers, is_watching: AtomicBool::new(false) })
    }

    /// Watches a new communicator group. The group ends at once if the world has ended.
    ///
    /// Errors: the error that ended the world; `Network` if no thread can be started.
    pub(super) fn add(
        self: &Arc<Self>,
        link: &Arc<NcclCommunicator>,
    ) -> Result<(), CollectiveError> {
        {
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            links.retain(|link| link.strong_count() > 0);
            links.push(Arc::downgrade(link));
        }
        if !self.is_watching.swap(true, Ordering::SeqCst) {
            let (own, fabric) = (Arc::downgrade(self), self.fabric.clone());
            let thread = std::thread::Builder::new().name(String::from("phalanx-gpu-groups"));
            thread
                .spawn(move || while watches(&own, &fabric) {})
                .map_err(|error| CollectiveError::network(&error))?;
        }
        let outcome = self.fabric.failure.check();
        if outcome.is_err() {
            link.abort();
        }
        outcome
    }

    /// Keeps a new communicator group that reads each other's memory, and ends it if the world has
    /// ended.
    ///
    /// Errors: the error that ended the world.
    pub(super) fn add_peers(&self, peers: &Arc<Peers>) -> Result<(), CollectiveError> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner).push(peers.clone());
        let outcome = self.fabric.failure.check();
        if outcome.is_err() {
            peers.stop();
        }
        outcome
    }

    fn all_peers(&self) -> Vec<Arc<Peers>> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until no kernel of this process reads the memory of others, for a limited time.
    pub(crate) fn settle(&self) {
        self.all_peers().iter().for_each(|peers| peers.settle(&self.fabric.failure));
    }

    fn alive(&self) -> Vec<Arc<NcclCommunicator>> {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.iter().filter_map(Weak::upgrade).collect()
    }

    /// Ends the world if a communicator group has failed.
    fn look(&self) {
        let failure = self.alive().iter().find_map(|link| link.failure());
        if let Some(failure) = failure {
            self.fabric.fail_of_device(&failure);
        }
    }

    /// Ends all communicator groups at once: one may wait for another of this process.
    fn end(&self) {
        // Waiting kernels delay later work of their streams.
        self.all_peers().iter().for_each(|peers| peers.stop());
        let links = self.alive();
        std::thread::scope(|scope| {
            for link in &links {
                scope.spawn(|| link.abort());
            }
        });
        // A message may wait again, because a peer has not yet noticed the failure.
        for peers in self.all_peers() {
            let _ = peers.is_idle_within(END, || true);
        }
    }
}

/// Checks for a while. Returns whether there is something left to watch. It holds no handle between
/// checks, so the session's end frees the GPUs, not the process's exit.
fn watches(watch: &Weak<Watch>, fabric: &Fabric) -> bool {
    for _ in 0..LOOKS {
        if let Some(failure) = fabric.failure.get() {
            // A process that leaves normally drops the communicator groups.
            if let (Some(watch), true) = (watch.upgrade(), failure != CollectiveError::Closed) {
                watch.end();
            }
            return false;
        }
        if watch.strong_count() == 0 {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    watch.upgrade().is_some_and(|watch| {
        watch.look();
        true
    })
}

impl Drop for Watch {
    fn drop(&mut self) {
        let peers = self.all_peers();
        if !matches!(self.fabric.failure.get(), None | Some(CollectiveError::Closed)) {
            peers.iter().for_each(|peers| peers.stop());
        }
        peers.iter().for_each(|peers| peers.settle(&self.fabric.failure));
        for peers in &peers {
            // SAFETY: all members of this process have settled, and no caller is left: every member
            // holds a handle to this `Watch`.
            unsafe { peers.free() };
        }
    }
}
