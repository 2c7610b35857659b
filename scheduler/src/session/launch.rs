//! Launching: plans a window or a part of one, reserves memory for its values, and sends the work
//! to the lanes.
use super::flights::Flight;
use super::memory::{Refusal, retired};
use super::options::SessionOptions;
use super::state::{Session, State};
use crate::error::RunError;
use crate::finalise::{Liveness, Place};
use crate::instance::Instance;
use crate::job::{Job, JobMemory, Late};
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::processes::awaited;
use crate::ready::{Ready, Target};
use crate::shards::{Shards, Storage};
use crate::timeline::Kind;
use phalanx_device::DeviceError;
use phalanx_distributed::Setup;
use phalanx_graph::{Cause, Error, Evaluation, Graph, Node, NodeData, NodeOp, Site};
use phalanx_ops::shape::size;
use phalanx_ops::{Bytes, Sharding};
use phalanx_waiting::{copying, is_attended};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Instant;

/// From this much work on, a plan runs on another thread, so that an attendant (see `waiting`) can
/// interrupt the wait. The cost is then small beside the plan.
const LONG_WORK: usize = 1 << 19;

/// Why a plan did not run, or that it ran and failed.
pub(super) enum Stop {
    /// There is too little memory; the values stay pending.
    Refused {
        /// The refused request and its device.
        refusal: DeviceError,
        /// Whether the request can never succeed.
        is_final: bool,
    },
    /// All values of the window fail with this error.
    Failed(Error),
    /// The plan ran, and its values carry the error.
    Ran(Error),
}

/// A window, or a part of one, to be planned and run.
pub(super) struct Work<'a> {
    pub graph: &'a Graph,
    /// For each node, whether its value is wanted.
    pub wanted: &'a [bool],
    /// For each leaf, whether it is needed afterwards, with or without a handle.
    pub kept: &'a [bool],
    pub cause: Cause,
    pub site: Site,
    /// The ticket of the window.
    pub ticket: Option<u64>,
    /// Whether copies may take the place of leaves that lie otherwise than their partners.
    pub may_replace: bool,
}

impl Session {
    /// The settings that plans depend on besides the window.
    pub(super) fn setup(&self) -> Setup<'_> {
        let SessionOptions { policy, lowerings, .. } = &self.options;
        Setup { mesh: &self.mesh, policy, lowerings: *lowerings }
    }

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

    pub(super) fn liveness(wanted: &[bool], plan: &Plan, donated: Arc<[bool]>) -> Liveness {
        let mut nodes = vec![false; plan.graph.nodes.len()];
        for (&wanted, &at) in wanted.iter().zip(&*plan.moved) {
            nodes[at.index()] |= wanted;
        }
        Liveness { nodes, donated }
    }

    /// For each node of a window, whether the program wants its value: it has a handle and no
    /// result yet.
    pub(super) fn wanted(graph: &Graph) -> Vec<bool> {
        let is_wanted = |data: &NodeData| data.node.is_live() && data.node.result().is_none();
        graph.nodes.iter().map(is_wanted).collect()
    }

    /// For each leaf, whether only the window needs it: it has no handle, it is not kept, and no
    /// other value shares its memory.
    pub(super) fn donated(graph: &Graph, kept: &[bool]) -> Arc<[bool]> {
        let is_donated = |(leaf, is_kept): (&Arc<Node>, &bool)| match leaf.result() {
            Some(Ok(value)) => !is_kept && !leaf.is_live() && Shards::of(value).is_sole_owner(),
            _ => false,
        };
        graph.leaves.iter().zip(kept).map(is_donated).collect()
    }

    /// The plan of the work last identified, ready to run.
    fn ready(
        &self,
        state: &mut State,
        work: &Work<'_>,
        leaves: &[Sharding],
        donated: &Arc<[bool]>,
    ) -> Result<Arc<Ready>, RunError> {
        let target = Target {
            setup: self.setup(),
            devices: self.first_device..self.first_device + self.devices.len(),
            kernels: &self.kernels,
            is_named: self.recording.is_some(),
            most_moved: self.most_moved(),
        };
        let liveness = |plan: &Plan| Session::liveness(work.wanted, plan, donated.clone());
        state.plans.ready(work.graph, leaves, &target, liveness)
    }

    /// Fails all values of a window with an error.
    pub(super) fn lost(&self, graph: &Graph, error: Error) -> Evaluation {
        graph.nodes.iter().for_each(|data| data.node.finish(Err(error.clone())));
        Evaluation::from(Err(error))
    }

    /// Plans the work identified last and starts it. On return the wanted values have their memory.
    pub(super) fn launch(
        &self,
        state: &mut State,
        work: &Work<'_>,
        leaves: &[Sharding],
    ) -> Result<(), Stop> {
        let begun = self.recording.as_ref().map(|recording| (recording, Instant::now()));
        let &Work { graph, kept, cause, site, ticket, .. } = work;
        let fail = |error: RunError| Stop::Failed(Error::failure(error, Some(site)));
        let donated = Session::donated(graph, kept);
        let ready = self.ready(state, work, leaves, &donated);
        let ready = ready.map_err(|error| fail(self.fatal(error)))?;
        if work.may_replace && !ready.moves.is_empty() {
            let replaced = self.replaced(graph, &ready.moves, site);
            Session::note_moves(graph, &ready.moves);
            if let Some(replaced) = replaced {
                match self.launch_replaced(state, work, &replaced) {
                    // Without copies, the window may need less memory.
                    Err(Stop::Refused { .. }) => {
                        state.plans.identify(graph, leaves);
                        let work = Work { may_replace: false, ..*work };
                        return self.launch(state, &work, leaves);
                    }
                    launched => return launched,
                }
            }
        }
        while state.flights.len() >= self.most_flying {
            // The values of the plan carry its error.
            let _ended = state.flights.pop();
        }
        let loaded = ready.load(&self.devices, self.options.routines);
        loaded.map_err(|error| fail(self.fatal(error)))?;
        let memory = self.reserve_agreed(&mut state.flights, &ready, graph);
        let memory = memory.map_err(|refusal| match refusal {
            Refusal::Memory { refusal, is_final } => Stop::Refused { refusal, is_final },
            Refusal::World(error) => fail(error),
        })?;
        let needed = graph.leaves.iter().filter_map(|leaf| match leaf.result() {
            Some(Ok(value)) => Shards::of(value).unknown_outcome(),
            _ => None,
        });
        let ticket = ticket.filter(|_| ready.communicates());
        let outcome = Outcome::pending(self.devices.len(), ticket, needed.collect());
        let (live, late) = self.publish(work, &ready, &memory, &outcome);
        let scalars = graph.scalars.iter().chain(&*ready.constants).copied().collect();
        let runs_here = state.flights.len() == 0 && self.runs_here(&ready, graph, cause);
        let retired = if runs_here { Vec::new() } else { retired(&memory, &live, graph, &donated) };
        let number = state.windows as u32;
        // All devices have received the plans before, if one may wait for another.
        let loads = ready.loads(self.devices.iter().map(|device| device.forgotten()).sum());
        let given = outcome.clone();
        let job = Job { ready, scalars, memory, late, outcome: given, site, loads, number };
        state.windows += 1;
        if let Some((recording, begun)) = begun {
            let name = format!("plan of {} operations, closed at {site}", graph.nodes.len());
            recording.program.note(Kind::Plan, &name, begun, number);
        }
        if runs_here {
            self.run_here(state, &job).map_err(fail)?;
            return outcome.wait_surely().map_err(Stop::Ran);
        }
        let job = Arc::new(job);
        for lane in &mut state.lanes {
            if let Err(error) = lane.send(&job) {
                // The abort keeps other devices from waiting for this one.
                outcome.finish(Err(self.fatal(error)), site);
            }
        }
        state.flights.push(Flight { outcome, retired });
        Ok(())
    }

    /// Gives each wanted node its value, in the memory that the plan writes. Returns the places of
    /// these values, and those whose shape depends on data.
    fn publish(
        &self,
        work: &Work<'_>,
        ready: &Ready,
        memory: &[JobMemory],
        outcome: &Arc<Outcome>,
    ) -> (SmallVec<[Place; 4]>, Late) {
        let mut places: SmallVec<[Place; 4]> = SmallVec::new();
        let mut storages: SmallVec<[Arc<Storage>; 4]> = SmallVec::new();
        let mut late = Vec::new();
        let nodes = work.graph.nodes.iter().zip(&*ready.moved).zip(work.wanted);
        for ((node, &at), _) in nodes.filter(|(_, is_wanted)| **is_wanted) {
            let Some(place) = ready.places[at.index()] else {
                unreachable!("bug: a live value without a place")
            };
            let known = places.iter().position(|known| *known == place);
            let known = known.unwrap_or_else(|| {
                let storage = storage(work.graph, memory, place);
                self.live.note(&storage, node.dtype, &node.shape, node.site);
                places.push(place);
                storages.push(storage);
                places.len() - 1
            });
            let (storage, outcome) = (storages[known].clone(), Some(outcome.clone()));
            let sharding = ready.placements[at.index()].output.clone();
            let mut shards = Shards::new(node.dtype, &node.shape, sharding, storage, outcome);
            let is_late = node.op == NodeOp::Compress;
            if is_late {
                shards = shards.with_unknown_shape();
            }
            let shards = Arc::new(shards);
            if is_late {
                late.push((at, shards.clone()));
            }
            node.node.finish(Ok(shards));
        }
        (places, late)
    }

    /// Runs a job of one device on the calling thread.
    fn run_here(&self, state: &State, job: &Job) -> Result<(), RunError> {
        let run = || state.lanes[0].run(job);
        if self.world.is_bound_to_thread() {
            // The plan waits for other processes on this thread.
            return awaited(&self.world, || {
                run();
                Ok(())
            });
        }
        // The plan takes about as long as copying its elements; other threads may use the
        // interpreter.
        let work: usize = job.ready.instances.iter().map(Instance::work).sum();
        copying(work.saturating_mul(size_of::<f64>()), run);
        Ok(())
    }

    /// Whether a plan runs on the calling thread. That needs a single device, and a caller that
    /// waits anyway or a plan that ends before another thread would wake.
    fn runs_here(&self, ready: &Ready, graph: &Graph, cause: Cause) -> bool {
        let [instance] = ready.instances.as_slice() else { return false };
        // With MPI no other thread may call the library.
        if self.world.is_bound_to_thread() {
            return true;
        }
        if !self.devices[0].is_host() {
            // A GPU's work is only enqueued. If nobody waits for it, the caller records meanwhile.
            return cause != Cause::Limit;
        }
        // An attended thread only waits, so that others can use the interpreter and the user can
        // interrupt it.
        if is_attended() && (instance.work() >= LONG_WORK || ready.communicates()) {
            return false;
        }
        if cause != Cause::Limit {
            return true;
        }
        let bytes = |leaf: &Arc<Node>| Bytes::of(size(leaf.shape()), leaf.dtype().size());
        let leaves: Bytes = graph.leaves.iter().map(bytes).sum();
        let slots: Bytes = instance.slots.iter().copied().sum();
        self.world.size() == 1 && leaves + slots < self.options.limits.small
    }
}

/// The memory of a place on all devices of this process.
fn storage(graph: &Graph, memory: &[JobMemory], place: Place) -> Arc<Storage> {
    match place {
        Place::Slot(slot) => {
            let buffers = memory.iter().map(|memory| memory.slots[slot.index()].clone());
            Storage::new(buffers)
        }
        Place::Leaf(leaf) => match graph.leaves[leaf.index()].result() {
            Some(Ok(value)) => Shards::of(value).storage(),
            _ => unreachable!("bug: a plan ran with a leaf that has no value"),
        },
    }
}
