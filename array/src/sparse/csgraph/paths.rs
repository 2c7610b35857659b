//! Shortest paths from some nodes.

use super::error::GraphError;
use super::gathered::{checked_node, gathered, is_gathered, nodes_of, uploaded, weighted};
use super::host::{self, Graph, NONE, NegativeCycle, Reached};
use super::relaxation::{Found, Relaxation};
use crate::array::Array;
use crate::creation::from_slice;
use crate::manipulation::stack;
use crate::sparse::Csr;
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};
use phalanx_ops::{DType, Element};

/// Paths from more nodes are computed on the host, where they share the reading of the graph.
const FEW: usize = 8;

/// The options of shortest paths. The default has SciPy's values.
#[derive(Clone, Debug)]
pub struct PathOptions {
    directed: bool,
    unweighted: bool,
    sources: Option<Vec<usize>>,
    has_predecessors: bool,
    limit: f64,
    min_only: bool,
    gather_below: Option<usize>,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions {
            directed: true,
            unweighted: false,
            sources: None,
            has_predecessors: false,
            limit: f64::INFINITY,
            min_only: false,
            gather_below: None,
        }
    }
}

impl PathOptions {
    /// Whether edges lead one way only. The default is true.
    #[must_use]
    pub fn directed(self, directed: bool) -> Self {
        PathOptions { directed, ..self }
    }

    /// Whether each edge has the weight 1.
    #[must_use]
    pub fn unweighted(self, unweighted: bool) -> Self {
        PathOptions { unweighted, ..self }
    }

    /// The nodes at which paths start; by default all.
    #[must_use]
    pub fn sources(self, sources: impl Into<Option<Vec<usize>>>) -> Self {
        PathOptions { sources: sources.into(), ..self }
    }

    /// Whether predecessors are returned.
    #[must_use]
    pub fn predecessors(self, has_predecessors: bool) -> Self {
        PathOptions { has_predecessors, ..self }
    }

    /// The length of the longest path, for [`dijkstra`].
    #[must_use]
    pub fn limit(self, limit: f64) -> Self {
        PathOptions { limit, ..self }
    }

    /// Whether each node has the path from its nearest source only, for [`dijkstra`].
    #[must_use]
    pub fn min_only(self, min_only: bool) -> Self {
        PathOptions { min_only, ..self }
    }

    /// The number of entries from which on the algorithm is distributed; by default
    /// [`super::GATHER_BELOW`].
    #[must_use]
    pub fn gather_below(self, entries: impl Into<Option<usize>>) -> Self {
        PathOptions { gather_below: entries.into(), ..self }
    }
}

/// Shortest paths: a row for each source, or with `min_only` a vector.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The lengths of the paths; infinity without a path (`f64`).
    pub distances: Array,
    /// The node before each node on its path, or [`NONE`] (`i32`).
    pub predecessors: Option<Array>,
    /// With `min_only` and predecessors, the first node of each path, or [`NONE`] (`i32`).
    pub sources: Option<Array>,
}

/// SciPy's `dijkstra`: shortest paths in a graph without negative weights. With negative weights
/// the paths are the shortest ones if there is no negative cycle.
///
/// Shape `(sources, n)`, or `(n,)` with `min_only`. Collective over the mesh: distributed from
/// [`PathOptions::gather_below`] entries on, if there are at most 8 sources, or with `min_only`,
/// and paths have at most 256 edges; else gathered. Errors: `OpError::Argument` for a matrix that
/// is not square, for a source that the graph does not have and for a limit that is negative or
/// NaN, `OpError::TooLarge`.
///
/// Sources: E. W. Dijkstra, "A note on two problems in connexion with graphs" (1959); R. Bellman,
/// "On a routing problem" (1958), for the distributed algorithm.
#[track_caller]
pub fn dijkstra(graph: &Csr, options: &PathOptions) -> Result<Paths, Error> {
    let (site, name) = (call_site(), "dijkstra");
    if options.limit.is_nan() || options.limit < 0.0 {
        let value = options.limit.to_string();
        return Err(crate::manipulation::refused(name, "limit", value, site));
    }
    within(site, || {
        let problem = Problem::new(name, graph, options, site)?;
        if let Some(found) = problem.distributed(options.min_only)? {
            return Ok(found);
        }
        let graph = problem.host_graph()?;
        let is_negative = graph.weights.iter().any(|&weight| weight < 0.0);
        let limit = options.limit;
        let from = |sources: &[usize]| match is_negative {
            true => host::bellman_ford(&graph, sources, limit)
                .unwrap_or_else(|_| host::dijkstra(&graph, sources, limit)),
            false => host::dijkstra(&graph, sources, limit),
        };
        if options.min_only {
            return problem.nearest(&from(&problem.sources));
        }
        let each: Vec<Reached> = problem.sources.iter().map(|&source| from(&[source])).collect();
        problem.rows(&each)
    })
}

/// SciPy's `bellman_ford`: shortest paths in a graph with weights of any sign.
///
/// Shape `(sources, n)`. Collective over the mesh: distributed as [`dijkstra`], else gathered.
/// Errors: those of [`dijkstra`], and `GraphError::NegativeCycle` for a source that reaches one.
///
/// Source: R. Bellman, "On a routing problem" (1958).
#[track_caller]
pub fn bellman_ford(graph: &Csr, options: &PathOptions) -> Result<Paths, GraphError> {
    let site = call_site();
    within(site, || {
        let problem = Problem::new("bellman_ford", graph, options, site)?;
        if let Some(found) = problem.distributed(false)? {
            return Ok(found);
        }
        let graph = problem.host_graph()?;
        let from = |&source: &usize| {
            let found = host::bellman_ford(&graph, &[source], f64::INFINITY);
            found.map_err(|_| GraphError::NegativeCycle { node: source })
        };
        let each: Result<Vec<Reached>, GraphError> = problem.sources.iter().map(from).collect();
        Ok(problem.rows(&each?)?)
    })
}

/// SciPy's `johnson`: shortest paths in a graph with weights of any sign, from many sources.
///
/// Shape `(sources, n)`. Collective over the mesh; gathered. Errors: those of [`dijkstra`], and
/// `GraphError::NegativeCycle` if there is one, whether a source reaches it or not.
///
/// Source: D. B. Johnson, "Efficient algorithms for shortest paths in sparse networks" (1977).
#[track_caller]
pub fn johnson(graph: &Csr, options: &PathOptions) -> Result<Paths, GraphError> {
    let site = call_site();
    within(site, || {
        let problem = Problem::new("johnson", graph, options, site)?;
        let each = host::johnson(&problem.host_graph()?, &problem.sources);
        Ok(problem.rows(&each.map_err(negative)?)?)
    })
}

/// SciPy's `yen`: at most `count` shortest paths from one node to another one, the shortest one
/// first. No path has a node twice.
///
/// Shapes `(found,)` and `(found, n)`. Of the options, `directed`, `unweighted` and `predecessors`
/// count. Collective over the mesh; gathered. Errors: `OpError::Argument` for a matrix that is not
/// square and for a node that it does not have, `OpError::TooLarge`, `GraphError::NegativeCycle`.
///
/// Source: J. Y. Yen, "Finding the K shortest loopless paths in a network" (1971).
#[track_caller]
pub fn yen(
    graph: &Csr,
    source: usize,
    sink: usize,
    count: usize,
    options: &PathOptions,
) -> Result<Paths, GraphError> {
    let (site, name) = (call_site(), "yen");
    within(site, || {
        let options = PathOptions { sources: Some(vec![]), ..options.clone() };
        let problem = Problem::new(name, graph, &options, site)?;
        checked_node(name, "source", source, problem.nodes, site)?;
        checked_node(name, "sink", sink, problem.nodes, site)?;
        let mut graph = problem.host_graph()?;
        let mut change = 0.0;
        if graph.weights.iter().any(|&weight| weight < 0.0) {
            let numbers = host::potentials(&graph).map_err(negative)?;
            graph = host::reweighted(&graph, &numbers);
            change = numbers[sink] - numbers[source];
        }
        let found = host::shortest_paths(&graph, source, sink, count);
        let distances: Vec<f64> = found.iter().map(|path| path.distance + change).collect();
        let mut predecessors = vec![NONE; found.len() * problem.nodes];
        for (row, path) in found.iter().enumerate() {
            for step in path.nodes.windows(2) {
                predecessors[row * problem.nodes + step[1] as usize] = step[0] as i32;
            }
        }
        let shape = [found.len(), problem.nodes];
        let before = options.has_predecessors.then(|| problem.matrix(&predecessors, shape));
        Ok(Paths {
            distances: uploaded(&problem.mesh, &distances).into_result()?,
            predecessors: before.transpose()?,
            sources: None,
        })
    })
}

fn negative(cycle: NegativeCycle) -> GraphError {
    GraphError::NegativeCycle { node: cycle.node }
}

/// Checked arguments.
struct Problem<'a> {
    graph: Csr,
    nodes: usize,
    sources: Vec<usize>,
    options: &'a PathOptions,
    mesh: MeshHandle,
    site: Site,
}

impl Problem<'_> {
    fn new<'a>(
        operation: &'static str,
        graph: &Csr,
        options: &'a PathOptions,
        site: Site,
    ) -> Result<Problem<'a>, Error> {
        let nodes = nodes_of(operation, graph, site)?;
        let sources = options.sources.clone().unwrap_or_else(|| (0..nodes).collect());
        for &source in &sources {
            checked_node(operation, "sources", source, nodes, site)?;
        }
        let (mesh, graph) = (graph.values().mesh()?, weighted(graph, site)?);
        Ok(Problem { graph, nodes, sources, options, mesh, site })
    }

    /// The graph on the host, with the edges and weights of the options.
    fn host_graph(&self) -> Result<Graph, Error> {
        let mut graph = gathered(&self.graph, self.site)?;
        if self.options.unweighted {
            graph.weights.fill(1.0);
        }
        Ok(if self.options.directed { graph } else { graph.both_ways() })
    }

    /// The paths by relaxation, if that is suited.
    fn distributed(&self, min_only: bool) -> Result<Option<Paths>, Error> {
        let options = self.options;
        let is_many = !min_only && self.sources.len() > FEW;
        let is_small = is_gathered(&self.graph, options.gather_below);
        if is_small || is_many || self.sources.is_empty() {
            return Ok(None);
        }
        let Problem { graph, site, .. } = self;
        let edges = Relaxation::new(graph, options.directed, options.unweighted, *site)?;
        let Some(edges) = edges else { return Ok(None) };
        let (limit, has_predecessors) = (options.limit, options.has_predecessors);
        if min_only {
            let found = edges.from(&self.sources, limit, has_predecessors, has_predecessors)?;
            let Some(found) = found else { return Ok(None) };
            return Ok(Some(Paths {
                distances: found.distances,
                predecessors: found.predecessors.map(|before| self.narrow(&before)).transpose()?,
                sources: found.sources.map(|firsts| self.narrow(&firsts)).transpose()?,
            }));
        }
        let mut each: Vec<Found> = Vec::with_capacity(self.sources.len());
        for &source in &self.sources {
            match edges.from(&[source], limit, has_predecessors, false)? {
                Some(found) => each.push(found),
                None => return Ok(None),
            }
        }
        let distances: Vec<&Array> = each.iter().map(|found| &found.distances).collect();
        let before: Vec<&Array> =
            each.iter().filter_map(|found| found.predecessors.as_ref()).collect();
        let before = has_predecessors.then(|| self.narrow(&stack(&before, 0)));
        Ok(Some(Paths {
            distances: stack(&distances, 0).into_result()?,
            predecessors: before.transpose()?,
            sources: None,
        }))
    }

    fn narrow(&self, numbers: &Array) -> Result<Array, Error> {
        numbers.converted(DType::I32, self.site).into_result()
    }

    fn matrix<T: Element>(&self, elements: &[T], shape: [usize; 2]) -> Result<Array, Error> {
        self.mesh.enter(|| from_slice(elements, shape)).into_result()
    }

    /// The results of all sources in rows.
    fn rows(&self, each: &[Reached]) -> Result<Paths, Error> {
        let shape = [each.len(), self.nodes];
        let distances: Vec<f64> = each.iter().flat_map(|found| &found.distances).copied().collect();
        let before = self.options.has_predecessors.then(|| {
            let all = each.iter().flat_map(|found| &found.predecessors);
            self.matrix(&all.copied().collect::<Vec<i32>>(), shape)
        });
        let distances = self.matrix(&distances, shape)?;
        Ok(Paths { distances, predecessors: before.transpose()?, sources: None })
    }

    /// The result of the nearest of all sources.
    fn nearest(&self, found: &Reached) -> Result<Paths, Error> {
        let of_paths = |numbers: &[i32]| {
            let has_them = self.options.has_predecessors;
            has_them.then(|| uploaded(&self.mesh, numbers).into_result()).transpose()
        };
        Ok(Paths {
            distances: uploaded(&self.mesh, &found.distances).into_result()?,
            predecessors: of_paths(&found.predecessors)?,
            sources: of_paths(&found.sources)?,
        })
    }
}
