//! Graphs as sparse matrices: what `phalanx.scipy.sparse.csgraph` calls.
//!
//! Nodes are checked in Python. The number of entries from which on an algorithm is distributed is
//! an argument, so that tests compare both algorithms on small graphs.

use crate::convert::{self, dtypes};
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::objects::sparse_matrix::SparseMatrix;
use phalanx::sparse::Csr;
use phalanx::sparse::csgraph::{
    self, Connection, FlowMethod, GraphError, LaplacianOptions, PathOptions, Paths,
};
use phalanx::{Array, Error};
use pyo3::prelude::*;

/// Distances, predecessors and sources, or the node of a negative cycle.
type Found = (Option<usize>, Vec<Option<Py<PyAny>>>);

/// A call on the mesh of a matrix, at the running line.
fn called<T>(
    py: Python<'_>,
    graph: &SparseMatrix,
    call: impl FnOnce(&Csr) -> Result<T, Error>,
) -> PyResult<T> {
    let _mesh = call_mesh::of_array(graph.matrix.values());
    at_line(py, || call(&graph.matrix)).map_err(|error| raised(py, &error))
}

fn matrix(made: Csr) -> SparseMatrix {
    SparseMatrix { matrix: made }
}

fn maybe(py: Python<'_>, array: Option<Array>) -> PyResult<Option<Py<PyAny>>> {
    array.map(|array| Ndarray::wrap(py, array)).transpose()
}

fn paths(py: Python<'_>, found: Result<Paths, GraphError>) -> PyResult<Found> {
    match found {
        Ok(found) => {
            let parts = [Some(found.distances), found.predecessors, found.sources];
            let parts: PyResult<Vec<_>> = parts.into_iter().map(|part| maybe(py, part)).collect();
            Ok((None, parts?))
        }
        Err(GraphError::NegativeCycle { node }) => Ok((Some(node), Vec::new())),
        Err(error) => Err(other(py, error)),
    }
}

/// The exception of an error that no result stands for.
fn other(py: Python<'_>, error: GraphError) -> PyErr {
    match error {
        GraphError::Array(error) => raised(py, &error),
        error => pyo3::exceptions::PyValueError::new_err(error.to_string()),
    }
}

#[pyfunction(name = "_connected_components")]
fn connected_components(
    py: Python<'_>,
    graph: &SparseMatrix,
    is_strong: bool,
    gather_below: Option<usize>,
) -> PyResult<(usize, Py<PyAny>)> {
    let connection = if is_strong { Connection::Strong } else { Connection::Weak };
    let (count, labels) =
        called(py, graph, |graph| csgraph::connected_components(graph, connection, gather_below))?;
    Ok((count, Ndarray::wrap(py, labels)?))
}

#[pyfunction(name = "_search_order")]
fn search_order(
    py: Python<'_>,
    graph: &SparseMatrix,
    start: usize,
    is_depth_first: bool,
    directed: bool,
    gather_below: Option<usize>,
) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let found = called(py, graph, |graph| match is_depth_first {
        true => csgraph::depth_first_order(graph, start, directed),
        false => csgraph::breadth_first_order(graph, start, directed, gather_below),
    })?;
    Ok((Ndarray::wrap(py, found.order)?, Ndarray::wrap(py, found.predecessors)?))
}

#[pyfunction(name = "_reconstruct_path")]
fn reconstruct_path(
    graph: &SparseMatrix,
    predecessors: &Bound<'_, PyAny>,
    directed: bool,
) -> PyResult<SparseMatrix> {
    let (py, predecessors) = (predecessors.py(), convert::array(predecessors, None)?);
    called(py, graph, |graph| csgraph::reconstruct_path(graph, &predecessors, directed)).map(matrix)
}

/// The options of paths: a dict of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given {
    directed: bool,
    unweighted: bool,
    sources: Option<Vec<usize>>,
    predecessors: bool,
    limit: f64,
    min_only: bool,
    gather_below: Option<usize>,
}

impl Given {
    fn options(self) -> PathOptions {
        PathOptions::default()
            .directed(self.directed)
            .unweighted(self.unweighted)
            .sources(self.sources)
            .predecessors(self.predecessors)
            .limit(self.limit)
            .min_only(self.min_only)
            .gather_below(self.gather_below)
    }
}

/// Shortest paths by a method of SciPy: D, BF or J.
#[pyfunction(name = "_shortest_paths")]
fn shortest_paths(
    py: Python<'_>,
    graph: &SparseMatrix,
    method: &str,
    options: Given,
) -> PyResult<Found> {
    let options = options.options();
    let _mesh = call_mesh::of_array(graph.matrix.values());
    let found = at_line(py, || match method {
        "D" => Ok(csgraph::dijkstra(&graph.matrix, &options)?),
        "BF" => csgraph::bellman_ford(&graph.matrix, &options),
        _ => csgraph::johnson(&graph.matrix, &options),
    });
    paths(py, found)
}

#[pyfunction(name = "_yen")]
fn yen(
    py: Python<'_>,
    graph: &SparseMatrix,
    source: usize,
    sink: usize,
    count: usize,
    options: Given,
) -> PyResult<Found> {
    let options = options.options();
    let _mesh = call_mesh::of_array(graph.matrix.values());
    let found = at_line(py, || csgraph::yen(&graph.matrix, source, sink, count, &options));
    paths(py, found)
}

#[pyfunction(name = "_floyd_warshall")]
fn floyd_warshall(py: Python<'_>, graph: &SparseMatrix, options: Given) -> PyResult<Found> {
    let _mesh = call_mesh::of_array(graph.matrix.values());
    let Given { directed, unweighted, predecessors, gather_below, .. } = options;
    let found = at_line(py, || {
        csgraph::floyd_warshall(&graph.matrix, directed, unweighted, predecessors, gather_below)
    });
    paths(py, found)
}

#[pyfunction(name = "_csgraph_to_dense")]
fn csgraph_to_dense(py: Python<'_>, graph: &SparseMatrix, null_value: f64) -> PyResult<Py<PyAny>> {
    let made = called(py, graph, |graph| csgraph::csgraph_to_dense(graph, null_value))?;
    Ndarray::wrap(py, made)
}

#[pyfunction(name = "_construct_dist_matrix")]
fn construct_dist_matrix(
    graph: &SparseMatrix,
    predecessors: &Bound<'_, PyAny>,
    directed: bool,
    null_value: f64,
) -> PyResult<Py<PyAny>> {
    let (py, predecessors) = (predecessors.py(), convert::array(predecessors, None)?);
    let made = called(py, graph, |graph| {
        csgraph::construct_dist_matrix(graph, &predecessors, directed, null_value)
    })?;
    Ndarray::wrap(py, made)
}

#[pyfunction(name = "_minimum_spanning_tree")]
fn minimum_spanning_tree(
    py: Python<'_>,
    graph: &SparseMatrix,
    gather_below: Option<usize>,
) -> PyResult<SparseMatrix> {
    called(py, graph, |graph| csgraph::minimum_spanning_tree(graph, gather_below)).map(matrix)
}

#[pyfunction(name = "_laplacian")]
fn laplacian(
    graph: &SparseMatrix,
    normed: bool,
    use_out_degree: bool,
    symmetrized: bool,
    dtype: &Bound<'_, PyAny>,
) -> PyResult<(SparseMatrix, Py<PyAny>)> {
    let py = dtype.py();
    let dtype = Some(dtypes::from_python(dtype)?);
    let options = LaplacianOptions { normed, use_out_degree, symmetrized, dtype };
    let found = called(py, graph, |graph| csgraph::laplacian(graph, options))?;
    Ok((matrix(found.matrix), Ndarray::wrap(py, found.diagonal)?))
}

#[pyfunction(name = "_maximum_flow")]
fn maximum_flow(
    py: Python<'_>,
    graph: &SparseMatrix,
    source: usize,
    sink: usize,
    is_dinic: bool,
) -> PyResult<(i64, SparseMatrix)> {
    let method = if is_dinic { FlowMethod::Dinic } else { FlowMethod::EdmondsKarp };
    let found = called(py, graph, |graph| csgraph::maximum_flow(graph, source, sink, method))?;
    Ok((found.value, matrix(found.flow)))
}

#[pyfunction(name = "_maximum_bipartite_matching")]
fn maximum_bipartite_matching(
    py: Python<'_>,
    graph: &SparseMatrix,
) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let (rows, columns) = called(py, graph, csgraph::maximum_bipartite_matching)?;
    Ok((Ndarray::wrap(py, rows)?, Ndarray::wrap(py, columns)?))
}

/// The rows and columns of the matching; None if there is no full one.
#[pyfunction(name = "_min_weight_full_bipartite_matching")]
fn min_weight_full_bipartite_matching(
    py: Python<'_>,
    graph: &SparseMatrix,
    maximize: bool,
) -> PyResult<Option<(Py<PyAny>, Py<PyAny>)>> {
    let _mesh = call_mesh::of_array(graph.matrix.values());
    let found =
        at_line(py, || csgraph::min_weight_full_bipartite_matching(&graph.matrix, maximize));
    match found {
        Ok((rows, columns)) => Ok(Some((Ndarray::wrap(py, rows)?, Ndarray::wrap(py, columns)?))),
        Err(GraphError::NoFullMatching { .. }) => Ok(None),
        Err(error) => Err(other(py, error)),
    }
}

#[pyfunction(name = "_structural_rank")]
fn structural_rank(py: Python<'_>, graph: &SparseMatrix) -> PyResult<usize> {
    called(py, graph, csgraph::structural_rank)
}

#[pyfunction(name = "_reverse_cuthill_mckee")]
fn reverse_cuthill_mckee(
    py: Python<'_>,
    graph: &SparseMatrix,
    is_symmetric: bool,
) -> PyResult<Py<PyAny>> {
    let order = called(py, graph, |graph| csgraph::reverse_cuthill_mckee(graph, is_symmetric))?;
    Ndarray::wrap(py, order)
}

/// Adds these functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(connected_components, module)?)?;
    module.add_function(wrap_pyfunction!(search_order, module)?)?;
    module.add_function(wrap_pyfunction!(reconstruct_path, module)?)?;
    module.add_function(wrap_pyfunction!(shortest_paths, module)?)?;
    module.add_function(wrap_pyfunction!(yen, module)?)?;
    module.add_function(wrap_pyfunction!(floyd_warshall, module)?)?;
    module.add_function(wrap_pyfunction!(csgraph_to_dense, module)?)?;
    module.add_function(wrap_pyfunction!(construct_dist_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(minimum_spanning_tree, module)?)?;
    module.add_function(wrap_pyfunction!(laplacian, module)?)?;
    module.add_function(wrap_pyfunction!(maximum_flow, module)?)?;
    module.add_function(wrap_pyfunction!(maximum_bipartite_matching, module)?)?;
    module.add_function(wrap_pyfunction!(min_weight_full_bipartite_matching, module)?)?;
    module.add_function(wrap_pyfunction!(structural_rank, module)?)?;
    module.add_function(wrap_pyfunction!(reverse_cuthill_mckee, module)?)
}
