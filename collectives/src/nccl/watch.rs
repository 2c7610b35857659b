//! The thread that ends groups of GPUs when the world ends, and the world when a group fails.

use super::member::failed;
use crate::CollectiveError;
use crate::transport::Fabric;
use phalanx_device::cuda::NcclCommunicator;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// The pause between two looks at the world.
const LOOK: Duration = Duration::from_millis(10);
/// Looks at the world for each look at the groups, which asks the library.
const LOOKS: u32 = 20;

/// All groups of GPUs of a process in a world.
pub(crate) struct Watch {
    fabric: Arc<Fabric>,
    links: Mutex<Vec<Weak<NcclCommunicator>>>,
    is_watching: AtomicBool,
}

impl Watch {
    pub(crate) fn new(fabric: Arc<Fabric>) -> Arc<Watch> {
        Arc::new(Watch { fabric, links: Mutex::default(), is_watching: AtomicBool::new(false) })
    }

    /// Watches a new group, which ends at once if the world has.
    ///
    /// Errors: why the world has ended; `Network` where there is no thread.
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
            let own = Arc::downgrade(self);
            let thread = std::thread::Builder::new().name(String::from("phalanx-gpu-groups"));
            thread
                .spawn(move || while own.upgrade().is_some_and(|own| own.turn()) {})
                .map_err(|error| CollectiveError::network(&error))?;
        }
        let outcome = self.fabric.failure.check();
        if outcome.is_err() {
            link.abort();
        }
        outcome
    }

    fn alive(&self) -> Vec<Arc<NcclCommunicator>> {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.iter().filter_map(Weak::upgrade).collect()
    }

    /// Looks for a while; says whether there is something left to look at.
    fn turn(&self) -> bool {
        for _ in 0..LOOKS {
            if let Some(failure) = self.fabric.failure.get() {
                // Whoever leaves in peace drops the groups.
                if failure != CollectiveError::Closed {
                    self.end();
                }
                return false;
            }
            std::thread::sleep(LOOK);
        }
        let failure = self.alive().iter().find_map(|link| link.failure());
        if let Some(failure) = failure {
            self.fabric.fail(failed(&self.fabric, &failure));
        }
        true
    }

    /// Ends all groups at once: one may wait for another of this process.
    fn end(&self) {
        let links = self.alive();
        std::thread::scope(|scope| {
            for link in &links {
                scope.spawn(|| link.abort());
            }
        });
    }
}
