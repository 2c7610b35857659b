//! Shortest paths along edges that may have negative weights.

use super::graph::{Graph, NONE};
use super::shortest::{Reached, dijkstra};

/// Sums of weights above this are not taken for negative: the threshold of SciPy.
const ROUNDING: f64 = 1e-15;

/// A cycle whose weights have a negative sum, so that paths through it have no least length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegativeCycle {
    /// A node of the cycle.
    pub node: usize,
}

/// The shortest paths from the nearest of some nodes, up to a length.
///
/// Source: R. Bellman, "On a routing problem" (1958); the search for cycles among predecessors is
/// that of B. V. Cherkassky, A. V. Goldberg, "Negative-cycle detection algorithms" (1999).
pub fn bellman_ford(
    graph: &Graph,
    sources: &[usize],
    limit: f64,
) -> Result<Reached, NegativeCycle> {
    let nodes = graph.rows();
    let mut found = Reached::start(nodes, sources);
    // The entry by which each node was reached.
    let mut entries = vec![usize::MAX; nodes];
    let mut has_changed = vec![false; nodes];
    let mut active: Vec<u32> = sources.iter().map(|&node| node as u32).collect();
    active.sort_unstable();
    active.dedup();
    active.iter().for_each(|&node| has_changed[node as usize] = true);
    let mut work = 0;
    for _ in 0..nodes.max(1) {
        let mut next_pass = Vec::new();
        for &node in &active {
            let node = node as usize;
            // If it changes later in this pass, it is left again in the next one.
            has_changed[node] = false;
            work += 1 + graph.entries(node).len();
            for entry in graph.entries(node) {
                let next = graph.columns[entry] as usize;
                let length = found.distances[node] + graph.weights[entry];
                if length < found.distances[next] && length <= limit {
                    found.distances[next] = length;
                    found.predecessors[next] = node as i32;
                    found.sources[next] = found.sources[node];
                    entries[next] = entry;
                    if !std::mem::replace(&mut has_changed[next], true) {
                        next_pass.push(next as u32);
                    }
                }
            }
        }
        next_pass.sort_unstable();
        active = next_pass;
        if active.is_empty() {
            return Ok(found);
        }
        // The search costs as much as `nodes` steps, so it comes once in so many.
        if work >= nodes {
            work = 0;
            if let Some(node) = negative_cycle(graph, &found.predecessors, &entries) {
                return Err(NegativeCycle { node });
            }
        }
    }
    // What still changes after as many passes as there are nodes is a cycle, or rounding.
    for node in 0..nodes {
        for (next, weight) in graph.edges(node) {
            let length = found.distances[node] + weight;
            if length + ROUNDING < found.distances[next] && length <= limit {
                return Err(NegativeCycle { node });
            }
        }
    }
    Ok(found)
}

/// A node of a cycle of predecessors whose weights have a negative sum.
fn negative_cycle(graph: &Graph, predecessors: &[i32], entries: &[usize]) -> Option<usize> {
    // For each node the walk that has come to it first; 0 for none.
    let mut walks = vec![0_u32; predecessors.len()];
    for first in 0..predecessors.len() {
        let (walk, mut node) = (first as u32 + 1, first);
        while walks[node] == 0 {
            walks[node] = walk;
            if predecessors[node] == NONE {
                break;
            }
            node = predecessors[node] as usize;
        }
        if walks[node] != walk || predecessors[node] == NONE {
            continue;
        }
        let (mut sum, mut length, mut at) = (0.0, 0.0, node);
        loop {
            sum += graph.weights[entries[at]];
            length += 1.0;
            at = predecessors[at] as usize;
            if at == node {
                break;
            }
        }
        if sum < -ROUNDING * length {
            return Some(node);
        }
    }
    None
}

/// Numbers for the nodes that make the weights of all edges positive or zero: the weight, plus the
/// number of its row, less the number of its column.
pub fn potentials(graph: &Graph) -> Result<Vec<f64>, NegativeCycle> {
    let all: Vec<usize> = (0..graph.rows()).collect();
    Ok(bellman_ford(graph, &all, f64::INFINITY)?.distances)
}

/// The graph whose weights are changed by numbers for its nodes.
#[must_use]
pub fn reweighted(graph: &Graph, numbers: &[f64]) -> Graph {
    let mut made = graph.clone();
    for row in 0..graph.rows() {
        for entry in graph.entries(row) {
            made.weights[entry] += numbers[row];
            made.weights[entry] -= numbers[graph.columns[entry] as usize];
        }
    }
    made
}

/// The shortest paths from each of some nodes.
///
/// Source: D. B. Johnson, "Efficient algorithms for shortest paths in sparse networks" (1977).
pub fn johnson(graph: &Graph, sources: &[usize]) -> Result<Vec<Reached>, NegativeCycle> {
    let numbers = potentials(graph)?;
    let positive = reweighted(graph, &numbers);
    let from = |&source: &usize| {
        let mut found = dijkstra(&positive, &[source], f64::INFINITY);
        for (distance, number) in found.distances.iter_mut().zip(&numbers) {
            *distance += number;
            *distance -= numbers[source];
        }
        found
    };
    Ok(sources.iter().map(from).collect())
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{graph, random_graph};
    use super::super::graph::{Graph, NONE};
    use super::{bellman_ford, johnson};

    /// All distances by the method of Floyd and Warshall; `None` with a negative cycle.
    fn all_distances(graph: &Graph) -> Option<Vec<Vec<f64>>> {
        let nodes = graph.rows();
        let mut all = vec![vec![f64::INFINITY; nodes]; nodes];
        for (row, lengths) in all.iter_mut().enumerate() {
            lengths[row] = 0.0;
            for (column, weight) in graph.edges(row) {
                lengths[column] = lengths[column].min(weight);
            }
        }
        for through in 0..nodes {
            for row in 0..nodes {
                for column in 0..nodes {
                    let length = all[row][through] + all[through][column];
                    all[row][column] = all[row][column].min(length);
                }
            }
        }
        (0..nodes).all(|at| all[at][at] >= 0.0).then_some(all)
    }

    #[test]
    fn distances_equal_those_of_all_pairs() {
        let mut cycles = 0;
        for seed in 0..200 {
            let made = random_graph(12, 25, if seed % 2 == 0 { -1.0 } else { 0.0 }, seed);
            let sources: Vec<usize> = (0..12).collect();
            let Some(expected) = all_distances(&made) else {
                assert!(johnson(&made, &sources).is_err());
                let each = sources.iter().map(|&at| bellman_ford(&made, &[at], f64::INFINITY));
                assert!(each.filter(Result::is_err).count() > 0);
                cycles += 1;
                continue;
            };
            let by_johnson = johnson(&made, &sources).unwrap();
            for source in sources {
                let found = bellman_ford(&made, &[source], f64::INFINITY).unwrap();
                assert_eq!(found.distances, expected[source]);
                assert_eq!(by_johnson[source].distances, expected[source]);
                for predecessors in [&found.predecessors, &by_johnson[source].predecessors] {
                    for node in 0..12 {
                        let before = predecessors[node];
                        let is_reached = expected[source][node].is_finite() && node != source;
                        assert_eq!(before != NONE, is_reached);
                        if before != NONE {
                            let weights = made.edges(before as usize);
                            let weights = weights.filter(|edge| edge.0 == node);
                            let least =
                                weights.fold(f64::INFINITY, |least, edge| least.min(edge.1));
                            let through = expected[source][before as usize] + least;
                            assert_eq!(through, expected[source][node]);
                        }
                    }
                }
            }
        }
        assert!(cycles > 10);
    }

    #[test]
    fn cycles_of_weight_zero_are_allowed_also_when_rounded() {
        let edges = [(0, 1, 0.1), (1, 2, 0.2), (2, 0, -0.3), (2, 3, 1.0)];
        let found = bellman_ford(&graph(4, &edges), &[0], f64::INFINITY).unwrap();
        assert!((found.distances[3] - 1.3).abs() < 1e-12);
        let edges = [(0, 1, 0.1), (1, 2, 0.2), (2, 0, -0.301)];
        assert!(bellman_ford(&graph(3, &edges), &[0], f64::INFINITY).is_err());
    }

    #[test]
    fn a_negative_cycle_of_a_large_graph_is_found_early() {
        let nodes = 200_000;
        let mut edges: Vec<(usize, usize, f64)> = Vec::new();
        edges.extend((1..nodes).map(|at| (at, at - 1, -1.0)));
        let mut made = Graph { starts: vec![0, 1], columns: vec![5], weights: vec![1.0] };
        for (_, column, weight) in edges {
            made.columns.push(column as u32);
            made.weights.push(weight);
            made.starts.push(made.columns.len());
        }
        assert!(bellman_ford(&made, &[nodes - 1], f64::INFINITY).is_err());
    }
}
