//! Graphs as dense matrices.

use super::error::GraphError;
use super::gathered::{nodes_of, numbers, weighted};
use super::host::{self, NONE};
use super::minima::lower;
use super::paths::Paths;
use crate::array::{Argument, Array};
use crate::creation::{from_slice, full, zeros};
use crate::indexing::{AnyIndex, Mode, combine_at, flatnonzero, take_along_axis};
use crate::manipulation::refused;
use crate::math::select;
use crate::sparse::Csr;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Op};

/// SciPy's `csgraph_to_dense`: the weights of a graph as an array, with `null_value` where it has
/// no edge. Of several entries at a position, the least one counts; NaN becomes infinity.
///
/// Shape `(n, n)`, dtype `f64`. Collective over the mesh; distributed. Errors: `OpError::Argument`
/// for a matrix that is not square, `OpError::TooLarge`.
#[track_caller]
pub fn csgraph_to_dense(graph: &Csr, null_value: f64) -> Result<Array, Error> {
    let site = call_site();
    within(site, || {
        nodes_of("csgraph_to_dense", graph, site)?;
        let (weights, is_edge) = dense(graph, site)?;
        match null_value == f64::INFINITY {
            true => Ok(weights),
            false => select(&is_edge, &weights, null_value).into_result(),
        }
    })
}

/// The least weight of each pair of nodes, infinity without an edge, and whether there is one.
fn dense(graph: &Csr, site: Site) -> Result<(Array, Array), Error> {
    let [rows, columns] = graph.shape();
    let too_large = || Error::op(OpError::TooLarge { shape: vec![rows, columns] }, site);
    let size = rows.checked_mul(columns).ok_or_else(too_large)?;
    let mesh = graph.values().mesh()?;
    let weights = mesh.enter(|| full([size], f64::INFINITY, DType::F64));
    let is_edge = mesh.enter(|| zeros([size], DType::Bool));
    weights.ok()?;
    if graph.nnz() > 0 {
        let positions = graph.rows() * columns as i64 + graph.columns();
        let values = weighted(graph, site)?.values().clone();
        let values = select(&values.isnan(), f64::INFINITY, &values);
        lower(&weights, &positions, &values, site)?;
        let items = [AnyIndex::Array(positions)];
        combine_at(Op::LogicalOr, &is_edge, &items, Some(&Argument::from(true)), site)?;
    }
    let shape = [rows, columns];
    Ok((weights.reshape(shape).into_result()?, is_edge.reshape(shape).into_result()?))
}

/// SciPy's `floyd_warshall`: shortest paths between all pairs of nodes.
///
/// Shape `(n, n)`. Collective over the mesh: distributed by rows if the result has at least
/// `gather_below` elements ([`super::GATHER_BELOW`] for `None`), with a step for each node; else on
/// the host of every process. Errors: `OpError::Argument` for a matrix that is not square,
/// `OpError::TooLarge`, `GraphError::NegativeCycle`.
///
/// Source: R. W. Floyd, "Algorithm 97: Shortest path" (1962).
#[track_caller]
pub fn floyd_warshall(
    graph: &Csr,
    directed: bool,
    unweighted: bool,
    has_predecessors: bool,
    gather_below: impl Into<Option<usize>>,
) -> Result<Paths, GraphError> {
    let site = call_site();
    let gather_below = gather_below.into();
    within(site, || {
        let nodes = nodes_of("floyd_warshall", graph, site)?;
        let mesh = graph.values().mesh()?;
        let (weights, _) = dense(graph, site)?;
        let weights = match unweighted {
            true => select(&weights.isinf(), &weights, 1.0),
            false => weights,
        };
        let all = numbers(&mesh, nodes);
        let is_diagonal = all.expand_dims(1).equal(all.expand_dims(0));
        let weights = select(&is_diagonal, 0.0, &weights);
        let weights = if directed { weights } else { weights.minimum(weights.t()) };
        let found = match nodes * nodes < gather_below.unwrap_or(super::GATHER_BELOW) {
            true => {
                let mut distances = weights.to_vec::<f64>()?;
                let mut before =
                    has_predecessors.then(|| host::first_predecessors(nodes, &distances));
                host::floyd_warshall(nodes, &mut distances, before.as_deref_mut());
                let shape = [nodes, nodes];
                let before = before.map(|before| mesh.enter(|| from_slice(&before, shape)));
                let distances = mesh.enter(|| from_slice(&distances, shape));
                Paths { distances, predecessors: before, sources: None }
            }
            false => by_rows(&weights, &all, has_predecessors, site)?,
        };
        let sign = found.distances.diagonal(0, 0, 1).less(0);
        if sign.any(()).item::<bool>()? {
            let nodes = flatnonzero(&sign);
            let node = nodes.slice(crate::s![0]).item::<i64>()?;
            return Err(GraphError::NegativeCycle { node: usize::try_from(node).unwrap_or(0) });
        }
        Ok(found)
    })
}

/// The step for a node replaces each path by the one through that node, if it is shorter. Devices
/// have rows of the distances, and the row of the node is sent to all.
fn by_rows(
    weights: &Array,
    all: &Array,
    has_predecessors: bool,
    site: Site,
) -> Result<Paths, Error> {
    let mut distances = weights.clone();
    let mut before = has_predecessors.then(|| {
        let is_edge = weights.isinf().logical_or(all.expand_dims(1).equal(all.expand_dims(0)));
        select(&is_edge, i64::from(NONE), all.expand_dims(1)).converted(DType::I32, site)
    });
    for node in 0..weights.shape()[0] as i64 {
        let first = distances.slice(crate::s![.., node..node + 1]);
        let through = first + distances.slice(crate::s![node..node + 1, ..]);
        let is_less = through.less(&distances);
        if let Some(before) = &mut before {
            *before = select(&is_less, before.slice(crate::s![node..node + 1, ..]), &*before);
        }
        distances = select(&is_less, &through, &distances);
    }
    let before = before.map(Array::into_result).transpose()?;
    Ok(Paths { distances: distances.into_result()?, predecessors: before, sources: None })
}

/// SciPy's `construct_dist_matrix`: the lengths of the paths that a matrix of predecessors
/// describes. Row `i` has the predecessors on the paths from node `i`; a negative number ends a
/// path. Nodes without a path have the distance `null_value`.
///
/// Shape `(n, n)`, dtype `f64`. Collective over the mesh; distributed, in steps that double the
/// number of edges. Errors: `OpError::Argument` for a matrix that is not square or predecessors of
/// another shape.
#[track_caller]
pub fn construct_dist_matrix(
    graph: &Csr,
    predecessors: &Array,
    directed: bool,
    null_value: f64,
) -> Result<Array, Error> {
    let (site, name) = (call_site(), "construct_dist_matrix");
    within(site, || {
        let nodes = nodes_of(name, graph, site)?;
        if predecessors.ok()?.shape() != [nodes, nodes] {
            let value = format!("of shape {:?} for {nodes} nodes", predecessors.shape());
            return Err(refused(name, "predecessors", value, site));
        }
        let (weights, _) = dense(graph, site)?;
        let weights = if directed {
            weights
        } else {
            let weights = select(&weights.equal(0), f64::INFINITY, &weights);
            weights.minimum(weights.t())
        };
        let all = numbers(&graph.values().mesh()?, nodes);
        let (row, column) = (all.expand_dims(1), all.expand_dims(0));
        let predecessors = predecessors.converted(DType::I64, site);
        let is_source = row.equal(&column);
        let is_end = predecessors.less(0).logical_or(&is_source);
        // An end is its own predecessor, at the distance 0.
        let mut before = select(&is_end, &column, &predecessors);
        let edges = &before * nodes as i64 + &column;
        let lengths = weights.reshape([-1]).take_with(&edges, 0, Mode::Clip);
        let mut distances = select(&is_end, 0.0, &lengths);
        let mut followed = 1;
        while followed < nodes {
            distances = &distances + take_along_axis(&distances, &before, 1);
            before = take_along_axis(&before, &before, 1);
            followed *= 2;
        }
        let is_null = predecessors.less(0).logical_and(is_source.logical_not());
        select(&is_null, null_value, &distances).into_result()
    })
}
