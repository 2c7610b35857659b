//! Shortest paths along edges without negative weights.

use super::graph::{Graph, NONE};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The shortest paths from some nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// The length of the shortest path to each node; infinity without a path.
    pub distances: Vec<f64>,
    /// The node before each node on its path.
    pub predecessors: Vec<i32>,
    /// The first node of each path.
    pub sources: Vec<i32>,
}

impl Reached {
    /// The state before the first step.
    pub(super) fn start(nodes: usize, sources: &[usize]) -> Reached {
        let mut made = Reached {
            distances: vec![f64::INFINITY; nodes],
            predecessors: vec![NONE; nodes],
            sources: vec![NONE; nodes],
        };
        for &source in sources {
            made.distances[source] = 0.0;
            made.sources[source] = source as i32;
        }
        made
    }
}

/// A node that waits to be left, at its distance.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Waiting {
    pub distance: f64,
    pub node: usize,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    /// The largest is the nearest, since heaps return the largest. Of nodes at the same distance
    /// that is the one with the largest number, as in SciPy.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The shortest paths from the nearest of some nodes, up to a length.
///
/// Each node is left once. With negative weights, distances are those of paths, but not always of
/// the shortest ones.
///
/// Source: E. W. Dijkstra, "A note on two problems in connexion with graphs" (1959), with a binary
/// heap.
pub fn dijkstra(graph: &Graph, sources: &[usize], limit: f64) -> Reached {
    let mut found = Reached::start(graph.rows(), sources);
    let mut is_left = vec![false; graph.rows()];
    let at_start = sources.iter().map(|&node| Waiting { distance: 0.0, node });
    let mut waiting: BinaryHeap<Waiting> = at_start.collect();
    while let Some(Waiting { distance, node }) = waiting.pop() {
        if is_left[node] {
            continue;
        }
        is_left[node] = true;
        for (next, weight) in graph.edges(node) {
            let length = distance + weight;
            if length <= limit && length < found.distances[next] && !is_left[next] {
                found.distances[next] = length;
                found.predecessors[next] = node as i32;
                found.sources[next] = found.sources[node];
                waiting.push(Waiting { distance: length, node: next });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::graph::NONE;
    use super::super::graph::tests::graph;
    use super::dijkstra;

    #[test]
    fn paths_end_at_the_limit() {
        let edges = [(0, 1, 2.0), (1, 2, 2.0), (0, 2, 5.0), (3, 2, 0.0), (2, 4, 3.0)];
        let made = graph(6, &edges);
        let found = dijkstra(&made, &[0], f64::INFINITY);
        let infinity = f64::INFINITY;
        assert_eq!(found.distances, [0.0, 2.0, 4.0, infinity, 7.0, infinity]);
        assert_eq!(found.predecessors, [NONE, 0, 1, NONE, 2, NONE]);
        let found = dijkstra(&made, &[0], 4.0);
        assert_eq!(found.distances, [0.0, 2.0, 4.0, infinity, infinity, infinity]);
        let found = dijkstra(&made, &[0, 3], infinity);
        assert_eq!(found.distances, [0.0, 2.0, 0.0, 0.0, 3.0, infinity]);
        assert_eq!(found.sources, [0, 0, 3, 3, 3, NONE]);
    }
}
