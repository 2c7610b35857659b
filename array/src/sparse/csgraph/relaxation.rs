//! Shortest paths by the relaxation of all edges at once.

use super::gathered::{MOST_STEPS, numbers, uploaded};
use super::host::NONE;
use super::minima::{at, both_ways, only_where};
use crate::array::Array;
use crate::creation::{full, ones};
use crate::indexing::Mode;
use crate::math::select;
use crate::sparse::{Csr, Semiring};
use phalanx_graph::{Error, MeshHandle, Site};
use phalanx_ops::{DType, Op};

/// The shortest paths to all nodes.
pub(super) struct Found {
    pub distances: Array,
    /// The node before each node, or `NONE` (`i64`).
    pub predecessors: Option<Array>,
    /// The first node of each path, or `NONE` (`i64`).
    pub sources: Option<Array>,
}

/// The edges that lead to each node.
pub(super) struct Relaxation {
    incoming: Csr,
    mesh: MeshHandle,
    site: Site,
}

impl Relaxation {
    /// Of a graph with weights of `f64`; an edge whose weight is NaN leads nowhere. `None` with a
    /// weight of minus infinity, of which sums may be NaN.
    pub fn new(
        graph: &Csr,
        directed: bool,
        unweighted: bool,
        site: Site,
    ) -> Result<Option<Relaxation>, Error> {
        let mesh = graph.values().mesh()?;
        let weights = match unweighted {
            true => mesh.enter(|| ones([graph.nnz()], DType::F64)),
            false => select(&graph.values().isnan(), f64::INFINITY, graph.values()),
        };
        if !unweighted && weights.equal(f64::NEG_INFINITY).any(()).item::<bool>()? {
            return Ok(None);
        }
        let graph = graph.of_values(weights);
        let incoming = if directed { graph.transpose()? } else { both_ways(&graph, site)? };
        Ok(Some(Relaxation { incoming, mesh, site }))
    }

    /// The paths from the nearest of some nodes, up to a length. `None` if paths have too many
    /// edges, as they have with a negative cycle.
    ///
    /// A predecessor is set when a distance falls, and never otherwise: among paths of the same
    /// length, a later choice could close a cycle of edges of weight zero.
    pub fn from(
        &self,
        starts: &[usize],
        limit: f64,
        has_predecessors: bool,
        has_sources: bool,
    ) -> Result<Option<Found>, Error> {
        let nodes = self.incoming.shape()[0];
        let starts: Vec<i64> = starts.iter().map(|&start| start as i64).collect();
        let starts = uploaded(&self.mesh, &starts);
        let mut distances = self.mesh.enter(|| full([nodes], f64::INFINITY, DType::F64));
        if starts.size() > 0 {
            distances.put(&starts, 0.0, Mode::Clip);
        }
        let mut predecessors = self.mesh.enter(|| full([nodes], i64::from(NONE), DType::I64));
        let columns = self.incoming.columns().converted(DType::I64, self.site);
        let mut positions = None;
        for _ in 0..MOST_STEPS {
            let least = self.incoming.product(&distances, Semiring::MinPlus, self.site)?;
            let is_less = least.less(&distances).logical_and(least.less_equal(limit));
            if has_predecessors || has_sources {
                let begun = self.incoming.at_columns(&distances, &mut positions, self.site)?;
                let through = begun + self.incoming.values();
                let is_least = through.equal(self.incoming.spread(&least, self.site)?);
                let before = only_where(&is_least, &columns);
                let before = self.incoming.fold(Op::Minimum, &before, self.site)?;
                predecessors = select(&is_less, &before, &predecessors);
            }
            distances = select(&is_less, &least, &distances);
            if !is_less.any(()).item::<bool>()? {
                let sources = has_sources.then(|| self.sources(&distances, &predecessors));
                return Ok(Some(Found {
                    distances,
                    predecessors: has_predecessors.then_some(predecessors),
                    sources: sources.transpose()?,
                }));
            }
        }
        Ok(None)
    }

    /// The first node of the path to each node.
    fn sources(&self, distances: &Array, predecessors: &Array) -> Result<Array, Error> {
        let all = numbers(&self.mesh, distances.size());
        let mut firsts = select(&predecessors.less(0), &all, predecessors);
        // Each step doubles the number of edges that were followed.
        let mut followed = 1;
        while followed < MOST_STEPS {
            firsts = at(&firsts, &firsts);
            followed *= 2;
        }
        let is_reached = distances.less(f64::INFINITY);
        select(&is_reached, &firsts, i64::from(NONE)).into_result()
    }
}
