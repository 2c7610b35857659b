//! A window that exceeds the memory: it is evaluated in parts, as far as memory suffices.
//!
//! Each part is planned like a window. A refused part is halved, down to single values that do not
//! fit. All ranks do this alike, because they agree on the values that the program can observe and
//! on each refusal. Values that the program cannot observe are not planned again.

use super::launch::{Stop, Work};
use super::state::{Session, State};
use crate::error::RunError;
use phalanx_device::DeviceError;
use phalanx_graph::{Cause, Error, Evaluation, Graph, NodeId, Part};

/// A window that is evaluated in parts.
struct Apart<'a> {
    window: &'a Work<'a>,
    /// The observable values that are neither computed nor failed, in the order of the program.
    open: Vec<NodeId>,
    /// The first error of a single value.
    first: Option<Error>,
}

impl Session {
    /// Evaluates a window whose plan was refused.
    pub(super) fn start_apart(&self, state: &mut State, window: &Work<'_>) -> Evaluation {
        let mut apart = Apart { window, open: Vec::new(), first: None };
        match self.divided(state, &mut apart) {
            Ok(()) => {}
            Err(error) => return self.lost(window.graph, error),
        }
        let Apart { open, first, .. } = apart;
        let mut nodes = window.graph.nodes.iter().map(|data| &data.node);
        let outcome = match (window.cause, first) {
            // The arrays carry the errors.
            (Cause::Limit | Cause::Small, _) | (_, None) => Ok(()),
            (_, Some(error)) => {
                let seen = nodes.find(|node| node.is_observed());
                match seen.map(|node| node.result()) {
                    Some(Some(Err(error))) => Err(error.clone()),
                    Some(_) => Ok(()),
                    None => Err(error),
                }
            }
        };
        Evaluation { pending: window.graph.part(&open).graph, outcome }
    }

    /// Computes the values that fit. Errors: that the world has ended.
    fn divided(&self, state: &mut State, apart: &mut Apart<'_>) -> Result<(), Error> {
        let graph = apart.window.graph;
        let live = self.any_rank(apart.window.wanted.to_vec());
        let live = live.map_err(|error| Error::failure(error, Some(apart.window.site)))?;
        let live = graph.numbered().zip(live).filter(|(_, live)| *live);
        apart.open = live.map(|((node, _), _)| node).collect();
        // A value larger than the memory is tried first: while it is open, parts must not overwrite
        // its operands.
        let limit = self.options.memory_limit.unwrap_or(isize::MAX as usize);
        let is_vast = |position: &&NodeId| {
            let data = &graph[**position];
            let elements = data.shape.iter().fold(1, |all: usize, &n| all.saturating_mul(n));
            let bytes = elements.saturating_mul(data.dtype.size());
            bytes.div_ceil(self.mesh.devices()) > limit
        };
        let vast: Vec<NodeId> = apart.open.iter().filter(is_vast).copied().collect();
        for position in vast.into_iter().chain(graph.all_observed().collect::<Vec<_>>()) {
            self.some(state, apart, &[position])?;
        }
        let rest = apart.open.clone();
        self.some(state, apart, &rest)
    }

    /// Computes open values, together or in parts. Errors: that the world has ended.
    fn some(
        &self,
        state: &mut State,
        apart: &mut Apart<'_>,
        positions: &[NodeId],
    ) -> Result<(), Error> {
        let positions: Vec<NodeId> =
            positions.iter().copied().filter(|position| apart.open.contains(position)).collect();
        if positions.is_empty() {
            return Ok(());
        }
        match self.start_part(state, apart, &positions) {
            Ok(()) => apart.open.retain(|position| !positions.contains(position)),
            Err(Stop::Failed(error)) => return Err(error),
            // The values carry the error.
            Err(Stop::Ran(error)) => {
                apart.first.get_or_insert(error);
                apart.open.retain(|position| !positions.contains(position));
            }
            Err(Stop::Refused { refusal, is_final }) => match *positions {
                [position] => self.refused(apart, position, refusal, is_final),
                _ => {
                    let (first, second) = positions.split_at(positions.len() / 2);
                    self.some(state, apart, first)?;
                    self.some(state, apart, second)?;
                }
            },
        }
        Ok(())
    }

    /// Records that a value does not fit. The value fails if the program waits for it or if it can
    /// never fit; otherwise it stays pending.
    fn refused(
        &self,
        apart: &mut Apart<'_>,
        position: NodeId,
        refusal: DeviceError,
        is_final: bool,
    ) {
        let data = &apart.window.graph[position];
        let error = RunError::Memory {
            value: Some((data.dtype, data.shape.to_vec())),
            refusal: Box::new(refusal),
            largest: self.live.largest(),
        };
        let error = Error::failure(error, Some(data.site));
        apart.first.get_or_insert_with(|| error.clone());
        if is_final || data.node.is_observed() {
            data.node.finish(Err(error));
            apart.open.retain(|open| *open != position);
        }
    }

    /// Plans and runs a part of a window.
    fn start_part(
        &self,
        state: &mut State,
        apart: &Apart<'_>,
        positions: &[NodeId],
    ) -> Result<(), Stop> {
        let Work { graph, cause, site, ticket, .. } = *apart.window;
        let Part { graph: part, positions: of_part } = graph.part(positions);
        let wanted: Vec<bool> = of_part.iter().map(|at| positions.contains(at)).collect();
        let others: Vec<NodeId> =
            apart.open.iter().copied().filter(|open| !positions.contains(open)).collect();
        let kept = kept(&part, &graph.part(&others).graph);
        let leaves = Session::leaf_shardings(&part).map_err(Stop::Failed)?;
        state.plans.identify(&part, &leaves);
        let (wanted, kept) = (&wanted[..], &kept[..]);
        let may_replace = false;
        let work = Work { graph: &part, wanted, kept, cause, site, ticket, may_replace };
        self.launch(state, &work, &leaves)
    }
}

/// For each leaf of a part, whether other open values need it.
fn kept(part: &Graph, other: &Graph) -> Vec<bool> {
    let needed: std::collections::HashSet<*const phalanx_graph::Node> =
        other.leaves.iter().map(std::sync::Arc::as_ptr).collect();
    part.leaves.iter().map(|leaf| needed.contains(&std::sync::Arc::as_ptr(leaf))).collect()
}
