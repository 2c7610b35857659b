//! A window that there is too little memory for: what there is room for is computed.
//!
//! Its values are computed in parts, which are planned like windows. A part that is refused is
//! halved, until single values are left for which there is no room. All ranks do this alike: which
//! values the program can observe and what is refused are agreed by all of them. Work that nobody
//! can observe is not planned again.

use super::Session;
use super::engine::State;
use super::evaluate::{Stop, Work};
use crate::error::RunError;
use phalanx_array::{Cause, Error, Evaluation, Graph, Part};
use phalanx_device::DeviceError;

/// A window in parts.
struct Apart<'a> {
    window: &'a Work<'a>,
    /// The values that the program can observe and that are neither computed nor given up, in the
    /// order of the program.
    open: Vec<u32>,
    /// The first refusal of a single value.
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
        let nodes = &window.graph.nodes;
        let is_seen = |position: &u32| nodes[*position as usize].node.is_observed();
        let outcome = match (window.cause, first) {
            // The arrays carry the errors.
            (Cause::Limit, _) | (_, None) => Ok(()),
            (_, Some(error)) => {
                let seen = (0..nodes.len() as u32).find(is_seen);
                match seen.map(|position| nodes[position as usize].node.result()) {
                    Some(Some(Err(error))) => Err(error.clone()),
                    Some(_) => Ok(()),
                    None => Err(error),
                }
            }
        };
        Evaluation { pending: window.graph.part(&open).graph, outcome }
    }

    /// Computes what there is room for. Errors: that the world has ended.
    fn divided(&self, state: &mut State, apart: &mut Apart<'_>) -> Result<(), Error> {
        let graph = apart.window.graph;
        let live = self.any_rank(apart.window.wanted.to_vec());
        let live = live.map_err(|error| Error::failure(error, Some(apart.window.site)))?;
        apart.open = (0u32..).zip(live).filter(|(_, live)| *live).map(|(at, _)| at).collect();
        // A value larger than the memory hinders others, which may have to leave what it is made of
        // as it is: it goes first.
        let limit = self.options.memory_limit.unwrap_or(isize::MAX as usize);
        let is_vast = |position: &&u32| {
            let data = &graph.nodes[**position as usize];
            let elements = data.shape.iter().fold(1, |all: usize, &n| all.saturating_mul(n));
            let bytes = elements.saturating_mul(data.dtype.size());
            bytes.div_ceil(self.mesh.devices()) > limit
        };
        let vast: Vec<u32> = apart.open.iter().filter(is_vast).copied().collect();
        for position in vast.into_iter().chain(graph.all_observed().collect::<Vec<_>>()) {
            self.some(state, apart, &[position])?;
        }
        let rest = apart.open.clone();
        self.some(state, apart, &rest)
    }

    /// Computes values that are open, together or in parts. Errors: that the world has ended.
    fn some(
        &self,
        state: &mut State,
        apart: &mut Apart<'_>,
        positions: &[u32],
    ) -> Result<(), Error> {
        let positions: Vec<u32> =
            positions.iter().copied().filter(|position| apart.open.contains(position)).collect();
        if positions.is_empty() {
            return Ok(());
        }
        match self.start_part(state, apart, &positions) {
            Ok(()) => apart.open.retain(|position| !positions.contains(position)),
            Err(Stop::Failed(error)) => return Err(error),
            // They carry it.
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

    /// Notes that there is no room for a value. It is given up if the program waits for it, or if
    /// there can never be room.
    fn refused(&self, apart: &mut Apart<'_>, position: u32, refusal: DeviceError, is_final: bool) {
        let data = &apart.window.graph.nodes[position as usize];
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

    /// Has some values of a window computed.
    fn start_part(
        &self,
        state: &mut State,
        apart: &Apart<'_>,
        positions: &[u32],
    ) -> Result<(), Stop> {
        let Work { graph, cause, site, ticket, .. } = *apart.window;
        let Part { graph: part, positions: of_part } = graph.part(positions);
        let wanted: Vec<bool> = of_part.iter().map(|at| positions.contains(at)).collect();
        let others: Vec<u32> =
            apart.open.iter().copied().filter(|open| !positions.contains(open)).collect();
        let kept = kept(&part, &graph.part(&others).graph);
        let leaves = Session::leaf_shardings(&part).map_err(Stop::Failed)?;
        state.plans.identify(&part, &leaves);
        let work = Work { graph: &part, wanted: &wanted, kept: &kept, cause, site, ticket };
        self.launch(state, &work, &leaves)
    }
}

/// For each leaf of a part, whether another part needs it.
fn kept(part: &Graph, other: &Graph) -> Vec<bool> {
    let needed: std::collections::HashSet<*const phalanx_array::Node> =
        other.leaves.iter().map(std::sync::Arc::as_ptr).collect();
    part.leaves.iter().map(|leaf| needed.contains(&std::sync::Arc::as_ptr(leaf))).collect()
}
