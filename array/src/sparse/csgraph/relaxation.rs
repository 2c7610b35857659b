//! Shortest paths by the relaxation of all edges at once.

use super::gathered::{MOST_STEPS, NOWHERE, numbers, uploaded};
use super::host::NONE;
use super::minima::{at, both_ways, least_of_rows, only_where};
use crate::array::Array;
use crate::creation::{full, ones};
use crate::indexing::Mode;
use crate::math::select;
use crate::sparse::Csr;
use phalanx_graph::{Error, MeshHandle, Site};
use phalanx_ops::DType;

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
    /// Of a graph with weights of `f64`.
    pub fn new(
        graph: &Csr,
        directed: bool,
        unweighted: bool,
        site: Site,
    ) -> Result<Relaxation, Error> {
        let mesh = graph.values().mesh()?;
        let graph = match unweighted {
            true => graph.of_values(mesh.enter(|| ones([graph.nnz()], DType::F64))),
            false => graph.clone(),
        };
        let incoming = if directed { graph.transpose()? } else { both_ways(&graph, site)? };
        Ok(Relaxation { incoming, mesh, site })
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
        for _ in 0..MOST_STEPS {
            let through = at(&distances, &columns) + self.incoming.values();
            // Also NaN is above the limit.
            let through = select(&through.less_equal(limit), &through, f64::INFINITY);
            let least = least_of_rows(&self.incoming, &through, f64::INFINITY, self.site)?;
            let is_less = least.less(&distances);
            if has_predecessors || has_sources {
                let is_least = through.equal(self.incoming.spread(&least, self.site)?);
                let before = only_where(&is_least, &columns);
                let before = least_of_rows(&self.incoming, &before, NOWHERE, self.site)?;
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
