//! Breadth-first and depth-first search.

use super::gathered::{
    MOST_STEPS, NOWHERE, checked_node, gathered_unweighted, is_gathered, nodes_of, numbers,
    uploaded,
};
use super::host::{self, NONE, Visited};
use super::minima::{at, both_ways, lower};
use crate::array::Array;
use crate::creation::full;
use crate::indexing::Mode;
use crate::manipulation::try_concatenate;
use crate::sparse::Csr;
use crate::sparse::split::Rows;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::DType;

/// The nodes that a search has reached.
#[derive(Clone, Debug)]
pub struct Traversal {
    /// The nodes in the order in which they were reached (`i32`).
    pub order: Array,
    /// For each node the node from which it was reached, or [`NONE`] (`i32`).
    pub predecessors: Array,
}

/// SciPy's `breadth_first_order`: the nodes that a node reaches, the nearest ones first.
///
/// Nodes at the same distance are in the order of their predecessors, and of the entries. Without
/// `directed`, edges lead both ways.
///
/// Shapes `(reached,)` and `(n,)`, dtype `i32`. Collective over the mesh: distributed from
/// `gather_below` entries on ([`super::GATHER_BELOW`] for `None`), with a few reads for each
/// distance; gathered if there are more than 256 distances. Errors: `OpError::Argument` for a
/// matrix that is not square or a node that it does not have, `OpError::TooLarge`.
///
/// Source: A. Buluç, K. Madduri, "Parallel breadth-first search on distributed memory systems"
/// (2011), the frontier algorithm.
#[track_caller]
pub fn breadth_first_order(
    graph: &Csr,
    start: usize,
    directed: bool,
    gather_below: impl Into<Option<usize>>,
) -> Result<Traversal, Error> {
    let site = call_site();
    let gather_below = gather_below.into();
    within(site, || {
        let nodes = nodes_of("breadth_first_order", graph, site)?;
        checked_node("breadth_first_order", "start", start, nodes, site)?;
        if !is_gathered(graph, gather_below)
            && let Some(found) = by_frontiers(graph, start, directed, site)?
        {
            return Ok(found);
        }
        searched(graph, directed, |graph| host::breadth_first(graph, start), site)
    })
}

/// SciPy's `depth_first_order`: the nodes that a node reaches, each followed by those that it
/// reaches first.
///
/// Shapes `(reached,)` and `(n,)`, dtype `i32`. Collective over the mesh; gathered. Errors: those
/// of [`breadth_first_order`].
#[track_caller]
pub fn depth_first_order(graph: &Csr, start: usize, directed: bool) -> Result<Traversal, Error> {
    let site = call_site();
    within(site, || {
        let nodes = nodes_of("depth_first_order", graph, site)?;
        checked_node("depth_first_order", "start", start, nodes, site)?;
        searched(graph, directed, |graph| host::depth_first(graph, start), site)
    })
}

/// A search on the host.
fn searched(
    graph: &Csr,
    directed: bool,
    search: impl FnOnce(&host::Graph) -> Visited,
    site: Site,
) -> Result<Traversal, Error> {
    let mesh = graph.values().mesh()?;
    let found = gathered_unweighted(graph, site)?;
    let found = search(&if directed { found } else { found.both_ways() });
    let order: Vec<i32> = found.order.into_iter().map(|node| node as i32).collect();
    let order = uploaded(&mesh, &order).into_result()?;
    Ok(Traversal { order, predecessors: uploaded(&mesh, &found.predecessors).into_result()? })
}

/// A search that takes the entries of all nodes of a distance at once. `None` if there are too many
/// distances.
fn by_frontiers(
    graph: &Csr,
    start: usize,
    directed: bool,
    site: Site,
) -> Result<Option<Traversal>, Error> {
    let (mesh, nodes) = (graph.values().mesh()?, graph.shape()[0]);
    // Values are not read, so the columns stand for them.
    let pattern = graph.of_values(graph.columns().clone());
    let pattern = if directed { pattern } else { both_ways(&pattern, site)? };
    // Entries are numbered in the order in which they are taken. Each node keeps the least number
    // of the entries that lead to it: it is reached by that entry.
    let firsts = mesh.enter(|| full([nodes], NOWHERE, DType::I64));
    let predecessors = mesh.enter(|| full([nodes], i64::from(NONE), DType::I64));
    let mut frontier = uploaded(&mesh, &[start as i64]);
    firsts.put(&frontier, -1, Mode::Clip);
    let mut order = vec![frontier.clone()];
    let mut taken = 0;
    for _ in 0..MOST_STEPS {
        let entries = pattern.rows_at(&frontier, Rows::Even, site)?;
        if entries.nnz() == 0 {
            return finished(&order, &predecessors, site).map(Some);
        }
        let columns = entries.columns().converted(DType::I64, site);
        let numbers = numbers(&mesh, entries.nnz()) + taken;
        lower(&firsts, &columns, &numbers, site)?;
        let is_first = at(&firsts, &columns).equal(&numbers);
        let reached = columns.compress(&is_first);
        if reached.ok()?.size() == 0 {
            return finished(&order, &predecessors, site).map(Some);
        }
        let before = at(&frontier, &entries.rows()).compress(&is_first);
        predecessors.put(&reached, &before, Mode::Clip);
        taken += entries.nnz() as i64;
        frontier = reached.clone();
        order.push(reached);
    }
    Ok(None)
}

fn finished(order: &[Array], predecessors: &Array, site: Site) -> Result<Traversal, Error> {
    let parts: Vec<&Array> = order.iter().collect();
    let order = try_concatenate(&parts, &0.into(), None, site)?;
    Ok(Traversal {
        order: order.converted(DType::I32, site).into_result()?,
        predecessors: predecessors.converted(DType::I32, site).into_result()?,
    })
}
