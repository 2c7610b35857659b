//! Trees of predecessors.

use super::gathered::{nodes_of, weighted};
use super::traversal::{breadth_first_order, depth_first_order};
use crate::array::Array;
use crate::indexing::flatnonzero;
use crate::math::select;
use crate::sparse::Csr;
use crate::sparse::csr::vectors;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::DType;

/// SciPy's `reconstruct_path`: the matrix with an entry for each node that has a predecessor, in
/// the row of the predecessor. A negative number stands for no predecessor.
///
/// The values are those of the graph, and without `directed` the smaller one of both directions;
/// zero where the graph has no entry (without `directed`, infinity).
///
/// Dtype `f64`. Collective over the mesh; distributed. Errors: `OpError::Argument` for a matrix
/// that is not square and for another number of predecessors, `OpError::Cast` for predecessors that
/// are not integers, `DataError::PositionsBeyond` for one that the graph does not have.
#[track_caller]
pub fn reconstruct_path(graph: &Csr, predecessors: &Array, directed: bool) -> Result<Csr, Error> {
    let site = call_site();
    within(site, || {
        let nodes = nodes_of("reconstruct_path", graph, site)?;
        vectors("reconstruct_path", &[("predecessors", predecessors, nodes)], site)?;
        let reached = flatnonzero(&predecessors.greater_equal(0));
        let before = predecessors.take(&reached, 0);
        let steps = Csr::from_triplets(&before, &reached, &reached, graph.shape())?;
        let graph = weighted(graph, site)?;
        if directed {
            return steps.with_values(&graph.align(&steps));
        }
        let weights = |graph: &Csr| {
            let weights = graph.align(&steps);
            select(&weights.equal(0), f64::INFINITY, &weights)
        };
        steps.with_values(&weights(&graph).minimum(weights(&graph.transpose()?)))
    })
}

/// SciPy's `breadth_first_tree`: the edges by which [`breadth_first_order`] reaches nodes, as a
/// matrix. Collective over the mesh. Errors: those of [`breadth_first_order`].
#[track_caller]
pub fn breadth_first_tree(
    graph: &Csr,
    start: usize,
    directed: bool,
    gather_below: impl Into<Option<usize>>,
) -> Result<Csr, Error> {
    let site = call_site();
    within(site, || {
        let found = breadth_first_order(graph, start, directed, gather_below)?;
        of_search(graph, &found.predecessors, directed, site)
    })
}

/// SciPy's `depth_first_tree`: the edges by which [`depth_first_order`] reaches nodes, as a matrix.
/// Collective over the mesh; gathered. Errors: those of [`breadth_first_order`].
#[track_caller]
pub fn depth_first_tree(graph: &Csr, start: usize, directed: bool) -> Result<Csr, Error> {
    let site = call_site();
    within(site, || {
        let found = depth_first_order(graph, start, directed)?;
        of_search(graph, &found.predecessors, directed, site)
    })
}

fn of_search(graph: &Csr, predecessors: &Array, directed: bool, site: Site) -> Result<Csr, Error> {
    reconstruct_path(graph, &predecessors.converted(DType::I64, site), directed)
}
