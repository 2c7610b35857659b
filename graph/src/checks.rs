//! The conditions on data of a mesh, kept until the program observes a value: the error of a
//! condition that holds is raised then.

use crate::condition::Check;
use crate::engine::Cause;
use crate::error::{Error, Site};
use crate::node::{Held, Node};
use crate::window::MeshHandle;
use phalanx_ops::AffineMap;
use std::sync::Arc;

impl MeshHandle {
    /// Keeps a condition, a 0-d bool, and the error to raise if it holds. The next observation
    /// raises it. Local.
    pub fn check_later(&self, condition: Held, error: Error) {
        let mut checks = self.checks();
        // The condition of an operation whose capture another thread has ended meanwhile is not
        // computed, and the operation's value has an error.
        if condition.error_of_capture().is_none() {
            checks.push_back(Check { condition, error });
        }
    }

    /// Raises the first failure among the conditions that have been computed.
    ///
    /// `is_collective` means that all ranks make this call. Otherwise, with several processes, the
    /// failure is kept, so that the next Collective observation raises it on every rank.
    ///
    /// Local: only conditions that are computed are read. Errors: the failure, and those of the
    /// engine.
    pub fn raise_known(&self, is_collective: bool) -> Result<(), Error> {
        let takes = is_collective || self.engine().process().1 == 1;
        loop {
            let (condition, error) = match self.checks().front() {
                Some(check) if is_computed(&check.condition) => {
                    (check.condition.clone(), check.error.clone())
                }
                _ => return Ok(()),
            };
            let outcome = self.holds(&condition);
            if let Err(error) = &outcome
                && error.is_interrupt()
            {
                return outcome.map(drop);
            }
            let failed = !matches!(outcome, Ok(false));
            if takes || !failed {
                self.checks().pop_front();
            }
            match outcome {
                Ok(false) => {}
                Ok(true) => return Err(error),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Computes the pending conditions, and raises the first failure that has not been raised.
    /// Collective over the mesh. Errors: the failure, and those of the engine.
    pub fn raise_pending(&self, site: Site) -> Result<(), Error> {
        self.raise_known(true)?;
        let pending = self.checks().front().map(|check| check.condition.clone());
        match pending {
            Some(condition) => self.close_for(&condition, Cause::Observation, site)?,
            None => return Ok(()),
        }
        self.raise_known(true)
    }

    fn holds(&self, condition: &Arc<Node>) -> Result<bool, Error> {
        if let Some(element) = condition.element() {
            return Ok(element.bytes()[0] != 0);
        }
        let value = match condition.result() {
            Some(result) => result.clone()?,
            None => unreachable!("bug: a condition is read before it is computed"),
        };
        self.engine().wait(&value)?;
        match self.engine().read(&value, &[], &AffineMap::identity(&[]))? {
            Some(host) => Ok(host.bytes[0] != 0),
            None => unreachable!("bug: a 0-d value is held by every process"),
        }
    }
}

fn is_computed(condition: &Node) -> bool {
    condition.element().is_some() || condition.result().is_some()
}
