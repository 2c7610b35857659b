//! Flows, matchings and orders of nodes: gathered.

use super::error::GraphError;
use super::gathered::{checked_node, gathered, gathered_unweighted, narrow, nodes_of, uploaded};
use super::host::{self, FlowMethod, Network};
use crate::array::Array;
use crate::manipulation::refused;
use crate::sparse::Csr;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::{DType, Op};

/// A maximum flow.
#[derive(Clone, Debug)]
pub struct MaximumFlow {
    /// The amount that reaches the sink.
    pub value: i64,
    /// The flow of each edge (`i32`). The entry of the reverse edge has the negative.
    pub flow: Csr,
}

/// SciPy's `maximum_flow`: a flow of the largest value from `source` to `sink` through edges whose
/// capacities are the values of the matrix.
///
/// Collective over the mesh; gathered. Errors: `OpError::Argument` for a matrix that is not square,
/// values that are not integers or that do not fit 32 bits, a node that the graph does not have,
/// and a sink that is the source.
///
/// Sources: E. A. Dinic, "Algorithm for solution of a problem of maximum flow in a network with
/// power estimation" (1970); J. Edmonds, R. M. Karp, "Theoretical improvements in algorithmic
/// efficiency for network flow problems" (1972).
#[track_caller]
pub fn maximum_flow(
    graph: &Csr,
    source: usize,
    sink: usize,
    method: FlowMethod,
) -> Result<MaximumFlow, Error> {
    let (site, name) = (call_site(), "maximum_flow");
    within(site, || {
        let nodes = nodes_of(name, graph, site)?;
        checked_node(name, "source", source, nodes, site)?;
        checked_node(name, "sink", sink, nodes, site)?;
        if source == sink {
            return Err(refused(name, "sink", format!("{sink}, the source,"), site));
        }
        if !graph.dtype().is_integer() {
            return Err(refused(name, "graph", format!("of dtype {}", graph.dtype()), site));
        }
        let mesh = graph.values().mesh()?;
        let graph = graph.summed()?;
        let (starts, columns) = graph.pattern_on_host(site)?;
        let capacities = graph.values().converted(DType::I64, site).to_vec::<i64>()?;
        // Flows are numbers of 32 bits, as in SciPy.
        if let Some(wide) = capacities.iter().find(|&&value| i32::try_from(value).is_err()) {
            return Err(refused(name, "graph", format!("with the capacity {wide}"), site));
        }
        let network = Network::new(&starts, &columns, &capacities);
        let found = host::maximum_flow(&network, source, sink, method);
        let starts: Vec<i64> = network.starts.iter().map(|&start| start as i64).collect();
        let flows: Vec<i32> = found.flows.iter().map(|&flow| flow as i32).collect();
        let (starts, flows) = (uploaded(&mesh, &starts), uploaded(&mesh, &flows));
        let columns = uploaded(&mesh, &network.columns);
        let flow = Csr::from_parts(&starts, &columns, &flows, [nodes, nodes])?;
        Ok(MaximumFlow { value: found.value, flow })
    })
}

/// SciPy's `maximum_bipartite_matching`: as many pairs of a row and a column with an entry as there
/// can be. Returns the row of each column, and the column of each row; -1 for those without one.
///
/// Dtype `i32`. Collective over the mesh; gathered. Errors: `OpError::TooLarge`.
///
/// Source: J. E. Hopcroft, R. M. Karp, "An n^(5/2) algorithm for maximum matchings in bipartite
/// graphs" (1973).
#[track_caller]
pub fn maximum_bipartite_matching(graph: &Csr) -> Result<(Array, Array), Error> {
    let site = call_site();
    within(site, || {
        narrow(graph, site)?;
        let mesh = graph.values().mesh()?;
        let width = graph.shape()[1];
        let found = host::maximum_matching(&gathered_unweighted(graph, site)?, width);
        let rows = uploaded(&mesh, &found.rows).into_result()?;
        Ok((rows, uploaded(&mesh, &found.columns).into_result()?))
    })
}

/// SciPy's `structural_rank`: the largest rank of a matrix with these entries, whatever their
/// values. Collective over the mesh; gathered. Errors: `OpError::TooLarge`.
#[track_caller]
pub fn structural_rank(graph: &Csr) -> Result<usize, Error> {
    let site = call_site();
    within(site, || {
        narrow(graph, site)?;
        let width = graph.shape()[1];
        let found = host::maximum_matching(&gathered_unweighted(graph, site)?, width);
        Ok(found.rows.iter().filter(|&&row| row >= 0).count())
    })
}

/// SciPy's `min_weight_full_bipartite_matching`: the pairs of the rows and the columns, one for
/// each line of the shorter side, whose entries have the least sum, or the largest one with
/// `maximize`. Entries that are zero or infinite are none.
///
/// Shapes `(pairs,)`; the rows rise. Collective over the mesh; gathered. Errors:
/// `GraphError::NoFullMatching`, `OpError::TooLarge`.
///
/// Source: R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
/// linear assignment problems" (1987).
#[track_caller]
pub fn min_weight_full_bipartite_matching(
    graph: &Csr,
    maximize: bool,
) -> Result<(Array, Array), GraphError> {
    let site = call_site();
    within(site, || {
        narrow(graph, site)?;
        let mesh = graph.values().mesh()?;
        let graph = graph.astype(DType::F64)?;
        let graph = if maximize { graph.scale(-1.0)? } else { graph };
        let is_entry =
            graph.values().not_equal(0).logical_and(graph.values().not_equal(f64::INFINITY));
        let graph = graph.kept(&is_entry)?;
        let [rows, columns] = graph.shape();
        let is_tall = rows > columns;
        let entries = gathered(&graph, site)?;
        let entries = if is_tall { entries.transposed(columns) } else { entries };
        let found = host::least_assignment(&entries, rows.max(columns));
        let found = found.ok_or(GraphError::NoFullMatching { rows, columns })?;
        let mut pairs: Vec<(i32, i32)> =
            found.into_iter().enumerate().map(|(line, place)| (line as i32, place)).collect();
        if is_tall {
            pairs.iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
            pairs.sort_unstable();
        }
        let (rows, columns): (Vec<i32>, Vec<i32>) = pairs.into_iter().unzip();
        let rows = uploaded(&mesh, &rows).into_result()?;
        Ok((rows, uploaded(&mesh, &columns).into_result()?))
    })
}

/// SciPy's `reverse_cuthill_mckee`: an order of rows and columns that brings the entries of a
/// symmetric matrix near its diagonal. A matrix that is not symmetric is added to its transpose,
/// unless `is_symmetric` says that it is not needed.
///
/// Shape `(n,)`, dtype `i32`. Collective over the mesh; gathered. Errors: `OpError::Argument` for a
/// matrix that is not square, `OpError::TooLarge`.
///
/// Source: E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices" (1969).
#[track_caller]
pub fn reverse_cuthill_mckee(graph: &Csr, is_symmetric: bool) -> Result<Array, Error> {
    let site = call_site();
    within(site, || {
        nodes_of("reverse_cuthill_mckee", graph, site)?;
        let mesh = graph.values().mesh()?;
        let graph = match is_symmetric {
            true => graph.clone(),
            false => graph.combine(Op::Add, &graph.transpose()?)?,
        };
        let order = host::reverse_cuthill_mckee(&gathered_unweighted(&graph, site)?);
        uploaded(&mesh, &order).into_result()
    })
}
