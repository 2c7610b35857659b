//! Evaluation: posts the ticket of a window and launches it, in parts if memory is short.
use super::launch::{Stop, Work};
use super::state::{Session, State};
use crate::error::RunError;
use crate::shards::Shards;
use phalanx_device::DeviceError;
use phalanx_graph::{Cause, Error, Evaluation, Graph, Input, Node, NodeId, Site, Source};
use phalanx_ops::memory::{BESIDE, has_some_left};
use std::sync::Arc;

/// From this many operations on, the host's memory is checked before planning.
const LONG_WINDOW: usize = 64;

impl Session {
    /// Plans a window and starts it. On return its values have their memory.
    pub(super) fn start(
        &self,
        state: &mut State,
        graph: &Graph,
        cause: Cause,
        site: Site,
    ) -> Evaluation {
        tracing::trace!(target: "phalanx::path", file = file!());
        let fail = |error: RunError| self.lost(graph, Error::failure(error, Some(site)));
        if let Err(error) = self.processes.check() {
            return fail(error);
        }
        if self.is_starved(graph) {
            let (device, in_use) = (String::from("the host"), self.devices[0].bytes_in_use());
            let refusal =
                DeviceError::OutOfMemory { device, requested: BESIDE, in_use, limit: None };
            return fail(self.too_little(refusal));
        }
        if let Some(sound) = self.sound(graph) {
            return self.start(state, &sound, cause, site);
        }
        let leaves = match Session::leaf_shardings(graph) {
            Ok(leaves) => leaves,
            Err(error) => return self.lost(graph, error),
        };
        let why = match cause {
            Cause::Observation => "observes a value",
            Cause::Print => "prints a value",
            Cause::Data => "needs data for a shape or a check",
            Cause::Limit => "closes a long window",
            Cause::Small => "runs small operations",
            Cause::Exit => "ends",
        };
        let window = state.plans.identify(graph, &leaves);
        let ticket = self.processes.post_close(graph, window, why, site);
        let (wanted, kept) = (Session::wanted(graph), vec![false; graph.leaves.len()]);
        let (wanted, kept) = (&wanted[..], &kept[..]);
        let work = Work { graph, wanted, kept, cause, site, ticket, may_replace: true };
        match self.launch(state, &work, &leaves) {
            Ok(()) => Evaluation::from(Ok(())),
            Err(Stop::Refused { .. }) => {
                // All ranks know of the refusal.
                state.moved.free_all();
                self.start_apart(state, &work)
            }
            Err(Stop::Ran(error)) => Evaluation::from(Err(error)),
            Err(Stop::Failed(error)) => self.lost(graph, error),
        }
    }

    /// Whether the host has no memory for the plan of a long window. False in a world of several
    /// processes, where the others would not know.
    fn is_starved(&self, graph: &Graph) -> bool {
        self.world.size() == 1 && graph.nodes.len() >= LONG_WINDOW && !has_some_left()
    }

    /// The part of a window that needs no value known to have failed, or `None` if that is all of
    /// it; fails the rest. `None` in a world of several processes, where the others would not know.
    fn sound(&self, graph: &Graph) -> Option<Graph> {
        if self.world.size() > 1 {
            return None;
        }
        let of_leaf = |leaf: &Arc<Node>| match leaf.result() {
            Some(Ok(value)) => Shards::of(value).failure(),
            _ => None,
        };
        let leaves: Vec<Option<Error>> = graph.leaves.iter().map(of_leaf).collect();
        if leaves.iter().all(Option::is_none) {
            return None;
        }
        let mut nodes: Vec<Option<Error>> = Vec::with_capacity(graph.nodes.len());
        for data in &graph.nodes {
            let of_input = |input: &Input| match input.source {
                Source::Leaf(leaf) => leaves[leaf.index()].clone(),
                Source::Node(node) => nodes[node.index()].clone(),
                Source::Scalar(_) => None,
            };
            let failure = data.inputs.iter().find_map(of_input);
            if let Some(error) = &failure {
                data.node.finish(Err(error.clone()));
            }
            nodes.push(failure);
        }
        let is_sound = |node: &NodeId| nodes[node.index()].is_none();
        let sound: Vec<NodeId> = (0..nodes.len()).map(NodeId::new).filter(is_sound).collect();
        Some(graph.part(&sound).graph)
    }
}
