//! Several shortest paths between two nodes.

use super::graph::Graph;
use super::shortest::Waiting;
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

/// A path without repeated nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The sum of its weights.
    pub distance: f64,
    /// Its nodes.
    pub nodes: Vec<u32>,
}

/// A path with the number of its nodes that it has in common with the path from which it branches.
#[derive(Clone, Debug, PartialEq)]
struct Candidate {
    path: Path,
    branch: usize,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = self.path.distance.total_cmp(&other.path.distance);
        by_distance.then_with(|| self.path.nodes.cmp(&other.path.nodes))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// At most `count` shortest paths, the shortest one first. No weight is negative.
///
/// Source: J. Y. Yen, "Finding the K shortest loopless paths in a network" (1971); that only nodes
/// after the last branch are branched from is due to E. L. Lawler, "A procedure for computing the
/// K best solutions" (1972).
pub fn shortest_paths(graph: &Graph, source: usize, sink: usize, count: usize) -> Vec<Path> {
    let mut search = Search::new(graph, sink);
    let mut found: Vec<Candidate> = Vec::new();
    let mut candidates: BTreeSet<Candidate> = BTreeSet::new();
    if count > 0
        && let Some(path) = search.path_from(source, &[])
    {
        candidates.insert(Candidate { path, branch: 0 });
    }
    while let Some(best) = candidates.pop_first() {
        let nodes = best.path.nodes.clone();
        let branch = best.branch;
        found.push(best);
        let missing = count - found.len();
        if missing == 0 {
            break;
        }
        let mut before = 0.0;
        for at in 0..nodes.len() - 1 {
            let node = nodes[at] as usize;
            if at >= branch {
                // Steps that known paths with the same nodes up to here have taken.
                let same = found.iter().map(|known| &known.path.nodes);
                let same =
                    same.filter(|known| known.len() > at + 1 && known[..=at] == nodes[..=at]);
                let taken: Vec<u32> = same.map(|known| known[at + 1]).collect();
                if let Some(rest) = search.path_from(node, &taken) {
                    let distance = before + rest.distance;
                    let nodes = [&nodes[..at], &rest.nodes].concat();
                    let path = Path { distance, nodes };
                    candidates.insert(Candidate { path, branch: at });
                    if candidates.len() > missing {
                        candidates.pop_last();
                    }
                }
            }
            before += least_weight(graph, node, nodes[at + 1] as usize);
            search.is_closed[node] = true;
        }
        nodes.iter().for_each(|&node| search.is_closed[node as usize] = false);
    }
    found.into_iter().map(|candidate| candidate.path).collect()
}

/// The least weight of the edges between two neighbours.
fn least_weight(graph: &Graph, row: usize, column: usize) -> f64 {
    let weights = graph.edges(row).filter(|edge| edge.0 == column).map(|edge| edge.1);
    weights.fold(f64::INFINITY, f64::min)
}

/// Searches of shortest paths to a node. Their memory is used again.
struct Search<'a> {
    graph: &'a Graph,
    sink: usize,
    /// Nodes that paths may not use.
    is_closed: Vec<bool>,
    distances: Vec<f64>,
    predecessors: Vec<u32>,
    reached: Vec<u32>,
}

impl Search<'_> {
    fn new(graph: &Graph, sink: usize) -> Search<'_> {
        let nodes = graph.rows();
        Search {
            graph,
            sink,
            is_closed: vec![false; nodes],
            distances: vec![f64::INFINITY; nodes],
            predecessors: vec![0; nodes],
            reached: Vec::new(),
        }
    }

    /// The shortest path from a node whose first step is none of those that are taken.
    fn path_from(&mut self, source: usize, taken: &[u32]) -> Option<Path> {
        for node in self.reached.drain(..) {
            self.distances[node as usize] = f64::INFINITY;
        }
        self.distances[source] = 0.0;
        self.reached.push(source as u32);
        let mut waiting = BinaryHeap::from([Waiting { distance: 0.0, node: source }]);
        while let Some(Waiting { distance, node }) = waiting.pop() {
            if node == self.sink {
                return Some(Path { distance, nodes: self.nodes_from(source) });
            }
            if distance > self.distances[node] {
                continue;
            }
            for (next, weight) in self.graph.edges(node) {
                let length = distance + weight;
                let is_taken = node == source && taken.contains(&(next as u32));
                if length < self.distances[next] && !self.is_closed[next] && !is_taken {
                    self.distances[next] = length;
                    self.predecessors[next] = node as u32;
                    self.reached.push(next as u32);
                    waiting.push(Waiting { distance: length, node: next });
                }
            }
        }
        None
    }

    fn nodes_from(&self, source: usize) -> Vec<u32> {
        let mut nodes = vec![self.sink as u32];
        let mut node = self.sink;
        while node != source {
            node = self.predecessors[node] as usize;
            nodes.push(node as u32);
        }
        nodes.reverse();
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::Graph;
    use super::super::graph::tests::random_graph;
    use super::shortest_paths;

    /// The lengths of all paths without repeated nodes.
    fn all_lengths(graph: &Graph, node: usize, sink: usize, on_path: &mut Vec<usize>) -> Vec<f64> {
        if node == sink {
            return vec![0.0];
        }
        on_path.push(node);
        let mut nexts: Vec<usize> = graph.columns_of(node).collect();
        nexts.sort_unstable();
        nexts.dedup();
        let mut all = Vec::new();
        for next in nexts {
            if !on_path.contains(&next) {
                let weight = super::least_weight(graph, node, next);
                let rest = all_lengths(graph, next, sink, on_path);
                all.extend(rest.into_iter().map(|length| length + weight));
            }
        }
        on_path.pop();
        all
    }

    #[test]
    fn paths_are_the_shortest_of_all() {
        for seed in 0..60 {
            let made = random_graph(8, 22, 1.0, seed);
            let mut expected = all_lengths(&made, 0, 5, &mut Vec::new());
            expected.sort_by(f64::total_cmp);
            for count in [0, 1, 3, 7, 500] {
                let found = shortest_paths(&made, 0, 5, count);
                let lengths: Vec<f64> = found.iter().map(|path| path.distance).collect();
                assert_eq!(lengths, expected[..count.min(expected.len())], "{seed} {count}");
                for (at, path) in found.iter().enumerate() {
                    assert!((path.nodes[0], *path.nodes.last().unwrap()) == (0, 5));
                    let mut nodes = path.nodes.clone();
                    nodes.sort_unstable();
                    nodes.dedup();
                    assert_eq!(nodes.len(), path.nodes.len());
                    assert!(found[..at].iter().all(|other| other.nodes != path.nodes));
                }
            }
            assert_eq!(shortest_paths(&made, 2, 2, 3).len(), 1);
        }
    }
}
