//! Graphs that are read to the host of every process, and arguments of all functions.

use super::host::Graph;
use crate::array::Array;
use crate::creation::{arange, from_slice};
use crate::manipulation::refused;
use crate::sparse::Csr;
use phalanx_graph::{Error, MeshHandle, Site};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Element};

/// A graph with fewer entries is read to the host of every process, if the caller gives no other
/// number.
pub const GATHER_BELOW: usize = 100_000;

/// A position that no node and no entry has.
pub(super) const NOWHERE: i64 = i64::MAX;

/// A distributed algorithm whose number of steps is the length of a path stops after so many. What
/// has longer paths than this is faster on the host.
pub(super) const MOST_STEPS: usize = 256;

/// Whether a graph is read to the host.
pub(super) fn is_gathered(graph: &Csr, gather_below: Option<usize>) -> bool {
    graph.nnz() < gather_below.unwrap_or(GATHER_BELOW)
}

/// Refuses a matrix with other numbers of rows and columns, and one with more nodes than positions
/// of 32 bits can name. Returns the number of nodes.
pub(super) fn nodes_of(operation: &'static str, graph: &Csr, site: Site) -> Result<usize, Error> {
    let [rows, columns] = graph.shape();
    if rows != columns {
        let value = format!("of shape ({rows}, {columns}), which is not square,");
        return Err(refused(operation, "graph", value, site));
    }
    narrow(graph, site)?;
    Ok(rows)
}

/// Refuses a matrix with more rows or columns than positions of 32 bits can name.
pub(super) fn narrow(graph: &Csr, site: Site) -> Result<(), Error> {
    match graph.shape().iter().all(|&extent| i32::try_from(extent).is_ok()) {
        true => Ok(()),
        false => Err(Error::op(OpError::TooLarge { shape: graph.shape().to_vec() }, site)),
    }
}

/// Refuses a node that the graph does not have.
pub(super) fn checked_node(
    operation: &'static str,
    argument: &'static str,
    node: usize,
    nodes: usize,
    site: Site,
) -> Result<usize, Error> {
    match node < nodes {
        true => Ok(node),
        false => Err(refused(operation, argument, format!("{node} among {nodes} nodes"), site)),
    }
}

/// The weights of the entries (`f64`).
pub(super) fn weighted(graph: &Csr, site: Site) -> Result<Csr, Error> {
    Ok(graph.of_values(graph.values().converted(DType::F64, site).into_result()?))
}

/// The matrix on the host. Collective over the mesh.
pub(super) fn gathered(graph: &Csr, site: Site) -> Result<Graph, Error> {
    let (starts, columns) = graph.pattern_on_host(site)?;
    let weights = graph.values().converted(DType::F64, site).to_vec::<f64>()?;
    Ok(Graph { starts, columns, weights })
}

/// The matrix on the host with weights of one. Collective over the mesh.
pub(super) fn gathered_unweighted(graph: &Csr, site: Site) -> Result<Graph, Error> {
    let (starts, columns) = graph.pattern_on_host(site)?;
    let weights = vec![1.0; columns.len()];
    Ok(Graph { starts, columns, weights })
}

/// A vector of numbers that are equal on all processes.
pub(super) fn uploaded<T: Element>(mesh: &MeshHandle, numbers: &[T]) -> Array {
    mesh.enter(|| from_slice(numbers, [numbers.len()]))
}

/// The numbers from 0 on (`i64`).
pub(super) fn numbers(mesh: &MeshHandle, count: usize) -> Array {
    mesh.enter(|| arange(0, count as i64, 1))
}
