//! Evaluation: a window gets its plan, its values get their memory, and the lanes get their work.

use super::Session;
use super::engine::State;
use super::memory::{Flight, Refusal, retired};
use crate::cache::Target;
use crate::error::RunError;
use crate::finalise::{Liveness, Place};
use crate::instance::Instance;
use crate::job::{Job, Outcome};
use crate::plan::Plan;
use crate::processes::awaited;
use crate::ready::Ready;
use crate::shards::{Shards, Storage};
use phalanx_array::{Cause, Error, Graph, Node, NodeData, NodeOp, Site};
use phalanx_ops::Sharding;
use phalanx_ops::waiting::{copying, is_attended};
use smallvec::SmallVec;
use std::sync::Arc;

/// Plans that may be under way, where nothing asks for fewer.
pub(super) const MOST_FLYING: usize = 2;
/// From how much work on a thread that somebody attends to has another one run a plan, so that the
/// wait can be interrupted: where that costs little beside the plan itself.
const LONG_WORK: usize = 1 << 19;

/// Why a window is not evaluated.
pub(super) enum Stop {
    /// There is too little memory; nothing is lost.
    Refused(Error),
    /// Its values are lost.
    Failed(Error),
}

/// Whether a node is computed for the program: it has a handle, and was not refused before.
fn is_wanted(node: &NodeData) -> bool {
    node.node.is_live() && node.node.result().is_none()
}

impl Session {
    pub(super) fn leaf_shardings(graph: &Graph) -> Result<Vec<Sharding>, Error> {
        graph
            .leaves
            .iter()
            .map(|leaf| match leaf.result() {
                Some(Ok(value)) => Ok(value.sharding().clone()),
                Some(Err(error)) => Err(error.clone()),
                None => unreachable!("bug: a leaf without a result"),
            })
            .collect()
    }

    pub(super) fn liveness(graph: &Graph, plan: &Plan, donated: Arc<[bool]>) -> Liveness {
        let mut nodes = vec![false; plan.graph.nodes.len()];
        for (node, &at) in graph.nodes.iter().zip(&*plan.moved) {
            nodes[at as usize] |= is_wanted(node);
        }
        Liveness { nodes, donated }
    }

    /// For each leaf, whether nobody but the window needs it.
    pub(super) fn donated(graph: &Graph) -> Arc<[bool]> {
        let is_donated = |leaf: &Arc<Node>| match leaf.result() {
            Some(Ok(value)) => !leaf.is_live() && Shards::of(value).is_sole_owner(),
            _ => false,
        };
        graph.leaves.iter().map(is_donated).collect()
    }

    fn ready(
        &self,
        state: &mut State,
        graph: &Graph,
        leaves: &[Sharding],
        donated: &Arc<[bool]>,
    ) -> Result<Arc<Ready>, RunError> {
        let target = Target {
            mesh: &self.mesh,
            policy: &self.options.policy,
            devices: self.first_device..self.first_device + self.devices.len(),
            kernels: &self.kernels,
        };
        let liveness = |plan: &Plan| Session::liveness(graph, plan, donated.clone());
        state.plans.ready(graph, leaves, &target, liveness)
    }

    /// Plans a window and has it run; its values have their memory when this returns.
    pub(super) fn start(
        &self,
        state: &mut State,
        graph: &Graph,
        cause: Cause,
        site: Site,
    ) -> Result<(), Stop> {
        let fail = |error: RunError| Stop::Failed(Error::failure(error, Some(site)));
        self.processes.check().map_err(fail)?;
        let leaves = Session::leaf_shardings(graph).map_err(Stop::Failed)?;
        let why = match cause {
            Cause::Observation => "observes a value",
            Cause::Print => "prints what was made",
            Cause::Data => "needs what depends on data",
            Cause::Limit => "closes a long window",
            Cause::Exit => "ends",
        };
        let window = state.plans.identify(graph, &leaves);
        let ticket = self.processes.post_close(graph, window, why, site);
        let donated = Session::donated(graph);
        let ready = self.ready(state, graph, &leaves, &donated);
        let ready = ready.map_err(|error| fail(self.fatal(error)))?;
        while state.flights.len() >= self.most_flying {
            state.flights.pop().unwrap_or(Ok(())).map_err(Stop::Failed)?;
        }
        ready.load(&self.devices).map_err(|error| fail(self.fatal(error)))?;
        let memory = self.reserve_agreed(&mut state.flights, &ready, graph);
        let memory = memory.map_err(|refusal| match refusal {
            Refusal::Plan(error) => Stop::Refused(Error::failure(error, Some(site))),
            Refusal::Data(error) | Refusal::World(error) => fail(error),
        })?;
        let outcome = Outcome::pending(self.devices.len(), ticket.filter(|_| ready.communicates()));
        let mut storages: SmallVec<[(Place, Arc<Storage>); 4]> = SmallVec::new();
        let mut late = Vec::new();
        for (node, &at) in graph.nodes.iter().zip(&*ready.moved) {
            if !is_wanted(node) {
                continue;
            }
            let Some(place) = ready.places[at as usize] else {
                unreachable!("bug: a live value without a place")
            };
            let known = storages.iter().position(|(known, _)| *known == place);
            let known = known.unwrap_or_else(|| {
                let storage = match place {
                    Place::Slot(slot) => {
                        let buffers = memory.iter().map(|memory| memory.slots[slot].clone());
                        Storage::new(buffers.collect())
                    }
                    Place::Leaf(leaf) => match graph.leaves[leaf as usize].result() {
                        Some(Ok(value)) => Shards::of(value).storage(),
                        _ => unreachable!("bug: checked above"),
                    },
                };
                self.live.note(&storage, node.dtype, &node.shape, node.site);
                storages.push((place, storage));
                storages.len() - 1
            });
            let storage = storages[known].1.clone();
            let sharding = ready.placements[at as usize].output.clone();
            let mut shards =
                Shards::new(node.dtype, &node.shape, sharding, storage, Some(outcome.clone()));
            if node.op == NodeOp::Compress {
                shards = shards.with_unknown_shape();
            }
            let shards = Arc::new(shards);
            if node.op == NodeOp::Compress {
                late.push((at, shards.clone()));
            }
            node.node.finish(Ok(shards));
        }
        let scalars = graph.scalars.clone();
        let runs_here = state.flights.len() == 0 && self.runs_here(&ready, graph, cause);
        let retired = if runs_here {
            Vec::new()
        } else {
            let live: SmallVec<[Place; 4]> = storages.iter().map(|(place, _)| *place).collect();
            retired(&memory, &live, |leaf| donated[leaf as usize])
        };
        let job = Job { ready, scalars, memory, late, outcome: outcome.clone(), site };
        state.windows += 1;
        if runs_here {
            let run = || state.lanes[0].run(&job);
            if self.world.is_bound_to_thread() {
                // It waits for other processes on this very thread.
                let waited = awaited(&self.world, || {
                    run();
                    Ok(())
                });
                waited.map_err(fail)?;
            } else {
                // As long as copying what is worked on: others may go on meanwhile.
                let work: usize = job.ready.instances.iter().map(Instance::work).sum();
                copying(work.saturating_mul(size_of::<f64>()), run);
            }
            return outcome.wait_surely().map_err(Stop::Failed);
        }
        let job = Arc::new(job);
        for lane in &mut state.lanes {
            if let Err(error) = lane.send(&job) {
                // The other devices must not wait for this one.
                outcome.finish(Err(self.fatal(error)), site);
            }
        }
        state.flights.push(Flight { outcome, retired });
        Ok(())
    }

    /// Whether a plan runs on the calling thread, which is only possible with one device: if the
    /// caller waits for it anyway, or if it is over before another thread is awake.
    fn runs_here(&self, ready: &Ready, graph: &Graph, cause: Cause) -> bool {
        let [instance] = ready.instances.as_slice() else { return false };
        // A GPU's work is only enqueued here. And no other thread may call the MPI library.
        if !self.devices[0].is_host() || self.world.is_bound_to_thread() {
            return true;
        }
        // A thread that others wait for, or that the user may interrupt, only waits itself.
        if is_attended() && (instance.work() >= LONG_WORK || ready.communicates()) {
            return false;
        }
        if cause != Cause::Limit {
            return true;
        }
        let leaves = graph.leaves.iter();
        let leaves: usize =
            leaves.map(|leaf| phalanx_ops::shape::size(leaf.shape()) * leaf.dtype().size()).sum();
        let slots: usize = instance.slots.iter().sum();
        self.world.size() == 1 && leaves + slots < self.options.limits.small
    }
}
